package sched

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/optim"
)

// Func is a rate as a function of the step, from 0, as MLX has schedules. The step is a 0-d tensor and the rate is computed with other
// ops, so that it can be part of a compiled function: see optim.Group.SetSchedule, and Attach.
type Func func(step *lucid.Tensor) *lucid.Tensor

// At returns the rate of a step as a number, computed in float64.
func (f Func) At(step int) float64 { return f(lucid.New([]float64{float64(step)})).Item() }

// Attach makes f the rate of all groups of an optimizer, computed in every step from the steps taken before: 0 in the first.
func Attach(opt optim.Optimizer, f Func) {
	for _, g := range opt.ParamGroups() {
		g.SetSchedule(f)
	}
}

// Constant is one rate for all steps, as part of JoinSchedules.
func Constant(rate float64) Func {
	return func(step *lucid.Tensor) *lucid.Tensor { return real64(step).Mul(0).Add(rate) }
}

// ExponentialDecay multiplies a rate by decayRate every step.
func ExponentialDecay(init, decayRate float64) Func {
	return func(step *lucid.Tensor) *lucid.Tensor { return lucid.Pow(decayRate, real64(step)).Mul(init) }
}

// StepDecay multiplies a rate by decayRate every stepSize steps.
func StepDecay(init, decayRate float64, stepSize int) Func {
	if stepSize < 1 {
		refuse("step_decay", "stepSize is %d; want a positive number of steps", stepSize)
	}
	return func(step *lucid.Tensor) *lucid.Tensor {
		return lucid.Pow(decayRate, real64(step).Div(float64(stepSize)).Floor()).Mul(init)
	}
}

// CosineDecay takes a rate along a cosine to end, which it reaches after decaySteps and keeps.
func CosineDecay(init float64, decaySteps int, end float64) Func {
	if decaySteps < 1 {
		refuse("cosine_decay", "decaySteps is %d; want a positive number of steps", decaySteps)
	}
	n := float64(decaySteps)
	return func(step *lucid.Tensor) *lucid.Tensor {
		return real64(step).ClampMax(n).Mul(math.Pi / n).Cos().Add(1).Mul((init - end) / 2).Add(end)
	}
}

// LinearSchedule takes a rate along a line from init to end, which it reaches after steps and keeps.
func LinearSchedule(init, end float64, steps int) Func {
	if steps < 1 {
		refuse("linear_schedule", "steps is %d; want a positive number", steps)
	}
	n := float64(steps)
	return func(step *lucid.Tensor) *lucid.Tensor {
		return real64(step).ClampMax(n).Mul((end - init) / n).Add(init)
	}
}

// JoinSchedules runs functions one after the other: the next begins, at its own step 0, at each boundary; there is one
// boundary fewer than functions.
func JoinSchedules(schedules []Func, boundaries []int) Func {
	if len(schedules) == 0 || len(boundaries) != len(schedules)-1 {
		refuse("join_schedules", "%d functions and %d boundaries; want one boundary fewer", len(schedules), len(boundaries))
	}
	for i, b := range boundaries {
		if b < 0 || i > 0 && b < boundaries[i-1] {
			refuse("join_schedules", "boundaries are %v; want rising steps", boundaries)
		}
	}
	return func(step *lucid.Tensor) *lucid.Tensor {
		step = real64(step)
		rate := schedules[0](step)
		for i, b := range boundaries {
			rate = lucid.Where(step.Lt(float64(b)), rate, schedules[i+1](step.Sub(float64(b))))
		}
		return rate
	}
}

// real64 lets a step be any number.
func real64(step *lucid.Tensor) *lucid.Tensor { return step.To(lucid.Float64) }

// FuncLR sets the rate of all groups to a function of the step when it is stepped, outside of compiled functions.
type FuncLR struct{ schedule }

// NewFuncLR returns it for an optimizer.
func NewFuncLR(opt optim.Optimizer, f Func) *FuncLR {
	s := &FuncLR{}
	s.start("func_lr", opt, func(int) float64 { return f.At(s.epoch) })
	return s
}
