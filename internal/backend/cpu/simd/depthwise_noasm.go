//go:build purego || (!amd64 && !arm64)

package simd

func hasDepthwise() bool { return false }

func depthwise3x3(z, x []float32, taps *[9]float32, w *Window3x3) bool { return false }

func correlate3x3(sums *[9][16]float32, g, x []float32, w *Window3x3) bool { return false }

func (w *Window3x3) prepareVectors() {}
