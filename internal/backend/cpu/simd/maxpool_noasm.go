//go:build purego || (!amd64 && !arm64)

package simd

func maxPool2x2(z []float32, at []int64, x []float32, rows, cols, xs int) bool { return false }

func maxUnpool2x2(z, x []float32, at []int64, rows, cols, zs int) bool { return false }
