//go:build !purego

package simd

//go:noescape
func laneSumsNEON(z, x, w *float32, taps *laneTap, count, n, zstep, xstep int)

//go:noescape
func laneGradsNEON(sums, by, x *float32, rows, taps, n, gstep, xstep, tapstep, rowstep, sumstep int)

func laneWidth() int {
	if useNEON {
		return 8
	}
	return 0
}

func laneSums(z, x, w []float32, t *LaneTaps, n, zstep, xstep int) bool {
	if !useNEON {
		return false
	}
	laneSumsNEON(&z[0], &x[0], &w[0], &t.list[0], len(t.list), n, 4*zstep, 4*xstep)
	return true
}

func laneGrads(sums, g, x []float32, d *LaneGrad) bool {
	if !useNEON {
		return false
	}
	laneGradsNEON(&sums[0], &g[0], &x[0], d.Rows, d.Taps, d.N, 4*d.GStep, 4*d.XStep, 4*d.TapStep, 4*d.RowStep, 4*d.SumStep)
	return true
}
