package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Pooling sees every input as planes of three dimensions (missing ones have size 1). Work is cut by rows of the result,
// each of which is written by one block alone: the transposes gather from the windows that cover an element instead
// of scattering into them, so that bits do not depend on the order of execution.

// grid is a pooling as its kernels see it.
type grid struct {
	in, out [3]int
	spans   [3][]attr.Span
	w       attr.Pool
}

func newGrid(w attr.Pool) *grid {
	g := &grid{w: w, in: [3]int{1, 1, 1}, out: [3]int{1, 1, 1}}
	one := []attr.Span{{Start: 0, End: 1, Step: 1, Size: 1}}
	g.spans = [3][]attr.Span{one, one, one}
	k := w.In.Len()
	for d := range k {
		at := 3 - k + d
		g.in[at], g.out[at], g.spans[at] = w.In.At(d), w.Out.At(d), w.Spans(d)
	}
	return g
}

func (g *grid) inSize() int  { return g.in[0] * g.in[1] * g.in[2] }
func (g *grid) outSize() int { return g.out[0] * g.out[1] * g.out[2] }

// divisor is what the sum of an output's window is divided by.
func (g *grid) divisor(d, h, w attr.Span) int {
	switch {
	case g.w.Divisor != 0:
		return g.w.Divisor
	case g.w.Count == attr.CountNone:
		return 1
	}
	return d.Size * h.Size * w.Size
}

// reach is about how many elements a window has.
func (g *grid) reach() int {
	n := 1
	for _, s := range g.spans {
		n *= max(1, (s[0].End-s[0].Start+s[0].Step-1)/s[0].Step)
	}
	return n
}

// rowBlock is some rows of planes of a size.
type rowBlock struct {
	from, to int
	size     [3]int
}

func (b rowBlock) each(f func(plane, d, h int)) {
	for r := b.from; r < b.to; r++ {
		f(r/(b.size[0]*b.size[1]), r/b.size[1]%b.size[0], r%b.size[1])
	}
}

// overBlocks runs f for blocks of all rows of planes of the given sizes, cut so that a block has some 32k steps.
func overBlocks(c *backend.Ctx, planes int, size [3]int, steps int, f func(b rowBlock)) error {
	rows := planes * size[0] * size[1]
	per := max(1, 32768/max(1, size[2]*steps))
	return c.For(ceil(rows, per), func(b int) { f(rowBlock{b * per, min((b+1)*per, rows), size}) })
}

// overRows runs f for every row.
func overRows(c *backend.Ctx, planes int, size [3]int, steps int, f func(plane, d, h int)) error {
	return overBlocks(c, planes, size, steps, func(b rowBlock) { b.each(f) })
}

func meanRow[T floats](g *grid, z, x []T, d, h int) {
	sd, sh := g.spans[0][d], g.spans[1][h]
	for o, sw := range g.spans[2] {
		var s T
		for i := sd.Start; i < sd.End; i += sd.Step {
			for j := sh.Start; j < sh.End; j += sh.Step {
				base := (i*g.in[1] + j) * g.in[2]
				for k := sw.Start; k < sw.End; k += sw.Step {
					s += x[base+k]
				}
			}
		}
		z[o] = s / T(g.divisor(sd, sh, sw))
	}
}

// isWhole reports whether there is one window, of all elements.
func (g *grid) isWhole() bool {
	for d, s := range g.spans {
		if g.out[d] != 1 || s[0].Start != 0 || s[0].End != g.in[d] || s[0].Step != 1 {
			return false
		}
	}
	return true
}

// stepOuts is how many windows of a plane there must be for one step of all of them to cost less than going over each.
const stepOuts = 12

// stepStride is the largest distance of windows whose elements are loaded by whole vectors; those further apart are gathered.
const stepStride = 2

// isStepped reports whether windows are at regular distances, and enough of them.
func (g *grid) isStepped() bool { return !g.w.Adaptive && g.out[1]*g.out[2] >= stepOuts }

// loadsWhole reports whether steps are better than sums of rows (pool_rows.go): rows are loaded by whole vectors, or there is one.
func (g *grid) loadsWhole() bool {
	return g.w.Stride.At(g.w.In.Len()-1) <= stepStride || g.in[0]*g.in[1] == 1
}

// overPlanes runs f for every plane of n elements that are summed or written.
func overPlanes(c *backend.Ctx, planes, n int, f func(p int)) error {
	each := max(1, blockElems/n)
	return c.For(ceil(planes, each), func(b int) {
		for p := b * each; p < min((b+1)*each, planes); p++ {
			f(p)
		}
	})
}

