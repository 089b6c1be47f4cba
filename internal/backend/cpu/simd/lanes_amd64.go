//go:build !purego

package simd

//go:noescape
func laneSumsAVX512(z, x, w *float32, taps *laneTap, count, n, zstep, xstep int)

//go:noescape
func laneSumsAVX2(z, x, w *float32, taps *laneTap, count, n, zstep, xstep int)

//go:noescape
func laneGradsAVX512(sums, by, x *float32, rows, taps, n, gstep, xstep, tapstep, rowstep, sumstep int)

//go:noescape
func laneGradsAVX2(sums, by, x *float32, rows, taps, n, gstep, xstep, tapstep, rowstep, sumstep int)

func laneWidth() int {
	switch {
	case useAVX512:
		return 16
	case useAVX2:
		return 8
	}
	return 0
}

func laneSums(z, x, w []float32, t *LaneTaps, n, zstep, xstep int) bool {
	switch {
	case useAVX512:
		laneSumsAVX512(&z[0], &x[0], &w[0], &t.list[0], len(t.list), n, 4*zstep, 4*xstep)
	case useAVX2:
		laneSumsAVX2(&z[0], &x[0], &w[0], &t.list[0], len(t.list), n, 4*zstep, 4*xstep)
	default:
		return false
	}
	return true
}

func laneGrads(sums, g, x []float32, d *LaneGrad) bool {
	switch {
	case useAVX512:
		laneGradsAVX512(&sums[0], &g[0], &x[0], d.Rows, d.Taps, d.N, 4*d.GStep, 4*d.XStep, 4*d.TapStep, 4*d.RowStep, 4*d.SumStep)
	case useAVX2:
		laneGradsAVX2(&sums[0], &g[0], &x[0], d.Rows, d.Taps, d.N, 4*d.GStep, 4*d.XStep, 4*d.TapStep, 4*d.RowStep, 4*d.SumStep)
	default:
		return false
	}
	return true
}
