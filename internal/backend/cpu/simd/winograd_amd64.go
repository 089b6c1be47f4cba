//go:build !purego

package simd

//go:noescape
func winogradInputF32AVX512(v *float32, vs int, x *float32, plane, pitch, groups int)

//go:noescape
func winogradOutputF32AVX512(z *float32, plane int, m *float32, ms, groups int)

func winogradInput(v []float32, vs int, x []float32, plane, pitch, tiles int) bool {
	if !useAVX512 {
		return false
	}
	winogradInputF32AVX512(&v[0], vs, &x[0], plane, pitch, tiles/WinogradLanes)
	return true
}

func winogradOutput(z []float32, plane int, m []float32, ms, tiles int) bool {
	if !useAVX512 {
		return false
	}
	winogradOutputF32AVX512(&z[0], plane, &m[0], ms, tiles/WinogradLanes)
	return true
}

//go:noescape
func winogradRowsF32AVX512(dst *float32, plane, pitch, width int, src *float32, srs, first, last, from int, masks *uint64)

// maxRowMasks is how many groups of 64 elements the assembly takes at most.
const maxRowMasks = 32

func winogradRows(dst []float32, plane, pitch, width int, src []float32, srs, first, last, from, to int) bool {
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

//go:noescape
func winogradTapsF32AVX512(u *float32, us int, w *float32, at *[9]int, step, n int)

func winogradTaps(u []float32, us int, w []float32, at *[9]int, step, n int) bool {
	if !useAVX512 || step > stepMost {
		return false
	}
	winogradTapsF32AVX512(&u[0], us, &w[0], at, step, n)
	return true
}

func hasWinograd() bool { return useAVX512 }
