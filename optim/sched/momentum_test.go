package sched_test

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/optim/sched"
)

// TestMomentumBegins: a schedule of momentum works also on an optimizer that was made without; the numbers are PyTorch's.
func TestMomentumBegins(t *testing.T) {
	for _, compiled := range []bool{false, true} {
		p := lucid.New([]float64{1, 2}, 2).RequiresGrad_(true)
		opt := optim.NewSGD([]*lucid.Tensor{p}, optim.SGDOptions{LR: 0.1})
		step := func(x *lucid.Tensor) *lucid.Tensor {
			opt.ZeroGrad()
			l := p.Square().Sum()
			l.Backward()
			opt.Step()
			return x
		}
		if compiled {
			step = lucid.Compile(step)
			q := p.Detach()
			step(lucid.Ones(1)) // without momentum
			lucid.NoGrad(func() { p.Assign(q) })
		}
		s := sched.NewOneCycleLR(opt, sched.OneCycleLROptions{MaxLR: 0.1, TotalSteps: 8})
		for range 6 {
			step(lucid.Ones(1))
			s.Step()
		}
		m, _ := opt.ParamGroups()[0].Momentum()
		if got := p.At(1).Item(); math.Abs(got+0.8056285483569402) > 1e-12 || math.Abs(m-0.9423362099614142) > 1e-12 {
			t.Errorf("compiled %v: %v, momentum %v", compiled, got, m)
		}
	}
}
