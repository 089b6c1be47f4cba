//go:build arm64 && !purego

package gemm

import (
	"github.com/lucid-go/lucid/internal/cpuid"
	"github.com/lucid-go/lucid/internal/impl"
)

var useNEON = cpuid.ARM64.ASIMD

func init() { impl.Register("gemm", "gemm/neon", &useNEON) }

var neonF32 = newNEON(engine[float32]{
	lanes: 8, tiles: &tilesF32NEON, jobs: &jobs32, bufs: &bufs32, widen: widenGenerics,
	gaxpy8: wholeVectors(gaxpyRows, gaxpy8F32NEON), gaxpy1: wholeVectors(1, gaxpy1F32NEON),
})

var neonF64 = newNEON(engine[float64]{
	lanes: 4, tiles: &tilesF64NEON, jobs: &jobs64, bufs: &bufs64,
	gaxpy8: wholeVectors(gaxpyRows, gaxpy8F64NEON), gaxpy1: wholeVectors(1, gaxpy1F64NEON),
})

// newNEON fills in what both element types share. There are no masks: an edge is
// computed as a whole tile in scratch memory, and its columns copied.
func newNEON[T Float](e engine[T]) *engine[T] {
	e.rows, e.maxChunk = 6, maxChunk
	e.packT, e.strips = packTGeneric[T], stripsGeneric[T]
	e.edges = new([maxVectors + 1][maxRows + 1]tile[T])
	for nv := 1; nv <= maxVectors; nv++ {
		for rows := 1; rows <= e.rows; rows++ {
			e.edges[nv][rows] = edgeTile(&e, nv, rows)
		}
	}
	return &e
}

// edgeTile is the tile of nv vectors for fewer columns.
func edgeTile[T Float](e *engine[T], nv, rows int) tile[T] {
	full, width, panel, bufs := e.tiles[nv][rows], nv*e.lanes, e.cols(), e.bufs
	return func(kc int, a []T, ars, acs int, b []T, brs int, c []T, crs, cols int, add bool) {
		buf := bufs.Get().(*buffer[T])
		defer bufs.Put(buf)
		buf.edge = grow(buf.edge, kc*width+rows*width)
		out := buf.edge[kc*width:]
		if brs != panel || len(b) < kc*panel { // not a packed panel, which may be read past its columns
			for p := range kc {
				copy(buf.edge[p*width:][:cols], b[p*brs:])
			}
			b, brs = buf.edge, width
		}
		full(kc, a, ars, acs, b, brs, out, width, width, false)
		for i := range rows {
			addRow(c[i*crs:][:cols], out[i*width:], add)
		}
	}
}

// wholeVectors gives a kernel the columns that fill its registers, and the rest to the Go twin.
func wholeVectors[T Float](rows int, f func(n int, y, x []T, xs int, b []T, brs int, zero bool)) func(n int, y, x []T, xs int, b []T, brs int, zero bool) {
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

// enginePairs is the engine of bfloat16 in pairs: there is none.
func enginePairs() *engine[float32] { return nil }

// engineFours is the engine of bytes in fours: there is none.
func engineFours() *engine[float32] { return nil }
