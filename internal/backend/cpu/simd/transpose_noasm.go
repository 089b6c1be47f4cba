//go:build purego || (!amd64 && !arm64)

package simd

func transposeVector() int { return 0 }

func transposeStrip(dst, src *float32, ldd, lds, blocks int) {}

func transposeStripStream(dst, src *float32, ldd, lds, blocks int) {}

func lineAligned(*float32, int) bool { return false }

func transposeEdges(dst []float32, ldd int, src []float32, lds, rows, cols int, stream bool) bool {
	return false
}
