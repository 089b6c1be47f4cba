//go:build !purego

package simd

func winogradInput(v []float32, vs int, x []float32, plane, pitch, tiles int) bool {
	if !useNEON || tiles%4 != 0 {
		return false
	}
	winogradInputNEON(&v[0], vs, &x[0], plane, pitch, tiles)
	return true
}

func winogradOutput(z []float32, plane int, m []float32, ms, tiles int) bool {
	if !useNEON || tiles%4 != 0 {
		return false
	}
	winogradOutputNEON(&z[0], plane, &m[0], ms, tiles)
	return true
}

func winogradRows(dst []float32, plane, pitch, width int, src []float32, srs, first, last, from, to int) bool {
	if !useNEON {
		return false
	}
	lo := min((from+3)&^3, 4*width)
	n := max(0, min(to, 4*width)-lo) &^ 15
	for r := first; r < last; r++ {
		row := src[(r-first)*srs:][:to-from]
		at := dst[r%4*4*plane+r/4*pitch:]
		put := func(c, end int) {
			for ; c < end; c++ {
				var v float32
				if c >= from && c < to {
					v = row[c-from]
				}
				at[c%4*plane+c/4] = v
			}
		}
		put(0, lo)
		if n > 0 {
			winogradSpreadNEON(&at[lo/4], plane, &row[lo-from], n)
		}
		put(lo+n, 4*width)
	}
	return true
}

// winogradTaps has no vectors: kernels are transformed once for many tiles.
func winogradTaps(u []float32, us int, w []float32, at *[9]int, step, n int) bool { return false }

//go:noescape
func winogradInputNEON(v *float32, vs int, x *float32, plane, pitch, tiles int)

//go:noescape
func winogradOutputNEON(z *float32, plane int, m *float32, ms, tiles int)

//go:noescape
func winogradSpreadNEON(dst *float32, plane int, src *float32, n int)

func hasWinograd() bool { return useNEON }
