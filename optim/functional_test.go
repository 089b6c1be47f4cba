package optim_test

import (
	"errors"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/tree"
)

type mlp struct {
	nn.Base
	L1, L2 *nn.Linear
}

func (m *mlp) Forward(x *lucid.Tensor) *lucid.Tensor { return m.L2.Forward(m.L1.Forward(x).Tanh()) }

func newMLP() *mlp {
	lucid.Seed(5)
	return &mlp{L1: nn.NewLinear(3, 16), L2: nn.NewLinear(16, 1)}
}

// Update by a tree of gradients does what Backward and Step do, eagerly and compiled.
func TestUpdate(t *testing.T) {
	x := lucid.Randn(64, 3)
	y := x.Sum(1).Sin().Reshape(64, 1)
	loss := func(m *mlp) *lucid.Tensor { return F.MSELoss(m.Forward(x), y) }
	for name, opt := range map[string]func(ps []*lucid.Tensor) optim.Optimizer{
		"sgd": func(ps []*lucid.Tensor) optim.Optimizer {
			return optim.NewSGD(ps, optim.SGDOptions{LR: 0.1, Momentum: 0.9})
		},
		"adam": func(ps []*lucid.Tensor) optim.Optimizer { return optim.NewAdam(ps, optim.AdamOptions{LR: 0.01}) },
	} {
		a, b, c := newMLP(), newMLP(), newMLP()
		oa, ob, oc := opt(nn.Parameters(a)), opt(nn.Parameters(b)), opt(nn.Parameters(c))
		update := func(o optim.Optimizer, m *mlp) *lucid.Tensor {
			l, g := nn.ValueAndGrad(m, loss)
			o.(interface{ Update(model, grads any) }).Update(m, g)
			return l
		}
		compiled := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return update(oc, c) })
		for i := range 20 {
			oa.ZeroGrad()
			la := loss(a)
			la.Backward()
			oa.Step()
			lb, lc := update(ob, b), compiled(x)
			if la.Item() != lb.Item() || !lucid.AllClose(la, lc, lucid.CloseOptions{RTol: new(1e-6)}) {
				t.Fatalf("%s step %d: %v by Backward, %v by Update, %v compiled", name, i, la, lb, lc)
			}
		}
		if b.L1.Weight.Grad() != nil {
			t.Errorf("%s: Grad was written", name)
		}
		if n := lucid.Explain(compiled).Traces; n > 2 {
			t.Errorf("%s: %d traces", name, n)
		}
	}
}

func TestApplyGradients(t *testing.T) {
	m := newMLP()
	before := m.L1.Weight.Clone()
	opt := optim.NewSGD(nn.Parameters(m), optim.SGDOptions{LR: 0.5})
	ps := nn.TrainableParameters(m)
	next := optim.ApplyGradients(opt, tree.Map(lucid.OnesLike, ps), ps)
	if !lucid.AllClose(next.L1.Weight, before.Sub(0.5)) || !lucid.AllClose(m.L1.Weight, before) {
		t.Errorf("%v\n%v", next.L1.Weight, m.L1.Weight)
	}
	nn.Freeze(m, "l1")
	again := optim.ApplyGradients(opt, tree.Map(lucid.OnesLike, ps), ps)
	if w, v := again.L1.Weight, again.L2.Weight; w.RequiresGrad() || !v.RequiresGrad() || !v.IsLeaf() || len(nn.Parameters(again)) != 4 {
		t.Error("parameters do not stay parameters")
	}
	nn.Unfreeze(m)
	// Parameters of equal shapes in another order would get each other's state.
	lists := map[string][]*lucid.Tensor{"a": {nn.Parameter(lucid.Ones(2)), nn.Parameter(lucid.Zeros(2))}}
	swapped := optim.NewSGD([]*lucid.Tensor{lists["a"][1], lists["a"][0]}, optim.SGDOptions{LR: 0.5})
	if err := lucid.Try(func() { optim.ApplyGradients(swapped, tree.Map(lucid.OnesLike, lists), lists) }); !errors.Is(err, lucid.ErrValue) {
		t.Errorf("parameters in another order: %v", err)
	}
	nn.Update(m, next)
	if !lucid.AllClose(m.L1.Weight, before.Sub(0.5)) {
		t.Error("nn.Update")
	}
}

// normed has buffers.
type normed struct {
	nn.Base
	L *nn.Linear
	N *nn.BatchNorm1d
}

func (m *normed) Forward(x *lucid.Tensor) *lucid.Tensor { return m.N.Forward(m.L.Forward(x)) }

