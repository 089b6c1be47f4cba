package quant

import (
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/lucid-go/lucid"
)

// stored is a tensor of the golden file of MLX.
type stored struct {
	DType string
	Shape []int
	Data  []byte
}

func (s stored) tensor() *lucid.Tensor {
	n := len(s.Data)
	switch s.DType {
	case "uint8":
		return lucid.New(s.Data, s.Shape...)
	case "uint32":
		list := make([]uint32, n/4)
		for i := range list {
			list[i] = binary.LittleEndian.Uint32(s.Data[4*i:])
		}
		return lucid.New(list, s.Shape...)
	case "float32":
		list := make([]float32, n/4)
		for i := range list {
			list[i] = math.Float32frombits(binary.LittleEndian.Uint32(s.Data[4*i:]))
		}
		return lucid.New(list, s.Shape...)
	}
	list := make([]uint16, n/2)
	for i := range list {
		list[i] = binary.LittleEndian.Uint16(s.Data[2*i:])
	}
	d := lucid.BFloat16
	if s.DType == "float16" {
		d = lucid.Float16
	}
	return lucid.New(list, s.Shape...).ViewDType(d)
}

type goldenCase struct {
	Mode        string
	Bits, Group int
	W           stored
	Quantized   []stored
	Dequantized stored
	X, Y        stored
}

func goldenCases(t *testing.T) []goldenCase { return goldens(t).Cases }

// goldenFile is what MLX computed.
type goldenFile struct {
	Cases []goldenCase
	FP8   struct{ Values, Codes, Back stored }
}

func goldens(t *testing.T) (g goldenFile) {
	t.Helper()
	f, err := os.Open("../internal/quantize/testdata/mlx.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&g); err != nil {
		t.Fatal(err)
	}
	return g
}

// TestMLX asserts that quantized matrices and their values have the bits of MLX, and that products are near its own.
func TestMLX(t *testing.T) {
	for _, c := range goldenCases(t) {
		o := Options{c.Mode, c.Bits, c.Group}
		name := fmt.Sprintf("%v %s", o, c.W.DType)
		w := c.W.tensor()
		packed, scales, biases := QuantizeGroups(w, o)
		got, names := []*lucid.Tensor{packed, scales}, []string{"packed", "scales", "biases"}
		if biases != nil {
			got = append(got, biases)
		}
		if len(got) != len(c.Quantized) {
			t.Fatalf("%s: %d parts", name, len(got))
		}
		for i, x := range got {
			want := c.Quantized[i].tensor()
			if x.DType() != want.DType() || !slices.Equal(x.Shape(), want.Shape()) || !lucid.Equal(x, want) {
				t.Errorf("%s: %s differ", name, names[i])
			}
		}
		if v := DequantizeGroups(packed, scales, biases, DequantizeOptions{o, w.DType()}); !lucid.Equal(v, c.Dequantized.tensor()) {
			t.Errorf("%s: values differ", name)
		}
		y, want := MatMulGroups(c.X.tensor(), packed, scales, biases, MatMulOptions{Options: o}), c.Y.tensor()
		if y.DType() != want.DType() || !slices.Equal(y.Shape(), want.Shape()) {
			t.Fatalf("%s: the product is %v of %v", name, y.DType(), y.Shape())
		}
		exact := c.X.tensor().To(lucid.Float32).MatMul(c.Dequantized.tensor().To(lucid.Float32).Transpose(0, 1))
		off := func(want *lucid.Tensor) float64 {
			want = want.To(lucid.Float32)
			return y.To(lucid.Float32).Sub(want).Abs().Max().Item() / want.Abs().Max().Item()
		}
		if e := off(exact); e > map[string]float64{"float32": 1e-6, "float16": 1e-3, "bfloat16": 8e-3}[c.W.DType] {
			t.Errorf("%s: the product is off by %g", name, e)
		}
		if e := off(want); e > map[string]float64{"float32": 1e-6, "float16": 2e-2, "bfloat16": 0.1}[c.W.DType] { // MLX sums in the dtype
			t.Errorf("%s: the product differs from MLX's by %g", name, e)
		}
	}
}

