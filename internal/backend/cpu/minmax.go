package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

func maxB[T integers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		out[i] = max(a[i], b[i])
	}
}

func minB[T integers](n int, z, x, y, _ unsafe.Pointer, _ attr.Attr) {
	a, b, out := elems[T](x, n), elems[T](y, n), elems[T](z, n)
	for i := range out {
		out[i] = min(a[i], b[i])
	}
}

func init() {
	var maxi, mini byDType
	onIntegers(&maxi, vec2(simd.MaxU8), vec2(simd.MaxU16), maxB[uint32], maxB[uint64], vec2(simd.MaxI8), vec2(simd.MaxI16),
		vec2(simd.MaxI32), vec2(simd.MaxI64))
	onIntegers(&mini, vec2(simd.MinU8), vec2(simd.MinU16), minB[uint32], minB[uint64], vec2(simd.MinI8), vec2(simd.MinI16),
		vec2(simd.MinI32), vec2(simd.MinI64))
	maxi[dtype.Bool], mini[dtype.Bool] = vec2(simd.EitherU8), vec2(simd.BothU8)
	fmax, fmin := maxi, mini
	maxi[dtype.Float32], maxi[dtype.Float64] = vec2(simd.MaxF32), vec2(simd.MaxF64)
	mini[dtype.Float32], mini[dtype.Float64] = vec2(simd.MinF32), vec2(simd.MinF64)
	fmax[dtype.Float32], fmax[dtype.Float64] = vec2(simd.FmaxF32), vec2(simd.FmaxF64)
	fmin[dtype.Float32], fmin[dtype.Float64] = vec2(simd.FminF32), vec2(simd.FminF64)
	// Of two zeros the kernels return the second, and a bound that equals x must leave it: the bound goes first.
	low, high := maxi, mini
	low[dtype.Float32], low[dtype.Float64] = vec2Swapped(simd.MaxF32), vec2Swapped(simd.MaxF64)
	high[dtype.Float32], high[dtype.Float64] = vec2Swapped(simd.MinF32), vec2Swapped(simd.MinF64)
	for name, t := range map[string]byDType{"maximum": maxi, "clamp_min": low, "minimum": mini, "clamp_max": high, "fmax": fmax,
		"fmin": fmin} {
		addBlocks(name, t)
	}
	addPiecewise(low, high)
}
