package optim_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

func TestEMA(t *testing.T) {
	for _, equal := range []bool{false, true} {
		run := func(compiled bool) *lucid.StateDict {
			m := newNet()
			opt := optim.NewSGD(nn.Parameters(m), optim.SGDOptions{LR: 0.1})
			e := optim.NewEMA(nn.Parameters(m), optim.EMAOptions{Decay: new(0.9), Equal: equal})
			inner := stepFor(m, opt)
			step := func(x, y *lucid.Tensor) *lucid.Tensor {
				l := inner(x, y)
				if err := e.TryUpdate(); err != nil {
					t.Fatal(err)
				}
				return l
			}
			if compiled {
				step = lucid.Compile(step)
			}
			want := 0.0
			for i := range 6 {
				step(batchOf(uint64(i)))
				v := m.A.Weight.At(1, 2).Item()
				switch {
				case i == 0:
					want = v
				case equal:
					want += (v - want) / float64(i+1)
				default:
					want = 0.9*want + 0.1*v
				}
			}
			if got := e.Mean()[0].At(1, 2).Item(); math.Abs(got-want) > 1e-6 {
				t.Errorf("equal %v: the average is %v; want %v", equal, got, want)
			}
			d := e.StateDict()
			before := m.A.Weight.Detach().Clone()
			e.With(func() {
				if !lucid.Equal(m.A.Weight.Detach(), e.Mean()[0]) {
					t.Error("With does not show the averages")
				}
			})
			if !lucid.Equal(m.A.Weight.Detach(), before) {
				t.Error("With does not put the parameters back")
			}
			again := optim.NewEMA(nn.Parameters(m), optim.EMAOptions{Decay: new(0.9), Equal: equal})
			if err := again.LoadStateDict(d); err != nil {
				t.Fatal(err)
			}
			step(batchOf(9))
			if !compiled {
				if err := again.TryUpdate(); err != nil {
					t.Fatal(err)
				}
				sameState(t, "ema", e.StateDict(), again.StateDict())
			}
			d.Delete("mean.1")
			if err := again.LoadStateDict(d); !errors.Is(err, lucid.ErrFormat) {
				t.Errorf("a state with a hole: %v", err)
			}
			return e.StateDict()
		}
		sameState(t, "compiled", run(false), run(true))
	}
}

// Steps by the gradients of parts of a batch are steps by the batch.
func TestAccumulate(t *testing.T) {
	run := func(parts int) *net {
		m := newNet()
		opt := optim.NewAccumulate(optim.NewAdam(nn.Parameters(m), optim.AdamOptions{LR: 0.01}), parts)
		for i := range 3 {
			x, y := batchOf(uint64(i))
			for k := range parts {
				n := 32 / parts
				at := lucid.Range{Start: k * n, Stop: (k + 1) * n}
				opt.ZeroGrad()
				F.CrossEntropy(m.Forward(x.At(at)), y.At(at)).Backward()
				if err := opt.TryStep(); err != nil {
					t.Fatal(err)
				}
			}
			if opt.Pending() != 0 {
				t.Fatal("a step is pending")
			}
		}
		return m
	}
	whole, parts := run(1), run(4)
	for name, p := range nn.NamedParameters(whole) {
		if !lucid.AllClose(p.Detach(), nn.GetParameter(parts, name).Detach(), lucid.CloseOptions{ATol: new(1e-5)}) {
			t.Errorf("%s differs", name)
		}
	}
	m := newNet()
	opt := optim.NewAccumulate(optim.NewSGD(nn.Parameters(m), optim.SGDOptions{LR: 0.1}), 2)
	if err := lucid.Try(func() { lucid.Compile(stepFor(m, opt))(batchOf(1)) }); !errors.Is(err, lucid.ErrNotImplemented) {
		t.Errorf("a compiled step: %v", err)
	}
}

// A frozen parameter stays as it is, with its state, eagerly and in a step compiled before it was frozen.
func TestFreezeIsSeen(t *testing.T) {
	run := func(compiled bool) *lucid.StateDict {
		m := newNet()
		opt := optim.NewAdam(nn.Parameters(m), optim.AdamOptions{LR: 0.01})
		step := stepFor(m, opt)
		if compiled {
			step = lucid.Compile(step)
		}
		step(batchOf(1))
		if n := nn.Freeze(m, "a"); n != 1 {
			t.Fatalf("%d frozen", n)
		}
		before := m.A.Weight.Detach().Clone()
		step(batchOf(2))
		step(batchOf(3))
		if !lucid.Equal(m.A.Weight.Detach(), before) {
			t.Errorf("compiled %v: a frozen parameter moved", compiled)
		}
		nn.Unfreeze(m)
		step(batchOf(4))
		if lucid.Equal(m.A.Weight.Detach(), before) {
			t.Errorf("compiled %v: a parameter set free stays", compiled)
		}
		d := opt.StateDict()
		if a, b := d.Get("state.0.step").Item(), d.Get("state.1.step").Item(); a != 2 || b != 4 {
			t.Errorf("compiled %v: steps %v and %v; want 2 and 4", compiled, a, b)
		}
		d.Merge("model.", nn.StateDict(m))
		return d
	}
	sameState(t, "frozen", run(false), run(true))
}

// Groups keep their own numbers through a saved state, and a compiled step sees the rate of each.
func TestGroupsContinue(t *testing.T) {
	for _, compiled := range []bool{false, true} {
		make2 := func() (*net, *optim.AdamW, func(x, y *lucid.Tensor) *lucid.Tensor) {
			m := newNet()
			opt := optim.NewAdamW(nn.Parameters(m.A), optim.AdamWOptions{LR: 0.01, WeightDecay: new(0.5)})
			opt.AddParamGroup(nn.Parameters(m.B), optim.AdamWOptions{LR: 0.002, Betas: &[2]float64{0.5, 0.9}, AMSGrad: true})
			step := stepFor(m, opt)
			if compiled {
				step = lucid.Compile(step)
			}
			return m, opt, step
		}
		m, opt, step := make2()
		for i := range 3 {
			step(batchOf(uint64(i)))
		}
		opt.ParamGroups()[1].SetLR(0.02)
		weights, state := nn.StateDict(m), opt.StateDict()
		n, again, step2 := make2()
		if err := errors.Join(nn.LoadStateDict(n, weights), again.LoadStateDict(state)); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			step(batchOf(uint64(10 + i)))
			step2(batchOf(uint64(10 + i)))
		}
		what := fmt.Sprint("compiled ", compiled)
		sameState(t, what, nn.StateDict(m), nn.StateDict(n))
		sameState(t, what, opt.StateDict(), again.StateDict())
	}
}
