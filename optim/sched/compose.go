package sched

import (
	"fmt"
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/optim"
)

// ReduceLROnPlateauOptions say when and how the rate is lowered.
type ReduceLROnPlateauOptions struct {
	Mode          string    // "min" (default): lower is better, or "max"
	Factor        *float64  // nil: 0.1
	Patience      *int      // epochs without progress that are let pass; nil: 10
	Threshold     *float64  // what counts as progress; nil: 1e-4
	ThresholdMode string    // "rel" (default) or "abs"
	Cooldown      int       // epochs to wait after a change
	MinLR         float64   // the lowest rate
	MinLRs        []float64 // that of each group of the optimizer, instead of MinLR
	Eps           *float64  // smaller changes are not made; nil: 1e-8
}

// ReduceLROnPlateau lowers the rate when a metric stops getting better.
type ReduceLROnPlateau struct {
	schedule
	o               ReduceLROnPlateauOptions
	lowest          []float64 // by group
	best, bad, cool float64
}

// NewReduceLROnPlateau returns it for an optimizer.
func NewReduceLROnPlateau(opt optim.Optimizer, opts ...ReduceLROnPlateauOptions) *ReduceLROnPlateau {
	const op = "reduce_lr_on_plateau"
	o := door.Option(op, opts)
	if f := door.Or(o.Factor, 0.1); f >= 1 {
		refuse(op, "Factor is %v; want less than 1", f)
	}
	s := &ReduceLROnPlateau{o: o, best: math.Inf(1), lowest: byGroup(op, "MinLR", opt, o.MinLR, o.MinLRs)}
	switch o.Mode {
	case "", "min":
	case "max":
		s.best = math.Inf(-1)
	default:
		refuse(op, "Mode is %q; want min or max", o.Mode)
	}
	if o.ThresholdMode != "" && o.ThresholdMode != "rel" && o.ThresholdMode != "abs" {
		refuse(op, "ThresholdMode is %q; want rel or abs", o.ThresholdMode)
	}
	s.prepare(op, opt)
	s.epoch = 0
	s.extra = map[string]*float64{"best": &s.best, "num_bad_epochs": &s.bad, "cooldown_counter": &s.cool}
	return s
}

// Step is refused: this schedule goes by a metric, see StepMetric.
func (s *ReduceLROnPlateau) Step() {
	refuse(s.name, "a step needs the metric; use StepMetric")
}

// StepMetric moves to the next epoch, which ended with this value of the metric.
func (s *ReduceLROnPlateau) StepMetric(metric float64) {
	outside("reduce_lr_on_plateau")
	s.epoch++
	if s.better(metric) {
		s.best, s.bad = metric, 0
	} else {
		s.bad++
	}
	if s.cool > 0 {
		s.cool--
		s.bad = 0
	}
	if s.bad <= float64(door.Or(s.o.Patience, 10)) {
		return
	}
	for i, g := range s.groups {
		lr := math.Max(s.now(i)*door.Or(s.o.Factor, 0.1), s.lowest[i])
		if s.now(i)-lr > door.Or(s.o.Eps, 1e-8) {
			g.SetLR(lr)
		}
	}
	s.cool, s.bad = float64(s.o.Cooldown), 0
}

func (s *ReduceLROnPlateau) better(m float64) bool {
	t := door.Or(s.o.Threshold, 1e-4)
	switch max, abs := s.o.Mode == "max", s.o.ThresholdMode == "abs"; {
	case max && abs:
		return m > s.best+t
	case max:
		return m > s.best*(t+1)
	case abs:
		return m < s.best-t
	}
	return m < s.best*(1-t)
}

// SequentialLR runs schedules one after the other.
type SequentialLR struct {
	schedule
	parts      []Scheduler
	milestones []int
}

// restarter is a schedule that can begin anew at its first epoch.
type restarter interface {
	Scheduler
	restart()
}

// NewSequentialLR runs each schedule up to its milestone, in epochs; there is one milestone fewer than schedules. All
// must be for the optimizer.
func NewSequentialLR(opt optim.Optimizer, parts []Scheduler, milestones []int) *SequentialLR {
	const op = "sequential_lr"
	if len(parts) == 0 || len(milestones) != len(parts)-1 {
		refuse(op, "%d schedules and %d milestones; want one milestone fewer", len(parts), len(milestones))
	}
	for _, p := range parts {
		if _, ok := p.(restarter); !ok {
			refuse(op, "%T cannot be part of a sequence", p)
		}
	}
	s := &SequentialLR{parts: parts, milestones: milestones}
	s.prepare(op, opt)
	s.epoch = 0
	for i, g := range s.groups { // the schedules all set the first rate when they were made
		g.SetLR(s.base[i])
	}
	parts[0].(restarter).restart()
	return s
}

// Step moves to the next epoch.
func (s *SequentialLR) Step() {
	outside("sequential_lr")
	s.epoch++
	k := 0
	for k < len(s.milestones) && s.milestones[k] <= s.epoch {
		k++
	}
	if k > 0 && s.milestones[k-1] == s.epoch {
		for i, g := range s.groups {
			g.SetLR(s.base[i])
		}
		s.parts[k].(restarter).restart()
		return
	}
	s.parts[k].Step()
}

// restart begins anew: the next epoch is 0.
func (s *schedule) restart() {
	s.epoch = -1
	s.Step()
}

func (s *CosineAnnealingWarmRestarts) restart() {
	s.now0 = -1
	s.schedule.restart()
}

// StateDict has the state of the parts too.
func (s *SequentialLR) StateDict() *lucid.StateDict { return withParts(&s.schedule, s.parts) }

// LoadStateDict brings it back.
func (s *SequentialLR) LoadStateDict(d *lucid.StateDict) error {
	return loadParts(&s.schedule, s.parts, d)
}

func withParts(s *schedule, parts []Scheduler) *lucid.StateDict {
	d := s.StateDict()
	for i, p := range parts {
		d.Merge(fmt.Sprintf("schedulers.%d.", i), p.StateDict())
	}
	return d
}

// loadParts loads the schedule last, whose rates are the present ones.
func loadParts(s *schedule, parts []Scheduler, d *lucid.StateDict) error {
	for i, p := range parts {
		if err := p.LoadStateDict(d.Prefix(fmt.Sprintf("schedulers.%d.", i))); err != nil {
			return err
		}
	}
	return s.LoadStateDict(d)
}

// ChainedScheduler steps several schedules together; each changes the rate the one before left.
type ChainedScheduler struct {
	schedule
	parts []Scheduler
}

// NewChainedScheduler joins schedules of one optimizer.
func NewChainedScheduler(opt optim.Optimizer, parts ...Scheduler) *ChainedScheduler {
	if len(parts) == 0 {
		refuse("chained_scheduler", "there are no schedules")
	}
	s := &ChainedScheduler{parts: parts}
	s.prepare("chained_scheduler", opt)
	s.epoch = 0
	return s
}

// Step moves all schedules to the next epoch.
func (s *ChainedScheduler) Step() {
	s.epoch++
	for _, p := range s.parts {
		p.Step()
	}
}

// StateDict has the state of the parts too.
func (s *ChainedScheduler) StateDict() *lucid.StateDict { return withParts(&s.schedule, s.parts) }

// LoadStateDict brings it back.
func (s *ChainedScheduler) LoadStateDict(d *lucid.StateDict) error {
	return loadParts(&s.schedule, s.parts, d)
}
