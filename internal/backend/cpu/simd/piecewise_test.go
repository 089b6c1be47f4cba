package simd

import (
	"slices"
	"testing"
)

func TestPiecewise(t *testing.T) {
	testUnary(t, "MishF32", MishF32, mishF32Generic)
	testUnary(t, "SeluF32", SeluF32, seluF32Generic)
	testUnary(t, "SeluF64", SeluF64, seluF64Generic)
	testBinary(t, "LeakyReluF32", LeakyReluF32, leakyReluF32Generic)
	testBinary(t, "LeakyReluF64", LeakyReluF64, leakyReluF64Generic)
	testBinary(t, "SoftshrinkF32", SoftshrinkF32, softshrinkF32Generic)
	testBinary(t, "SoftshrinkF64", SoftshrinkF64, softshrinkF64Generic)
	testBinary(t, "HardshrinkF32", HardshrinkF32, hardshrinkF32Generic)
	testBinary(t, "HardshrinkF64", HardshrinkF64, hardshrinkF64Generic)
	testBinary(t, "NanToNumF32", NanToNumF32, nanToNumF32Generic)
	testBinary(t, "NanToNumF64", NanToNumF64, nanToNumF64Generic)
	withAlpha := func(f func(z, x, y, w []float32)) func(z, x, y []float32) {
		return func(z, x, y []float32) { f(z, x, y, slices.Repeat([]float32{0.5}, len(z))) }
	}
	testBinary(t, "EluF32", withAlpha(EluF32), withAlpha(eluF32Generic))
	wide := func(f func(z, x, y, w []float64)) func(z, x, y []float64) {
		return func(z, x, y []float64) { f(z, x, y, slices.Repeat([]float64{0.5}, len(z))) }
	}
	testBinary(t, "EluF64", wide(EluF64), wide(eluF64Generic))
}
