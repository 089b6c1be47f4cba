//go:build !purego

package simd

// transposeVector is the side of the blocks that transposeStrip does, 0 if it does none.
func transposeVector() int {
	if useNEON {
		return 8
	}
	return 0
}

// transposeStrip transposes a column of square blocks.
func transposeStrip(dst, src *float32, ldd, lds, blocks int) {
	transposeF32NEON(dst, src, ldd, lds, blocks)
}

// transposeStripStream is transposeStrip: there are no non-temporal stores here.
func transposeStripStream(dst, src *float32, ldd, lds, blocks int) {
	transposeF32NEON(dst, src, ldd, lds, blocks)
}

func lineAligned(*float32, int) bool { return false }

// transposeEdges has no vectors for what is less than a block.
func transposeEdges(dst []float32, ldd int, src []float32, lds, rows, cols int, stream bool) bool {
	return false
}

//go:noescape
func transposeF32NEON(dst, src *float32, ldd, lds, blocks int)