// What ApplyGradients makes of a whole model is a whole model: it has the buffers, and the frozen parameters. The model that went in keeps
// its own, eagerly and as an argument of a compiled step.
func TestApplyGradientsToModel(t *testing.T) {
	lucid.Seed(3)
	x := lucid.Randn(8, 3)
	loss := func(m *normed) *lucid.Tensor { return m.Forward(x).Tanh().Square().Sum() }
	model := func() *normed {
		lucid.Seed(4)
		m := &normed{L: nn.NewLinear(3, 3), N: nn.NewBatchNorm1d(3)}
		nn.Freeze(m, "l.bias")
		return m
	}
	trainable := func(m *normed) []*lucid.Tensor { return []*lucid.Tensor{m.L.Weight, m.N.Weight, m.N.Bias} }
	ref := model()
	by := optim.NewAdam(trainable(ref), optim.AdamOptions{LR: 0.1})
	var want *lucid.Tensor
	for range 5 {
		var g *normed
		want, g = nn.ValueAndGrad(ref, loss)
		by.Update(ref, g)
	}
	nn.Eval(ref)
	for _, compiled := range []bool{false, true} {
		first := model()
		opt := optim.NewAdam(trainable(first), optim.AdamOptions{LR: 0.1})
		step := func(m *normed) (*normed, *lucid.Tensor) {
			l, g := nn.ValueAndGrad(m, loss)
			return optim.ApplyGradients(opt, g, m), l
		}
		if compiled {
			step = lucid.Compile(step)
		}
		m, l := step(first)
		mean := first.N.RunningMean.Clone().Eval()
		for range 4 {
			m, l = step(m)
		}
		if !lucid.Equal(first.N.RunningMean, mean) {
			t.Errorf("compiled %v: the model that went in has another mean: %v, %v", compiled, first.N.RunningMean, mean)
		}
		if !lucid.AllClose(l, want) || m.L.Bias == nil || m.L.Bias.RequiresGrad() || len(nn.Parameters(m)) != 4 {
			t.Errorf("compiled %v: loss %v, want %v; %v", compiled, l, want, m.L.Bias)
		}
		nn.Eval(m)
		if a, b := loss(m), loss(ref); !lucid.AllClose(a, b) {
			t.Errorf("compiled %v: %v with the running statistics, want %v", compiled, a, b)
		}
	}
}

func TestInit(t *testing.T) {
	a, b := newMLP(), newMLP()
	oa, ob := optim.NewAdam(nn.Parameters(a), optim.AdamOptions{LR: 0.1}), optim.NewAdam(nn.Parameters(b), optim.AdamOptions{LR: 0.1})
	ones := func(m *mlp) *mlp { return tree.Map(lucid.OnesLike, nn.TrainableParameters(m)) }
	oa.Update(a, ones(a))
	oa.Init()
	nn.Update(a, nn.TrainableParameters(b))
	oa.Update(a, ones(a))
	ob.Update(b, ones(b))
	if !lucid.AllClose(a.L1.Weight, b.L1.Weight) {
		t.Error("state was not begun anew")
	}
}

func TestClipGradients(t *testing.T) {
	g := map[string]*lucid.Tensor{"a": lucid.New([]float32{3}, 1), "b": lucid.New([]float32{4}, 1)}
	c, norm := optim.ClipGradients(g, 1)
	if norm.Item() != 5 || !lucid.AllClose(c["b"], lucid.New([]float32{0.8}, 1)) {
		t.Errorf("%v %v", c, norm)
	}
	if same, _ := optim.ClipGradients(g, 10); same["a"].Item() != 3 {
		t.Error("below the norm they stay")
	}
}

func TestUpdateRefuses(t *testing.T) {
	m := newMLP()
	opt := optim.NewSGD(nn.Parameters(m.L1), optim.SGDOptions{LR: 0.5})
	err := lucid.Try(func() { opt.Update(m, nn.TrainableParameters(m)) })
	if !errors.Is(err, lucid.ErrValue) {
		t.Error(err)
	}
	nn.Freeze(m)
	err = lucid.Try(func() { nn.ValueAndGrad(m, func(m *mlp) *lucid.Tensor { return m.Forward(lucid.Ones(1, 3)).Sum() }) })
	if !errors.Is(err, lucid.ErrGradient) {
		t.Error(err)
	}
}

