package sched_test

import (
	"math"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/optim/sched"
)

// Values of MLX 0.32.4's schedules of the same arguments at steps 0, 1, 5, 10 and 50.
func TestFunctionsOfMLX(t *testing.T) {
	join := sched.JoinSchedules([]sched.Func{sched.LinearSchedule(0, 0.1, 10), sched.CosineDecay(0.1, 30, 0)}, []int{10})
	at := []int{0, 1, 5, 10, 50}
	for name, c := range map[string]struct {
		f    sched.Func
		want []float64
	}{
		"exponential_decay": {sched.ExponentialDecay(0.1, 0.9), []float64{0.1, 0.09, 0.059049, 0.034867844, 0.00051537755}},
		"step_decay":        {sched.StepDecay(0.1, 0.9, 10), []float64{0.1, 0.1, 0.1, 0.09, 0.059049}},
		"cosine_decay":      {sched.CosineDecay(0.1, 10, 0.01), []float64{0.1, 0.097797543, 0.055, 0.01, 0.01}},
		"linear_schedule":   {sched.LinearSchedule(0, 0.1, 10), []float64{0, 0.01, 0.05, 0.1, 0.1}},
		"join_schedules":    {join, []float64{0, 0.01, 0.05, 0.1, 0}},
	} {
		for i, s := range at {
			if got := c.f.At(s); math.Abs(got-c.want[i]) > 1e-7*(1+math.Abs(c.want[i])) {
				t.Errorf("%s at step %d: %v; want %v", name, s, got, c.want[i])
			}
		}
	}
	opt := optimizer()
	s := sched.NewFuncLR(opt, join)
	for i := range 20 {
		if got := opt.ParamGroups()[1].LR(); got != join.At(i) {
			t.Errorf("step %d: %v; want %v", i, got, join.At(i))
		}
		s.Step()
	}
	for name, f := range map[string]func(){
		"no steps":   func() { sched.LinearSchedule(0, 1, 0) },
		"boundaries": func() { sched.JoinSchedules([]sched.Func{join}, []int{3}) },
		"falling":    func() { sched.JoinSchedules([]sched.Func{join, join, join}, []int{3, 2}) },
		"decay":      func() { sched.CosineDecay(1, 0, 0) },
		"size":       func() { sched.StepDecay(1, 0.5, 0) },
	} {
		if lucid.Try(f) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
