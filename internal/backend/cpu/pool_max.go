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

// maxRowF32 is maxRow without a branch per element, for windows at regular distances: value and place are one integer
// whose order is that of the values, then of the places backwards, so that the first of equal values wins. A row with
// a NaN goes to maxRow.
func maxRowF32(g *grid, z []float32, idx []int64, x []float32, d, h int) {
	const tile = 256
	var keys [tile]int64
	n := g.w.In.Len() - 1
	kernel, stride, pad, dilation := g.w.Kernel.At(n), g.w.Stride.At(n), g.w.Pad.At(n), g.w.Dilation.At(n)
	sd, sh := g.spans[0][d], g.spans[1][h]
	for from := 0; from < len(z); from += tile {
		best := keys[:min(tile, len(z)-from)]
		for o := range best {
			best[o] = math.MinInt64
		}
		nan := 0
		for i := sd.Start; i < sd.End; i += sd.Step {
			for j := sh.Start; j < sh.End; j += sh.Step {
				base := (i*g.in[1] + j) * g.in[2]
				row := x[base : base+g.in[2]]
				for k := range kernel {
					at := from*stride + k*dilation - pad
					for o := range best {
						if uint(at) < uint(len(row)) {
							v := row[at] + 0 // no -0
							b := int32(math.Float32bits(v))
							if b&math.MaxInt32 > 0x7f800000 {
								nan++
							}
							b ^= int32(uint32(b>>31) >> 1)
							best[o] = max(best[o], int64(b)<<32|int64(math.MaxInt32-base-at))
						}
						at += stride
					}
				}
			}
		}
		if nan > 0 {
			maxRow(g, z, idx, x, d, h)
			return
		}
		for o, b := range best {
			at := math.MaxInt32 - int(b&math.MaxUint32)
			z[from+o], idx[from+o] = x[at], int64(at)
		}
	}
}

// isSquares reports whether the windows are 2 by 2, side by side, and none reaches over an edge.
func (g *grid) isSquares() bool {
	two, n := attr.MakeInts(2, 2), g.w.In.Len()
	return n == 2 && !g.w.Adaptive && g.w.Kernel == two && g.w.Stride == two && g.w.Dilation == attr.MakeInts(1, 1) && g.w.Pad == attr.MakeInts(0, 0) &&
		2*g.out[1] <= g.in[1] && 2*g.out[2] <= g.in[2]
}

// poolSquares pools planes of squares.
func poolSquares(c *backend.Ctx, g *grid, z []float32, idx []int64, x []float32) error {
	in, out := g.inSize(), g.outSize()
	planes := len(x) / in
	each := max(1, blockElems/in)
	return c.For(ceil(planes, each), func(b int) {
		for p := b * each; p < min((b+1)*each, planes); p++ {
			simd.MaxPool2x2F32(z[p*out:], idx[p*out:], x[p*in:], g.out[1], g.out[2], g.in[2])
		}
	})
}

func poolMax[T reals](c *backend.Ctx, g *grid, z []T, idx []int64, x []T) error {
	if v, ok := any(x).([]float32); ok && g.isSquares() {
		return poolSquares(c, g, any(z).([]float32), idx, v)
	}
	row := maxRow[T]
	if f, ok := any(maxRowF32).(func(*grid, []T, []int64, []T, int, int)); ok && g.inSize() < math.MaxInt32 && !g.w.Adaptive {
		row = f
	}
	return overRows(c, len(x)/g.inSize(), g.out, g.reach(), func(p, d, h int) {
		at := (p*g.out[0]+d)*g.out[1] + h
		lo, hi := at*g.out[2], (at+1)*g.out[2]
		row(g, z[lo:hi], idx[lo:hi], x[p*g.inSize():(p+1)*g.inSize()], d, h)
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
	z := make([]float32, out[0].Numel())
	if err := poolMax(c, newGrid(a.(attr.Pool)), z, outOf[int64](out[1]), x); err != nil {
		return err
	}
	return storeHalf(c, out[0], z)
}
