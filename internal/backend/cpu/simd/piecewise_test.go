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
	testBinary(t, "EluF32", halfLast(EluF32), halfLast(eluF32Generic))
	testBinary(t, "EluF64", halfLast(EluF64), halfLast(eluF64Generic))
	testBinary(t, "ClampF32", halfLast(ClampF32), halfLast(clampF32Generic))
	testBinary(t, "ClampF64", halfLast(ClampF64), halfLast(clampF64Generic))
}

// halfLast gives a kernel of three operands 1/2 as the last of them.
func halfLast[T float32 | float64](f func(z, x, y, w []T)) func(z, x, y []T) {
	return func(z, x, y []T) { f(z, x, y, slices.Repeat([]T{0.5}, len(z))) }
}
