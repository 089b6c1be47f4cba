package quant

import (
	"errors"
	"math"
	"testing"

	"github.com/lucid-go/lucid"
)

// typical returns a matrix, and rows whose columns are correlated and of very different size.
func typical(rows, k int) (w, x *lucid.Tensor) {
	lucid.Seed(3)
	mix := lucid.Randn(k, k).Mul(0.3).Add(lucid.Eye(k))
	size := lucid.Arange(k).To(lucid.Float32).Mul(0.7).Sin().Mul(2).Exp()
	return lucid.Randn(24, k).Eval(), lucid.Randn(rows, k).MatMul(mix).Mul(size).Eval()
}

// off is the mean square that products with x are off.
func off(x, w, values *lucid.Tensor) float64 {
	return x.MatMul(w.Sub(values.To(lucid.Float32)).Transpose(0, 1)).Square().Mean().Item()
}

// TestGPTQ asserts that levels are those of QuantizeGroups where columns have nothing to do with each other, and that products with
// typical rows are nearer than with those, in every mode and dtype.
func TestGPTQ(t *testing.T) {
	const k = 320 // more than a block of columns
	w, x := typical(600, k)
	gram := x.Transpose(0, 1).MatMul(x)
	for _, o := range []Options{{Bits: 2, GroupSize: 32}, {Bits: 3, GroupSize: 64}, {}, {Mode: "mxfp4"}, {Mode: "nvfp4"}, {Mode: "mxfp8"}} {
		p, s, b := QuantizeGroups(w, o)
		plain, scales, biases := GPTQ(w, lucid.Eye(k), GPTQOptions{Options: o})
		if !lucid.Equal(p, plain) || !lucid.Equal(s, scales) || b != nil && !lucid.Equal(b, biases) {
			t.Errorf("%v: columns alone are not those of QuantizeGroups", o)
		}
		for _, d := range []lucid.DType{lucid.Float32, lucid.BFloat16} {
			near := DequantizeGroups(p, s, b, DequantizeOptions{o, lucid.Float32})
			p, s, b := GPTQ(w.To(d), gram, GPTQOptions{Options: o})
			learned := DequantizeGroups(p, s, b, DequantizeOptions{Options: o})
			if want := map[bool]lucid.DType{true: d, false: lucid.BFloat16}[b != nil]; learned.DType() != want {
				t.Errorf("%v: values of %v", o, learned.DType())
			}
			if e, plain := off(x, w, learned), off(x, w, near); !(e < 0.7*plain) && !(o.Mode == "mxfp8" && e < plain) {
				t.Errorf("%v %v: products are off by %g, those of the nearest levels by %g", o, d, e, plain)
			}
		}
	}
}

// TestAWQ asserts that products are nearer than with the nearest levels, and that inputs of one size get none but them.
func TestAWQ(t *testing.T) {
	w, x := typical(200, 128)
	for _, o := range []Options{{Bits: 3, GroupSize: 32}, {}, {Mode: "nvfp4"}} {
		divisor, p, s, b := AWQ(w, x, AWQOptions{Options: o})
		learned := DequantizeGroups(p, s, b, DequantizeOptions{o, lucid.Float32}).Div(divisor)
		p, s, b = QuantizeGroups(w, o)
		if e, plain := off(x, w, learned), off(x, w, DequantizeGroups(p, s, b, DequantizeOptions{o, lucid.Float32})); !(e < 0.8*plain) {
			t.Errorf("%v: products are off by %g, those of the nearest levels by %g", o, e, plain)
		}
		divisor, again, _, _ := AWQ(w, lucid.Ones(3, 128), AWQOptions{Options: o})
		if !lucid.Equal(divisor, lucid.Ones(128)) || !lucid.Equal(again, p) {
			t.Errorf("%v: levels for inputs of one size differ from the nearest ones", o)
		}
	}
}

// TestLearnedRefused asserts that operands that do not fit give typed errors.
func TestLearnedRefused(t *testing.T) {
	w := lucid.Rand(4, 64)
	for name, c := range map[string]struct {
		kind error
		f    func()
	}{
		"gram":     {lucid.ErrShapeMismatch, func() { GPTQ(w, lucid.Eye(32)) }},
		"NaN":      {lucid.ErrValue, func() { GPTQ(w, lucid.Eye(64).Mul(math.NaN())) }},
		"damping":  {lucid.ErrValue, func() { GPTQ(w, lucid.Eye(64), GPTQOptions{Damping: -1}) }},
		"format":   {lucid.ErrValue, func() { GPTQ(w, lucid.Eye(64), GPTQOptions{Options: Options{Bits: 7}}) }},
		"width":    {lucid.ErrShapeMismatch, func() { GPTQ(lucid.Rand(4, 48), lucid.Eye(48)) }},
		"vector":   {lucid.ErrShapeMismatch, func() { GPTQ(lucid.Rand(64), lucid.Eye(64)) }},
		"integers": {lucid.ErrDType, func() { AWQ(lucid.Arange(64).Reshape(1, 64), w) }},
		"x":        {lucid.ErrShapeMismatch, func() { AWQ(w, lucid.Rand(2, 32)) }},
		"no rows":  {lucid.ErrShapeMismatch, func() { AWQ(w, lucid.Rand(0, 64)) }},
		"steps":    {lucid.ErrValue, func() { AWQ(w, w, AWQOptions{Steps: -1}) }},
	} {
		if err := lucid.Try(c.f); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
