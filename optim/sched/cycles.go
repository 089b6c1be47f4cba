package sched

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/optim"
)

// CosineAnnealingWarmRestartsOptions: T0, the epochs to the first restart, is required; each time is TMult (0 means 1)
// times longer.
type CosineAnnealingWarmRestartsOptions struct {
	T0     int     // epochs to the first restart, required
	TMult  int     // factor of the epochs at each restart; 0: 1
	EtaMin float64 // the lowest rate
}

// CosineAnnealingWarmRestarts moves the rate down along a cosine, again and again (Loshchilov and Hutter).
type CosineAnnealingWarmRestarts struct {
	schedule
	now0, length float64 // position in the present cycle, and its length
}

// NewCosineAnnealingWarmRestarts returns it for an optimizer.
func NewCosineAnnealingWarmRestarts(opt optim.Optimizer, o CosineAnnealingWarmRestartsOptions) *CosineAnnealingWarmRestarts {
	if o.T0 <= 0 || o.TMult < 0 {
		refuse("cosine_annealing_warm_restarts", "T0 is %d and TMult %d; want positive numbers", o.T0, o.TMult)
	}
	s := &CosineAnnealingWarmRestarts{now0: -1, length: float64(o.T0)}
	s.extra = map[string]*float64{"T_cur": &s.now0, "T_i": &s.length}
	mult := float64(max(o.TMult, 1))
	s.start("cosine_annealing_warm_restarts", opt, func(i int) float64 {
		if i == 0 {
			s.now0++
			if s.now0 >= s.length {
				s.now0 -= s.length
				s.length *= mult
			}
		}
		return o.EtaMin + (s.base[i]-o.EtaMin)*(1+math.Cos(math.Pi*s.now0/s.length))/2
	})
	return s
}

// OneCycleLROptions: MaxLR or MaxLRs, and TotalSteps are required.
type OneCycleLROptions struct {
	MaxLR           float64   // the highest rate, required
	MaxLRs          []float64 // that of each group of the optimizer, instead of MaxLR
	TotalSteps      int       // steps of the whole cycle, required
	PctStart        *float64  // share of the steps that raise the rate; nil: 0.3
	AnnealStrategy  string    // "cos" (default) or "linear"
	NoCycleMomentum bool      // leave the momentum alone
	BaseMomentum    *float64  // nil: 0.85
	MaxMomentum     *float64  // nil: 0.95
	DivFactor       float64   // MaxLR over the first rate; 0: 25
	FinalDivFactor  float64   // the first rate over the last; 0: 1e4
	ThreePhase      bool      // go down as long as up, then to the last rate
}

// OneCycleLR raises the rate once and takes it far down, the momentum the other way round (Smith and Topin). It is
// stepped every batch.
type OneCycleLR struct{ schedule }

// phase is a part of the cycle that ends at a step.
type phase struct{ end, fromLR, toLR, fromM, toM float64 }

// NewOneCycleLR returns it for an optimizer.
func NewOneCycleLR(opt optim.Optimizer, o OneCycleLROptions) *OneCycleLR {
	const op = "one_cycle_lr"
	pct := door.Or(o.PctStart, 0.3)
	highest := byGroup(op, "MaxLR", opt, o.MaxLR, o.MaxLRs)
	if slices.Min(highest) <= 0 || o.TotalSteps <= 0 || pct < 0 || pct > 1 {
		refuse(op, "MaxLR is %v, TotalSteps %d, PctStart %v; want positive numbers and a share", highest, o.TotalSteps, pct)
	}
	anneal := cosine
	switch o.AnnealStrategy {
	case "", "cos":
	case "linear":
		anneal = func(from, to, p float64) float64 { return (to-from)*p + from }
	default:
		refuse(op, "AnnealStrategy is %q; want cos or linear", o.AnnealStrategy)
	}
	first := 1 / door.Count(o.DivFactor, 25) // rates are shares of the highest
	last := first / door.Count(o.FinalDivFactor, 1e4)
	low, high := door.Or(o.BaseMomentum, 0.85), door.Or(o.MaxMomentum, 0.95)
	total := float64(o.TotalSteps)
	up := pct*total - 1
	phases := []phase{{up, first, 1, high, low}, {total - 1, 1, last, low, high}}
	if o.ThreePhase {
		phases = []phase{{up, first, 1, high, low}, {2*pct*total - 2, 1, first, low, high},
			{total - 1, first, last, high, high}}
	}
	s := &OneCycleLR{}
	s.start(op, opt, func(i int) float64 {
		step := float64(s.epoch)
		if s.epoch > o.TotalSteps {
			refuse(op, "step %d of a cycle of %d", s.epoch, o.TotalSteps)
		}
		start := 0.0
		for k, p := range phases {
			if step <= p.end || k == len(phases)-1 {
				at := (step - start) / (p.end - start)
				if !o.NoCycleMomentum {
					s.groups[i].SetMomentum(anneal(p.fromM, p.toM, at))
				}
				return highest[i] * anneal(p.fromLR, p.toLR, at)
			}
			start = p.end
		}
		return s.now(i)
	})
	return s
}

