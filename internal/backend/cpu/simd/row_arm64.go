//go:build !purego

package simd

// ExpSubSumNextF32 is ExpSubSumF32, and prefetches next.
func ExpSubSumNextF32(z, x, next []float32, a float32) float32 {
	x, next = x[:len(z)], next[:len(z)]
	if len(z) > 0 && useNEON {
		return expSubSumF32NEON(&z[0], &x[0], &next[0], len(z), a)
	}
	return expSubSumF32Generic(z, x, a)
}

// SumSqSubF32 returns the sum of (x[i]-a)², and prefetches next.
func SumSqSubF32(x, next []float32, a float32) float32 {
	next = next[:len(x)]
	if len(x) > 0 && useNEON {
		return sumSqSubF32NEON(&x[0], &next[0], len(x), a)
	}
	return sumSqSubF32Generic(x, a)
}

// DotNormF32 returns the sum of (x[i]-a) r g[i] w[i]; w nil is ones.
func DotNormF32(x, g, w []float32, a, r float32) float32 {
	g = g[:len(x)]
	switch {
	case len(x) == 0 || !useNEON:
	case w == nil:
		return dotNormPlainF32NEON(&x[0], &g[0], len(x), a, r)
	default:
		w = w[:len(x)]
		return dotNormF32NEON(&x[0], &g[0], &w[0], len(x), a, r)
	}
	return dotNormF32Generic(x, g, w, a, r)
}

// Fence orders non-temporal stores before all later stores: here there are none.
func Fence() {}
