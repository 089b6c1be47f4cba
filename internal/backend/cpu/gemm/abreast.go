package gemm

import "fmt"

// A convolution of an input whose channels lie side by side, as a product whose rows are output places and whose columns
// are output channels, like Places: but nothing is copied. A tap that is outside the input for the first or the
// last places of a row leaves them out, so no padding is needed, and none is multiplied by.

// An AbreastTap is a tap as a row of places sees it: what it reads is X behind the place, it is tap number W of the kernels, and it
// leaves out so many places at the beginning of the row or at its end, not both. Assembly reads these fields.
type AbreastTap struct{ X, W, First, Last int }

// abreastTile is a kernel of one or two rows of places; their length and the number of vectors are fixed by the kernel. Place i of
// row r begins at (r == 0 ? first : second) + i*step, and for j < nv·lanes
//
//	s = Σ_t Σ_ch x[place+t.X+ch] * w[(t.W*channels+ch)*nv*lanes+j], in this order, by FMA, over the taps with t.First <= i < h-t.Last
//	c[r*cs+i*ccs+j] = s, or += s if add
//
// There is at least one channel; there may be no taps.
type abreastTile[T Float] = func(channels int, taps []AbreastTap, x []T, first, second, step int, w, c []T, cs, ccs int, add bool)

// abreastGeneric is the Go twin of the kernels.
func abreastGeneric[T Float](rows, h, cols, channels int, taps []AbreastTap, x []T, first, second, step int, w, c []T, cs, ccs int, add bool) {
	for q := range rows * h {
		i, at := q%h, first
		if q >= h {
			at = second
		}
		var sums [maxVectors * 16]T
		for _, t := range taps {
			if i < t.First || i >= h-t.Last {
				continue
			}
			for ch, f := range x[at+i*step+t.X:][:channels] {
				for j, v := range w[(t.W*channels+ch)*cols:][:cols] {
					sums[j] += f * v
				}
			}
		}
		row := c[q/h*cs+i*ccs:][:cols]
		for j := range row {
			if add {
				row[j] += sums[j]
			} else {
				row[j] = sums[j]
			}
		}
	}
}

// AbreastRow is the longest row of places here, 0 if there are no kernels.
func AbreastRow[T Float]() int { return len(engineOf[T]().abreast) - 1 }

// AbreastTaps are the taps of rows of a length.
type AbreastTaps struct {
	taps         []AbreastTap
	h, step      int
	lo, hi, last int // first and last element read behind the first place, last kernel
}

// NewAbreastTaps describes the taps of rows of h places, step apart.
func NewAbreastTaps(h, step int, taps []AbreastTap) *AbreastTaps {
	a := &AbreastTaps{taps: taps, h: h, step: step}
	for i, t := range taps {
		if t.First < 0 || t.Last < 0 || t.First+t.Last >= h || t.First > 0 && t.Last > 0 || t.W < 0 {
			panic(fmt.Sprintf("gemm: tap %+v of rows of %d places", t, h))
		}
		lo, hi := t.X+t.First*step, t.X+(h-1-t.Last)*step
		if i == 0 {
			a.lo, a.hi = lo, hi
		}
		a.lo, a.hi, a.last = min(a.lo, lo), max(a.hi, hi), max(a.last, t.W)
	}
	return a
}

// Len is the number of places of a row.
func (t *AbreastTaps) Len() int { return t.h }

// Abreast computes two rows of places for cols output channels, one or two vectors of them. For place i of row r
//
//	c[to[r]+i*ccs+j] (+)= Σ_t Σ_ch x[at[r]+i*step+t.X+ch] * w[(t.W*channels+ch)*cols+j]    (in this order, by FMA)
//
// over the taps that do not leave it out. The second row of c does not lie before the first; it may be the first itself if
// that of x is too.
func Abreast[T Float](cols, channels int, t *AbreastTaps, x []T, at [2]int, w, c []T, to [2]int, ccs int, add bool) {
	if t.h == 0 || channels == 0 {
		return
	}
	some := len(t.taps) > 0
	if t.step < 0 || ccs < cols || to[0] < 0 || to[0] > to[1] || to[1]+(t.h-1)*ccs+cols > len(c) ||
		some && (min(at[0], at[1])+t.lo < 0 || max(at[0], at[1])+t.hi+channels > len(x) || (t.last+1)*channels*cols > len(w)) {
		panic(fmt.Sprintf("gemm: places outside their slices: two rows of %d, %d by %d, %d channels, rows at %v and %v, %d and %d apart, taps from %d to %d, lengths %d, %d, %d",
			t.h, len(t.taps), cols, channels, at, to, t.step, ccs, t.lo, t.hi, len(x), len(w), len(c)))
	}
	e, rows := engineOf[T](), 2
	if to[0] == to[1] {
		rows = 1
	}
	e.abreast[t.h][rows][cols/e.lanes](channels, t.taps, x, at[0], at[1], t.step, w, c[to[0]:], to[1]-to[0], ccs, add)
}
