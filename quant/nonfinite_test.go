package quant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/lucid-go/lucid"
)

func normal(seed uint64, n int) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64()
	}
	return v
}

// TestNotFinite checks that infinite and undefined activations give what the product with the dequantized matrix gives: an infinity or
// NaN in their own row, and in no other.
func TestNotFinite(t *testing.T) {
	inf := math.Inf(1)
	specials := []struct {
		at    int
		value float64
	}{{3, inf}, {70, -inf}, {255, math.NaN()}, {100, inf}}
	kind := func(v float32) string {
		switch {
		case v != v:
			return "NaN"
		case math.IsInf(float64(v), 0):
			return fmt.Sprint(v)
		}
		return "finite"
	}
	rows := func(m int, d lucid.DType) *lucid.Tensor {
		v := lucid.ToSlice[float64](lucid.New(normal(9, m*256), m, 256).To(lucid.Float64))
		for i, s := range specials[:min(m, len(specials))] {
			v[i*256+s.at] = s.value
		}
		return lucid.New(v, m, 256).To(d)
	}
	same := func(what string, got, want *lucid.Tensor) {
		t.Helper()
		g, w := lucid.ToSlice[float32](got.To(lucid.Float32)), lucid.ToSlice[float32](want.To(lucid.Float32))
		bad := 0
		for i := range w {
			if kind(g[i]) != kind(w[i]) {
				if bad++; bad <= 3 {
					t.Errorf("%s: element %d is %v, want %v", what, i, g[i], w[i])
				}
			}
		}
	}
	w := lucid.New(normal(11, 48*256), 48, 256).To(lucid.Float32)
	for _, d := range []lucid.DType{lucid.Float32, lucid.BFloat16, lucid.Float16} {
		for _, m := range []int{1, 2, 4, 7, 33} {
			x := rows(m, d)
			for _, o := range []Options{{}, {Bits: 2, GroupSize: 32}, {Bits: 3}, {Bits: 5}, {Bits: 6}, {Bits: 8, GroupSize: 128},
				{Mode: "mxfp4"}, {Mode: "mxfp8"}, {Mode: "nvfp4"}} {
				packed, scales, biases := QuantizeGroups(w.To(d), o)
				dense := DequantizeGroups(packed, scales, biases, DequantizeOptions{Options: o})
				want := x.MatMul(dense.T().To(d))
				same(fmt.Sprintf("%v %v, %d rows", d, o, m), MatMulGroups(x, packed, scales, biases, MatMulOptions{Options: o}), want)
			}
			if d != lucid.Float32 {
				continue
			}
			for _, format := range []string{"q8_0", "q4_0", "q5_0", "q4_k", "q6_k"} {
				packed := QuantizeBlocks(w, format)
				want := x.MatMul(DequantizeBlocks(packed, format).T())
				same(fmt.Sprintf("%s, %d rows", format, m), MatMulBlocks(x, packed, format), want)
			}
		}
	}
}
