package sched_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/optim/sched"
)

type options map[string]any

func (o options) f(name string) float64 { v, _ := o[name].(float64); return v }
func (o options) s(name string) string  { v, _ := o[name].(string); return v }
func (o options) n(name string) int     { return int(o.f(name)) }
func (o options) p(name string) *float64 {
	if v, ok := o[name].(float64); ok {
		return &v
	}
	return nil
}
func (o options) i(name string) *int {
	if v, ok := o[name].(float64); ok {
		return new(int(v))
	}
	return nil
}

func optimizer() optim.Optimizer {
	opt := optim.NewSGD([]*lucid.Tensor{lucid.Zeros(2).RequiresGrad_(true)}, optim.SGDOptions{LR: 0.1, Momentum: 0.9})
	opt.AddParamGroup([]*lucid.Tensor{lucid.Zeros(2).RequiresGrad_(true)}, optim.SGDOptions{LR: 0.04, Momentum: 0.9})
	return opt
}

func make1(op string, opt optim.Optimizer, o options) sched.Scheduler {
	switch op {
	case "StepLR":
		return sched.NewStepLR(opt, sched.StepLROptions{StepSize: o.n("step_size"), Gamma: o.p("gamma")})
	case "MultiStepLR":
		var m []int
		for _, v := range o["milestones"].([]any) {
			m = append(m, int(v.(float64)))
		}
		return sched.NewMultiStepLR(opt, sched.MultiStepLROptions{Milestones: m, Gamma: o.p("gamma")})
	case "ExponentialLR":
		return sched.NewExponentialLR(opt, o.f("gamma"))
	case "CosineAnnealingLR":
		return sched.NewCosineAnnealingLR(opt, sched.CosineAnnealingLROptions{TMax: o.n("T_max"), EtaMin: o.f("eta_min")})
	case "ConstantLR":
		return sched.NewConstantLR(opt, sched.ConstantLROptions{Factor: o.p("factor"), TotalIters: o.i("total_iters")})
	case "LinearLR":
		return sched.NewLinearLR(opt, sched.LinearLROptions{StartFactor: o.p("start_factor"), EndFactor: o.p("end_factor"), TotalIters: o.i("total_iters")})
	case "PolynomialLR":
		return sched.NewPolynomialLR(opt, sched.PolynomialLROptions{TotalIters: o.i("total_iters"), Power: o.p("power")})
	case "CosineAnnealingWarmRestarts":
		return sched.NewCosineAnnealingWarmRestarts(opt, sched.CosineAnnealingWarmRestartsOptions{T0: o.n("T_0"), TMult: o.n("T_mult"), EtaMin: o.f("eta_min")})
	case "OneCycleLR":
		three, _ := o["three_phase"].(bool)
		return sched.NewOneCycleLR(opt, sched.OneCycleLROptions{MaxLR: o.f("max_lr"), TotalSteps: o.n("total_steps"), PctStart: o.p("pct_start"), AnnealStrategy: o.s("anneal_strategy"), ThreePhase: three})
	case "CyclicLR":
		return sched.NewCyclicLR(opt, sched.CyclicLROptions{BaseLR: o.f("base_lr"), MaxLR: o.f("max_lr"), StepSizeUp: o.i("step_size_up"), StepSizeDown: o.i("step_size_down"), Mode: o.s("mode"), Gamma: o.p("gamma")})
	case "ReduceLROnPlateau":
		return sched.NewReduceLROnPlateau(opt, sched.ReduceLROnPlateauOptions{Mode: o.s("mode"), Factor: o.p("factor"), Patience: o.i("patience"), Threshold: o.p("threshold"),
			ThresholdMode: o.s("threshold_mode"), Cooldown: o.n("cooldown"), MinLR: o.f("min_lr")})
	}
	panic(op)
}

type goldenCase struct {
	Op      string
	Options options
	Losses  []float64
	Rates   [][][2]float64
}

