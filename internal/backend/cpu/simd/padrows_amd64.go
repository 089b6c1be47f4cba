//go:build !purego

package simd

//go:noescape
func padRows1F32AVX512(dst, src *float32, drs, srs, rows, lo, n, hi int)

//go:noescape
func padRows2F32AVX512(dst, src *float32, drs, srs, rows, lo, n, hi int)

//go:noescape
func padRows4F32AVX512(dst, src *float32, drs, srs, rows, lo, n, hi int)

func padRows(dst []float32, drs int, src []float32, srs, step, rows, lo, n, hi int) bool {
	if !useAVX512 || n == 0 {
		return false
	}
	switch step {
	case 1:
		padRows1F32AVX512(&dst[0], &src[0], drs, srs, rows, lo, n, hi)
	case 2:
		padRows2F32AVX512(&dst[0], &src[0], drs, srs, rows, lo, n, hi)
	case 4:
		padRows4F32AVX512(&dst[0], &src[0], drs, srs, rows, lo, n, hi)
	default:
		return false
	}
	return true
}
