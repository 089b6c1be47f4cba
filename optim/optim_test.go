package optim_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/exec"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// setting is an optimizer with options.
type setting struct {
	op string
	o  options
}

var all = []setting{
	{"SGD", options{"lr": 0.05}}, {"SGD", options{"lr": 0.05, "momentum": 0.9, "nesterov": true, "weight_decay": 0.01}},
	{"SGD", options{"lr": 0.05, "momentum": 0.9, "dampening": 0.1}},
	{"Adam", options{"lr": 0.01}}, {"Adam", options{"lr": 0.01, "amsgrad": true, "weight_decay": 0.1}}, {"AdamW", options{"lr": 0.01}},
	{"RMSprop", options{"lr": 0.01, "momentum": 0.9, "centered": true}}, {"Adagrad", options{"lr": 0.1, "lr_decay": 0.1}},
	{"Adadelta", options{"lr": 1.0}},
	{"Adamax", options{"lr": 0.01}}, {"RAdam", options{"lr": 0.01}}, {"NAdam", options{"lr": 0.01}},
	{"ASGD", options{"lr": 0.1, "t0": 2.0}},
	{"Rprop", options{"lr": 0.01}}, {"SparseAdam", options{"lr": 0.01}}, {"Adafactor", options{"lr": 0.05}}, {"Muon", options{"lr": 0.05}},
	{"Lion", options{"lr": 0.01, "weight_decay": 0.1}},
}

type net struct {
	nn.Base
	A, B *nn.Linear
}

func newNet() *net {
	lucid.Seed(3)
	return &net{A: nn.NewLinear(6, 16, nn.LinearOptions{NoBias: true}), B: nn.NewLinear(16, 3, nn.LinearOptions{NoBias: true})}
}

func (n *net) Forward(x *lucid.Tensor) *lucid.Tensor { return n.B.Forward(n.A.Forward(x).Tanh()) }

func batchOf(seed uint64) (x, y *lucid.Tensor) {
	lucid.Seed(seed)
	return lucid.Randn(32, 6), lucid.RandInt(0, 3, 32)
}

func stepFor(m *net, opt optim.Optimizer) func(x, y *lucid.Tensor) *lucid.Tensor {
	return func(x, y *lucid.Tensor) *lucid.Tensor {
		opt.ZeroGrad()
		loss := F.CrossEntropy(m.Forward(x), y)
		loss.Backward()
		opt.Step()
		return loss
	}
}

func sameState(t *testing.T, what string, a, b *lucid.StateDict) {
	t.Helper()
	if a.Len() != b.Len() {
		t.Fatalf("%s: %d tensors and %d", what, a.Len(), b.Len())
	}
	for name, x := range a.All() {
		if y := b.Get(name); y == nil || x.DType() != y.DType() || !lucid.Equal(x, y) {
			t.Errorf("%s: %s differs", what, name)
		}
	}
}

// A compiled step gives the bits of an eager one, with the rate changed on the way, and is traced once: for every
// optimizer with every set of options that has golden values.
func TestCompiledStepEqualsEager(t *testing.T) {
	sets := all
	if !testing.Short() {
		for _, c := range readGolden(t).Cases {
			if c.DType == "float32" && !c.Gaps {
				sets = append(sets, setting{c.Op, c.Options})
			}
		}
	}
	for _, c := range sets {
		t.Run(c.op, func(t *testing.T) {
			run := func(compiled bool) (*net, optim.Optimizer, float64) {
				m := newNet()
				opt := make1(c.op, nn.Parameters(m), c.o)
				step := stepFor(m, opt)
				if compiled {
					step = lucid.Compile(step)
				}
				var loss float64
				for i := range 8 {
					x, y := batchOf(uint64(i))
					if i == 4 {
						g := opt.ParamGroups()[0]
						g.SetLR(g.LR() / 2)
						if v, ok := g.Momentum(); ok {
							g.SetMomentum(v * 0.9)
						}
					}
					loss = step(x, y).Item()
				}
				if compiled {
					if e := lucid.Explain(step); e.Traces != 1 || len(e.Inlined) > 0 {
						t.Errorf("%v", e)
					}
				}
				return m, opt, loss
			}
			a, oa, la := run(false)
			b, ob, lb := run(true)
			if la != lb {
				t.Errorf("loss %v and %v", la, lb)
			}
			sameState(t, "parameters", nn.StateDict(a), nn.StateDict(b))
			sameState(t, "optimizer", oa.StateDict(), ob.StateDict())
		})
	}
}

