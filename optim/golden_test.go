package optim_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/optim"
)

type goldenTensor struct {
	DType string
	Shape []int
	Data  string
}

func (g goldenTensor) values() []float64 {
	raw, err := base64.StdEncoding.DecodeString(g.Data)
	if err != nil {
		panic(err)
	}
	var out []float64
	if g.DType == "float64" {
		for i := 0; i < len(raw); i += 8 {
			out = append(out, math.Float64frombits(binary.LittleEndian.Uint64(raw[i:])))
		}
		return out
	}
	for i := 0; i < len(raw); i += 4 {
		out = append(out, float64(math.Float32frombits(binary.LittleEndian.Uint32(raw[i:]))))
	}
	return out
}

type options map[string]any

func (o options) f(name string) float64 { v, _ := o[name].(float64); return v }
func (o options) b(name string) bool    { v, _ := o[name].(bool); return v }
func (o options) s(name string) string  { v, _ := o[name].(string); return v }
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
func (o options) two(name string) *[2]float64 {
	if v, ok := o[name].([]any); ok {
		return &[2]float64{v[0].(float64), v[1].(float64)}
	}
	return nil
}

type goldenFile struct {
	Params []goldenTensor
	Grads  [][]goldenTensor
	Cases  []struct {
		Op, DType string
		Options   options
		Gaps      bool
		Params    []int
		After     map[string][]goldenTensor
	}
	LBFGS []struct {
		Options options
		Scale   float64
		Trail   []struct {
			X    goldenTensor
			Loss float64
		}
	}
}