// TestGradients asserts that gradients to x, scales and biases are those of the product with the values written out.
func TestGradients(t *testing.T) {
	o := Options{Bits: 3, GroupSize: 32}
	packed, s, b := QuantizeGroups(lucid.Rand(5, 96), o)
	f := func(product bool) []*lucid.Tensor {
		x := lucid.Arange(4*96).To(lucid.Float32).Div(100).Sin().Reshape(4, 96).RequiresGrad_(true)
		scales, biases := s.Detach().Contiguous().RequiresGrad_(true), b.Detach().Contiguous().RequiresGrad_(true)
		var y *lucid.Tensor
		if product {
			y = MatMulGroups(x, packed, scales, biases, MatMulOptions{Options: o})
		} else {
			level := DequantizeGroups(packed, lucid.Ones(5, 3), lucid.Zeros(5, 3), DequantizeOptions{Options: o}).Reshape(5, 3, 32)
			w := level.Mul(scales.Unsqueeze(-1)).Add(biases.Unsqueeze(-1)).Reshape(5, 96)
			y = x.MatMul(w.Transpose(0, 1))
		}
		y.Mul(y).Sum().Backward()
		return []*lucid.Tensor{y, x.Grad(), scales.Grad(), biases.Grad()}
	}
	got, want := f(true), f(false)
	for i, name := range []string{"the product", "x", "scales", "biases"} {
		if d := got[i].Sub(want[i]).Abs().Max().Item() / want[i].Abs().Max().Item(); d > 1e-5 {
			t.Errorf("%s is off by %g", name, d)
		}
	}
}

// TestTransforms asserts that products are the same under VMap, compiled, of stacks, and gathered.
func TestTransforms(t *testing.T) {
	o := MatMulOptions{Options: Options{Bits: 5, GroupSize: 32}}
	w := lucid.Rand(3, 7, 64)
	packed, s, b := QuantizeGroups(w, o.Options)
	v := DequantizeGroups(packed, s, b, DequantizeOptions{Options: o.Options})
	x := lucid.Rand(3, 2, 64)
	same := func(name string, y, want *lucid.Tensor) {
		t.Helper()
		if !slices.Equal(y.Shape(), want.Shape()) || y.Sub(want).Abs().Max().Item() > 1e-4 {
			t.Errorf("%s differs", name)
		}
	}
	want := x.MatMul(v.Transpose(1, 2))
	same("a stack", MatMulGroups(x, packed, s, b, o), want)
	one := func(x, packed, s, b *lucid.Tensor) *lucid.Tensor { return MatMulGroups(x, packed, s, b, o) }
	same("VMap", lucid.VMap(one)(x, packed, s, b), want)
	first := lucid.VMap(func(x *lucid.Tensor) *lucid.Tensor {
		return one(x, packed.Select(0, 0), s.Select(0, 0), b.Select(0, 0))
	})
	same("VMap over x", first(x), x.MatMul(v.Select(0, 0).Transpose(0, 1)))
	c := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor {
		return MatMulGroups(x, packed.Select(0, 1), s.Select(0, 1), b.Select(0, 1), o)
	})
	same("compiled", c(x.Select(0, 1)), want.Select(0, 1))
	o.NoTranspose = true
	same("x·w", MatMulGroups(lucid.Ones(1, 7), packed.Select(0, 0), s.Select(0, 0), b.Select(0, 0), o), v.Select(0, 0).Sum(0).Unsqueeze(0))
	o.NoTranspose = false
	o.RHSIndices = lucid.New([]int64{2, 0, 2}, 3)
	same("gathered", GatherMatMulGroups(x, packed, s, b, o), x.MatMul(v.IndexSelect(0, o.RHSIndices).Transpose(1, 2)))
}

