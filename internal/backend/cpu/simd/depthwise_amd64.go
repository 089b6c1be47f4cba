//go:build !purego

package simd

func hasDepthwise() bool { return useAVX512 || useAVX2 }

//go:noescape
func depthwise3x3F32AVX512(z, x *float32, taps *[9]float32, w *Window3x3)

//go:noescape
func correlate3x3F32AVX512(sums *[9][16]float32, cot, x *float32, w *Window3x3)

//go:noescape
func depthwiseRowAVX2(z, x, taps *float32, n, rows, xs int)

//go:noescape
func correlateRowAVX2(sums *[16]float32, cot, x *float32, n int)

//go:noescape
func correlateFourAVX2(sums, cot, x *float32)

func depthwise3x3(z, x []float32, taps *[9]float32, w *Window3x3) bool {
	if useAVX512 {
		depthwise3x3F32AVX512(&z[0], &x[0], taps, w)
		return true
	}
	return useAVX2 && depthwiseRows(z, x, taps, w, 8, depthwiseRowAVX2)
}

func correlate3x3(sums *[9][16]float32, g, x []float32, w *Window3x3) bool {
	if useAVX512 {
		correlate3x3F32AVX512(sums, &g[0], &x[0], w)
		return true
	}
	return useAVX2 && correlateRows(sums, g, x, w, correlateRowAVX2, correlateFourAVX2)
}
