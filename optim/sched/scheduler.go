package sched

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/optim"
)

// Scheduler moves learning rates.
type Scheduler interface {
	// Step moves to the next epoch and sets the learning rates. It is called outside of compiled functions.
	Step()
	// LastLR returns the learning rates of the groups.
	LastLR() []float64
	// StateDict returns what a schedule needs to go on.
	StateDict() *lucid.StateDict
	// LoadStateDict brings it back.
	LoadStateDict(d *lucid.StateDict) error
}

// outside refuses a step inside a compiled function: epochs are counted in Go.
func outside(op string) {
	if scope.Current().Trace != nil {
		panic(lucid.Errorf(lucid.ErrNotImplemented, op,
			"a schedule is stepped inside a compiled function, which would happen when it is traced and not when it runs; step it "+
				"outside: a compiled step of the optimizer sees the new rate"))
	}
}

func refuse(op, format string, args ...any) { panic(lucid.Errorf(lucid.ErrValue, op, format, args...)) }

// schedule is what the schedules share: epochs, the groups and the rates they started with.
type schedule struct {
	name   string
	groups []*optim.Group
	base   []float64
	epoch  int // -1 before the first step
	rate   func(i int) float64
	extra  map[string]*float64 // more numbers to be saved
}

// start makes the first step, which sets the rates of epoch 0. rate gives the rate of group i at the present epoch.
func (s *schedule) start(name string, opt optim.Optimizer, rate func(i int) float64) {
	s.prepare(name, opt)
	s.rate = rate
	s.Step()
}

func (s *schedule) prepare(name string, opt optim.Optimizer) {
	s.name, s.groups, s.epoch = name, opt.ParamGroups(), -1
	for _, g := range s.groups {
		s.base = append(s.base, g.InitialLR)
	}
}

// byGroup gives a number of each group: its own, or the one for all.
func byGroup(op, name string, opt optim.Optimizer, all float64, each []float64) []float64 {
	n := len(opt.ParamGroups())
	switch {
	case each == nil:
		return slices.Repeat([]float64{all}, n)
	case len(each) != n || all != 0:
		refuse(op, "%s is %v and %ss are %v; want one of the two, with a number for each of the %d groups", name, all, name, each, n)
	}
	return slices.Clone(each)
}

// Step moves to the next epoch.
func (s *schedule) Step() {
	outside(s.name)
	s.epoch++
	for i, g := range s.groups {
		g.SetLR(s.rate(i))
	}
}

// Epoch returns how many steps were made.
func (s *schedule) Epoch() int { return s.epoch }

// LastLR returns the learning rates of the groups.
func (s *schedule) LastLR() []float64 {
	lr := make([]float64, len(s.groups))
	for i, g := range s.groups {
		lr[i] = g.LR()
	}
	return lr
}

func number(v float64) *lucid.Tensor { return lucid.With{DType: lucid.Float64}.Full([]int{}, v) }

// StateDict returns the epoch, the rates and what else the schedule keeps.
func (s *schedule) StateDict() *lucid.StateDict {
	d := lucid.NewStateDict()
	d.Set("last_epoch", number(float64(s.epoch)))
	for i, g := range s.groups {
		d.Set(fmt.Sprintf("base_lrs.%d", i), number(s.base[i]))
		d.Set(fmt.Sprintf("last_lr.%d", i), number(g.LR()))
	}
	for _, k := range sorted(s.extra) {
		d.Set(k, number(*s.extra[k]))
	}
	return d
}

// LoadStateDict brings a state back that StateDict made.
func (s *schedule) LoadStateDict(d *lucid.StateDict) error {
	return lucid.Try(func() {
		get := func(name string) float64 {
			t := d.Get(name)
			if t == nil {
				panic(lucid.Errorf(lucid.ErrFormat, "load_state_dict", "%s: the state has no %s", s.name, name))
			}
			return t.Item()
		}
		epoch := get("last_epoch")
		base, last := make([]float64, len(s.groups)), make([]float64, len(s.groups))
		for i := range s.groups {
			base[i], last[i] = get(fmt.Sprintf("base_lrs.%d", i)), get(fmt.Sprintf("last_lr.%d", i))
		}
		extra := map[string]float64{}
		for k := range s.extra {
			extra[k] = get(k)
		}
		s.epoch, s.base = int(epoch), base
		for i, g := range s.groups {
			g.SetLR(last[i])
		}
		for k, v := range extra {
			*s.extra[k] = v
		}
	})
}

func sorted(m map[string]*float64) []string { return slices.Sorted(maps.Keys(m)) }

// now returns the present rate of group i: schedules that work by factors start from it.
func (s *schedule) now(i int) float64 { return s.groups[i].LR() }

// CosineAnnealingLROptions: TMax, the epochs from the highest rate to the lowest, is required.
type CosineAnnealingLROptions struct {
	TMax   int     // epochs from the highest rate to the lowest, required
	EtaMin float64 // the lowest rate
}

// CosineAnnealingLR moves the rate down and up along a cosine (Loshchilov and Hutter).
type CosineAnnealingLR struct{ schedule }

// NewCosineAnnealingLR returns it for an optimizer.
func NewCosineAnnealingLR(opt optim.Optimizer, o CosineAnnealingLROptions) *CosineAnnealingLR {
	if o.TMax <= 0 {
		refuse("cosine_annealing_lr", "TMax is %d; want a positive number of epochs", o.TMax)
	}
	s := &CosineAnnealingLR{}
	period := float64(o.TMax)
	s.start("cosine_annealing_lr", opt, func(i int) float64 {
		e := float64(s.epoch)
		switch {
		case s.epoch == 0:
			return s.now(i)
		case (s.epoch-1-o.TMax)%(2*o.TMax) == 0:
			return s.now(i) + (s.base[i]-o.EtaMin)*(1-math.Cos(math.Pi/period))/2
		}
		return (1+math.Cos(math.Pi*e/period))/(1+math.Cos(math.Pi*(e-1)/period))*(s.now(i)-o.EtaMin) + o.EtaMin
	})
	return s
}