// An ensemble is trained by one step over stacked members, eagerly and compiled: each member learns what it learns alone.
func TestUpdateEnsemble(t *testing.T) {
	x := lucid.Randn(16, 3)
	y := x.Sum(1).Sin().Reshape(16, 1)
	loss := func(m *mlp) *lucid.Tensor { return F.MSELoss(m.Forward(x), y) }
	sgd := func(m *mlp) *optim.SGD {
		return optim.NewSGD(nn.Parameters(m), optim.SGDOptions{LR: 0.1, Momentum: 0.9})
	}
	members := []*mlp{newMLP(), {L1: nn.NewLinear(3, 16), L2: nn.NewLinear(16, 1)}}
	for _, m := range members {
		nn.Freeze(m, "l1.bias")
	}
	for name, compile := range map[string]func(func(x *lucid.Tensor) *lucid.Tensor) func(x *lucid.Tensor) *lucid.Tensor{
		"eager": func(f func(x *lucid.Tensor) *lucid.Tensor) func(x *lucid.Tensor) *lucid.Tensor { return f },
		"compiled": func(f func(x *lucid.Tensor) *lucid.Tensor) func(x *lucid.Tensor) *lucid.Tensor {
			return lucid.Compile(f)
		},
	} {
		all, alone := tree.Stack(members), nn.Clone(members[1])
		opt, optAlone := sgd(all), sgd(alone)
		step := compile(func(x *lucid.Tensor) *lucid.Tensor {
			values, grads := lucid.VMap(func(m *mlp) (*lucid.Tensor, *mlp) { return nn.ValueAndGrad(m, loss) })(all)
			if grads.L1.Bias != nil {
				t.Error("a frozen parameter has a gradient")
			}
			opt.Update(all, grads)
			return values
		})
		for i := range 5 {
			value, grads := nn.ValueAndGrad(alone, loss)
			optAlone.Update(alone, grads)
			if got := step(x).At(1); !lucid.AllClose(got, value) {
				t.Fatalf("%s, step %d: %v, alone %v", name, i, got, value)
			}
		}
	}
}

// Update and ApplyGradients inside Scan train as a Go loop does, and parameters stay parameters.
func TestUpdateInScan(t *testing.T) {
	x := lucid.Randn(8, 4, 3)
	y := x.Sum(2).Sin().Unsqueeze(-1)
	type batch struct{ X, Y *lucid.Tensor }
	loss := func(b batch) func(m *mlp) *lucid.Tensor {
		return func(m *mlp) *lucid.Tensor { return F.MSELoss(m.Forward(b.X), b.Y) }
	}
	adam := func(m *mlp) *optim.Adam { return optim.NewAdam(nn.Parameters(m), optim.AdamOptions{LR: 0.05}) }
	want, inside, pure := newMLP(), newMLP(), newMLP()
	for _, m := range []*mlp{want, inside} {
		nn.Freeze(m, "l2.bias")
	}
	opt := adam(want)
	var losses []*lucid.Tensor
	for i := range 8 {
		l, g := nn.ValueAndGrad(want, loss(batch{x.At(i), y.At(i)}))
		opt.Update(want, g)
		losses = append(losses, l)
	}
	opt = adam(inside)
	_, got := lucid.Scan(func(c *lucid.Tensor, b batch) (*lucid.Tensor, *lucid.Tensor) {
		l, g := nn.ValueAndGrad(inside, loss(b))
		opt.Update(inside, g)
		return c, l
	}, lucid.Zeros(1), batch{x, y})
	if !lucid.AllClose(got, lucid.Stack(losses, 0)) {
		t.Errorf("%v, want %v", got, losses)
	}
	if !lucid.AllClose(inside.L1.Weight, want.L1.Weight) || !inside.L1.Weight.RequiresGrad() || !inside.L1.Weight.IsLeaf() ||
		inside.L2.Bias.RequiresGrad() {
		t.Errorf("%v, want %v", inside.L1.Weight, want.L1.Weight)
	}
	opt = adam(pure)
	params := nn.TrainableParameters(pure)
	params.L2.Bias.RequiresGrad_(false)
	before := pure.L1.Weight.Clone()
	params, _ = lucid.Scan(func(p *mlp, b batch) (*mlp, *lucid.Tensor) {
		l, g := lucid.ValueAndGradTree(loss(b))(p)
		g.L2.Bias = nil
		return optim.ApplyGradients(opt, g, p), l
	}, params, batch{x, y})
	if !lucid.AllClose(params.L1.Weight, want.L1.Weight) || !lucid.Equal(pure.L1.Weight, before) {
		t.Errorf("%v, want %v", params.L1.Weight, want.L1.Weight)
	}
}
