package nn_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil"
	"github.com/lucid-go/lucid/nn"
)

// parityInput is a tensor that both sides compute: see scripts/golden_nn.
type parityInput struct {
	Shape []int   `json:"s"`
	Kind  string  `json:"k"`
	Data  []int64 `json:"d"`
	Grad  bool    `json:"g"`
}

type parityCase struct {
	Op          string
	Args, Ins   []any
	Kwargs      map[string]any
	Call        map[string]any
	Seed        uint32
	Inputs      []parityInput
	Out         [][]int
	Grads       []int
	Train       bool
	Steps       int
	Names       []string
	PGrads      []string
	After       []string
	Data        string
	DType       string
	dtype       lucid.DType
	inputs      []*lucid.Tensor
	values      []float64
	index       int
	description string
}

func seedOf(seed uint32, parts ...any) uint64 {
	s := fmt.Sprint(seed)
	for _, p := range parts {
		s += "/" + fmt.Sprint(p)
	}
	return uint64(crc32.ChecksumIEEE([]byte(s)))
}

// words returns n numbers of 16 bits: the top bits of splitmix64.
func words(seed uint64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		seed += 0x9E3779B97F4A7C15
		z := seed
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		out[i] = float64((z ^ z>>31) >> 48)
	}
	return out
}

// fill computes a tensor of a kind.
func fill(kind string, shape []int, seed uint64, data []int64) *lucid.Tensor {
	switch kind {
	case "i":
		return lucid.New(data, shape...)
	case "b":
		v := make([]bool, len(data))
		for i, d := range data {
			v[i] = d != 0
		}
		return lucid.New(v, shape...)
	}
	n := 1
	for _, k := range shape {
		n *= k
	}
	f := map[string]func(w float64) float64{
		"g": func(w float64) float64 { return (w - 32768) / 8192 }, "w": func(w float64) float64 { return (w - 32768) / 65536 },
		"pos": func(w float64) float64 { return w/16384 + 0.1 }, "var": func(w float64) float64 { return w/16384 + 0.1 },
		"prob": func(w float64) float64 { return (w + 512) / 66560 }, "u": func(w float64) float64 { return w / 65536 },
		"logp": func(w float64) float64 { return -w/16384 - 0.01 },
		"s": func(w float64) float64 {
			if w < 32768 {
				return -1
			}
			return 1
		},
	}[kind]
	v := make([]float32, n)
	for i, w := range words(seed, n) {
		v[i] = float32(f(w))
	}
	return lucid.New(v, shape...)
}

func readParity(t *testing.T, name string) []*parityCase {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name + ".json.gz")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var f struct{ Cases []*parityCase }
	if err := json.NewDecoder(z).Decode(&f); err != nil {
		t.Fatal(err)
	}
	for i, c := range f.Cases {
		c.index = i
		c.prepare(t)
	}
	return f.Cases
}

// prepare makes the inputs and reads the values.
func (c *parityCase) prepare(t *testing.T) {
	c.dtype = map[string]lucid.DType{"": lucid.Float32, "float64": lucid.Float64, "bfloat16": lucid.BFloat16,
		"float16": lucid.Float16}[c.DType]
	for i, in := range c.Inputs {
		x := c.cast(fill(in.Kind, in.Shape, seedOf(c.Seed, "in", i), in.Data))
		if in.Grad {
			x.RequiresGrad_(true)
		}
		c.inputs = append(c.inputs, x)
	}
	b, err := base64.StdEncoding.DecodeString(c.Data)
	if err != nil {
		t.Fatal(err)
	}
	size := 4
	if c.dtype == lucid.Float64 {
		size = 8
	}
	for ; len(b) > 0; b = b[size:] {
		if size == 4 {
			c.values = append(c.values, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))))
		} else {
			c.values = append(c.values, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	}
	c.description = fmt.Sprintf("%s %s %v %v %v train %v", c.Op, c.DType, c.Args, c.Kwargs, c.Call, c.Train)
}

// cast brings a tensor of floats to the dtype of the case.
func (c *parityCase) cast(x *lucid.Tensor) *lucid.Tensor {
	if x.DType().IsFloat() {
		return x.To(c.dtype)
	}
	return x
}

