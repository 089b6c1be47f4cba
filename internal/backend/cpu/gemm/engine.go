package gemm

import (
	"sync"
	"unsafe"
)

// The largest register tile of any instruction set.
const (
	maxVectors = 2
	maxRows    = 32
)

// InstructionSet is one that has kernels. Packages with kernels of their own, such as convolution, choose by it, so that all are
// switched together.
type InstructionSet uint8

const (
	Generic InstructionSet = iota // Go
	AVX2
	AVX512
	NEON
)

// tile is a kernel for one register tile; the number of rows is fixed by the kernel:
//
//	for i < rows, j < cols: s = Σ_{p<kc} a[i*ars+p*acs] * b[p*brs+j], in order of p, by FMA
//	c[i*crs+j] = s, or += s if add
//
// cols is the width of the tile, except for edge kernels, which take any cols from 1 to
// that. kc is at least 1.
type tile[T Float] = func(kc int, a []T, ars, acs int, b []T, brs int, c []T, crs, cols int, add bool)

// fetchTile is a tile of full width that asks the second cache for memory while it multiplies: for a line every fetchSteps steps of k, the
// first at next, the others pace bytes after each other. Nothing is read, so that next may be any address.
type fetchTile[T Float] = func(kc int, a []T, ars, acs int, b []T, brs int, c []T, crs, cols int, add bool, next unsafe.Pointer, pace int)

const fetchSteps = 2

// tileHalf is tile with B in half types, by columns.
type tileHalf[T Float] = func(kc int, a []T, ars, acs int, b []uint16, bcs int, c []T, crs, cols int, add bool)

// gaxpyHalf is gaxpy with B in half types.
type gaxpyHalf[T Float] = func(n int, y, x []T, xs int, b []uint16, brs int, zero bool)

// engine is a set of kernels for one element type and instruction set.
type engine[T Float] struct {
	rows     int // most rows of a tile
	lanes    int // elements of a vector
	maxChunk int // most k between two additions to C
	// Panels of B of the largest depth that are packed at a time, and elements of sums of several chunks: each fill half of a
	// second-level cache.
	stripPanels, partElems int
	// squares says that kernels take A contiguous in k and B in panels only.
	squares bool

	tiles *[maxVectors + 1][maxRows + 1]tile[T]
	edges *[maxVectors + 1][maxRows + 1]tile[T]

	// fetch are tiles of full width, by rows, that fetch what is read soon; empty if there are none.
	fetch *[maxRows + 1]fetchTile[T]

	// stream are tiles of full width, by rows, for panels of B that come from memory and are read once; nil if there are none.
	stream *[maxRows + 1]tile[T]

	// row multiplies rows of A, contiguous in k, with whole panels of B, each after the other; nil if there is no
	// better way than tile by tile.
	row func(rows, kc int, a []T, ars int, b []T, panels int, c []T, crs int, add bool)

	// dots are like tiles, by rows, for B whose columns are contiguous in k: the stride of
	// B is that of columns, b[p+j*bcs], and cols is at most lanes. Empty if there are none.
	dots []tile[T]
	// dotsWide and tilesWide are dots and tiles of few rows for more columns at a time; nil if there are none.
	dotsWide, tilesWide *[wideRows + 1]wideTile[T]

	// packT copies up to lanes columns, contiguous in k, to rows of a panel:
	//	for p < kc, j < cols: dst[p*drs+j] = src[j*scs+p]
	// It may write dst[p*drs+j] up to j < lanes, and writes rows in the order of p.
	packT func(dst []T, drs int, src []T, scs, kc, cols int)

	// strips copies rows into panels:
	//	for p < rows, q < panels, i < width: dst[p*drs+q*dps+i] = src[p*srs+q*width+i]
	// width is at most cols(), unless wholeRows is set: then it may be anything, and a row is one copy.
	strips    func(dst []T, drs, dps int, src []T, srs, rows, panels, width int)
	wholeRows bool

	// gaxpy8 adds eight scaled rows of B to y, gaxpy1 one:
	//	for j < n: y[j] = (zero ? 0 : y[j]) + Σ_t x[t*xs]*b[t*brs+j], in order of t, by FMA
	gaxpy8, gaxpy1 func(n int, y, x []T, xs int, b []T, brs int, zero bool)

	// widen converts half types:
	//	for i < rows, j < cols: dst[i*drs+j] = src[i*srs+j]
	// nil if T is float64.
	widen [halfTypes]func(dst []T, drs int, src []uint16, srs, rows, cols int)

	// The same for B in half types; nil if there are none, and B is widened first.
	dotsHalf               [halfTypes][]tileHalf[T]
	gaxpy8Half, gaxpy1Half [halfTypes]gaxpyHalf[T]

	// An engine of pairs of bfloat16 has no gaxpy and no widen, but zip makes panels of
	// pairs of rows,
	//	for p < rows, q < panels, i < width:
	//	    dst[p*drs+q*dps+i] = pair of src[p*srs+q*width+i] and src[p*srs+step+q*width+i]
	// and gaxpy4BF16 and gaxpy1BF16 take B in rows:
	//	for j < n: y[j] = (zero ? 0 : y[j]) + Σ_t x[t*xs]·pair of b[t*brs+j] and b[t*brs+step+j]
	zip                    func(dst []T, drs, dps int, src []uint16, srs, step, rows, panels, width int)
	gaxpy4BF16, gaxpy1BF16 func(n int, y, x []T, xs int, b []uint16, brs, step int, zero bool)

	jobs *sync.Pool // of *job[T]
	bufs *sync.Pool // of *buffer[T]
}

// cols is the width of a full tile and of a packed panel of B.
func (e *engine[T]) cols() int { return maxVectors * e.lanes }

// wideRows is the most rows of A that dotsWide and tilesWide take.
const wideRows = 2

// wideTile is a kernel for a fixed number of columns.
type wideTile[T Float] struct {
	f    tile[T]
	cols int
}

// dot multiplies a few rows of A with columns of B that are contiguous in k.
func (e *engine[T]) dot(rows, kc int, a []T, ars, acs int, b []T, bcs int, c []T, crs, cols int, add bool) {
	j := 0
	if rows <= wideRows && e.dotsWide != nil {
		for w := &e.dotsWide[rows]; j+w.cols <= cols; j += w.cols {
			w.f(kc, a, ars, acs, b[j*bcs:], bcs, c[j:], crs, w.cols, add)
		}
	}
	for ; j < cols; j += e.lanes {
		e.dots[rows](kc, a, ars, acs, b[j*bcs:], bcs, c[j:], crs, min(e.lanes, cols-j), add)
	}
}

// kernel picks the tile for a number of rows and columns.
func (e *engine[T]) kernel(rows, cols int) tile[T] {
	nv := ceilDiv(cols, e.lanes)
	if cols == nv*e.lanes {
		return e.tiles[nv][rows]
	}
	return e.edges[nv][rows]
}

// The jobs and buffers of each element type are shared by all engines of it.
var (
	jobs32 = sync.Pool{New: func() any { return newJob[float32]() }}
	jobs64 = sync.Pool{New: func() any { return newJob[float64]() }}
	bufs32 = sync.Pool{New: func() any { return new(buffer[float32]) }}
	bufs64 = sync.Pool{New: func() any { return new(buffer[float64]) }}
)
