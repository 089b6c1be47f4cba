//go:build purego || (!amd64 && !arm64)

package simd

func padRows(dst []float32, drs int, src []float32, srs, step, rows, lo, n, hi, ahead int) bool {
	return false
}
