//go:build !purego

package simd

func hasDepthwise() bool { return useAVX512 || useAVX2 }

//go:noescape
func depthwise3x3F32AVX512(z, x *float32, taps *[9]float32, w *Window3x3)

//go:noescape
func correlate3x3F32AVX512(sums *[9][16]float32, cot, x *float32, w *Window3x3)

//go:noescape
func depthwise3x3F32AVX2(z, x *float32, taps *[9]float32, w *Window3x3)

//go:noescape
func correlate3x3F32AVX2(sums, cot, x *float32, w *Window3x3, half int)

func depthwise3x3(z, x []float32, taps *[9]float32, w *Window3x3) bool {
	switch {
	case useAVX512:
		depthwise3x3F32AVX512(&z[0], &x[0], taps, w)
	case useAVX2:
		depthwise3x3F32AVX2(&z[0], &x[0], taps, w)
	default:
		return false
	}
	return true
}

func correlate3x3(sums *[9][16]float32, g, x []float32, w *Window3x3) bool {
	switch {
	case useAVX512:
		correlate3x3F32AVX512(sums, &g[0], &x[0], w)
	case useAVX2:
		correlate3x3F32AVX2(&sums[0][0], &g[0], &x[0], w, 0)
		if w.Cols > 8 {
			correlate3x3F32AVX2(&sums[0][8], &g[0], &x[0], w, 1)
		}
	default:
		return false
	}
	return true
}

// prepareVectors makes the masks of vectors of eight.
func (w *Window3x3) prepareVectors() {
	if useAVX512 || !useAVX2 {
		return
	}
	for b := 0; b < w.Cols; b += 8 {
		w.lanes = w.vectors(w.lanes, b)
		w.ended = w.vectors(w.ended, max(0, min(b, w.Cols-8)))
	}
}

// vectors adds the masks of the columns from b on.
func (w *Window3x3) vectors(to []int32, b int) []int32 {
	m := w.mask(b, 8)
	for _, bits := range m {
		for l := range 8 {
			to = append(to, -int32(bits>>l&1))
		}
	}
	return to
}
