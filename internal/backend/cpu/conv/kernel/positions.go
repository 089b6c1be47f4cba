package kernel

import (
	"fmt"
	"slices"
)

// A convolution as a product whose rows are output positions and whose columns are output channels: a scalar of the input,
// at the position moved by a tap, times a vector of kernels. Against Direct there are no columns between output rows, any
// number of positions will do, and taps that see only padding are left out. The price is that sums stand by output positions and
// have to be transposed if the output has them by channels.

// positionTile is a kernel of two rows of positions; their length and the number of vectors are fixed by the kernel:
//
//	for r < 2, i < h, j < nv·lanes: s = Σ_ch Σ_p x[r*second+ch*xcs+off[p]+i] * w[ch*wcs+p*nv*lanes+j], in this order, by FMA
//	c[r*cs+i*nv*lanes+j] = s, or += s if add
//
// channels and the length of off are at least 1.
type positionTile[T Float] = func(channels int, off []int, x []T, second, xcs int, w []T, wcs int, c []T, cs int, add bool)

// positionsGeneric is the Go twin of the output-position kernels.
func positionsGeneric[T Float](h, cols, channels int, off []int, x []T, second, xcs int, w []T, wcs int, c []T, cs int, add bool) {
	rows := 2 * h
	if cs == 0 {
		rows = h
	}
	for q := range rows {
		row, at := c[q/h*cs+q%h*cols:][:cols], q/h*second+q%h
		var sums [maxVectors * 16]T
		for ch := range channels {
			for p, o := range off {
				f := x[at+ch*xcs+o]
				for j, v := range w[ch*wcs+p*cols:][:cols] {
					sums[j] += f * v
				}
			}
		}
		for j := range row {
			if add {
				row[j] += sums[j]
			} else {
				row[j] = sums[j]
			}
		}
	}
}

// PositionRowLen is the longest row of positions here.
func PositionRowLen[T Float]() int { return len(engineOf[T]().positions) - 1 }

// PositionLanes is what the number of output channels of a panel is a multiple of, and twice that is the most.
func PositionLanes[T Float]() int { return engineOf[T]().lanes }

// PositionTaps are the offsets of the taps of a channel.
type PositionTaps struct {
	off    []int
	lo, hi int // all offsets are between
}

// NewPositionTaps describes taps.
func NewPositionTaps(off []int) PositionTaps {
	return PositionTaps{off, slices.Min(off), slices.Max(off)}
}

// Part is some of the taps.
func (t PositionTaps) Part(from, to int) PositionTaps {
	return PositionTaps{t.off[from:to], t.lo, t.hi}
}

// Positions computes, for two rows of h positions and for cols output channels, one or two vectors of them,
//
//	c[r][i*cols+j] (+)= Σ_ch Σ_p x[at[r]+ch*xcs+off[p]+i] * w[ch*wcs+p*cols+j]    (in this order, by FMA)
//
// where row r of c begins at to[r]. The second row is not before the first; it may be the first itself. All taps
// of which t is a part must be inside x.
func Positions[T Float](h, cols, channels int, t PositionTaps, x []T, at [2]int, xcs int, w []T, wcs int, c []T, to [2]int, add bool) {
	if h == 0 || channels == 0 || len(t.off) == 0 {
		return
	}
	if t.lo+at[0] < 0 || at[0] > at[1] || t.hi+at[1]+(channels-1)*xcs+h > len(x) || xcs < 0 ||
		(channels-1)*wcs+len(t.off)*cols > len(w) || wcs < 0 || to[0] < 0 || to[0] > to[1] || to[1]+h*cols > len(c) {
		panic(fmt.Sprintf("conv: positions outside their slices: two rows of %d, %d by %d, %d channels %d and %d apart, "+
			"rows at %v and %v, offsets %d to %d, lengths %d, %d, %d",
			h, len(t.off), cols, channels, xcs, wcs, at, to, t.lo, t.hi, len(x), len(w), len(c)))
	}
	e := engineOf[T]()
	e.positions[h][cols/e.lanes](channels, t.off, x[at[0]:], at[1]-at[0], xcs, w, wcs, c[to[0]:], to[1]-to[0], add)
}

// PackPositions lays out n kernels of k taps and channels, ars apart, as Positions reads them: for p < k, i < n,
//
//	dst[p*cols+i] = a[i*ars+p]
//
// What is behind the last kernel, up to cols, may be written too.
func PackPositions[T Float](dst []T, cols int, a []T, n, k, ars int) {
	if n == 0 || k == 0 {
		return
	}
	if n > cols || k*cols > len(dst) || (n-1)*ars+k > len(a) {
		panic(fmt.Sprintf("conv: positions packed outside their slices: %d kernels of %d in %d columns, %d apart, lengths %d and %d",
			n, k, cols, ars, len(a), len(dst)))
	}
	e := engineOf[T]()
	for i := 0; i < n; i += e.lanes {
		e.tiles().Transpose(dst[i:], cols, a[i*ars:], ars, k, min(e.lanes, n-i))
	}
}
