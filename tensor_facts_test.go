package lucid_test

import (
	"fmt"
	"testing"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/testutil/tensortest"
)

// TestFacts asks what PyTorch answers for the same tensors.
func TestFacts(t *testing.T) {
	x := lucid.New([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	for _, c := range []struct {
		what string
		x    *lucid.Tensor
		want string
	}{
		{"fresh", x, "[3 1] true"},
		{"transposed", x.Transpose(0, 1), "[1 3] false"},
		{"every second", x.At(lucid.Colon, lucid.Range{Stop: lucid.End, Step: 2}), "[3 2] false"},
		{"a row", x.At(1), "[1] true"},
		{"backwards", x.At(lucid.Colon, lucid.Range{Start: lucid.End, Stop: lucid.End, Step: -1}), "[3 -1] false"},
		{"expanded", x.At(0).Expand(4, 3), "[0 1] false"},
		{"made contiguous", x.Transpose(0, 1).Contiguous(), "[2 1] true"},
		{"computed", x.Transpose(0, 1).Contiguous().Add(1), "[2 1] true"},
		{"0-d", lucid.Scalar(1.0), "[] true"},
		{"empty", lucid.Zeros(0, 3), "[3 1] true"},
	} {
		if got := fmt.Sprint(c.x.Stride(), c.x.IsContiguous()); got != c.want {
			t.Errorf("%s is laid out %s, want %s", c.what, got, c.want)
		}
	}
	x.Stride()[0] = 7
	if got := fmt.Sprint(x.Stride()); got != "[3 1]" {
		t.Errorf("what Stride gave was the tensor's own: %s", got)
	}
	facts := func(x *lucid.Tensor) string {
		return fmt.Sprint(x.DType(), x.ElementSize(), x.IsFloatingPoint(), x.IsComplex(), x.IsSigned())
	}
	for _, c := range []struct {
		x    *lucid.Tensor
		want string
	}{
		{x, "float32 4 true false true"},
		{x.Double(), "float64 8 true false true"},
		{x.Half(), "float16 2 true false true"},
		{x.BFloat16(), "bfloat16 2 true false true"},
		{x.Int(), "int32 4 false false true"},
		{x.Long(), "int64 8 false false true"},
		{x.Long().Float(), "float32 4 true false true"},
		{x.Bool(), "bool 1 false false false"},
		{x.To(lucid.Uint8), "uint8 1 false false false"},
		{x.To(lucid.Complex64), "complex64 8 false true true"},
		{x.TypeAs(lucid.Zeros(1).Long()), "int64 8 false false true"},
	} {
		if got := facts(c.x); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	tensortest.Refuses(t, lucid.ErrTrace, "strides of a traced value", func() {
		lucid.Compile(func(x *lucid.Tensor) *lucid.Tensor { x.Add(1).IsContiguous(); return x })(x)
	})
	y := lucid.Zeros(2)
	y.Free()
	tensortest.Refuses(t, lucid.ErrFreed, "strides of a freed tensor", func() { y.Stride() })
}
