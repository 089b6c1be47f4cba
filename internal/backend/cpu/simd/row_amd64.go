//go:build !purego

package simd

import "unsafe"

// ExpSubSumNextF32 is ExpSubSumF32, and prefetches next.
func ExpSubSumNextF32(z, x, next []float32, a float32) float32 {
	x, next = x[:len(z)], next[:len(z)]
	switch {
	case len(z) == 0:
		return 0
	case useAVX512:
		return expSubSumF32AVX512(&z[0], &x[0], &next[0], len(z), a)
	case useAVX2:
		return expSubSumF32AVX2(&z[0], &x[0], &next[0], len(z), a)
	}
	return expSubSumF32Generic(z, x, a)
}

// SumSqSubF32 returns the sum of (x[i]-a)², and prefetches next.
func SumSqSubF32(x, next []float32, a float32) float32 {
	next = next[:len(x)]
	switch {
	case len(x) == 0:
		return 0
	case useAVX512:
		return sumSqSubF32AVX512(&x[0], &next[0], len(x), a)
	case useAVX2:
		return sumSqSubF32AVX2(&x[0], &next[0], len(x), a)
	}
	return sumSqSubF32Generic(x, a)
}

// DotNormF32 returns the sum of (x[i]-a) r g[i] w[i]; w nil is ones.
func DotNormF32(x, g, w []float32, a, r float32) float32 {
	g = g[:len(x)]
	switch {
	case len(x) == 0:
		return 0
	case w == nil && useAVX512:
		return dotNormPlainF32AVX512(&x[0], &g[0], len(x), a, r)
	case w == nil && useAVX2:
		return dotNormPlainF32AVX2(&x[0], &g[0], len(x), a, r)
	case w == nil:
		return dotNormF32Generic(x, g, nil, a, r)
	}
	w = w[:len(x)]
	switch {
	case useAVX512:
		return dotNormF32AVX512(&x[0], &g[0], &w[0], len(x), a, r)
	case useAVX2:
		return dotNormF32AVX2(&x[0], &g[0], &w[0], len(x), a, r)
	}
	return dotNormF32Generic(x, g, w, a, r)
}

// aligned returns the part of z that whole, aligned vectors fill; nothing without assembly.
func aligned(z []float32) (lo, hi int) {
	if len(z) == 0 || !useAVX512 && !useAVX2 {
		return 0, 0
	}
	at := uintptr(unsafe.Pointer(&z[0]))
	if lo = int(-at & 63 / 4); lo >= len(z) || at&3 != 0 {
		return 0, 0
	}
	return lo, lo + (len(z)-lo)&^15
}

// Fence orders non-temporal stores before all later stores.
func Fence() { fence64() }

func fence64()
