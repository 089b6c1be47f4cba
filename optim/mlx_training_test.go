package optim_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
	"github.com/lucid-go/lucid/optim"
	"github.com/lucid-go/lucid/optim/sched"
)

// mlxFile is what scripts/golden_nn/mlx_training.py writes: a small model, its data, and the losses of 50 steps.
type mlxFile struct {
	X, Y    string
	Weights []string
	Cases   []struct {
		Op      string
		Options options
		Losses  []float64
	}
	Schedules []struct {
		Schedule []any
		Values   []float64
	}
}

func readMLX(t *testing.T) (f mlxFile) {
	raw, err := os.ReadFile("testdata/mlx.json.gz")
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

func float32s(data string, shape ...int) *lucid.Tensor {
	return lucid.New(goldenTensor{DType: "float32", Data: data}.values(), shape...).To(lucid.Float32)
}

func (f *mlxFile) model() *mlp {
	m := &mlp{L1: nn.NewLinear(3, 8), L2: nn.NewLinear(8, 2)}
	for i, p := range []*lucid.Tensor{m.L1.Weight, m.L1.Bias, m.L2.Weight, m.L2.Bias} {
		lucid.NoGrad(func() { p.Assign(float32s(f.Weights[i], p.Shape()...)) })
	}
	return m
}

// schedule makes a schedule by MLX's name and arguments.
func schedule(v []any) sched.Func {
	args := v[1].([]any)
	num := func(i int) float64 {
		if i == len(args) {
			return 0
		}
		return args[i].(float64)
	}
	switch v[0] {
	case "exponential_decay":
		return sched.ExponentialDecay(num(0), num(1))
	case "step_decay":
		return sched.StepDecay(num(0), num(1), int(num(2)))
	case "cosine_decay":
		return sched.CosineDecay(num(0), int(num(1)), num(2))
	case "linear_schedule":
		return sched.LinearSchedule(num(0), num(1), int(num(2)))
	}
	var parts []sched.Func
	var at []int
	for _, p := range args[0].([]any) {
		parts = append(parts, schedule(p.([]any)))
	}
	for _, b := range args[1].([]any) {
		at = append(at, int(b.(float64)))
	}
	return sched.JoinSchedules(parts, at)
}

// updater is an optimizer that takes a tree of gradients.
type updater interface {
	optim.Optimizer
	Update(model, grads any)
}

// mlxOptimizer makes an optimizer by MLX's name, keywords and defaults.
func mlxOptimizer(op string, m *mlp, o options) updater {
	if op == "Multi" {
		muon := mlxOptimizer("Muon", &mlp{L1: &nn.Linear{Weight: m.L1.Weight}, L2: &nn.Linear{Weight: m.L2.Weight}},
			options{"learning_rate": 0.02})
		rest := mlxOptimizer("AdamW", &mlp{L1: &nn.Linear{Weight: m.L1.Bias}, L2: &nn.Linear{Weight: m.L2.Bias}},
			options{"learning_rate": 0.01})
		return optim.NewMulti(muon, rest)
	}
	kw := maps.Clone(map[string]any(o))
	var rate sched.Func
	if s, ok := kw["learning_rate"].([]any); ok {
		rate = schedule(s)
		kw["learning_rate"] = rate.At(0)
		if op != "Adafactor" || rate.At(0) == 0 {
			kw["learning_rate"] = 1.0 // the schedule replaces it
		}
	}
	if eps, ok := kw["eps"].([]any); ok {
		kw["eps1"], kw["eps2"] = eps[0], eps[1]
		delete(kw, "eps")
	}
	def := map[string]map[string]any{
		"Adam": {"bias_correction": false}, "AdamW": {"bias_correction": false},
		"Muon":      {"weight_decay": 0.01, "no_b_float16": true, "coupled_weight_decay": true, "any_rank": true},
		"Adafactor": {"original": true, "relative_step": true},
	}[op]
	all := maps.Clone(def)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, kw)
	f := reflect.ValueOf(makers[op])
	opts := reflect.New(f.Type().In(1)).Elem()
	k := testutil.Keywords{Names: map[string]string{"learning_rate": "LR", "bias_correction": "!NoBiasCorrection",
		"scale_parameter": "!NoScaleParameter", "decay_rate": "Beta2Decay", "clip_threshold": "D", "beta_1": "Beta1",
		"no_b_float16": "NoBFloat16", "any_rank": "AnyRank"}}
	if op == "Muon" {
		k.Names["nesterov"] = "!NoNesterov"
	}
	if err := k.Fill(opts, all); err != nil {
		panic(op + ": " + err.Error())
	}
	opt := f.Call([]reflect.Value{reflect.ValueOf(nn.Parameters(m)), opts})[0].Interface().(updater)
	if rate != nil {
		sched.Attach(opt, rate)
	}
	return opt
}

