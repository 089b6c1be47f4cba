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
