package nn_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

type goldenTensor struct {
	DType string
	Shape []int
	Data  string
}

func (g *goldenTensor) tensor() *lucid.Tensor {
	if g == nil {
		return nil
	}
	raw, err := base64.StdEncoding.DecodeString(g.Data)
	if err != nil {
		panic(err)
	}
	switch g.DType {
	case "int64":
		v := make([]int64, len(raw)/8)
		for i := range v {
			v[i] = int64(binary.LittleEndian.Uint64(raw[8*i:]))
		}
		return lucid.New(v, g.Shape...)
	case "float32":
		v := make([]float32, len(raw)/4)
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
		}
		return lucid.New(v, g.Shape...)
	}
	panic("golden dtype " + g.DType)
}

type options map[string]any

func (o options) f(name string) float64 { v, _ := o[name].(float64); return v }
func (o options) n(name string) int     { return int(o.f(name)) }
func (o options) s(name string) string  { v, _ := o[name].(string); return v }
func (o options) b(name string) bool    { v, _ := o[name].(bool); return v }
func (o options) off(name string) bool  { v, ok := o[name].(bool); return ok && !v }
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
func (o options) list(name string) []int { return listOf(o[name]) }

func listOf(v any) (out []int) {
	switch v := v.(type) {
	case float64:
		return []int{int(v)}
	case []any:
		for _, x := range v {
			out = append(out, int(x.(float64)))
		}
	}
	return out
}

type goldenCase struct {
	Op         string
	Names      []string
	Args       []any
	Kwargs     options
	Train      bool
	Steps      int
	State      map[string]*goldenTensor
	Inputs     []*goldenTensor
	Outputs    []*goldenTensor
	Cot        []*goldenTensor
	Grads      []*goldenTensor
	ParamGrads map[string]*goldenTensor `json:"param_grads"`
	After      map[string]*goldenTensor
}

func readGolden(t *testing.T) []goldenCase {
	raw, err := os.ReadFile("testdata/modules.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Cases []goldenCase }
	if err := json.NewDecoder(z).Decode(&f); err != nil {
		t.Fatal(err)
	}
	return f.Cases
}

// worst returns the largest difference, relative to what is near 1 or larger.
func worst(got *lucid.Tensor, want *goldenTensor) float64 {
	if fmt.Sprint(got.Shape()) != fmt.Sprint(want.Shape) {
		return math.Inf(1)
	}
	w := lucid.ToSlice[float64](want.tensor())
	e := 0.0
	for i, v := range lucid.ToSlice[float64](got.Detach()) {
		if v != w[i] && !(math.IsNaN(v) && math.IsNaN(w[i])) {
			e = max(e, math.Abs(v-w[i])/(1+math.Abs(w[i])))
		}
	}
	return e
}

func TestGoldenModules(t *testing.T) {
	const tol = 1e-5
	for k, c := range readGolden(t) {
		t.Run(fmt.Sprintf("%s/%d", c.Op, k), func(t *testing.T) {
			m, forward := build(t, c)
			sd := lucid.NewStateDict()
			for name, v := range c.State {
				sd.Set(name, v.tensor())
			}
			if err := nn.LoadStateDict(m, sd); err != nil {
				t.Fatal(err)
			}
			if got := nn.StateDict(m).Names(); !slices.Equal(got, c.Names) {
				t.Errorf("names %v; want %v", got, c.Names)
			}
			nn.SetTraining(m, c.Train)
			in := make([]*lucid.Tensor, len(c.Inputs))
			for i, v := range c.Inputs {
				if in[i] = v.tensor(); c.Grads[i] != nil {
					in[i].RequiresGrad_(true)
				}
			}
			var out []*lucid.Tensor
			for range c.Steps {
				nn.ZeroGrad(m)
				for _, x := range in {
					x.ZeroGrad()
				}
				out = forward(in)
			}
			if len(out) != len(c.Outputs) {
				t.Fatalf("%d outputs; want %d", len(out), len(c.Outputs))
			}
			var total *lucid.Tensor
			for i, y := range out {
				if e := worst(y, c.Outputs[i]); !(e <= tol) {
					t.Errorf("%v: output %d is off by %.3g", c.Kwargs, i, e)
				}
				if y.RequiresGrad() {
					s := y.Mul(c.Cot[i].tensor()).Sum()
					if total != nil {
						s = total.Add(s)
					}
					total = s
				}
			}
			if total != nil {
				total.Backward()
			}
			for i, want := range c.Grads {
				if want != nil {
					if e := worst(in[i].Grad(), want); !(e <= tol) {
						t.Errorf("%v: gradient of input %d is off by %.3g", c.Kwargs, i, e)
					}
				}
			}
			for name, p := range nn.NamedParameters(m) {
				want := c.ParamGrads[name]
				if want == nil {
					continue
				}
				if p.Grad() == nil {
					t.Errorf("%s has no gradient", name)
				} else if e := worst(p.Grad(), want); !(e <= tol) {
					t.Errorf("%v: gradient of %s is off by %.3g", c.Kwargs, name, e)
				}
			}
			for name, b := range nn.NamedBuffers(m) {
				if e := worst(b, c.After[name]); !(e <= tol) {
					t.Errorf("%v: %s is off by %.3g afterwards", c.Kwargs, name, e)
				}
			}
		})
	}
}
