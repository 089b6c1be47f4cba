package cpu

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

func init() {
	register(backend.Table{"pool_max_t": func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		base, err := dense(c, in[1])
		if err != nil {
			return err
		}
		at := elems[int64](base, in[1].Numel())
		return floatPool(poolMaxT[float32](at), poolMaxT[float64](at))(c, a, out, in[:1])
	}})
}

// poolMaxT is the transpose of max pooling: every window adds its value to the element that was its maximum, plane by plane;
// at holds the indices of the maxima. An index outside its window is ignored.
func poolMaxT[T floats](at []int64) func(c *backend.Ctx, g *grid, z, x []T) error {
	return func(c *backend.Ctx, g *grid, z, x []T) error {
		in, out := g.inSize(), g.outSize()
		if v, ok := any(x).([]float32); ok && g.isSquares() {
			return unpool2x2(c, g, any(z).([]float32), v, at)
		}
		if v, ok := any(x).([]float32); ok && g.stepsTransposed() {
			return steppedMaxT(c, g, any(z).([]float32), v, at)
		}
		table := g.windowTable()
		return overPlanes(c, len(z)/in, in, func(p int) {
			plane := z[p*in : (p+1)*in]
			clear(plane)
			if table != nil {
				scatterTaken(g, table, plane, at[p*out:][:out], x[p*out:][:out])
				return
			}
			for o := range out {
				if to := at[p*out+o]; g.sees(o, to) {
					plane[to] += x[p*out+o]
				}
			}
		})
	}
}

// unpool2x2 is poolMaxT for 2 by 2 windows that do not overlap.
func unpool2x2(c *backend.Ctx, g *grid, z, x []float32, at []int64) error {
	in, out := g.inSize(), g.outSize()
	over := 2*g.out[1] < g.in[1] || 2*g.out[2] < g.in[2] // some elements are in no square
	return overPlanes(c, len(z)/in, in, func(p int) {
		if over {
			clear(z[p*in:][:in])
		}
		simd.MaxUnpool2x2F32(z[p*in:][:in], x[p*out:], at[p*out:], g.out[1], g.out[2], g.in[2])
	})
}

// stepsTransposed reports whether steppedMaxT is to be used: windows have few elements, and are near enough to each other for
// vectors.
func (g *grid) stepsTransposed() bool {
	return !g.w.Adaptive && g.inSize() < math.MaxInt32 && g.axis(2).stride <= 2 && g.out[2] >= 8 && g.reach() <= 32
}

// steppedMaxT is poolMaxT, many windows at a time. Steps go from the last to the first, as in steppedMeanT.
func steppedMaxT(c *backend.Ctx, g *grid, z, x []float32, at []int64) error {
	high, wide := g.axis(1), g.axis(2)
	width, pitch, covers := g.out[2], pitchOf(g.in[2]), g.covers(0)
	return overPoolRows(c, len(z)/g.inSize(), g.in, g.reach(), func(p poolRows) {
		sums, free := borrow[float32]((p.r1-p.r0)*pitch + simd.StepSlack)
		defer free()
		clear(sums)
		taps, lo, hi := high.reachingAll(p.r0, p.r1)
		part, freePart := borrow[int32](max(0, hi-lo) * width)
		defer freePart()
		for _, d := range covers[p.d] {
			from := (p.plane*g.out[0]+d)*g.out[1]*width + lo*width
			simd.NarrowIndices(part, at[from:][:len(part)])
			for j := len(taps) - 1; j >= 0; j-- {
				t := taps[j]
				for k := len(wide.taps) - 1; k >= 0 && t.lo < t.hi; k-- {
					w := wide.taps[k]
					first := (t.lo-lo)*width + w.lo
					simd.UnpoolStepF32(sums[(t.at-p.r0)*pitch+w.at:], high.stride*pitch, x[from+first:], part[first:], width, t.hi-t.lo,
						w.hi-w.lo, wide.stride,
						(p.d*g.in[1]+t.at)*g.in[2]+w.at, high.stride*g.in[2])
				}
			}
		}
		for r := p.r0; r < p.r1; r++ {
			copy(z[((p.plane*g.in[0]+p.d)*g.in[1]+r)*g.in[2]:][:g.in[2]], sums[(r-p.r0)*pitch:])
		}
	})
}

// windowTable says of every distance from the first element of a window which element of the window is there: the
// numbers along the three dimensions, eight bits each, or more if none. It spares divisions; nil if it would be large.
func (g *grid) windowTable() []uint32 {
	const most, none = 1 << 16, 1 << 31
	var n, step [3]int
	for d, spans := range g.spans {
		for _, s := range spans {
			n[d], step[d] = max(n[d], (s.End-s.Start+s.Step-1)/s.Step), s.Step
		}
	}
	last := 0
	for d := range n {
		if n[d] > 255 {
			return nil
		}
		last = last*g.in[d] + (n[d]-1)*step[d]
	}
	if last < 0 || last >= most {
		return nil
	}
	table := make([]uint32, last+1)
	for i := range table {
		table[i] = none
	}
	for i := range n[0] {
		for j := range n[1] {
			for k := range n[2] {
				// Elements at the same distance, in a window wider than a row, are told apart by sees alone.
				if e := &table[(i*step[0]*g.in[1]+j*step[1])*g.in[2]+k*step[2]]; *e == none {
					*e = uint32(i | j<<8 | k<<16)
				} else {
					return nil
				}
			}
		}
	}
	return table
}

// scatterTaken adds the values of the windows of a plane to the elements that were their maxima.
func scatterTaken[T floats](g *grid, table []uint32, plane []T, at []int64, x []T) {
	o := 0
	for _, sd := range g.spans[0] {
		for _, sh := range g.spans[1] {
			first := (sd.Start*g.in[1] + sh.Start) * g.in[2]
			nd, nh := uint32(ceil(sd.End-sd.Start, sd.Step)), uint32(ceil(sh.End-sh.Start, sh.Step))
			n := len(g.spans[2])
			at, x, spans := at[o:][:n], x[o:][:n], g.spans[2][:n]
			for w, to := range at {
				sw := &spans[w]
				i := uint64(to) - uint64(first+sw.Start)
				if i >= uint64(len(table)) {
					continue
				}
				e := table[i]
				if e&255 >= nd || e>>8&255 >= nh || int(e>>16)*sw.Step >= sw.End-sw.Start || uint64(to) >= uint64(len(plane)) {
					continue
				}
				plane[to] += x[w]
			}
			o += len(g.spans[2])
		}
	}
}

// sees reports whether the window of output o covers an index of its plane.
func (g *grid) sees(o int, index int64) bool {
	if index < 0 || index >= int64(g.inSize()) {
		return false
	}
	p := int(index)
	for d := 2; d >= 0; d-- {
		s := g.spans[d][o%g.out[d]]
		i := p % g.in[d]
		if i < s.Start || i >= s.End || s.Step > 1 && (i-s.Start)%s.Step != 0 {
			return false
		}
		o, p = o/g.out[d], p/g.in[d]
	}
	return true
}
