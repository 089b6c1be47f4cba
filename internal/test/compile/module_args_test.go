package compile

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

type twoLayers struct {
	nn.Base
	L1, L2 *nn.Linear
	Scale  float64
}

func newTwoLayers() *twoLayers {
	return &twoLayers{L1: nn.NewLinear(3, 8), L2: nn.NewLinear(8, 1), Scale: 1}
}

func (m *twoLayers) Forward(x *lucid.Tensor) *lucid.Tensor {
	return m.L2.Forward(m.L1.Forward(x).Tanh()).Mul(m.Scale)
}

// counts checks how often a function was traced and planned.
func counts(t *testing.T, f any, traces, plans int) {
	t.Helper()
	if x := lucid.Explain(f); x.Traces != traces || x.Plans != plans {
		t.Errorf("want %d traces and %d plans: %v", traces, plans, x)
	}
}

// TestApplyGradientsLoopIsOneTrace: a loop that gets a new model from every step has the bits of the eager loop, and one trace.
func TestApplyGradientsLoopIsOneTrace(t *testing.T) {
	x := lucid.Randn(16, 3)
	y := x.Sum(1).Sin().Reshape(16, 1).Eval()
	start := newTwoLayers()
	run := func(compiled bool) (losses []float64, last *twoLayers, step any) {
		model := nn.Clone(start)
		first := nn.Clone(start)
		opt := optim.NewAdam(nn.Parameters(model), optim.AdamOptions{LR: 0.01})
		f := func(m *twoLayers, seen, x, y *lucid.Tensor) (*twoLayers, *lucid.Tensor, *lucid.Tensor) {
			value, grads := nn.ValueAndGrad(m, func(m *twoLayers) *lucid.Tensor { return F.MSELoss(m.Forward(x), y) })
			return optim.ApplyGradients(opt, grads, nn.TrainableParameters(m)), seen.Add(x.Size(0)), value
		}
		if compiled {
			f = lucid.Compile(f)
		}
		m, seen := model, lucid.Zeros(1)
		for range 50 {
			var value *lucid.Tensor
			m, seen, value = f(m, seen, x, y)
			losses = append(losses, value.Item())
		}
		if seen.Item() != 800 {
			t.Errorf("state: %v", seen)
		}
		for name, p := range nn.NamedParameters(model) {
			if !lucid.Equal(p, nn.GetParameter(first, name)) {
				t.Errorf("%s of the first model was changed", name)
			}
		}
		return losses, m, f
	}
	want, wantModel, _ := run(false)
	got, gotModel, step := run(true)
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("loss %d: %v compiled, %v eager", i, got[i], want[i])
		}
	}
	for name, p := range nn.NamedParameters(gotModel) {
		if !lucid.Equal(p, nn.GetParameter(wantModel, name)) || !p.RequiresGrad() || !p.IsLeaf() {
			t.Errorf("%s differs", name)
		}
	}
	counts(t, step, 1, 1)
}

