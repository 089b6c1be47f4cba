package sched

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/optim"
)

// LambdaLR sets the rate to the first one times a function of the epoch.
type LambdaLR struct{ schedule }

// NewLambdaLR returns it; there is one function for all groups, or one for each.
func NewLambdaLR(opt optim.Optimizer, lambdas ...func(epoch int) float64) *LambdaLR {
	s := &LambdaLR{}
	f := perGroup("lambda_lr", opt, lambdas)
	s.start("lambda_lr", opt, func(i int) float64 { return s.base[i] * f[i](s.epoch) })
	return s
}

// perGroup gives every group its function.
func perGroup(op string, opt optim.Optimizer, lambdas []func(int) float64) []func(int) float64 {
	n := len(opt.ParamGroups())
	if len(lambdas) == 1 {
		return slices.Repeat(lambdas, n)
	}
	if len(lambdas) != n {
		refuse(op, "%d functions for %d groups; want one, or one each", len(lambdas), n)
	}
	return lambdas
}

// MultiplicativeLR multiplies the rate by a function of the epoch, from epoch 1 on.
type MultiplicativeLR struct{ schedule }

// NewMultiplicativeLR returns it; there is one function for all groups, or one for each.
func NewMultiplicativeLR(opt optim.Optimizer, lambdas ...func(epoch int) float64) *MultiplicativeLR {
	s := &MultiplicativeLR{}
	f := perGroup("multiplicative_lr", opt, lambdas)
	s.start("multiplicative_lr", opt, func(i int) float64 {
		if s.epoch == 0 {
			return s.now(i)
		}
		return s.now(i) * f[i](s.epoch)
	})
	return s
}

// StepLROptions: StepSize, in epochs, is required; Gamma is nil for 0.1.
type StepLROptions struct {
	StepSize int      // epochs between changes, required
	Gamma    *float64 // factor of the rate; nil: 0.1
}

// StepLR multiplies the rate by Gamma every StepSize epochs.
type StepLR struct{ schedule }

// NewStepLR returns it for an optimizer.
func NewStepLR(opt optim.Optimizer, o StepLROptions) *StepLR {
	if o.StepSize <= 0 {
		refuse("step_lr", "StepSize is %d; want a positive number of epochs", o.StepSize)
	}
	s := &StepLR{}
	gamma := door.Or(o.Gamma, 0.1)
	s.start("step_lr", opt, func(i int) float64 {
		if s.epoch == 0 || s.epoch%o.StepSize != 0 {
			return s.now(i)
		}
		return s.now(i) * gamma
	})
	return s
}

// MultiStepLROptions: Milestones are epochs; one that is there twice counts twice. Gamma is nil for 0.1.
type MultiStepLROptions struct {
	Milestones []int    // epochs after which the rate changes; one that is there twice counts twice
	Gamma      *float64 // factor of the rate; nil: 0.1
}

// MultiStepLR multiplies the rate by Gamma at each milestone.
type MultiStepLR struct{ schedule }

// NewMultiStepLR returns it for an optimizer.
func NewMultiStepLR(opt optim.Optimizer, o MultiStepLROptions) *MultiStepLR {
	s := &MultiStepLR{}
	count := map[int]int{}
	for _, m := range o.Milestones {
		count[m]++
	}
	gamma := door.Or(o.Gamma, 0.1)
	s.start("multi_step_lr", opt, func(i int) float64 {
		return s.now(i) * math.Pow(gamma, float64(count[s.epoch]))
	})
	return s
}

// ExponentialLR multiplies the rate by gamma every epoch.
type ExponentialLR struct{ schedule }

// NewExponentialLR returns it for an optimizer.
func NewExponentialLR(opt optim.Optimizer, gamma float64) *ExponentialLR {
	s := &ExponentialLR{}
	s.start("exponential_lr", opt, func(i int) float64 {
		if s.epoch == 0 {
			return s.now(i)
		}
		return s.now(i) * gamma
	})
	return s
}

// ConstantLROptions: Factor is nil for 1/3, TotalIters 0 for 5.
type ConstantLROptions struct {
	Factor     *float64 // factor of the rate until then; nil: 1/3
	TotalIters int      // epochs until it ends; 0: 5
}