func golden(t *testing.T) []goldenCase {
	raw, err := os.ReadFile("../testdata/optim.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Schedules []goldenCase }
	if err := json.NewDecoder(z).Decode(&f); err != nil {
		t.Fatal(err)
	}
	return f.Schedules
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(b)) }

func TestGoldenSchedules(t *testing.T) {
	for k, c := range golden(t) {
		t.Run(fmt.Sprintf("%s/%d", c.Op, k), func(t *testing.T) {
			opt := optimizer()
			s := make1(c.Op, opt, c.Options)
			for i, want := range c.Rates {
				if p, ok := s.(*sched.ReduceLROnPlateau); ok {
					p.StepMetric(c.Losses[i])
				} else if i > 0 {
					s.Step()
				}
				if i == len(c.Rates)/2 {
					s = reload(t, c, opt, s)
				}
				for g, w := range want {
					m, _ := opt.ParamGroups()[g].Momentum()
					if got := opt.ParamGroups()[g].LR(); !near(got, w[0]) || w[1] != 0 && !near(m, w[1]) {
						t.Fatalf("%v: step %d, group %d: rate %v, momentum %v; want %v", c.Options, i, g, got, m, w)
					}
				}
			}
		})
	}
}

// reload continues with a fresh schedule that got the state of the old one.
func reload(t *testing.T, c goldenCase, opt optim.Optimizer, s sched.Scheduler) sched.Scheduler {
	var rates, momenta []float64
	for _, g := range opt.ParamGroups() {
		m, _ := g.Momentum()
		rates, momenta = append(rates, g.LR()), append(momenta, m)
	}
	state := s.StateDict()
	fresh := make1(c.Op, opt, c.Options)
	if err := fresh.LoadStateDict(state); err != nil {
		t.Fatal(err)
	}
	for i, g := range opt.ParamGroups() {
		if g.LR() != rates[i] {
			t.Errorf("the rate is %v after loading, was %v", g.LR(), rates[i])
		}
		g.SetMomentum(momenta[i]) // the optimizer's own state
	}
	return fresh
}

func rates(s sched.Scheduler, n int) (out []float64) {
	for range n {
		out = append(out, s.LastLR()[0])
		s.Step()
	}
	return out
}

func TestSequentialAndChained(t *testing.T) {
	opt := optimizer()
	seq := sched.NewSequentialLR(opt, []sched.Scheduler{
		sched.NewConstantLR(opt, sched.ConstantLROptions{Factor: new(0.1), TotalIters: new(2)}), sched.NewExponentialLR(opt, 0.9)}, []int{3})
	want := []float64{0.01, 0.01, 0.1, 0.1, 0.09, 0.081}
	for i, v := range rates(seq, 6) {
		if !near(v, want[i]) {
			t.Errorf("sequence, step %d: %v; want %v", i, v, want[i])
		}
	}
	opt = optimizer()
	chain := sched.NewChainedScheduler(opt, sched.NewConstantLR(opt, sched.ConstantLROptions{Factor: new(0.1), TotalIters: new(2)}), sched.NewExponentialLR(opt, 0.9))
	want = []float64{0.01, 0.009, 0.081, 0.0729}
	for i, v := range rates(chain, 4) {
		if !near(v, want[i]) {
			t.Errorf("chain, step %d: %v; want %v", i, v, want[i])
		}
	}
	opt = optimizer()
	l := sched.NewLambdaLR(opt, func(e int) float64 { return 1 / float64(e+1) })
	if v := rates(l, 4)[3]; !near(v, 0.025) {
		t.Errorf("lambda: %v", v)
	}
	opt = optimizer()
	if v := rates(sched.NewMultiplicativeLR(opt, func(int) float64 { return 0.5 }), 4)[3]; !near(v, 0.0125) {
		t.Errorf("multiplicative: %v", v)
	}
	opt = optimizer()
	noam := rates(sched.NewNoamScheduler(opt, 64, 10), 21)
	if !near(noam[10], 0.1/8/math.Sqrt(10)) || noam[20] >= noam[10] || noam[5] >= noam[10] {
		t.Errorf("noam: %v", noam)
	}
}
