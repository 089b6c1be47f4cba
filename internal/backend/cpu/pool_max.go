package cpu

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
)

func maxRow[T reals](g *grid, z []T, idx []int64, x []T, d, h int) {
	sd, sh := g.spans[0][d], g.spans[1][h]
	for o, sw := range g.spans[2] {
		best := (sd.Start*g.in[1]+sh.Start)*g.in[2] + sw.Start
		top := x[best]
		for i := sd.Start; i < sd.End; i += sd.Step {
			for j := sh.Start; j < sh.End; j += sh.Step {
				base := (i*g.in[1] + j) * g.in[2]
				for k := sw.Start; k < sw.End; k += sw.Step {
					if v := x[base+k]; v > top || v != v {
						top, best = v, base+k
					}
				}
			}
		}
		z[o], idx[o] = top, int64(best)
	}
}

// isSquares reports whether the windows are 2 by 2, side by side, and none reaches over an edge.
func (g *grid) isSquares() bool {
	two, n := attr.MakeInts(2, 2), g.w.In.Len()
	return n == 2 && !g.w.Adaptive && g.w.Kernel == two && g.w.Stride == two && g.w.Dilation == attr.MakeInts(1, 1) &&
		g.w.Pad == attr.MakeInts(0, 0) &&
		2*g.out[1] <= g.in[1] && 2*g.out[2] <= g.in[2]
}

// maxPool2x2 pools planes by 2 by 2 windows that do not overlap.
func maxPool2x2(c *backend.Ctx, g *grid, z []float32, idx []int64, x []float32) error {
	in, out := g.inSize(), g.outSize()
	return overPlanes(c, len(x)/in, in, func(p int) {
		simd.MaxPool2x2F32(z[p*out:], idx[p*out:], x[p*in:], g.out[1], g.out[2], g.in[2])
	})
}

func poolMax[T reals](c *backend.Ctx, g *grid, z []T, idx []int64, x []T) error {
	if v, ok := any(x).([]float32); ok && g.isSquares() {
		return maxPool2x2(c, g, any(z).([]float32), idx, v)
	}
	if v, ok := any(x).([]float32); ok && g.inSize() < math.MaxInt32 && g.isStepped() {
		return steppedMax(c, g, any(z).([]float32), idx, v)
	}
	return overRows(c, len(x)/g.inSize(), g.out, g.reach(), func(p, d, h int) {
		at := (p*g.out[0]+d)*g.out[1] + h
		lo, hi := at*g.out[2], (at+1)*g.out[2]
		maxRow(g, z[lo:hi], idx[lo:hi], x[p*g.inSize():(p+1)*g.inSize()], d, h)
	})
}

func poolMaxOf[T reals](c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	base, err := dense(c, in[0])
	if err != nil {
		return err
	}
	return poolMax(c, newGrid(a.(attr.Pool)), outOf[T](out[0]), outOf[int64](out[1]), elems[T](base, in[0].Numel()))
}

func poolMaxHalf(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	x, err := denseF32(c, in[0])
	if err != nil {
		return err
	}
	z := newScratch[float32](out[0].Numel())
	if err := poolMax(c, newGrid(a.(attr.Pool)), z, outOf[int64](out[1]), x); err != nil {
		return err
	}
	return storeHalf(c, out[0], z)
}