// TestGroupsFast asserts that fast products with groups are near the exact ones, the same compiled and eager, whatever rows come with a
// row, and that those without kernels are exact. Gradients are those of the exact product.
func TestGroupsFast(t *testing.T) {
	w, x := lucid.Randn(37, 256), lucid.Randn(40, 256)
	for _, f := range []Options{{}, {Bits: 8}, {Bits: 4, GroupSize: 32}, {Mode: "mxfp4"}, {Bits: 3}, {Mode: "mxfp8"}, {Mode: "nvfp4"}} {
		for _, d := range []lucid.DType{lucid.Float32, lucid.BFloat16} {
			packed, s, b := QuantizeGroups(w.To(d), f)
			packed, s = packed.Eval(), s.Eval()
			if b != nil {
				b = b.Eval()
			}
			exact, fast := MatMulOptions{Options: f}, MatMulOptions{Options: f, Fast: true}
			x := x.To(d)
			want, y := MatMulGroups(x, packed, s, b, exact), MatMulGroups(x, packed, s, b, fast)
			e := y.To(lucid.Float32).Sub(want.To(lucid.Float32)).Abs().Max().Item() / want.To(lucid.Float32).Abs().Max().Item()
			if y.DType() != d || e > 0.03 || (f.Mode == "mxfp8" || f.Mode == "nvfp4") && e != 0 {
				t.Errorf("%v %v: off by %g", f, d, e)
			}
			c := lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { return MatMulGroups(x, packed, s, b, fast) })
			for range 3 {
				if !lucid.Equal(c(x), y) || !lucid.Equal(c(x.Narrow(0, 5, 1)), y.Narrow(0, 5, 1)) {
					t.Errorf("%v %v: compiled, or alone, a row differs", f, d)
				}
			}
		}
	}
	packed, s, b := QuantizeGroups(w)
	grad := func(o MatMulOptions) *lucid.Tensor {
		x := x.Clone().RequiresGrad_(true)
		MatMulGroups(x, packed, s, b, o).Sum().Backward()
		return x.Grad()
	}
	if !lucid.Equal(grad(MatMulOptions{}), grad(MatMulOptions{Fast: true})) {
		t.Error("the gradients differ")
	}
}

// TestBlocks asserts that both ways of multiplying with rows of blocks are near the product with their values.
func TestBlocks(t *testing.T) {
	w, x := lucid.Rand(20, 256), lucid.Rand(3, 256)
	for _, format := range []string{"q8_0", "q4_0", "Q5_1", "q4_k", "q6_k"} {
		rows := QuantizeBlocks(w, format)
		want := x.MatMul(DequantizeBlocks(rows, format).Transpose(0, 1))
		if d := MatMulBlocks(x, rows, format).Sub(want).Abs().Max().Item(); d > 1e-4 {
			t.Errorf("%s is off by %g", format, d)
		}
		if d := MatMulBlocks(x, rows, format, BlockOptions{Fast: true}).Sub(want).Abs().Max().Item() / want.Abs().Max().Item(); d > 0.01 {
			t.Errorf("%s, fast, is off by %g", format, d)
		}
	}
}

// TestRefused asserts that operands that do not fit give typed errors.
func TestRefused(t *testing.T) {
	w := lucid.Rand(4, 64)
	packed, s, b := QuantizeGroups(w)
	for name, c := range map[string]struct {
		kind error
		f    func()
	}{
		"bits":      {lucid.ErrValue, func() { QuantizeGroups(w, Options{Bits: 7}) }},
		"mode":      {lucid.ErrValue, func() { QuantizeGroups(w, Options{Mode: "int4"}) }},
		"group":     {lucid.ErrValue, func() { QuantizeGroups(w, Options{Mode: "mxfp4", GroupSize: 64}) }},
		"integers":  {lucid.ErrDType, func() { QuantizeGroups(lucid.Arange(64).Reshape(1, 64)) }},
		"width":     {lucid.ErrShapeMismatch, func() { QuantizeGroups(lucid.Rand(4, 48)) }},
		"vector":    {lucid.ErrShapeMismatch, func() { QuantizeGroups(lucid.Rand(64)) }},
		"no biases": {lucid.ErrValue, func() { DequantizeGroups(packed, s, nil) }},
		"scales":    {lucid.ErrShapeMismatch, func() { DequantizeGroups(packed, s.Reshape(1, 4), b) }},
		"x":         {lucid.ErrShapeMismatch, func() { MatMulGroups(lucid.Rand(2, 32), packed, s, b) }},
		"float64":   {lucid.ErrDType, func() { DequantizeGroups(packed, s, b, DequantizeOptions{DType: lucid.Float64}) }},
		"indices":   {lucid.ErrValue, func() { MatMulGroups(w, packed, s, b, MatMulOptions{RHSIndices: lucid.Arange(1)}) }},
		"format":    {lucid.ErrValue, func() { QuantizeBlocks(w, "q9_9") }},
		"rows":      {lucid.ErrShapeMismatch, func() { QuantizeBlocks(lucid.Rand(2, 48), "q8_0") }},
		"one row":   {lucid.ErrShapeMismatch, func() { QuantizeBlocks(lucid.Rand(64), "q8_0") }},
		"iq4_nl":    {lucid.ErrNotImplemented, func() { QuantizeBlocks(w, "iq4_nl") }},
	} {
		if err := lucid.Try(c.f); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
