//go:build !purego

package simd

//go:noescape
func padRows1F32AVX512(dst, src *float32, drs, srs, rows, lo, n, hi, ahead int)

//go:noescape
func padRows2F32AVX512(dst, src *float32, drs, srs, rows, lo, n, hi, ahead int)

//go:noescape
func padRows4F32AVX512(dst, src *float32, drs, srs, rows, lo, n, hi, ahead int)

func padRows(dst []float32, drs int, src []float32, srs, step, rows, lo, n, hi, ahead int) bool {
	if !useAVX512 || n == 0 {
		return false
	}
	switch step {
	case 1:
		padRows1F32AVX512(&dst[0], &src[0], drs, srs, rows, lo, n, hi, ahead)
	case 2:
		padRows2F32AVX512(&dst[0], &src[0], drs, srs, rows, lo, n, hi, ahead)
	case 4:
		padRows4F32AVX512(&dst[0], &src[0], drs, srs, rows, lo, n, hi, ahead)
	default:
		return false
	}
	return true
}
