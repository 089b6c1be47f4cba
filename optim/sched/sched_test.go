package sched_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/optim/sched"
)

type options map[string]any

func optimizer() optim.Optimizer {
	opt := optim.NewSGD([]*lucid.Tensor{lucid.Zeros(2).RequiresGrad_(true)}, optim.SGDOptions{LR: 0.1, Momentum: 0.9})
	opt.AddParamGroup([]*lucid.Tensor{lucid.Zeros(2).RequiresGrad_(true)}, optim.SGDOptions{LR: 0.04, Momentum: 0.9})
	return opt
}

var lambdas = map[string]func(epoch int) float64{
	"inverse": func(e int) float64 { return 1 / float64(e+1) }, "half": func(int) float64 { return 0.97 },
	"steps": func(e int) float64 { return math.Pow(0.5, float64(e/30)) },
}

var makers = map[string]any{
	"StepLR": sched.NewStepLR, "MultiStepLR": sched.NewMultiStepLR, "CosineAnnealingLR": sched.NewCosineAnnealingLR,
	"ConstantLR": sched.NewConstantLR, "LinearLR": sched.NewLinearLR,
	"PolynomialLR": sched.NewPolynomialLR, "CosineAnnealingWarmRestarts": sched.NewCosineAnnealingWarmRestarts,
	"OneCycleLR": sched.NewOneCycleLR, "CyclicLR": sched.NewCyclicLR,
	"ReduceLROnPlateau": sched.NewReduceLROnPlateau,
}

// make1 makes a schedule by PyTorch's name and keywords.
func make1(op string, opt optim.Optimizer, o options) sched.Scheduler {
	switch op {
	case "ExponentialLR":
		return sched.NewExponentialLR(opt, o["gamma"].(float64))
	case "LambdaLR":
		return sched.NewLambdaLR(opt, lambdas[o["lr_lambda"].(string)])
	case "MultiplicativeLR":
		return sched.NewMultiplicativeLR(opt, lambdas[o["lr_lambda"].(string)])
	}
	f := reflect.ValueOf(makers[op])
	typ := f.Type().In(1)
	if f.Type().IsVariadic() {
		typ = typ.Elem()
	}
	opts := reflect.New(typ).Elem()
	if err := (testutil.Keywords{Names: map[string]string{"cycle_momentum": "!NoCycleMomentum"}}).Fill(opts, o); err != nil {
		panic(op + ": " + err.Error())
	}
	return f.Call([]reflect.Value{reflect.ValueOf(opt), opts})[0].Interface().(sched.Scheduler)
}

type goldenCase struct {
	Op         string
	Options    options
	Parts      []goldenCase
	Milestones []int
	Losses     []float64
	LR         string
	Momentum   string
}

func (c goldenCase) make(opt optim.Optimizer) sched.Scheduler {
	if c.Parts == nil {
		return make1(c.Op, opt, c.Options)
	}
	var parts []sched.Scheduler
	for _, p := range c.Parts {
		parts = append(parts, p.make(opt))
	}
	if c.Op == "SequentialLR" {
		return sched.NewSequentialLR(opt, parts, c.Milestones)
	}
	return sched.NewChainedScheduler(opt, parts...)
}

// pairs decodes the numbers of two groups, step by step; nil if there are none.
func pairs(t *testing.T, s string) (out [][2]float64) {
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	for ; len(raw) > 0; raw = raw[16:] {
		out = append(out, [2]float64{math.Float64frombits(binary.LittleEndian.Uint64(raw)),
			math.Float64frombits(binary.LittleEndian.Uint64(raw[8:]))})
	}
	return out
}

type goldenFile struct {
	Schedules []goldenCase
	Defaults  map[string]map[string]any
}

func golden(t *testing.T) (f goldenFile) {
	raw, err := os.ReadFile("../testdata/optim.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&f); err != nil {
		t.Fatal(err)
	}
	return f
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*(1+math.Abs(b)) }

func TestGoldenSchedules(t *testing.T) {
	cases := golden(t).Schedules
	if len(cases) < 45 {
		t.Fatalf("%d cases", len(cases))
	}
	for k, c := range cases {
		t.Run(fmt.Sprintf("%s/%d", c.Op, k), func(t *testing.T) {
			opt := optimizer()
			s := c.make(opt)
			want, momenta := pairs(t, c.LR), pairs(t, c.Momentum)
			if len(want) != 101 {
				t.Fatalf("%d steps", len(want))
			}
			for i := range want {
				if p, ok := s.(*sched.ReduceLROnPlateau); ok && i > 0 {
					p.StepMetric(c.Losses[i-1])
				} else if i > 0 {
					s.Step()
				}
				if i == 37 {
					s = reload(t, c, opt, s)
				}
				for g, w := range want[i] {
					if got := opt.ParamGroups()[g].LR(); !near(got, w) {
						t.Fatalf("%v: step %d, group %d: rate %v; want %v", c.Options, i, g, got, w)
					}
					if m, _ := opt.ParamGroups()[g].Momentum(); momenta != nil && !near(m, momenta[i][g]) || momenta == nil && m != 0.9 {
						t.Fatalf("%v: step %d, group %d: momentum %v", c.Options, i, g, m)
					}
				}
			}
		})
	}
}