func cosine(from, to, p float64) float64 { return to + (from-to)/2*(1+math.Cos(math.Pi*p)) }

// CyclicLROptions: BaseLR and MaxLR, or those of the groups, are required.
type CyclicLROptions struct {
	BaseLR       float64                 // the lowest rate, required
	MaxLR        float64                 // the highest rate, required
	BaseLRs      []float64               // the lowest rate of each group of the optimizer, instead of BaseLR
	MaxLRs       []float64               // the highest, instead of MaxLR
	StepSizeUp   int                     // steps up; 0: 2000
	StepSizeDown int                     // steps down; 0: as up
	Mode         string                  // "triangular" (default), "triangular2" or "exp_range"
	Gamma        *float64                // of exp_range; nil: 1
	ScaleFn      func(x float64) float64 // instead of Mode: what the amplitude is multiplied by
	// what ScaleFn is given: "cycle" (default), the number of the cycle from 1, or "iterations", the steps made
	ScaleMode       string
	NoCycleMomentum bool     // leave the momentum alone
	BaseMomentum    *float64 // nil: 0.8
	MaxMomentum     *float64 // nil: 0.9
}

// CyclicLR moves the rate up and down between two bounds, the momentum the other way round (Smith). It is stepped
// every batch.
type CyclicLR struct{ schedule }

// NewCyclicLR returns it for an optimizer.
func NewCyclicLR(opt optim.Optimizer, o CyclicLROptions) *CyclicLR {
	const op = "cyclic_lr"
	up := float64(door.Count(o.StepSizeUp, 2000))
	down := up
	if o.StepSizeDown != 0 {
		down = float64(o.StepSizeDown)
	}
	lowest, highest := byGroup(op, "BaseLR", opt, o.BaseLR, o.BaseLRs), byGroup(op, "MaxLR", opt, o.MaxLR, o.MaxLRs)
	if up <= 0 || down <= 0 || slices.Min(highest) <= 0 {
		refuse(op, "steps %v up and %v down, MaxLR %v; want positive numbers", up, down, highest)
	}
	total := up + down
	scale := func(cycle, _ float64) float64 { return 1 }
	switch {
	case o.ScaleMode != "" && o.ScaleMode != "cycle" && (o.ScaleMode != "iterations" || o.ScaleFn == nil):
		refuse(op, "ScaleMode is %q; want cycle, or iterations for a ScaleFn", o.ScaleMode)
	case o.ScaleFn != nil && o.ScaleMode == "iterations":
		scale = func(_, step float64) float64 { return o.ScaleFn(step) }
	case o.ScaleFn != nil:
		scale = func(cycle, _ float64) float64 { return o.ScaleFn(cycle) }
	case o.Mode == "" || o.Mode == "triangular":
	case o.Mode == "triangular2":
		scale = func(cycle, _ float64) float64 { return 1 / math.Pow(2, cycle-1) }
	case o.Mode == "exp_range":
		scale = func(_, step float64) float64 { return math.Pow(door.Or(o.Gamma, 1), step) }
	default:
		refuse(op, "Mode is %q; want triangular, triangular2 or exp_range", o.Mode)
	}
	low, high := door.Or(o.BaseMomentum, 0.8), door.Or(o.MaxMomentum, 0.9)
	s := &CyclicLR{}
	s.start(op, opt, func(i int) float64 {
		e := float64(s.epoch)
		cycle := math.Floor(1 + e/total)
		x := 1 + e/total - cycle
		f := x / (up / total)
		if x > up/total {
			f = (x - 1) / (up/total - 1)
		}
		if !o.NoCycleMomentum {
			s.groups[i].SetMomentum(high - (high-low)*f*scale(cycle, e))
		}
		return lowest[i] + (highest[i]-lowest[i])*f*scale(cycle, e)
	})
	return s
}