func poolMean[T floats](c *backend.Ctx, g *grid, z, x []T) error {
	if v, ok := any(x).([]float32); ok {
		switch z := any(z).([]float32); {
		case g.isWhole():
			n, by := g.inSize(), float32(g.divisor(g.spans[0][0], g.spans[1][0], g.spans[2][0]))
			return overPlanes(c, len(z), n, func(p int) { z[p] = simd.SumF32(v[p*n:][:n]) / by })
		case g.isStepped() && g.loadsWhole():
			return steppedMean(c, g, z, v)
		default:
			return rowsMean(c, g, z, v)
		}
	}
	return overRows(c, len(x)/g.inSize(), g.out, g.reach(), func(p, d, h int) {
		at := (p*g.out[0]+d)*g.out[1] + h
		meanRow(g, z[at*g.out[2]:(at+1)*g.out[2]], x[p*g.inSize():(p+1)*g.inSize()], d, h)
	})
}

// covers lists, for every element along a dimension, the outputs whose windows see it.
func (g *grid) covers(d int) [][]int {
	c := newScratch[[]int](g.in[d])
	for o, s := range g.spans[d] {
		for i := s.Start; i < s.End; i += s.Step {
			c[i] = append(c[i], o)
		}
	}
	return c
}

// poolMeanT divides and spreads a row of outputs at a time over each row of inputs that its windows see.
func poolMeanT[T floats](c *backend.Ctx, g *grid, z, x []T) error {
	if v, ok := any(x).([]float32); ok {
		switch z := any(z).([]float32); {
		case g.isWhole():
			n, by := g.inSize(), float32(g.divisor(g.spans[0][0], g.spans[1][0], g.spans[2][0]))
			return overPlanes(c, len(v), n, func(p int) { simd.FillF32(z[p*n:][:n], v[p]/by) })
		case g.isStepped() && g.loadsWhole():
			return steppedMeanT(c, g, z, v)
		case g.inSize() <= poolPlane:
			return rowsMeanT(c, g, z, v)
		}
	}
	cd, ch := g.covers(0), g.covers(1)
	return overRows(c, len(z)/g.inSize(), g.in, g.reach(), func(p, d, h int) {
		row := z[((p*g.in[0]+d)*g.in[1]+h)*g.in[2]:][:g.in[2]]
		clear(row)
		for _, a := range cd[d] {
			for _, b := range ch[h] {
				base := ((p*g.out[0]+a)*g.out[1] + b) * g.out[2]
				for o, v := range x[base : base+g.out[2]] {
					s := g.spans[2][o]
					v /= T(g.divisor(g.spans[0][a], g.spans[1][b], s))
					for k := s.Start; k < s.End; k += s.Step {
						row[k] += v
					}
				}
			}
		}
	})
}

// floatPool makes a kernel of a routine for both float types; half types are computed in float32.
func floatPool(single func(c *backend.Ctx, g *grid, z, x []float32) error,
	double func(c *backend.Ctx, g *grid, z, x []float64) error) backend.Kernel {
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		if out[0].Numel() == 0 {
			return nil
		}
		g := newGrid(a.(attr.Pool))
		if in[0].DType == dtype.Float64 {
			base, err := dense(c, in[0])
			if err != nil {
				return err
			}
			return double(c, g, outOf[float64](out[0]), elems[float64](base, in[0].Numel()))
		}
		x, err := denseF32(c, in[0])
		if err != nil {
			return err
		}
		if in[0].DType == dtype.Float32 {
			return single(c, g, outOf[float32](out[0]), x)
		}
		z := newScratch[float32](out[0].Numel())
		if err := single(c, g, z, x); err != nil {
			return err
		}
		return storeHalf(c, out[0], z)
	}
}

func init() {
	maxes := map[dtype.DType]backend.Kernel{dtype.Float32: poolMaxOf[float32], dtype.Float64: poolMaxOf[float64],
		dtype.BFloat16: poolMaxHalf, dtype.Float16: poolMaxHalf,
		dtype.Uint8: poolMaxOf[uint8], dtype.Uint16: poolMaxOf[uint16], dtype.Uint32: poolMaxOf[uint32], dtype.Uint64: poolMaxOf[uint64],
		dtype.Int8: poolMaxOf[int8], dtype.Int16: poolMaxOf[int16], dtype.Int32: poolMaxOf[int32], dtype.Int64: poolMaxOf[int64]}
	register(backend.Table{
		"pool_max": func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
			if out[0].Numel() == 0 {
				return nil
			}
			return maxes[in[0].DType](c, a, out, in)
		},
		"pool_mean":   floatPool(poolMean[float32], poolMean[float64]),
		"pool_mean_t": floatPool(poolMeanT[float32], poolMeanT[float64]),
		"pool_fold":   foldAny,
		"pool_unfold": poolUnfold,
	})
}
