//go:build !purego

package simd

// transposeVector is the side of the blocks that transposeStrip does, 0 if it does none.
func transposeVector() int {
	switch {
	case useAVX512:
		return 16
	case useAVX2:
		return 8
	}
	return 0
}

// transposeStrip transposes a column of square blocks.
func transposeStrip(dst, src *float32, ldd, lds, blocks int) {
	if useAVX512 {
		transposeF32AVX512(dst, src, ldd, lds, blocks)
	} else {
		transposeF32AVX2(dst, src, ldd, lds, blocks)
	}
}

//go:noescape
func transposeF32AVX512(dst, src *float32, ldd, lds, blocks int)

//go:noescape
func transposeF32AVX2(dst, src *float32, ldd, lds, blocks int)
