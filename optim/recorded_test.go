package optim_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
)

// TestRecordedUpdate: an update that was recorded for one size and stands for others gives the bits of eager steps: with the rate changed
// on the way, parameters that are frozen for a while, and the updated parameters read behind it. Sizes share their plans.
func TestRecordedUpdate(t *testing.T) {
	for _, s := range all {
		var plans int
		run := func(compiled bool) *lucid.StateDict {
			m := newNet()
			opt := make1(s.op, nn.Parameters(m), s.o)
			step := func(x, y *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor) {
				opt.ZeroGrad()
				loss := F.CrossEntropy(m.Forward(x), y)
				loss.Backward()
				opt.Step()
				return loss.Detach(), m.Forward(x).Detach().Abs().Sum() // of what the step left
			}
			if compiled {
				step = lucid.Compile(step)
			}
			d := lucid.NewStateDict()
			for i := range 14 {
				switch i {
				case 5:
					for _, g := range opt.ParamGroups() {
						g.SetLR(g.LR() / 2)
					}
				case 8:
					nn.Freeze(m.A)
					m.A.Weight.ZeroGrad()
				case 11:
					nn.Unfreeze(m.A)
				}
				x, y := batchOf(uint64(i))
				n := 3 + i*5%17
				loss, after := step(x.Narrow(0, 0, n), y.Narrow(0, 0, n))
				d.Set(fmt.Sprintf("loss.%d", i), loss)
				d.Set(fmt.Sprintf("after.%d", i), after)
			}
			if compiled {
				plans = lucid.Explain(step).Plans
			}
			d.Merge("model.", nn.StateDict(m))
			d.Merge("opt.", opt.StateDict())
			return d
		}
		sameState(t, fmt.Sprint(s.op, s.o), run(false), run(true))
		if plans > 8 {
			t.Errorf("%s %v: %d plans for 14 sizes", s.op, s.o, plans)
		}
	}
}

// TestRecordedUpdatesApart: updates are recorded by the numbers, the scopes and the tensors that they depend on.
func TestRecordedUpdatesApart(t *testing.T) {
	run := func(compiled bool) *lucid.StateDict {
		lucid.Seed(3)
		m := nn.NewSequential(nn.NewLinear(4, 4), nn.NewLinear(4, 4), nn.NewLinear(4, 4))
		p := nn.Parameters(m)
		opt := optim.NewAdam([]*lucid.Tensor{p[0], p[2]}, optim.AdamOptions{LR: 0.01, WeightDecay: 0.1})
		opt.AddParamGroup([]*lucid.Tensor{p[1], p[3]}, optim.AdamOptions{LR: 0.01, WeightDecay: 0.2})
		other := optim.NewAdam(p[4:], optim.AdamOptions{LR: 0.01, WeightDecay: 0.3})
		step := func(x *lucid.Tensor, which int) *lucid.Tensor {
			loss := m.Forward(x).Square().Sum()
			loss.Backward()
			if which == 1 { // one gradient is another's
				p[2].SetGrad(p[0].Grad())
			}
			if which != 2 {
				opt.Step()
			}
			if which == 3 { // twice in one trace
				opt.Step()
			}
			other.Step()
			opt.ZeroGrad()
			other.ZeroGrad()
			return loss.Detach()
		}
		if compiled {
			step = lucid.Compile(step)
		}
		w := lucid.With{Generator: lucid.NewGenerator(1)}
		for i := range 24 {
			if i == 12 {
				opt.ParamGroups()[0].SetMomentum(0.5)
			}
			step(w.Randn(2+i, 4), i%4)
		}
		d := nn.StateDict(m)
		d.Merge("opt.", opt.StateDict())
		d.Merge("other.", other.StateDict())
		return d
	}
	sameState(t, "apart", run(false), run(true))
}

// TestTraceOutlived: a goroutine of a compiled function that records after the call gets an error, though the space of the trace is
// another one's by then.
func TestTraceOutlived(t *testing.T) {
	var late func()
	var leaked *lucid.Tensor
	w := lucid.Ones(2)
	f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		late = lucid.Inherit(func() { w.Add(1) })
		leaked = x.Mul(2)
		return leaked.Add(1)
	})
	f(lucid.Ones(2))
	for what, g := range map[string]func(){"recording": late, "reading": func() { leaked.Add(1).Eval() }} {
		if err := lucid.Try(g); !errors.Is(err, lucid.ErrTrace) {
			t.Errorf("%s after the call: %v", what, err)
		}
	}
}
