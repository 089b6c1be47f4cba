//go:build !purego

package simd

func hasDepthwise() bool { return useAVX512 }

//go:noescape
func depthwise3x3F32AVX512(z, x *float32, taps *[9]float32, w *Window3x3)

//go:noescape
func correlate3x3F32AVX512(sums *[9][16]float32, cot, x *float32, w *Window3x3)

func depthwise3x3(z, x []float32, taps *[9]float32, w *Window3x3) bool {
	if !useAVX512 {
		return false
	}
	depthwise3x3F32AVX512(&z[0], &x[0], taps, w)
	return true
}

func correlate3x3(sums *[9][16]float32, g, x []float32, w *Window3x3) bool {
	if !useAVX512 {
		return false
	}
	correlate3x3F32AVX512(sums, &g[0], &x[0], w)
	return true
}
