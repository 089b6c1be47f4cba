package kernel

import "github.com/lucid-go/lucid/internal/backend/cpu/gemm"

// Float is an element type with kernels.
type Float = gemm.Float

// maxVectors is the most vectors of output channels of a tile, except for direct convolution.
const maxVectors = 2

// engine is a set of kernels for one element type and instruction set.
type engine[T Float] struct {
	rows  int // most rows of a tile of direct convolution
	lanes int // elements of a vector

	// direct are the kernels of direct.go, by rows, the widest first; nil if there are none.
	// directTo write each vector to its spot; nil if there are none.
	direct, directTo [][]directTile[T]

	// positions are the output-position kernels, by the length of a row and by vectors.
	positions [][maxVectors + 1]positionTile[T]

	// nhwc are the NHWC kernels, by the length of rows, their number and by vectors.
	nhwc [][5][maxVectors + 1]nhwcTile[T]

	// depthwise are the depthwise kernels, by rows of taps, rows of outputs and vectors; nil if there are none.
	depthwise *[8][5][maxVectors + 1]depthwiseTile[T]
}

// engineOf returns the kernels that are switched on.
func engineOf[T Float]() *engine[T] {
	var e any = engine32()
	if x, ok := e.(*engine[T]); ok {
		return x
	}
	e = engine64()
	return e.(*engine[T])
}

// tiles are the register tiles of products for the same instruction set.
func (e *engine[T]) tiles() gemm.Tiles[T] { return gemm.TilesOf[T]() }

// The Go twins: sums of as few rows and lanes as the twin of products has.
const (
	genericRows  = 4
	genericLanes = 4
)

var generic32, generic64 = newGeneric[float32](), newGeneric[float64]()

func newGeneric[T Float]() *engine[T] {
	e := &engine[T]{
		rows: genericRows, lanes: genericLanes,
		positions: make([][maxVectors + 1]positionTile[T], genericRows/2+1),
		nhwc:      make([][5][maxVectors + 1]nhwcTile[T], genericRows/2+1),
	}
	for h := 1; h <= genericRows/2; h++ {
		for nv := 1; nv <= maxVectors; nv++ {
			e.positions[h][nv] = func(channels int, off []int, x []T, second, xcs int, w []T, wcs int, c []T, cs int, add bool) {
				positionsGeneric(h, nv*genericLanes, channels, off, x, second, xcs, w, wcs, c, cs, add)
			}
			for _, rows := range []int{1, 2, 4} {
				e.nhwc[h][rows][nv] = func(channels int, taps []NHWCTap, x []T, at *[4]int, step int, w, c []T, to *[4]int,
					ccs int, add bool) {
					nhwcGeneric(rows, h, nv*genericLanes, channels, taps, x, at, step, w, c, to, ccs, add)
				}
			}
		}
	}
	return e
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// part returns where piece i of n rows begins and ends, if all pieces are of about the same size.
func part(i, pieces, n int) (from, to int) { return i * n / pieces, (i + 1) * n / pieces }
