//go:build !purego

package simd

func hasDepthwise() bool { return useNEON }

func depthwise3x3(z, x []float32, taps *[9]float32, w *Window3x3) bool {
	return useNEON && depthwiseRows(z, x, taps, w, 4, depthwiseRowNEON)
}

func correlate3x3(sums *[9][16]float32, g, x []float32, w *Window3x3) bool {
	return useNEON && correlateRows(sums, g, x, w, correlateRowNEON, correlateFourNEON)
}

//go:noescape
func depthwiseRowNEON(z, x, taps *float32, n, rows, xs int)

//go:noescape
func correlateRowNEON(sums *[16]float32, cot, x *float32, n int)

//go:noescape
func correlateFourNEON(sums, cot, x *float32)