// Training goes on from a saved state as if it had not stopped.
func TestStateDictContinues(t *testing.T) {
	for _, c := range all {
		t.Run(c.op, func(t *testing.T) {
			train := func(m *net, opt optim.Optimizer, from, to int) {
				step := stepFor(m, opt)
				for i := from; i < to; i++ {
					step(batchOf(uint64(i)))
				}
			}
			m := newNet()
			opt := make1(c.op, nn.Parameters(m), c.o)
			train(m, opt, 0, 4)
			opt.ParamGroups()[0].SetLR(0.003)
			path := filepath.Join(t.TempDir(), "opt.lucid")
			if err := lucid.Save(path, opt.StateDict()); err != nil {
				t.Fatal(err)
			}
			weights := nn.StateDict(m)
			train(m, opt, 4, 7)

			n := newNet()
			again := make1(c.op, nn.Parameters(n), c.o)
			d, err := lucid.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(nn.LoadStateDict(n, weights), again.LoadStateDict(d)); err != nil {
				t.Fatal(err)
			}
			train(n, again, 4, 7)
			sameState(t, "parameters", nn.StateDict(m), nn.StateDict(n))
			sameState(t, "optimizer", opt.StateDict(), again.StateDict())

			d.Delete("state.1.step")
			if err := again.LoadStateDict(d); !errors.Is(err, lucid.ErrFormat) {
				t.Errorf("a state with a hole: %v", err)
			}
		})
	}
}

// A parameter without a gradient stays, with its own count of steps, eagerly and compiled.
func TestGapsCompiled(t *testing.T) {
	run := func(compiled bool) *lucid.StateDict {
		m := newNet()
		opt := optim.NewAdam(nn.Parameters(m), optim.AdamOptions{LR: 0.01})
		both := stepFor(m, opt)
		one := func(x, y *lucid.Tensor) *lucid.Tensor {
			opt.ZeroGrad()
			loss := m.A.Forward(x).Square().Mean()
			loss.Backward()
			opt.Step()
			return loss
		}
		if compiled {
			both, one = lucid.Compile(both), lucid.Compile(one)
		}
		for i := range 6 {
			x, y := batchOf(uint64(i))
			if i%3 == 1 {
				one(x, y)
			} else {
				both(x, y)
			}
		}
		d := opt.StateDict()
		if d.Get("state.0.step").Item() != 6 || d.Get("state.1.step").Item() != 4 {
			t.Errorf("steps %v and %v; want 6 and 4", d.Get("state.0.step").Item(), d.Get("state.1.step").Item())
		}
		d.Merge("model.", nn.StateDict(m))
		return d
	}
	sameState(t, "gaps", run(false), run(true))
}

func TestParamGroups(t *testing.T) {
	m := newNet()
	opt := optim.NewSGD(nn.Parameters(m.A), optim.SGDOptions{LR: 0.1})
	opt.AddParamGroup(nn.Parameters(m.B), optim.SGDOptions{LR: 1e-3, Momentum: 0.9})
	g := opt.ParamGroups()
	if len(g) != 2 || g[1].LR() != 1e-3 {
		t.Fatalf("groups %v", g)
	}
	a, b := m.A.Weight.Detach(), m.B.Weight.Detach()
	x, y := batchOf(1)
	stepFor(m, opt)(x, y)
	want := a.Sub(m.A.Weight.Grad().Mul(0.1))
	if !lucid.Equal(m.A.Weight.Detach(), want) || !lucid.Equal(m.B.Weight.Detach(), b.Sub(m.B.Weight.Grad().Mul(1e-3))) {
		t.Error("groups do not have their own rates")
	}
}

func TestRefusals(t *testing.T) {
	p := []*lucid.Tensor{lucid.Zeros(2).RequiresGrad_(true)}
	for name, f := range map[string]func(){
		"no rate":    func() { optim.NewAdam(p, optim.AdamOptions{}) },
		"no params":  func() { optim.NewAdam(nil, optim.AdamOptions{LR: 1}) },
		"twice":      func() { optim.NewAdam(append(p, p...), optim.AdamOptions{LR: 1}) },
		"betas":      func() { optim.NewAdam(p, optim.AdamOptions{LR: 1, Betas: &[2]float64{0.9, 1}}) },
		"nesterov":   func() { optim.NewSGD(p, optim.SGDOptions{LR: 1, Nesterov: true}) },
		"muon":       func() { optim.NewMuon(p, optim.MuonOptions{LR: 1}) },
		"no leaf":    func() { optim.NewSGD([]*lucid.Tensor{p[0].Add(1)}, optim.SGDOptions{LR: 1}) },
		"an integer": func() { optim.NewSGD([]*lucid.Tensor{lucid.New([]int64{1}, 1)}, optim.SGDOptions{LR: 1}) },
	} {
		if err := lucid.Try(f); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// Forward, backward and update are one plan: nothing is computed twice, also when the loss was read before.
func TestStepIsOneEvaluation(t *testing.T) {
	for _, early := range []bool{false, true} {
		m := newNet()
		opt := optim.NewAdam(nn.Parameters(m), optim.AdamOptions{LR: 0.01})
		before := exec.Count.Recomputed.Load()
		for i := range 3 {
			x, y := batchOf(uint64(i))
			opt.ZeroGrad()
			loss := F.CrossEntropy(m.Forward(x), y)
			if early {
				loss.Item()
			}
			loss.Backward()
			if err := opt.TryStep(); err != nil {
				t.Fatal(err)
			}
			loss.Item()
		}
		if n := exec.Count.Recomputed.Load() - before; n != 0 {
			t.Errorf("loss read early: %v: %d values were computed twice", early, n)
		}
		for _, p := range nn.Parameters(m) {
			if p.Grad() == nil {
				t.Error("the gradient is gone after the step")
			}
		}
	}
}
