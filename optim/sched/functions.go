package sched

import (
	"math"

	"github.com/lucid-go/lucid/optim"
)

// Func is a rate as a function of the step, from 0, as MLX has schedules.
type Func func(step int) float64

// ExponentialDecay multiplies a rate by decayRate every step.
func ExponentialDecay(init, decayRate float64) Func {
	return func(step int) float64 { return init * math.Pow(decayRate, float64(step)) }
}

// StepDecay multiplies a rate by decayRate every stepSize steps.
func StepDecay(init, decayRate float64, stepSize int) Func {
	if stepSize < 1 {
		refuse("step_decay", "stepSize is %d; want a positive number of steps", stepSize)
	}
	return func(step int) float64 { return init * math.Pow(decayRate, float64(step/stepSize)) }
}

// CosineDecay takes a rate along a cosine to end, which it reaches after decaySteps and keeps.
func CosineDecay(init float64, decaySteps int, end float64) Func {
	if decaySteps < 1 {
		refuse("cosine_decay", "decaySteps is %d; want a positive number of steps", decaySteps)
	}
	return func(step int) float64 {
		s := float64(min(step, decaySteps))
		return end + (1+math.Cos(math.Pi/float64(decaySteps)*s))/2*(init-end)
	}
}

// LinearSchedule takes a rate along a line from init to end, which it reaches after steps and keeps.
func LinearSchedule(init, end float64, steps int) Func {
	if steps < 1 {
		refuse("linear_schedule", "steps is %d; want a positive number", steps)
	}
	return func(step int) float64 { return float64(min(step, steps))*((end-init)/float64(steps)) + init }
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
	return func(step int) float64 {
		k := 0
		for k < len(boundaries) && step >= boundaries[k] {
			k++
		}
		if k > 0 {
			step -= boundaries[k-1]
		}
		return schedules[k](step)
	}
}

// FuncLR sets the rate of all groups to a function of the step.
type FuncLR struct{ schedule }

// NewFuncLR returns it for an optimizer.
func NewFuncLR(opt optim.Optimizer, f Func) *FuncLR {
	s := &FuncLR{}
	s.start("func_lr", opt, func(int) float64 { return f(s.epoch) })
	return s
}