// ConstantLR multiplies the rate by a factor for the first epochs.
type ConstantLR struct{ schedule }

// NewConstantLR returns it for an optimizer.
func NewConstantLR(opt optim.Optimizer, opts ...ConstantLROptions) *ConstantLR {
	o := door.Option("constant_lr", opts)
	factor, total := door.Or(o.Factor, 1.0/3), door.Count(o.TotalIters, 5)
	if factor < 0 || factor > 1 {
		refuse("constant_lr", "Factor is %v; want a number from 0 to 1", factor)
	}
	s := &ConstantLR{}
	s.start("constant_lr", opt, func(i int) float64 {
		switch s.epoch {
		case 0:
			return s.now(i) * factor
		case total:
			return s.now(i) * (1 / factor)
		}
		return s.now(i)
	})
	return s
}

// LinearLROptions: StartFactor is nil for 1/3, EndFactor nil for 1, TotalIters 0 for 5.
type LinearLROptions struct {
	StartFactor *float64 // nil: 1/3
	EndFactor   *float64 // nil: 1
	TotalIters  int      // epochs until it ends; 0: 5
}

// LinearLR moves the factor of the rate from StartFactor to EndFactor.
type LinearLR struct{ schedule }

// NewLinearLR returns it for an optimizer.
func NewLinearLR(opt optim.Optimizer, opts ...LinearLROptions) *LinearLR {
	o := door.Option("linear_lr", opts)
	from, to, total := door.Or(o.StartFactor, 1.0/3), door.Or(o.EndFactor, 1), door.Count(o.TotalIters, 5)
	if from <= 0 || from > 1 || to < 0 || to > 1 {
		refuse("linear_lr", "StartFactor is %v and EndFactor %v; want more than 0 to 1, and 0 to 1", from, to)
	}
	s := &LinearLR{}
	s.start("linear_lr", opt, func(i int) float64 {
		switch {
		case s.epoch == 0:
			return s.now(i) * from
		case s.epoch > total:
			return s.now(i)
		}
		return s.now(i) * (1 + (to-from)/(float64(total)*from+float64(s.epoch-1)*(to-from)))
	})
	return s
}

// PolynomialLROptions: TotalIters is nil for 5, Power nil for 1.
type PolynomialLROptions struct {
	TotalIters int      // epochs until it ends; 0: 5
	Power      *float64 // nil: 1
	EtaMin     float64  // the last rate
}

// PolynomialLR takes the rate to EtaMin along a power.
type PolynomialLR struct{ schedule }

// NewPolynomialLR returns it for an optimizer.
func NewPolynomialLR(opt optim.Optimizer, opts ...PolynomialLROptions) *PolynomialLR {
	o := door.Option("polynomial_lr", opts)
	total, power := door.Count(o.TotalIters, 5), door.Or(o.Power, 1)
	s := &PolynomialLR{}
	s.start("polynomial_lr", opt, func(i int) float64 {
		if s.epoch == 0 || s.epoch > total {
			return s.now(i)
		}
		n := float64(total)
		return o.EtaMin + (s.now(i)-o.EtaMin)*math.Pow((1-float64(s.epoch)/n)/(1-float64(s.epoch-1)/n), power)
	})
	return s
}

// NoamScheduler raises the rate for WarmupSteps and lets it fall with the root of the step, scaled by the model's
// width (Vaswani et al.). The optimizer's own rate is a factor.
type NoamScheduler struct{ schedule }

// NewNoamScheduler returns it for an optimizer.
func NewNoamScheduler(opt optim.Optimizer, dModel, warmupSteps int) *NoamScheduler {
	if dModel <= 0 || warmupSteps <= 0 {
		refuse("noam", "width %d and %d steps of warm-up; want positive numbers", dModel, warmupSteps)
	}
	s := &NoamScheduler{}
	s.start("noam", opt, func(i int) float64 {
		t := float64(max(s.epoch, 1))
		return s.base[i] / math.Sqrt(float64(dModel)) * math.Min(1/math.Sqrt(t), t*math.Pow(float64(warmupSteps), -1.5))
	})
	return s
}