func readGolden(t *testing.T) (f goldenFile) {
	raw, err := os.ReadFile("testdata/optim.json.gz")
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

// make1 makes an optimizer by PyTorch's name and keywords.
func make1(op string, p []*lucid.Tensor, o options) optim.Optimizer {
	lr, wd, max := o.f("lr"), o.f("weight_decay"), o.b("maximize")
	switch op {
	case "SGD":
		return optim.NewSGD(p, optim.SGDOptions{LR: lr, Momentum: o.f("momentum"), Dampening: o.f("dampening"), WeightDecay: wd, Nesterov: o.b("nesterov"), Maximize: max})
	case "Adam":
		return optim.NewAdam(p, optim.AdamOptions{LR: lr, Betas: o.two("betas"), Eps: o.p("eps"), WeightDecay: wd, AMSGrad: o.b("amsgrad"), Maximize: max})
	case "AdamW":
		return optim.NewAdamW(p, optim.AdamWOptions{LR: lr, WeightDecay: o.p("weight_decay"), AMSGrad: o.b("amsgrad")})
	case "RMSprop":
		return optim.NewRMSprop(p, optim.RMSpropOptions{LR: lr, Alpha: o.p("alpha"), WeightDecay: wd, Momentum: o.f("momentum"), Centered: o.b("centered")})
	case "Adagrad":
		return optim.NewAdagrad(p, optim.AdagradOptions{LR: lr, LRDecay: o.f("lr_decay"), WeightDecay: wd, InitialAccumulatorValue: o.f("initial_accumulator_value")})
	case "Adadelta":
		return optim.NewAdadelta(p, optim.AdadeltaOptions{LR: lr, Rho: o.p("rho"), WeightDecay: wd})
	case "Adamax":
		return optim.NewAdamax(p, optim.AdamaxOptions{LR: lr, WeightDecay: wd})
	case "RAdam":
		return optim.NewRAdam(p, optim.RAdamOptions{LR: lr, Betas: o.two("betas"), WeightDecay: wd, DecoupledWeightDecay: o.b("decoupled_weight_decay")})
	case "NAdam":
		return optim.NewNAdam(p, optim.NAdamOptions{LR: lr, WeightDecay: wd, MomentumDecay: o.p("momentum_decay"), DecoupledWeightDecay: o.b("decoupled_weight_decay")})
	case "ASGD":
		return optim.NewASGD(p, optim.ASGDOptions{LR: lr, Lambd: o.p("lambd"), T0: o.p("t0"), WeightDecay: wd})
	case "Rprop":
		return optim.NewRprop(p, optim.RpropOptions{LR: lr, Etas: o.two("etas"), StepSizes: o.two("step_sizes")})
	case "SparseAdam":
		return optim.NewSparseAdam(p, optim.SparseAdamOptions{LR: lr})
	case "Adafactor":
		return optim.NewAdafactor(p, optim.AdafactorOptions{LR: lr, WeightDecay: wd, D: o.p("d"), Beta2Decay: o.p("beta2_decay")})
	case "Muon":
		n, ok := o["nesterov"].(bool)
		return optim.NewMuon(p, optim.MuonOptions{LR: lr, NoNesterov: ok && !n, WeightDecay: o.p("weight_decay"), AdjustLR: o.s("adjust_lr_fn")})
	case "Lion":
		return optim.NewLion(p, optim.LionOptions{LR: lr, WeightDecay: wd})
	}
	panic("no optimizer " + op)
}

func dtypeOf(name string) lucid.DType {
	if name == "float64" {
		return lucid.Float64
	}
	return lucid.Float32
}

// gradient is the gradient of a step; every third row is zero for SparseAdam.
func gradient(op string, g goldenTensor, step int, d lucid.DType) *lucid.Tensor {
	v := g.values()
	if op == "SparseAdam" {
		width := len(v) / g.Shape[0]
		for r := step % 3; r < g.Shape[0]; r += 3 {
			clear(v[r*width : (r+1)*width])
		}
	}
	return lucid.New(v, g.Shape...).To(d)
}

func distance(got *lucid.Tensor, want []float64) (worst float64) {
	for i, v := range lucid.ToSlice[float64](got.Detach()) {
		worst = math.Max(worst, math.Abs(v-want[i])/(1+math.Abs(want[i])))
	}
	return worst
}

func TestGoldenOptimizers(t *testing.T) {
	f := readGolden(t)
	for k, c := range f.Cases {
		t.Run(fmt.Sprintf("%s/%d/%s", c.Op, k, c.DType), func(t *testing.T) {
			d := dtypeOf(c.DType)
			tol := 2e-6
			if c.DType == "float64" {
				tol = 1e-12
			}
			switch c.Op {
			case "Muon": // bfloat16 inside
				tol = 0.02
			case "NAdam", "ASGD":
				if c.DType == "float64" {
					tol = 1e-7 // PyTorch keeps mu_product and eta in float32
				}
			}
			var ps []*lucid.Tensor
			for _, i := range c.Params {
				ps = append(ps, lucid.New(f.Params[i].values(), f.Params[i].Shape...).To(d).Clone().RequiresGrad_(true))
			}
			opt := make1(c.Op, ps, c.Options)
			for s := range f.Grads {
				for j, i := range c.Params {
					ps[j].SetGrad(gradient(c.Op, f.Grads[s][i], s, d))
					if c.Gaps && (s+i)%3 == 2 {
						ps[j].ZeroGrad()
					}
				}
				if err := opt.Step(); err != nil {
					t.Fatal(err)
				}
				for j, want := range c.After[fmt.Sprint(s+1)] {
					if e := distance(ps[j], want.values()); !(e <= tol) {
						t.Fatalf("%v, step %d, parameter %d: off by %.3g", c.Options, s+1, j, e)
					}
				}
			}
		})
	}
}

func TestGoldenLBFGS(t *testing.T) {
	cases := readGolden(t).LBFGS
	if len(cases) != 4 {
		t.Fatalf("%d cases", len(cases))
	}
	for k, c := range cases {
		x := lucid.New([]float64{-1.5, 2, 0.5}, 3).RequiresGrad_(true)
		opt := optim.NewLBFGS([]*lucid.Tensor{x}, optim.LBFGSOptions{LR: c.Options.f("lr"), MaxIter: c.Options.i("max_iter"), HistorySize: c.Options.i("history_size"), LineSearchFn: c.Options.s("line_search_fn")})
		closure := func() *lucid.Tensor {
			opt.ZeroGrad()
			head, tail := x.At(lucid.Range{Stop: 2}), x.At(lucid.Range{Start: 1, Stop: 3})
			loss := tail.Sub(head.Square()).Square().Mul(100).Add(head.Rsub(1).Square()).Sum().Mul(c.Scale)
			loss.Backward()
			return loss
		}
		for i, want := range c.Trail {
			loss, err := optim.StepClosure(opt, closure)
			if err != nil {
				t.Fatal(err)
			}
			if e := distance(x, want.X.values()); !(e < 1e-6) || math.Abs(loss.Item()-want.Loss) > 1e-6*(1+math.Abs(want.Loss)) {
				t.Errorf("case %d %v, step %d: off by %.3g, loss %v; want %v", k, c.Options, i, e, loss.Item(), want.Loss)
				break
			}
			if i == 2 { // go on with a fresh one
				d := opt.StateDict()
				opt = optim.NewLBFGS([]*lucid.Tensor{x}, optim.LBFGSOptions{LR: c.Options.f("lr"), MaxIter: c.Options.i("max_iter"), HistorySize: c.Options.i("history_size"), LineSearchFn: c.Options.s("line_search_fn")})
				if err := opt.LoadStateDict(d); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
