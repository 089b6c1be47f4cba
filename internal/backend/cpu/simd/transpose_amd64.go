//go:build !purego

package simd

import "unsafe"

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

// transposeStripPast does the same with stores past the caches; dst and its rows begin with cache lines.
func transposeStripPast(dst, src *float32, ldd, lds, blocks int) {
	if useAVX512 {
		transposeStreamF32AVX512(dst, src, ldd, lds, blocks)
	} else {
		transposeStreamF32AVX2(dst, src, ldd, lds, blocks)
	}
}

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