// TestModulesOfEqualStructureShareATrace: each call reads the tensors of its own model.
func TestModulesOfEqualStructureShareATrace(t *testing.T) {
	f := lucid.Compile(func(m *twoLayers, x *lucid.Tensor) *lucid.Tensor { return m.Forward(x).Detach() })
	x := lucid.Randn(4, 3)
	check := func(m *twoLayers) {
		t.Helper()
		if got, want := f(m, x), m.Forward(x); !lucid.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	a, b := newTwoLayers(), newTwoLayers()
	for range 3 {
		check(a)
		check(b)
	}
	counts(t, f, 1, 1)
	wide := &twoLayers{L1: nn.NewLinear(3, 16), L2: nn.NewLinear(16, 1), Scale: 1}
	check(wide)
	counts(t, f, 2, 1) // other sizes bind the plan
	b.Scale = 2
	check(b)
	counts(t, f, 3, 2)
	if r := strings.Join(lucid.Explain(f).Reasons, "\n"); !strings.Contains(r, "argument 0.scale") {
		t.Errorf("Explain does not name the field: %s", r)
	}
	check(a)
	tied := newTwoLayers()
	tied.L2 = nn.NewLinear(8, 1)
	tied.L1.Bias = nil
	check(tied)
	nn.Eval(a)
	check(a)
}

// TestTiedModules: what two fields share is part of the structure.
func TestTiedModules(t *testing.T) {
	type pair struct {
		nn.Base
		A, B *nn.Linear
	}
	f := lucid.Compile(func(p *pair, x *lucid.Tensor) *lucid.Tensor {
		lucid.NoGrad(func() { p.A.Weight.Mul_(2) })
		return p.A.Forward(x).Add(p.B.Forward(x)).Detach()
	})
	apart := &pair{A: nn.NewLinear(2, 2), B: nn.NewLinear(2, 2)}
	tied := &pair{A: nn.NewLinear(2, 2)}
	tied.B = tied.A
	x := lucid.Ones(1, 2)
	for _, p := range []*pair{apart, tied, apart, tied} {
		w := nn.Clone(p)
		lucid.NoGrad(func() { w.A.Weight.Mul_(2) })
		want := w.A.Forward(x).Add(w.B.Forward(x))
		if got := f(p, x); !lucid.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		if !lucid.Equal(p.A.Weight, w.A.Weight) {
			t.Error("the module of the call was not changed")
		}
	}
	counts(t, f, 2, 2)
}

// TestModuleArgumentOfAnOptimizer: a step that changes the model through an optimizer that was made for it, in whatever way, does what
// it does uncompiled, and another model is not changed by accident.
func TestModuleArgumentOfAnOptimizer(t *testing.T) {
	x := lucid.Randn(8, 3)
	y := x.Sum(1).Reshape(8, 1).Eval()
	loss := func(m *twoLayers) *lucid.Tensor { return F.MSELoss(m.Forward(x), y) }
	for name, way := range map[string]func(opt *optim.SGD) func(m *twoLayers) *lucid.Tensor{
		"update": func(opt *optim.SGD) func(m *twoLayers) *lucid.Tensor {
			return func(m *twoLayers) *lucid.Tensor {
				value, grads := nn.ValueAndGrad(m, loss)
				opt.Update(m, grads)
				return value
			}
		},
		"step": func(opt *optim.SGD) func(m *twoLayers) *lucid.Tensor {
			return func(m *twoLayers) *lucid.Tensor {
				opt.ZeroGrad()
				l := loss(m)
				l.Backward()
				opt.Step()
				return l.Detach()
			}
		},
	} {
		a, other := newTwoLayers(), newTwoLayers()
		b, before := nn.Clone(a), nn.Clone(other)
		opts := optim.SGDOptions{LR: 0.1, Momentum: 0.9}
		eager, compiled := way(optim.NewSGD(nn.Parameters(a), opts)), lucid.Compile(way(optim.NewSGD(nn.Parameters(b), opts)))
		for i := range 5 {
			if la, lb := eager(a), compiled(b); la.Item() != lb.Item() {
				t.Fatalf("%s, step %d: %v eager, %v compiled", name, i, la, lb)
			}
		}
		if !lucid.Equal(a.L1.Weight, b.L1.Weight) {
			t.Errorf("%s: the weights differ", name)
		}
		if x := lucid.Explain(compiled); len(x.Address) != 1 || x.Traces > 2 {
			t.Errorf("%s: %v", name, x)
		}
		_ = lucid.Try(func() { compiled(other) })
		if !lucid.Equal(other.L1.Weight, before.L1.Weight) {
			t.Errorf("%s: a model was changed that is not the optimizer's", name)
		}
	}
}

// TestBackwardIntoModuleArgument: gradients go to the model of the call.
func TestBackwardIntoModuleArgument(t *testing.T) {
	x := lucid.Ones(2, 3)
	f := lucid.Compile(func(m *twoLayers, k *lucid.Tensor) *lucid.Tensor {
		l := m.Forward(x).Mul(k).Sum()
		l.Backward()
		return l.Detach()
	})
	a, b := newTwoLayers(), newTwoLayers()
	for _, m := range []*twoLayers{a, b, b, a} {
		w := nn.Clone(m)
		l := w.Forward(x).Mul(3).Sum()
		l.Backward()
		if got := f(m, lucid.Scalar(3.0)); !lucid.Equal(got, l.Detach()) || !lucid.Equal(m.L1.Weight.Grad(), w.L1.Weight.Grad()) {
			t.Errorf("%v, want %v", m.L1.Weight.Grad(), w.L1.Weight.Grad())
		}
	}
	counts(t, f, 2, 2) // without and with a gradient
	if len(lucid.Explain(f).Address) != 0 {
		t.Error(lucid.Explain(f))
	}
}

// TestModuleArgumentReadFromOutside: a tensor of an argument that the function holds as well is two inputs.
func TestModuleArgumentReadFromOutside(t *testing.T) {
	a, b := nn.NewLinear(2, 2), nn.NewLinear(2, 2)
	diff := lucid.Compile(func(m *nn.Linear) *lucid.Tensor { return m.Weight.Sub(a.Weight).Abs().Sum().Detach() })
	for _, m := range []*nn.Linear{a, b, a} {
		if got, want := diff(m).Item(), m.Weight.Sub(a.Weight).Abs().Sum().Item(); got != want {
			t.Errorf("%v, want %v", got, want)
		}
	}
	counts(t, diff, 1, 1)
	add := lucid.Compile(func(m *nn.Linear) *lucid.Tensor {
		lucid.NoGrad(func() { m.Weight.Add_(a.Weight) })
		return m.Weight.Add(a.Weight).Sum().Detach()
	})
	for _, m := range []*nn.Linear{b, a, b, a} {
		w := m.Weight.Detach().Add(a.Weight.Detach())
		o := a.Weight.Detach()
		if m == a {
			o = w
		}
		if got, want := add(m), w.Add(o).Sum(); got.Item() != want.Item() || !lucid.Equal(m.Weight, w) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// TestOpaqueModules: modules with hooks or parametrizations are known by their address, and Explain says so.
func TestOpaqueModules(t *testing.T) {
	x := lucid.Ones(1, 2)
	f := lucid.Compile(func(m *nn.Linear) *lucid.Tensor { return nn.Call(m, x).Detach() })
	a, b := nn.NewLinear(2, 2), nn.NewLinear(2, 2)
	nn.RegisterForwardHook(a, func(_ nn.Module, _, out []*lucid.Tensor) []*lucid.Tensor {
		return []*lucid.Tensor{out[0].Add(5)}
	})
	for range 2 {
		if !lucid.Equal(f(a), nn.Call(a, x)) || !lucid.Equal(f(b), nn.Call(b, x)) {
			t.Error("wrong values")
		}
	}
	counts(t, f, 2, 2)
	if x := lucid.Explain(f); fmt.Sprint(x.Address) != "[a module has hooks]" || !strings.Contains(x.String(), "a module has hooks") {
		t.Error(x)
	}
	hooked := nn.NewLinear(2, 2)
	g := lucid.Compile(func(m *nn.Linear) *lucid.Tensor {
		m.Forward(x).Sum().Backward()
		return m.Weight.Grad().Sum()
	})
	hooked.Weight.RegisterHook(func(g *lucid.Tensor) *lucid.Tensor { return g.Mul(3) })
	if got := g(hooked).Item(); got != 12 {
		t.Errorf("%v, want 12", got)
	}
	if got := g(b).Item(); got != 4 {
		t.Errorf("%v, want 4", got)
	}
}

// TestModuleArgumentReturned: a function that returns its argument gives back the module of the call.
func TestModuleArgumentReturned(t *testing.T) {
	type state struct {
		Model *nn.Linear
		Step  *lucid.Tensor
	}
	f := lucid.Compile(func(s *state) (*state, *nn.Linear) {
		lucid.NoGrad(func() { s.Model.Weight.Add_(1) })
		return &state{s.Model, s.Step.Add(1)}, s.Model
	})
	a, b := nn.NewLinear(2, 2), nn.NewLinear(2, 2)
	for i, m := range []*nn.Linear{a, b, a} {
		want := m.Weight.Detach().Add(1)
		s, same := f(&state{m, lucid.Full([]int{1}, i)})
		if s.Model != m || same != m || !lucid.Equal(m.Weight, want) || s.Step.Item() != float64(i+1) {
			t.Errorf("call %d: %v %v", i, s.Model == m, m.Weight)
		}
	}
	counts(t, f, 1, 1)
}

// TestModuleArgumentThatChanges: a function that assigns fields of its argument is told from one that reads them.
func TestModuleArgumentThatChanges(t *testing.T) {
	type counter struct {
		nn.Base
		W     *lucid.Tensor `nn:",buffer"`
		Calls int
	}
	f := lucid.Compile(func(m *counter) *lucid.Tensor {
		m.Calls++
		return m.W.Add(1)
	})
	m := &counter{W: lucid.Ones(1)}
	f(m)
	if m.Calls == 0 {
		t.Error("the function changed a copy")
	}
	if x := lucid.Explain(f); fmt.Sprint(x.Address) != "[the function changes fields of one]" {
		t.Error(x)
	}
}

// TestModuleArgumentsAreNotHeld: a trace does not hold the models it was made for.
func TestModuleArgumentsAreNotHeld(t *testing.T) {
	f := lucid.Compile(func(m *nn.Linear, x *lucid.Tensor) *lucid.Tensor { return m.Forward(x).Detach() })
	gone := make(chan bool, 1)
	func() {
		m := nn.NewLinear(4, 4)
		runtime.AddCleanup(m.Weight, func(c chan bool) { c <- true }, gone)
		f(m, lucid.Ones(1, 4)).Eval()
	}()
	for i := 0; ; i++ {
		runtime.GC()
		select {
		case <-gone:
			return
		case <-time.After(10 * time.Millisecond):
			if i == 100 {
				t.Fatal("the weight of a model that is gone is still there")
			}
		}
	}
}

// TestModuleArgumentChecked: Check compares runs on modules of the call, and finds what is frozen.
func TestModuleArgumentChecked(t *testing.T) {
	on := false
	f := lucid.Compile(func(m *nn.Linear, x *lucid.Tensor) *lucid.Tensor {
		lucid.NoGrad(func() { m.Bias.Add_(1) })
		if on {
			lucid.NoGrad(func() { m.Weight.Add_(1) })
		}
		return m.Forward(x).Detach()
	}, lucid.CompileOptions{Check: true})
	x := lucid.Ones(1, 2)
	for range 3 {
		m := nn.NewLinear(2, 2)
		w := nn.Clone(m)
		lucid.NoGrad(func() { w.Bias.Add_(1) })
		if !lucid.Equal(f(m, x), w.Forward(x)) || !lucid.Equal(m.Bias, w.Bias) {
			t.Error("wrong values")
		}
	}
	on = true
	if err := lucid.Try(func() { f(nn.NewLinear(2, 2), x) }); err == nil {
		t.Error("what is written changed, and Check did not find it")
	}
}

func BenchmarkModuleArgument(b *testing.B) {
	layers := make([]nn.Layer, 48)
	for i := range layers {
		layers[i] = nn.NewLinear(2, 2)
	}
	m, x := nn.NewSequential(layers...), lucid.Ones(1, 2)
	for name, f := range map[string]func(m *nn.Sequential, x *lucid.Tensor) *lucid.Tensor{
		"argument": lucid.Compile(func(m *nn.Sequential, x *lucid.Tensor) *lucid.Tensor { return m.Forward(x).Detach() }),
		"captured": lucid.Compile(func(_ *nn.Sequential, x *lucid.Tensor) *lucid.Tensor { return m.Forward(x).Detach() }),
	} {
		b.Run(name, func(b *testing.B) {
			m := m
			if name == "captured" {
				m = nil
			}
			f(m, x)
			for b.Loop() {
				f(m, x).Eval()
			}
		})
	}
}

// TestModuleArgumentsConcurrently: goroutines with models of their own share a trace.
func TestModuleArgumentsConcurrently(t *testing.T) {
	f := lucid.Compile(func(m *twoLayers, x *lucid.Tensor) *lucid.Tensor {
		l := m.Forward(x).Sum()
		l.Backward()
		lucid.NoGrad(func() { m.L1.Weight.Add_(m.L1.Weight.Grad().Mul(-0.01)) })
		return l.Detach()
	})
	var done sync.WaitGroup
	for k := range 4 {
		m := newTwoLayers()
		want, x := nn.Clone(m), lucid.Full([]int{2, 3}, k).Eval()
		done.Go(func() {
			for range 20 {
				nn.ZeroGrad(m)
				nn.ZeroGrad(want)
				l := want.Forward(x).Sum()
				l.Backward()
				lucid.NoGrad(func() { want.L1.Weight.Add_(want.L1.Weight.Grad().Mul(-0.01)) })
				if got := f(m, x); !lucid.Equal(got, l.Detach()) || !lucid.Equal(m.L1.Weight, want.L1.Weight) {
					t.Errorf("goroutine %d: %v, want %v", k, got, l)
					return
				}
			}
		})
	}
	done.Wait()
	if x := lucid.Explain(f); x.Plans > 4 || len(x.Address) != 0 { // goroutines that trace at once each make one
		t.Error(x)
	}
}
