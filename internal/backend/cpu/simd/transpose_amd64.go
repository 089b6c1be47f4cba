//go:build !purego

package simd

import "unsafe"

// transposeVector is the side of the blocks that transposeStrip does, 0 if it does none: AVX-512 has transposeEdges.
func transposeVector() int {
	if useAVX2 && !useAVX512 {
		return 8
	}
	return 0
}

// transposeStrip transposes a column of square blocks.
func transposeStrip(dst, src *float32, ldd, lds, blocks int) {
	transposeF32AVX2(dst, src, ldd, lds, blocks)
}

// transposeStripStream does the same with non-temporal stores; dst and its rows begin with cache lines.
func transposeStripStream(dst, src *float32, ldd, lds, blocks int) {
	transposeStreamF32AVX2(dst, src, ldd, lds, blocks)
}

// transposeEdges transposes all of a matrix with blocks of 16, those at the end cut. It reports whether it did.
func transposeEdges(dst []float32, ldd int, src []float32, lds, rows, cols int, stream bool) bool {
	if !useAVX512 {
		return false
	}
	strip := transposeF32AVX512
	if stream && lineAligned(&dst[0], ldd) {
		strip = transposeStreamF32AVX512
	}
	r := rows &^ 15
	for j := 0; j < cols; j += 16 {
		if n := min(16, cols-j); n == 16 && r > 0 {
			strip(&dst[j*ldd], &src[j], ldd, lds, r/16)
		} else {
			for i := 0; i < r; i += 16 {
				transposeEdgeF32AVX512(&dst[j*ldd+i], &src[i*lds+j], ldd, lds, 16, n)
			}
		}
		if r < rows {
			transposeEdgeF32AVX512(&dst[j*ldd+r], &src[r*lds+j], ldd, lds, rows-r, min(16, cols-j))
		}
	}
	return true
}

//go:noescape
func transposeEdgeF32AVX512(dst, src *float32, ldd, lds, rows, cols int)

// lineAligned reports whether p and rows of ldd elements from it on begin with cache lines.
func lineAligned(p *float32, ldd int) bool { return uintptr(unsafe.Pointer(p))&63 == 0 && ldd%16 == 0 }

//go:noescape
func transposeStreamF32AVX512(dst, src *float32, ldd, lds, blocks int)

//go:noescape
func transposeStreamF32AVX2(dst, src *float32, ldd, lds, blocks int)

//go:noescape
func transposeF32AVX512(dst, src *float32, ldd, lds, blocks int)

//go:noescape
func transposeF32AVX2(dst, src *float32, ldd, lds, blocks int)
