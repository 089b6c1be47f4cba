package kernel

import "fmt"

// A convolution of an input in NHWC order, as a product whose rows are output positions and whose columns
// are output channels, like Positions: but nothing is copied. A tap that is outside the input for the first or the
// last positions of a row leaves them out, so no padding is needed, and none is multiplied by.

// An NHWCTap is a tap as a row of positions sees it: what it reads is X behind the position, it is tap number W of the kernels, and it
// leaves out so many positions at the beginning of the row or at its end, not both. Assembly reads these fields.
type NHWCTap struct{ X, W, First, Last int }

// nhwcTile is a kernel of some rows of positions; their number and length and the number of vectors are fixed by the
// kernel. Position i of row r begins at at[r] + i*step, and for j < nv·lanes
//
//	s = Σ_t Σ_ch x[position+t.X+ch] * w[(t.W*channels+ch)*nv*lanes+j], in this order, by FMA, over the taps with t.First <= i < h-t.Last
//	c[to[r]+i*ccs+j] = s, or += s if add
//
// There is at least one channel; there may be no taps.
type nhwcTile[T Float] = func(channels int, taps []NHWCTap, x []T, at *[4]int, step int, w, c []T, to *[4]int, ccs int, add bool)

// nhwcGeneric is the Go twin of the kernels.
func nhwcGeneric[T Float](rows, h, cols, channels int, taps []NHWCTap, x []T, at *[4]int, step int, w, c []T, to *[4]int, ccs int,
	add bool,
) {
	for q := range rows * h {
		r, i := q/h, q%h
		var sums [maxVectors * 16]T
		for _, t := range taps {
			if i < t.First || i >= h-t.Last {
				continue
			}
			for ch, f := range x[at[r]+i*step+t.X:][:channels] {
				for j, v := range w[(t.W*channels+ch)*cols:][:cols] {
					sums[j] += f * v
				}
			}
		}
		row := c[to[r]+i*ccs:][:cols]
		for j := range row {
			if add {
				row[j] += sums[j]
			} else {
				row[j] = sums[j]
			}
		}
	}
}

// NHWCRowLen is the longest row of positions here, 0 if there are no kernels.
func NHWCRowLen[T Float]() int { return max(0, len(engineOf[T]().nhwc)-1) }

// NHWCRows is the most rows of h positions that are computed together here: one, two or four.
func NHWCRows[T Float](h int) int {
	if engineOf[T]().nhwc[h][4][1] != nil {
		return 4
	}
	return 2
}

// NHWCTaps are the taps of rows of a length.
type NHWCTaps struct {
	taps         []NHWCTap
	h, step      int
	lo, hi, last int // first and last element read behind the first position, last kernel
}

// NewNHWCTaps describes the taps of rows of h positions, step apart.
func NewNHWCTaps(h, step int, taps []NHWCTap) *NHWCTaps {
	a := &NHWCTaps{taps: taps, h: h, step: step}
	for i, t := range taps {
		if t.First < 0 || t.Last < 0 || t.First+t.Last >= h || t.First > 0 && t.Last > 0 || t.W < 0 {
			panic(fmt.Sprintf("conv: tap %+v of rows of %d positions", t, h))
		}
		lo, hi := t.X+t.First*step, t.X+(h-1-t.Last)*step
		if i == 0 {
			a.lo, a.hi = lo, hi
		}
		a.lo, a.hi, a.last = min(a.lo, lo), max(a.hi, hi), max(a.last, t.W)
	}
	return a
}

// Len is the number of positions of a row.
func (t *NHWCTaps) Len() int { return t.h }

// NHWC computes rows of positions, one, two or as many as NHWCRows says, for cols output channels, one or two vectors
// of them. For position i of row r
//
//	c[to[r]+i*ccs+j] (+)= Σ_t Σ_ch x[at[r]+i*step+t.X+ch] * w[(t.W*channels+ch)*cols+j]    (in this order, by FMA)
//
// over the taps that do not leave it out.
func NHWC[T Float](rows, cols, channels int, t *NHWCTaps, x []T, at *[4]int, w, c []T, to *[4]int, ccs int, add bool) {
	if t.h == 0 || channels == 0 {
		return
	}
	lo, hi, first, last := at[0], at[0], to[0], to[0]
	for r := 1; r < rows; r++ {
		lo, hi, first, last = min(lo, at[r]), max(hi, at[r]), min(first, to[r]), max(last, to[r])
	}
	if t.step < 0 || ccs < cols || first < 0 || last+(t.h-1)*ccs+cols > len(c) ||
		len(t.taps) > 0 && (lo+t.lo < 0 || hi+t.hi+channels > len(x) || (t.last+1)*channels*cols > len(w)) {
		panic(fmt.Sprintf("conv: positions outside their slices: %d rows of %d, %d by %d, %d channels, rows at %v and %v, "+
			"%d and %d apart, taps from %d to %d, lengths %d, %d, %d",
			rows, t.h, len(t.taps), cols, channels, *at, *to, t.step, ccs, t.lo, t.hi, len(x), len(w), len(c)))
	}
	e := engineOf[T]()
	e.nhwc[t.h][rows][cols/e.lanes](channels, t.taps, x, at, t.step, w, c, to, ccs, add)
}
