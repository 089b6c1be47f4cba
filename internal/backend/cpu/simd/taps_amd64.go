//go:build !purego

package simd

//go:noescape
func sumTapsF32AVX512(z, x *float32, n, from int, taps *Tap, count int)

func sumTaps(z, x []float32, from int, taps []Tap) bool {
	if !useAVX512 || len(x) == 0 {
		return false
	}
	sumTapsF32AVX512(&z[0], &x[0], len(z), from, &taps[0], len(taps))
	return true
}
