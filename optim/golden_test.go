package optim_test

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
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil"
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

// makers are the constructors by PyTorch's names.
var makers = map[string]any{
	"SGD": optim.NewSGD, "Adam": optim.NewAdam, "AdamW": optim.NewAdamW, "RMSprop": optim.NewRMSprop, "Adagrad": optim.NewAdagrad,
	"Adadelta": optim.NewAdadelta,
	"Adamax":   optim.NewAdamax, "RAdam": optim.NewRAdam, "NAdam": optim.NewNAdam, "ASGD": optim.NewASGD, "Rprop": optim.NewRprop,
	"SparseAdam": optim.NewSparseAdam,
	"Adafactor":  optim.NewAdafactor, "Muon": optim.NewMuon, "Lion": optim.NewLion, "LBFGS": optim.NewLBFGS,
}

// make1 makes an optimizer by PyTorch's name and keywords.
func make1(op string, p []*lucid.Tensor, o options) optim.Optimizer {
	f := reflect.ValueOf(makers[op])
	opts := reflect.New(f.Type().In(1)).Elem()
	kw := maps.Clone(map[string]any(o))
	if eps, ok := kw["eps"].([]any); ok { // Adafactor has two
		kw["eps1"], kw["eps2"] = eps[0], eps[1]
		delete(kw, "eps")
	}
	k := testutil.Keywords{Names: map[string]string{"nesterov": "!NoNesterov", "adjust_lr_fn": "AdjustLR"}}
	if err := k.Fill(opts, kw); err != nil {
		panic(op + ": " + err.Error())
	}
	return f.Call([]reflect.Value{reflect.ValueOf(p), opts})[0].Interface().(optim.Optimizer)
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
		if !testutil.InShard(k) {
			continue
		}
		t.Run(fmt.Sprintf("%s/%d/%s", c.Op, k, c.DType), func(t *testing.T) {
			d := dtypeOf(c.DType)
			tol := testutil.Tol(d, false)
			switch c.Op {
			case "Muon": // bfloat16 inside
				tol = testutil.Tol(lucid.BFloat16, false)
			case "NAdam", "ASGD": // PyTorch keeps mu_product and eta in float32
				tol = testutil.Tol(lucid.Float32, false)
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
				if err := opt.TryStep(); err != nil {
					t.Fatal(err)
				}
				if c.Op == "Muon" && s == 10 { // what bfloat16 rounds away adds up
					tol = testutil.Tol(lucid.BFloat16, true)
				}
				for j, want := range c.After[fmt.Sprint(s+1)] {
					w := want.values()
					for k, v := range lucid.ToSlice[float64](ps[j].Detach()) {
						if !tol.Close(v, w[k]) {
							t.Fatalf("%v, step %d, parameter %d: %v; want %v", c.Options, s+1, j, v, w[k])
						}
					}
				}
			}
		})
	}
}

func TestGoldenLBFGS(t *testing.T) {
	cases := readGolden(t).LBFGS
	if len(cases) != 8 {
		t.Fatalf("%d cases", len(cases))
	}
	for k, c := range cases {
		x := lucid.New([]float64{-1.5, 2, 0.5}, 3).RequiresGrad_(true)
		opt := make1("LBFGS", []*lucid.Tensor{x}, c.Options)
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
				opt = make1("LBFGS", []*lucid.Tensor{x}, c.Options)
				if err := opt.LoadStateDict(d); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
