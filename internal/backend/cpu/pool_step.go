package cpu

import (
	"github.com/lucid-go/lucid/internal/backend/cpu/layout"
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

// Windows of float32 at regular distances are pooled many at a time: one element of all windows of some rows is a step
// (simd.MaxStepF32 and its like), for those windows that have it inside the input.

// poolTap is element k of the windows along a dimension: those from lo to hi have it, the first of them at index at.
type poolTap struct{ lo, hi, at int }

// poolAxis is a dimension of windows at regular distances.
type poolAxis struct {
	taps   []poolTap
	stride int
}

// axis describes dimension d; a missing one has one window of one element.
func (g *grid) axis(d int) poolAxis {
	e := d - (3 - g.w.In.Len())
	if e < 0 {
		return poolAxis{[]poolTap{{0, 1, 0}}, 1}
	}
	a := poolAxis{stride: g.w.Stride.At(e)}
	pad, dilation := g.w.Pad.At(e), g.w.Dilation.At(e)
	// Elements before from and behind to are outside the input in every window, however wide it is.
	from, to := max(0, ceil(pad-(g.out[d]-1)*a.stride, dilation)), min(g.w.Kernel.At(e), (g.in[d]-1+pad)/dilation+1)
	for k := from; k < to; k++ {
		first := k*dilation - pad
		if lo, hi := layout.Inside(first, a.stride, g.out[d], g.in[d]); lo < hi {
			a.taps = append(a.taps, poolTap{lo, hi, first + lo*a.stride})
		}
	}
	return a
}

// part is the windows from r0 to r1 that have an element, and where the first of them has it.
func (a *poolAxis) part(t poolTap, r0, r1 int) poolTap {
	lo := max(t.lo, r0)
	return poolTap{lo, min(t.hi, r1), t.at + (lo-t.lo)*a.stride}
}

// poolRows is some rows of one plane.
type poolRows struct{ plane, d, r0, r1 int }

// overPoolRows runs f for all rows of planes of the given sizes, some at a time.
func overPoolRows(c *backend.Ctx, planes int, size [3]int, reach int, f func(p poolRows)) error {
	rows := max(1, min(size[1], 2048/size[2]))
	chunks := ceil(size[1], rows)
	per := max(1, 1<<17/(rows*size[2]*reach))
	n := planes * size[0] * chunks
	return c.For(ceil(n, per), func(b int) {
		for u := b * per; u < min((b+1)*per, n); u++ {
			r0, rest := u%chunks*rows, u/chunks
			f(poolRows{rest / size[0], rest % size[0], r0, min(r0+rows, size[1])})
		}
	})
}

// pitchOf is the distance of rows in scratch.
func pitchOf(width int) int { return ceil(width, 16) * 16 }

func steppedMax(c *backend.Ctx, g *grid, z []float32, idx []int64, x []float32) error {
	deep, high, wide := g.axis(0), g.axis(1), g.axis(2)
	low, width, pitch := float32(math.Inf(-1)), g.out[2], pitchOf(g.out[2])
	starts := make([]int32, width)
	for o, s := range g.spans[2] {
		starts[o] = int32(s.Start)
	}
	return overPoolRows(c, len(x)/g.inSize(), g.out, g.reach(), func(p poolRows) {
		n := (p.r1 - p.r0) * pitch
		best, free := borrow[float32](n + simd.StepSlack)
		defer free()
		at, freeAt := borrow[int32](n + simd.StepSlack)
		defer freeAt()
		plane := x[p.plane*g.inSize():][:g.inSize()]
		for r := p.r0; r < p.r1; r++ { // the first element counts if none is greater than the least of all
			first := (g.spans[0][p.d].Start*g.in[1] + g.spans[1][r].Start) * g.in[2]
			at := at[(r-p.r0)*pitch:][:width]
			simd.FillF32(best[(r-p.r0)*pitch:][:width], low)
			from := int32(first)
			repeatRuns(unsafe.Pointer(&at[0]), unsafe.Pointer(&from), 0, width, 1)
			simd.AddI32(at, at, starts)
		}
		g.steps(deep, high, wide, p, pitch, func(to, base, rows, cols int) {
			simd.MaxStepF32(best[to:], at[to:], pitch, plane[base:], high.stride*g.in[2], rows, cols, wide.stride, base)
		})
		for r := p.r0; r < p.r1; r++ {
			from := ((p.plane*g.out[0]+p.d)*g.out[1] + r) * width
			copy(z[from:][:width], best[(r-p.r0)*pitch:])
			simd.WidenIndices(idx[from:], at[(r-p.r0)*pitch:][:width])
		}
	})
}

// steps calls f for every element of the windows of some rows: rows of cols windows from index to on, counted from the
// first row, rows pitch apart, read elements from index base of the plane on.
func (g *grid) steps(deep, high, wide poolAxis, p poolRows, pitch int, f func(to, base, rows, cols int)) {
	for _, i := range deep.taps {
		if i = deep.part(i, p.d, p.d+1); i.lo >= i.hi {
			continue
		}
		for _, j := range high.taps {
			if j = high.part(j, p.r0, p.r1); j.lo >= j.hi {
				continue
			}
			for _, k := range wide.taps {
				f((j.lo-p.r0)*pitch+k.lo, (i.at*g.in[1]+j.at)*g.in[2]+k.at, j.hi-j.lo, k.hi-k.lo)
			}
		}
	}
}

// divisors are what sums of windows are divided by: by row, the same slice for rows with windows of the same size.
func (g *grid) divisors(d int) [][]float32 {
	all, known := make([][]float32, g.out[1]), map[attr.Span][]float32{}
	for h, s := range g.spans[1] {
		key := attr.Span{Size: s.Size}
		if known[key] == nil {
			row := make([]float32, g.out[2])
			for o, w := range g.spans[2] {
				row[o] = float32(g.divisor(g.spans[0][d], s, w))
			}
			known[key] = row
		}
		all[h] = known[key]
	}
	return all
}

// allDivisors are the divisors by the first dimension.
func (g *grid) allDivisors() [][][]float32 {
	all := make([][][]float32, g.out[0])
	for d := range all {
		all[d] = g.divisors(d)
	}
	return all
}

func steppedMean(c *backend.Ctx, g *grid, z, x []float32) error {
	deep, high, wide := g.axis(0), g.axis(1), g.axis(2)
	width, pitch, by := g.out[2], pitchOf(g.out[2]), g.allDivisors()
	return overPoolRows(c, len(x)/g.inSize(), g.out, g.reach(), func(p poolRows) {
		sums, free := borrow[float32]((p.r1-p.r0)*pitch + simd.StepSlack)
		defer free()
		clear(sums)
		plane := x[p.plane*g.inSize():][:g.inSize()]
		g.steps(deep, high, wide, p, pitch, func(to, base, rows, cols int) {
			simd.AddStepF32(sums[to:], pitch, plane[base:], high.stride*g.in[2], rows, cols, wide.stride)
		})
		for r := p.r0; r < p.r1; r++ {
			row := z[((p.plane*g.out[0]+p.d)*g.out[1]+r)*width:][:width]
			simd.DivF32(row, sums[(r-p.r0)*pitch:][:width], by[p.d][r])
		}
	})
}

// steppedMeanT is poolMeanT. Steps go from the last to the first, so that an element gets its summands in the order of
// the windows.
func steppedMeanT(c *backend.Ctx, g *grid, z, x []float32) error {
	high, wide := g.axis(1), g.axis(2)
	width, pitch, by, covers := g.out[2], pitchOf(g.in[2]), g.allDivisors(), g.covers(0)
	return overPoolRows(c, len(z)/g.inSize(), g.in, g.reach(), func(p poolRows) {
		sums, free := borrow[float32]((p.r1-p.r0)*pitch + simd.StepSlack)
		defer free()
		clear(sums)
		taps, lo, hi := high.reachingAll(p.r0, p.r1)
		part, freePart := borrow[float32](max(0, hi-lo) * width)
		defer freePart()
		for _, d := range covers[p.d] {
			from := x[((p.plane*g.out[0]+d)*g.out[1])*width:]
			for r := lo; r < hi; r++ {
				simd.DivF32(part[(r-lo)*width:][:width], from[r*width:][:width], by[d][r])
			}
			for j := len(taps) - 1; j >= 0; j-- {
				t := taps[j]
				for k := len(wide.taps) - 1; k >= 0 && t.lo < t.hi; k-- {
					w := wide.taps[k]
					simd.ScatterStepF32(sums[(t.at-p.r0)*pitch+w.at:], high.stride*pitch, part[(t.lo-lo)*width+w.lo:], width, t.hi-t.lo,
						w.hi-w.lo, wide.stride)
				}
			}
		}
		for r := p.r0; r < p.r1; r++ {
			copy(z[((p.plane*g.in[0]+p.d)*g.in[1]+r)*g.in[2]:][:g.in[2]], sums[(r-p.r0)*pitch:])
		}
	})
}

// reaching is the windows that have an element in rows r0 to r1 of the input, and where the first of them has it.
func (a *poolAxis) reaching(t poolTap, r0, r1 int) poolTap {
	lo := t.lo + max(0, ceil(r0-t.at, a.stride))
	return poolTap{lo, min(t.hi, t.lo+max(0, ceil(r1-t.at, a.stride))), t.at + (lo-t.lo)*a.stride}
}

// reachingAll is reaching for all elements, and the windows that see any of these rows.
func (a *poolAxis) reachingAll(r0, r1 int) (taps []poolTap, lo, hi int) {
	taps, lo = make([]poolTap, len(a.taps)), math.MaxInt
	for j, t := range a.taps {
		taps[j] = a.reaching(t, r0, r1)
		if t := taps[j]; t.lo < t.hi {
			lo, hi = min(lo, t.lo), max(hi, t.hi)
		}
	}
	return taps, min(lo, hi), hi
}
