package sched_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/optim/sched"
)

// A compiled step sees every schedule move the rates and momenta of its groups, is traced once, and gives the bits of
// an eager one.
func TestSchedulesAndCompiledSteps(t *testing.T) {
	for k, c := range golden(t).Schedules {
		t.Run(fmt.Sprintf("%s/%d", c.Op, k), func(t *testing.T) {
			run := func(compiled bool) (weights []*lucid.Tensor) {
				lucid.Seed(1)
				a, b := lucid.Randn(3, 2).RequiresGrad_(true), lucid.Randn(2).RequiresGrad_(true)
				opt := optim.NewSGD([]*lucid.Tensor{a}, optim.SGDOptions{LR: 0.1, Momentum: 0.9})
				opt.AddParamGroup([]*lucid.Tensor{b}, optim.SGDOptions{LR: 0.04, Momentum: 0.9, WeightDecay: 0.1})
				mean := optim.NewEMA([]*lucid.Tensor{a, b}, optim.EMAOptions{Decay: new(0.9)})
				step := func(x *lucid.Tensor) *lucid.Tensor {
					opt.ZeroGrad()
					loss := x.MatMul(a).Add(b).Tanh().Sum()
					loss.Backward()
					if err := errors.Join(opt.TryStep(), mean.TryUpdate()); err != nil {
						t.Fatal(err)
					}
					return loss
				}
				if compiled {
					step = lucid.Compile(step)
				}
				s := c.make(opt)
				for i := range 20 {
					lucid.Seed(uint64(i))
					step(lucid.Randn(4, 3))
					if p, ok := s.(*sched.ReduceLROnPlateau); ok {
						p.StepMetric(c.Losses[i])
					} else {
						s.Step()
					}
				}
				if compiled {
					if e := lucid.Explain(step); e.Traces != 1 {
						t.Errorf("traced %d times: %v", e.Traces, e)
					}
				}
				return append([]*lucid.Tensor{a.Detach(), b.Detach()}, mean.Mean()...)
			}
			plain, compiled := run(false), run(true)
			for i := range plain {
				if !lucid.Equal(plain[i], compiled[i]) {
					t.Errorf("tensor %d: %v eager, %v compiled", i, plain[i], compiled[i])
				}
			}
		})
	}
}

// Inside a compiled function a schedule would move once and never again: it is refused, and has not moved.
func TestSchedulesRefuseToBeCompiled(t *testing.T) {
	for _, c := range golden(t).Schedules {
		opt := optimizer()
		s := c.make(opt)
		before := s.LastLR()
		f := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
			if p, ok := s.(*sched.ReduceLROnPlateau); ok {
				p.StepMetric(1)
			} else {
				s.Step()
			}
			return x.Add(1)
		})
		if err := lucid.Try(func() { f(lucid.Ones(2)) }); !errors.Is(err, lucid.ErrNotImplemented) {
			t.Errorf("%s: %v", c.Op, err)
		}
		if fmt.Sprint(s.LastLR()) != fmt.Sprint(before) {
			t.Errorf("%s: the rates went from %v to %v", c.Op, before, s.LastLR())
		}
	}
	opt := optimizer()
	for name, f := range map[string]func(){
		"SetLR":       func() { opt.ParamGroups()[0].SetLR(1) },
		"SetMomentum": func() { opt.ParamGroups()[0].SetMomentum(1) },
	} {
		g := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { f(); return x.Add(1) })
		if err := lucid.Try(func() { g(lucid.Ones(2)) }); !errors.Is(err, lucid.ErrNotImplemented) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCyclicScales(t *testing.T) {
	half := func(x float64) float64 { return math.Pow(0.5, x) }
	for mode, want := range map[string]float64{"": 0.05, "cycle": 0.05, "iterations": 0.1 * math.Pow(0.5, 4)} {
		s := sched.NewCyclicLR(optimizer(), sched.CyclicLROptions{MaxLR: 0.1, StepSizeUp: 4, NoCycleMomentum: true,
			ScaleFn: half, ScaleMode: mode})
		if got := rates(s, 5)[4]; !near(got, want) { // the top of the first cycle
			t.Errorf("%q: %v; want %v", mode, got, want)
		}
	}
	for _, o := range []sched.CyclicLROptions{{MaxLR: 1, ScaleMode: "iterations"}, {MaxLR: 1, ScaleMode: "x", ScaleFn: half}} {
		if err := lucid.Try(func() { sched.NewCyclicLR(optimizer(), o) }); !errors.Is(err, lucid.ErrValue) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}
