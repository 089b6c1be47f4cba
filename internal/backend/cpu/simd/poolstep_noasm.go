//go:build purego || (!amd64 && !arm64)

package simd

func maxStep(z []float32, at []int32, zrs int, x []float32, xrs, rows, n, step, place int) bool {
	return false
}
func addStep(z []float32, zrs int, x []float32, xrs, rows, n, step int) bool    { return false }
func spreadStep(z []float32, zrs int, x []float32, xrs, rows, n, step int) bool { return false }
func widenPlaces(z []int64, x []int32) int                                      { return 0 }
func narrowPlaces(z []int32, x []int64) int                                     { return 0 }
func giveStep(z []float32, zrs int, x []float32, at []int32, xrs, rows, n, step, place, prs int) bool {
	return false
}
