//go:build !amd64 || purego

package simd

func sumTaps(z, x []float32, from int, taps []Tap) bool { return false }
