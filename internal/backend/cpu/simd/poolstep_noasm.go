//go:build purego || (!amd64 && !arm64)

package simd

func maxStep(z []float32, at []int32, zrs int, x []float32, xrs, rows, n, step, base int) bool {
	return false
}
func addStep(z []float32, zrs int, x []float32, xrs, rows, n, step int) bool     { return false }
func scatterStep(z []float32, zrs int, x []float32, xrs, rows, n, step int) bool { return false }
func widenIndices(z []int64, x []int32) int                                      { return 0 }
func narrowIndices(z []int32, x []int64) int                                     { return 0 }
func unpoolStep(z []float32, zrs int, x []float32, at []int32, xrs, rows, n, step, base, prs int) bool {
	return false
}
