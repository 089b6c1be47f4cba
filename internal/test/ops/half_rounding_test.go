package ops

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid"
)

var halfTypes = []lucid.DType{lucid.BFloat16, lucid.Float16}

// halfNumbers makes n normal numbers of a half type, and gives them as doubles too.
func halfNumbers(seed uint64, n int, scale float64, d lucid.DType) (*lucid.Tensor, []float64) {
	r, v := rand.New(rand.NewPCG(seed, 2)), make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64() * scale
	}
	x := lucid.New(v, n).To(d)
	return x, lucid.ToSlice[float64](x)
}

// sameOfHalf compares with doubles that are rounded once, by way of float32, which holds what is rounded here.
func sameOfHalf(t *testing.T, what string, got *lucid.Tensor, want []float64) {
	t.Helper()
	w := lucid.ToSlice[float64](lucid.New(want, len(want)).To(lucid.Float32).To(got.DType()))
	bad := 0
	for i, g := range lucid.ToSlice[float64](got) {
		if g != w[i] && bad < 3 {
			t.Errorf("%s in %v: element %d is %v, want %v", what, got.DType(), i, g, w[i])
			bad++
		}
	}
}

// TestAlphaRoundsOnce checks that x ± alpha·y of half types is computed in float32, alpha being what was given, and rounded once.
func TestAlphaRoundsOnce(t *testing.T) {
	for _, d := range halfTypes {
		x, xs := halfNumbers(1, 4001, 1, d)
		y, ys := halfNumbers(2, 4001, 1, d)
		for _, alpha := range []float64{0.3, 2, -1e-3} {
			sum, less := make([]float64, len(xs)), make([]float64, len(xs))
			for i := range xs {
				p := float32(alpha) * float32(ys[i])
				sum[i], less[i] = float64(float32(xs[i])+p), float64(float32(xs[i])-p)
			}
			o := lucid.AlphaOptions{Alpha: alpha}
			sameOfHalf(t, "add", lucid.Add(x, y, o), sum)
			sameOfHalf(t, "sub", lucid.Sub(x, y, o), less)
			sameOfHalf(t, "compiled add", lucid.Compile(func(x, y *lucid.Tensor) *lucid.Tensor { return lucid.Add(x, y, o) })(x, y), sum)
		}
	}
}

// TestRoundedQuotients checks that quotients of half types are rounded down or towards zero as they are, not after a rounding to the half
// type: 20.75 / 1.890625 is 10.98, which bfloat16 has as 11.
func TestRoundedQuotients(t *testing.T) {
	for _, d := range halfTypes {
		x, xs := halfNumbers(3, 20001, 30, d)
		y, ys := halfNumbers(4, 20001, 3, d)
		down, to0 := make([]float64, len(xs)), make([]float64, len(xs))
		for i := range xs {
			down[i], to0[i] = math.Floor(xs[i]/ys[i]), math.Trunc(xs[i]/ys[i])
		}
		sameOfHalf(t, "floor", lucid.Div(x, y, lucid.DivOptions{RoundingMode: "floor"}), down)
		sameOfHalf(t, "trunc", lucid.Div(x, y, lucid.DivOptions{RoundingMode: "trunc"}), to0)
	}
}

// TestFrexpGradientOfSmallNumbers checks PyTorch's values where the power of two is larger than the dtype's numbers, and the product with
// the cotangent is not.
func TestFrexpGradientOfSmallNumbers(t *testing.T) {
	v := []float64{0x1p-15, 0x1p-16, 3 * 0x1p-20, 0x1p-24, 0, 1}
	for _, d := range halfTypes {
		f := func(x *lucid.Tensor) *lucid.Tensor { m, _ := x.Frexp(); return m }
		x, cot := lucid.New(v, len(v)).To(d), lucid.Full([]int{len(v)}, 0x1p-10).To(d)
		want := []float64{16, 32, 256, 8192, 0x1p-10, 0x1p-11}
		_, g := lucid.VJP(f, x, cot)
		sameOfHalf(t, "VJP", g, want)
		_, g = lucid.JVP(f, x, cot)
		sameOfHalf(t, "JVP", g, want)
	}
}