// reload continues with a fresh schedule, of a fresh optimizer's group rates, that got the state of the old one.
func reload(t *testing.T, c goldenCase, opt optim.Optimizer, s sched.Scheduler) sched.Scheduler {
	var rates, momenta []float64
	for _, g := range opt.ParamGroups() {
		m, _ := g.Momentum()
		rates, momenta = append(rates, g.LR()), append(momenta, m)
	}
	state := s.StateDict()
	fresh := c.make(opt)
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

// The zero value of an option is PyTorch's default: with it given, the rates are the same.
func TestDefaultsArePyTorchs(t *testing.T) {
	required := map[string]options{
		"StepLR": {"step_size": 3.0}, "MultiStepLR": {"milestones": []any{3.0, 8.0}}, "CosineAnnealingLR": {"T_max": 7.0}, "ConstantLR": {},
		"LinearLR": {}, "PolynomialLR": {},
		"CosineAnnealingWarmRestarts": {"T_0": 3.0}, "OneCycleLR": {"max_lr": 0.5, "total_steps": 60.0},
		"CyclicLR": {"base_lr": 0.01, "max_lr": 0.2}, "ReduceLROnPlateau": {},
	}
	absent := map[string]string{
		"last_epoch": "a state is loaded to go on", "epochs": "TotalSteps says it", "steps_per_epoch": "TotalSteps says it",
		"total_steps": "required",
	}
	run := func(op string, o options) (out []float64) {
		opt := optimizer()
		s := make1(op, opt, o)
		for i := range 50 {
			if p, ok := s.(*sched.ReduceLROnPlateau); ok {
				p.StepMetric(1 + float64(i%7)*0.1)
			} else {
				s.Step()
			}
			m, _ := opt.ParamGroups()[1].Momentum()
			out = append(out, opt.ParamGroups()[0].LR(), opt.ParamGroups()[1].LR(), m)
		}
		return out
	}
	compared := 0
	for op, defaults := range golden(t).Defaults {
		base, ok := required[op]
		if !ok {
			continue
		}
		for key, v := range defaults {
			if v == nil || absent[key] != "" {
				continue
			}
			with := maps.Clone(base)
			with[key] = v
			if compared++; !slices.Equal(run(op, base), run(op, with)) {
				t.Errorf("%s: %s = %v, PyTorch's default, gives other rates than no option", op, key, v)
			}
		}
	}
	if compared < 30 {
		t.Errorf("only %d defaults were compared", compared)
	}
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
		sched.NewConstantLR(opt, sched.ConstantLROptions{Factor: new(0.1), TotalIters: 2}),
		sched.NewExponentialLR(opt, 0.9)}, []int{3})
	want := []float64{0.01, 0.01, 0.1, 0.1, 0.09, 0.081}
	for i, v := range rates(seq, 6) {
		if !near(v, want[i]) {
			t.Errorf("sequence, step %d: %v; want %v", i, v, want[i])
		}
	}
	opt = optimizer()
	chain := sched.NewChainedScheduler(opt, sched.NewConstantLR(opt, sched.ConstantLROptions{Factor: new(0.1), TotalIters: 2}),
		sched.NewExponentialLR(opt, 0.9))
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

// TestRatesByGroup has groups with bounds of their own; the rates are PyTorch's.
func TestRatesByGroup(t *testing.T) {
	two := func() *optim.SGD {
		o := optim.NewSGD([]*lucid.Tensor{lucid.Zeros(1).RequiresGrad_(true)}, optim.SGDOptions{LR: 0.5, Momentum: 0.9})
		o.AddParamGroup([]*lucid.Tensor{lucid.Zeros(1).RequiresGrad_(true)}, optim.SGDOptions{LR: 0.05, Momentum: 0.9})
		return o
	}
	rates := func(s sched.Scheduler, step func(i int)) string {
		for i := range 15 {
			step(i)
		}
		return fmt.Sprintf("%.6f", s.LastLR())
	}
	cyc := sched.NewCyclicLR(two(), sched.CyclicLROptions{BaseLRs: []float64{0.01, 0.02}, MaxLRs: []float64{0.1, 0.3}, StepSizeUp: 3,
		StepSizeDown: 5, Mode: "triangular2"})
	one := sched.NewOneCycleLR(two(), sched.OneCycleLROptions{MaxLRs: []float64{0.3, 0.9}, TotalSteps: 31, PctStart: new(0.25),
		AnnealStrategy: "linear", DivFactor: 10, FinalDivFactor: 50})
	plateau := sched.NewReduceLROnPlateau(two(), sched.ReduceLROnPlateauOptions{Factor: new(0.5), Patience: new(0),
		MinLRs: []float64{0.001, 0.002}})
	for _, c := range []struct{ got, want string }{
		{rates(cyc, func(int) { cyc.Step() }), "[0.019000 0.048000]"},
		{rates(one, func(int) { one.Step() }), "[0.193761 0.581284]"},
		{rates(plateau, func(int) { plateau.StepMetric(1) }), "[0.001000 0.002000]"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
	for _, rates := range [][]float64{{0.1}, {0.1, 0.2, 0.3}} {
		if err := lucid.Try(func() { sched.NewOneCycleLR(two(), sched.OneCycleLROptions{MaxLRs: rates, TotalSteps: 9}) }); err == nil {
			t.Errorf("%v is taken for two groups", rates)
		}
	}
}