// TestMLXTraining is MLX's loop, value and gradients of a model and an update by them: the losses of 50 steps are MLX's to 1e-6,
// eagerly and as one compiled function with the schedule inside.
func TestMLXTraining(t *testing.T) {
	f := readMLX(t)
	if len(f.Cases) != 24 {
		t.Fatalf("%d cases", len(f.Cases))
	}
	x, y := float32s(f.X, 32, 3), float32s(f.Y, 32, 2)
	seen := map[string]bool{}
	for i, c := range f.Cases {
		t.Run(fmt.Sprintf("%s/%d", c.Op, i), func(t *testing.T) {
			run := func(compiled bool) {
				m := f.model()
				opt := mlxOptimizer(c.Op, m, c.Options)
				step := func(x, y *lucid.Tensor) *lucid.Tensor {
					l, g := nn.ValueAndGrad(m, func(m *mlp) *lucid.Tensor { return F.MSELoss(m.Forward(x), y) })
					opt.Update(m, g)
					return l
				}
				if compiled {
					step = lucid.Compile(step)
				}
				// MLX computes 1 - β^t in float32, which has four digits for β = 0.999 in the first steps.
				worst, tolerance := 0.0, 1e-6
				if c.Options["bias_correction"] == true {
					tolerance = 1e-5
				}
				for i, want := range c.Losses {
					got := step(x, y).Item()
					if d := math.Abs(got - want); !(d <= tolerance*(1+want)) {
						t.Fatalf("%v: loss of step %d is %v; MLX's is %v", c.Options, i, got, want)
					} else {
						worst = max(worst, d)
					}
				}
				if compiled {
					if n := lucid.Explain(step).Traces; n != 1 {
						t.Errorf("%d traces", n)
					}
				}
				t.Logf("compiled %v: largest difference %.1e", compiled, worst)
			}
			run(true)
			if !seen[c.Op] {
				seen[c.Op] = true
				run(false)
			}
		})
	}
}

// TestMLXSchedules compares the rates of MLX's schedules at 60 steps, computed from a step tensor inside a compiled function.
func TestMLXSchedules(t *testing.T) {
	for _, c := range readMLX(t).Schedules {
		f := schedule(c.Schedule)
		compiled := lucid.Compile(func(step *lucid.Tensor) *lucid.Tensor { return f(step) })
		for i, want := range c.Values {
			got := compiled(lucid.New([]int64{int64(i)})).Item()
			if math.Abs(got-want) > 1e-6*math.Abs(want)+1e-8 || got != f.At(i) {
				t.Errorf("%v at step %d: %v compiled, %v eager; MLX %v", c.Schedule, i, got, f.At(i), want)
			}
		}
		if n := lucid.Explain(compiled).Traces; n != 1 {
			t.Errorf("%v: %d traces", c.Schedule, n)
		}
	}
}

// A schedule of a group is refused where it makes no sense, ends, and is saved with the rate it has.
func TestSetSchedule(t *testing.T) {
	w := lucid.Ones(2).RequiresGrad_(true)
	opt := optim.NewSGD([]*lucid.Tensor{w}, optim.SGDOptions{LR: 0.5})
	g := opt.ParamGroups()[0]
	sched.Attach(opt, sched.LinearSchedule(1, 0, 4))
	for i := range 3 {
		w.Sum().Backward()
		opt.Step()
		opt.ZeroGrad()
		if want := 1 - 0.25*float64(i); g.LR() != want {
			t.Errorf("step %d: %v; want %v", i, g.LR(), want)
		}
	}
	if v := opt.StateDict().Get("param_groups.0.lr").Item(); v != 0.5 {
		t.Errorf("saved %v", v)
	}
	if lucid.Try(func() { g.SetLR(1) }) == nil {
		t.Error("SetLR of a rate that a schedule sets")
	}
	g.SetSchedule(nil)
	g.SetLR(2)
	w.Sum().Backward()
	opt.Step()
	if g.LR() != 2 || w.At(0).Item() != 1-1-0.75-0.5-2 {
		t.Errorf("%v %v", g.LR(), w)
	}
	g.SetSchedule(func(step *lucid.Tensor) *lucid.Tensor { return lucid.Ones(3) })
	if lucid.Try(func() { opt.Step() }) == nil {
		t.Error("a rate of three numbers")
	}
	if lucid.Try(func() {
		optim.NewLBFGS([]*lucid.Tensor{w}, optim.LBFGSOptions{LR: 1}).ParamGroups()[0].SetSchedule(sched.Constant(1))
	}) == nil {
		t.Error("LBFGS")
	}
}
