//go:build !purego

package simd

//go:noescape
func winogradInputF32AVX512(v *float32, vs int, x *float32, plane, pitch, groups int)

//go:noescape
func winogradOutputF32AVX512(z *float32, plane int, m *float32, ms, groups int)

//go:noescape
func winogradInputF32AVX2(v *float32, vs int, x *float32, plane, pitch, groups int, tmp *[288]float32)

//go:noescape
func winogradOutputF32AVX2(z *float32, plane int, m *float32, ms, groups int, tmp *[288]float32)

func winogradInput(v []float32, vs int, x []float32, plane, pitch, tiles int) bool {
	switch {
	case useAVX512:
		winogradInputF32AVX512(&v[0], vs, &x[0], plane, pitch, tiles/WinogradLanes)
	case useAVX2:
		var tmp [288]float32
		winogradInputF32AVX2(&v[0], vs, &x[0], plane, pitch, tiles/WinogradLanes, &tmp)
	default:
		return false
	}
	return true
}

func winogradOutput(z []float32, plane int, m []float32, ms, tiles int) bool {
	switch {
	case useAVX512:
		winogradOutputF32AVX512(&z[0], plane, &m[0], ms, tiles/WinogradLanes)
	case useAVX2:
		var tmp [288]float32
		winogradOutputF32AVX2(&z[0], plane, &m[0], ms, tiles/WinogradLanes, &tmp)
	default:
		return false
	}
	return true
}

//go:noescape
func winogradRowsF32AVX512(dst *float32, plane, pitch, width int, src *float32, srs, first, last, from int, masks *uint64)

// maxRowMasks is how many groups of 64 elements the assembly takes at most.
const maxRowMasks = 32

func winogradRows(dst []float32, plane, pitch, width int, src []float32, srs, first, last, from, to int) bool {
	if !useAVX512 && useAVX2 {
		winogradFourths(dst, plane, pitch, width, src, srs, first, last, from, to)
		return true
	}
	groups := (width + 15) / 16
	if !useAVX512 || groups > maxRowMasks {
		return false
	}
	var masks [maxRowMasks]uint64 // of the elements of the source
	for g := range groups {
		lo, hi := min(max(from-64*g, 0), 64), min(max(to-64*g, 0), 64)
		masks[g] = 1<<hi - 1<<lo // a shift by 64 gives 0, and the difference is still right
	}
	winogradRowsF32AVX512(&dst[0], plane, pitch, width, &src[0], srs, first, last, from, &masks[0])
	return true
}

// winogradFourths is winogradRows by copies of every fourth element.
func winogradFourths(dst []float32, plane, pitch, width int, src []float32, srs, first, last, from, to int) {
	for q := range 4 {
		lo := min(max(0, (from-q+3)>>2), width) // columns 4i+q from from on, below to
		n := max(0, min((to-q+3)>>2, width)-lo)
		for r := first; r < last; r++ {
			row := dst[((r%4)*4+q)*plane+r/4*pitch:][:width]
			if n == 0 {
				clear(row)
				continue
			}
			PadRowsF32(row, 0, src[(r-first)*srs+4*lo+q-from:], 0, 4, 1, lo, n, width-lo-n, 0)
		}
	}
}

//go:noescape
func winogradTapsF32AVX512(u *float32, us int, w *float32, at *[9]int, step, n int)

func winogradTaps(u []float32, us int, w []float32, at *[9]int, step, n int) bool {
	if !useAVX512 || step > stepMost {
		return false
	}
	winogradTapsF32AVX512(&u[0], us, &w[0], at, step, n)
	return true
}

func hasWinograd() bool { return useAVX512 || useAVX2 }
