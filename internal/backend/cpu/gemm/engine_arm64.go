//go:build arm64 && !purego

package gemm

import (
	"github.com/lucid-go/lucid/internal/asmvariant"
	"github.com/lucid-go/lucid/internal/cpuid"
)

var useNEON = cpuid.ARM64.ASIMD

func init() { asmvariant.Register("gemm", "gemm/neon", &useNEON) }

var neonF32 = newNEON(&tilesF32NEON, &partsF32NEON, engine[float32]{
	lanes: 8, dots: dotsF32NEON, dotsWide: &dotsWideF32NEON, tilesWide: &tilesWideF32NEON,
	packT: packTF32NEON, strips: fullStrips(stripsF32NEON),
	gaxpy8: wholeVectors(gaxpyRows, gaxpy8F32NEON), gaxpy1: wholeVectors(1, gaxpy1F32NEON),
	widen: [halfTypes]func([]float32, int, []uint16, int, int, int){widenRowsBy(bfloat16, widenBF16NEON),
		widenRowsBy(float16, widenF16NEON)},
	jobs: &jobs32, bufs: &bufs32,
})

var neonF64 = newNEON(&tilesF64NEON, &partsF64NEON, engine[float64]{
	lanes: 4, dots: dotsF64NEON, dotsWide: &dotsWideF64NEON, tilesWide: &tilesWideF64NEON,
	packT: packTF64NEON, strips: fullStrips(stripsF64NEON),
	gaxpy8: wholeVectors(gaxpyRows, gaxpy8F64NEON), gaxpy1: wholeVectors(1, gaxpy1F64NEON),
	jobs: &jobs64, bufs: &bufs64,
})

// newNEON fills in what both element types share. byRegs are the tiles by the number of their registers, two to a vector.
// There are no masks: an edge is computed by a tile of whole registers, and what is less than one by a kernel for that.
func newNEON[T Float](byRegs *[2*maxVectors + 1][maxRows + 1]tile[T], parts *[maxRows + 1]tile[T], e engine[T]) *engine[T] {
	e.rows, e.maxChunk, e.stripPanels, e.partElems = 6, maxChunk, stripPanels, partElems
	e.tiles, e.edges = new([maxVectors + 1][maxRows + 1]tile[T]), new([maxVectors + 1][maxRows + 1]tile[T])
	per := e.lanes / 2
	for nv := 1; nv <= maxVectors; nv++ {
		e.tiles[nv] = byRegs[2*nv]
		for rows := 1; rows <= e.rows; rows++ {
			e.edges[nv][rows] = func(kc int, a []T, ars, acs int, b []T, brs int, c []T, crs, cols int, add bool) {
				whole := cols / per * per
				if whole > 0 {
					byRegs[cols/per][rows](kc, a, ars, acs, b, brs, c, crs, whole, add)
				}
				if whole < cols {
					parts[rows](kc, a, ars, acs, b[whole:], brs, c[whole:], crs, cols-whole, add)
				}
			}
		}
	}
	return &e
}

// widenRowsBy gives a kernel eights of half types, and what is left of a row to the Go twin.
func widenRowsBy(h half, f func(dst *float32, src *uint16, n int)) func(dst []float32, drs int, src []uint16, srs, rows, cols int) {
	return func(dst []float32, drs int, src []uint16, srs, rows, cols int) {
		for i := range rows {
			to, from := dst[i*drs:][:cols], src[i*srs:][:cols]
			if n := cols &^ 7; n > 0 {
				f(&to[0], &from[0], n)
				to, from = to[n:], from[n:]
			}
			gatherHalf(h, to, from, 1)
		}
	}
}

// wholeVectors gives a kernel the columns that fill its registers, and the rest to the Go twin.
func wholeVectors[T Float](rows int, f func(n int, y, x []T, xs int, b []T, brs int, zero bool)) func(n int, y, x []T, xs int, b []T,
	brs int, zero bool) {
	step := 64 / sizeOf[T]()
	return func(n int, y, x []T, xs int, b []T, brs int, zero bool) {
		whole := n / step * step
		if whole > 0 {
			f(whole, y, x, xs, b, brs, zero)
		}
		if whole < n {
			gaxpyGeneric(rows, n-whole, y[whole:], x, xs, b[whole:], brs, zero)
		}
	}
}

// ISA is the instruction set of float32 and float64 that is switched on.
func ISA() InstructionSet {
	if useNEON {
		return NEON
	}
	return Generic
}

func engine32() *engine[float32] {
	if useNEON {
		return neonF32
	}
	return generic32
}

func engine64() *engine[float64] {
	if useNEON {
		return neonF64
	}
	return generic64
}

// engineBF16 is the engine of bfloat16 in pairs: there is none.
func engineBF16() *engine[float32] { return nil }

// enginePairRows is the engine of BFloat16Rows: there is none.
func enginePairRows() *engine[float32] { return nil }

// engineInt8 is the engine of int8 in VNNI layout: there is none.
func engineInt8() *engine[float32] { return nil }

// engineInt32 and engineInt64 are nil: there are no kernels of whole numbers.
func engineInt32() *engine[float32] { return nil }
func engineInt64() *engine[float64] { return nil }
