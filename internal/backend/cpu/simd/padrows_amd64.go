//go:build !purego

package simd

//go:noescape
func padRows1F32AVX512(dst, src *float32, drs, srs, rows, lo, n, hi, ahead int)

//go:noescape
func padRows2F32AVX512(dst, src *float32, drs, srs, rows, lo, n, hi, ahead int)

//go:noescape
func padRows4F32AVX512(dst, src *float32, drs, srs, rows, lo, n, hi, ahead int)

//go:noescape
func padRows1F32AVX2(dst, src *float32, drs, srs, rows, lo, n, hi, ahead int)

//go:noescape
func padRows2F32AVX2(dst, src *float32, drs, srs, rows, lo, n, hi, ahead int)

//go:noescape
func padRows4F32AVX2(dst, src *float32, drs, srs, rows, lo, n, hi, ahead int)

func padRows(dst []float32, drs int, src []float32, srs, step, rows, lo, n, hi, ahead int) bool {
	if !useAVX512 && !useAVX2 || n == 0 {
		return false
	}
	z, x := &dst[0], &src[0]
	switch {
	case step == 1 && useAVX512:
		padRows1F32AVX512(z, x, drs, srs, rows, lo, n, hi, ahead)
	case step == 1:
		padRows1F32AVX2(z, x, drs, srs, rows, lo, n, hi, ahead)
	case step == 2 && useAVX512:
		padRows2F32AVX512(z, x, drs, srs, rows, lo, n, hi, ahead)
	case step == 2:
		padRows2F32AVX2(z, x, drs, srs, rows, lo, n, hi, ahead)
	case step == 4 && useAVX512:
		padRows4F32AVX512(z, x, drs, srs, rows, lo, n, hi, ahead)
	case step == 4:
		padRows4F32AVX2(z, x, drs, srs, rows, lo, n, hi, ahead)
	default:
		return false
	}
	return true
}