// next compares a tensor with the next values of the file. Gradients and outputs have room for the order of sums.
func (c *parityCase) next(t *testing.T, what string, got *lucid.Tensor, shape []int) {
	t.Helper()
	n := 1
	for _, k := range shape {
		n *= k
	}
	want := c.values[:n]
	c.values = c.values[n:]
	if got == nil && strings.HasPrefix(what, "gradient") && !slices.ContainsFunc(want, func(v float64) bool { return v != 0 }) {
		return // nothing depends on it, which PyTorch shows as zeros
	}
	if got == nil || !slices.Equal(got.Shape(), shape) {
		t.Fatalf("%s: %s is %v; want shape %v", c.description, what, got, shape)
	}
	tol := testutil.Tol(c.dtype, true)
	if c.dtype.IsHalf() { // small sums of large numbers keep the rounding of the large ones
		most := 1.0
		for _, v := range want {
			most = max(most, math.Abs(v))
		}
		tol.Abs *= most
	}
	for i, v := range lucid.ToSlice[float64](got.Detach()) {
		if !tol.Close(v, want[i]) {
			t.Errorf("%s: %s[%d] is %v; want %v", c.description, what, i, v, want[i])
			return
		}
	}
}

// check runs a module or function and compares everything; m is nil for a function.
func (c *parityCase) check(t *testing.T, m nn.Module, forward func() []*lucid.Tensor) {
	t.Helper()
	if m != nil {
		c.load(t, m)
	}
	var out []*lucid.Tensor
	for range max(c.Steps, 1) {
		if m != nil {
			nn.ZeroGrad(m)
		}
		for _, x := range c.inputs {
			x.ZeroGrad()
		}
		out = forward()
	}
	if len(out) != len(c.Out) {
		t.Fatalf("%s: %d outputs; want %d", c.description, len(out), len(c.Out))
	}
	var total *lucid.Tensor
	for i, y := range out {
		c.next(t, fmt.Sprint("output ", i), y, c.Out[i])
		if y.RequiresGrad() {
			s := y.Mul(fill("g", c.Out[i], seedOf(c.Seed, "cot", i), nil).To(y.DType())).Sum()
			if total != nil {
				s = total.Add(s)
			}
			total = s
		}
	}
	if total != nil {
		total.Backward()
	} else if len(c.Grads)+len(c.PGrads) > 0 {
		t.Fatalf("%s: no output has a gradient", c.description)
	}
	for _, i := range c.Grads {
		c.next(t, fmt.Sprint("gradient of input ", i), c.inputs[i].Grad(), c.Inputs[i].Shape)
	}
	if m == nil {
		return
	}
	for _, name := range c.PGrads {
		p := nn.GetParameter(m, name)
		if p == nil {
			t.Fatalf("%s: no parameter %s", c.description, name)
		}
		c.next(t, "gradient of "+name, p.Grad(), p.Shape())
	}
	for _, name := range c.After {
		b := nn.GetBuffer(m, name)
		if b == nil {
			t.Fatalf("%s: no buffer %s", c.description, name)
		}
		c.next(t, name+" afterwards", b, b.Shape())
	}
	if len(c.values) != 0 {
		t.Errorf("%s: %d values were not compared", c.description, len(c.values))
	}
}

// load gives m its state, and compares the names of it.
func (c *parityCase) load(t *testing.T, m nn.Module) {
	t.Helper()
	if got := nn.StateDict(m).Names(); !slices.Equal(got, c.Names) {
		t.Fatalf("%s: names %v; want %v", c.description, got, c.Names)
	}
	nn.SetTraining(m, c.Train)
	if c.DType != "" {
		nn.To(m, c.dtype)
	}
	lucid.NoGrad(func() {
		for name, v := range nn.StateDict(m).All() {
			if !v.DType().IsFloat() || name == "weight" && nn.GetParameter(m, name) == nil || name == "pos_weight" {
				continue // the weights of a loss are its arguments
			}
			kind := "w"
			if len(name) >= 11 && name[len(name)-11:] == "running_var" {
				kind = "var"
			}
			x := nn.GetParameter(m, name)
			if x == nil {
				x = nn.GetBuffer(m, name)
			}
			x.Assign(c.cast(fill(kind, v.Shape(), seedOf(c.Seed, name), nil)))
		}
	})
}
