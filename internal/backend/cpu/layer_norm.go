package cpu

import (
	"math"
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// Rows are normalised one by one while they are in the first-level cache: mean, then the sum of squares about it, then
// the result. Two passes, so that a large mean causes no cancellation. The next row is prefetched meanwhile.

// normPlan is a call of layer_norm or rms_norm on float32 or a half type.
type normPlan struct {
	centred      bool
	eps          float32
	n            int
	weight, bias []float32
	mean, rstd   []float32 // by row; mean nil if not centred
	stream       bool      // the result has non-temporal stores
}

// row computes z from x; the two may be the same, but not if z has non-temporal stores. next is the row that comes after x.
func (p *normPlan) row(r int, z, x, next []float32) {
	var m, sq float32
	if p.centred {
		m = simd.SumF32(x) / float32(p.n)
		p.mean[r] = m
		sq = simd.SumSqSubF32(x, next, m)
	} else {
		sq = simd.SumSqSubF32(x, next, 0)
	}
	rstd := float32(1 / math.Sqrt(float64(sq/float32(p.n)+p.eps)))
	p.rstd[r] = rstd
	switch {
	case p.bias != nil && p.stream:
		simd.NormAffineStreamF32(z, x, p.weight, p.bias, next, m, rstd)
	case p.bias != nil:
		simd.NormAffineF32(z, x, p.weight, p.bias, m, rstd)
	case p.weight != nil && p.stream:
		simd.NormWeightStreamF32(z, x, p.weight, next, m, rstd)
	case p.weight != nil:
		simd.NormWeightF32(z, x, p.weight, m, rstd)
	case p.stream:
		simd.NormStreamF32(z, x, next, m, rstd)
	default:
		simd.NormF32(z, x, m, rstd)
	}
}

// evenly makes blocks of per rows, if there are several, so much smaller that as many threads as there often are end together: of two
// blocks, one with twice the rows, a thread waits for the other.
func evenly(rows, per int) int {
	const threads = 4
	if rows <= per {
		return per
	}
	blocks := ceil(rows, per*threads) * threads
	return ceil(rows, blocks)
}

func rowNorm(centred bool) backend.Kernel {
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		dims, n := in[0].Shape.Dims(), 1
		for _, d := range dims[len(dims)-a.(attr.RowNorm).Dims:] {
			n *= d
		}
		base, err := dense(c, in[0])
		if err != nil || out[1].Numel() == 0 {
			return err
		}
		if in[0].DType == dtype.Float64 {
			return rowNorm64(c, a.(attr.RowNorm), base, n, centred, out, in)
		}
		p := &normPlan{centred: centred, eps: float32(a.(attr.RowNorm).Eps), n: n, rstd: outOf[float32](out[len(out)-1])}
		if centred {
			p.mean = outOf[float32](out[1])
		}
		if len(in) > 1 {
			if p.weight, err = denseF32(c, in[1]); err != nil {
				return err
			}
		}
		if len(in) > 2 {
			if p.bias, err = denseF32(c, in[2]); err != nil {
				return err
			}
		}
		z, rows := unsafe.Pointer(unsafe.SliceData(out[0].Bytes())), len(p.rstd)
		p.stream = in[0].DType == dtype.Float32 && streams(rows, n) && z != base
		per := evenly(rows, rowsOfBlock(n, p.stream))
		return c.For((rows+per-1)/per, func(b int) {
			lo, hi := b*per, min((b+1)*per, rows)
			if in[0].DType == dtype.Float32 {
				at := func(base unsafe.Pointer, r int) []float32 { return elems[float32](unsafe.Add(base, 4*r*n), n) }
				for r := lo; r < hi; r++ {
					p.row(r, at(z, r), at(base, r), at(base, min(r+1, rows-1)))
				}
				if p.stream {
					simd.Fence()
				}
				return
			}
			widen, narrow := widener(in[0].DType), narrower(in[0].DType)
			withScratch(n, func(t []float32) {
				for r := lo; r < hi; r++ {
					widen(t, unsafe.Add(base, 2*r*n))
					p.row(r, t, t, t)
					narrow(unsafe.Add(z, 2*r*n), t)
				}
			})
		})
	}
}

func rowNorm64(c *backend.Ctx, a attr.RowNorm, base unsafe.Pointer, n int, centred bool, out, in []backend.View) error {
	x, z, rstds := elems[float64](base, in[0].Numel()), outOf[float64](out[0]), outOf[float64](out[len(out)-1])
	var affine [2][]float64
	for i, v := range in[1:] {
		p, err := dense(c, v)
		if err != nil {
			return err
		}
		affine[i] = elems[float64](p, v.Numel())
	}
	per := max(1, softmaxElems/(2*max(1, n)))
	return c.For((len(rstds)+per-1)/per, func(b int) {
		for r := b * per; r < min((b+1)*per, len(rstds)); r++ {
			row, res := x[r*n:(r+1)*n], z[r*n:(r+1)*n]
			if centred {
				mean := sumWideF64(row) / float64(n)
				outOf[float64](out[1])[r] = mean
				simd.AddScalarF64(res, row, -mean)
				row = res
			}
			rstds[r] = 1 / math.Sqrt(simd.DotF64(row, row)/float64(n)+a.Eps)
			simd.ScaleF64(res, row, rstds[r])
			if affine[0] != nil {
				simd.MulF64(res, res, affine[0])
			}
			if affine[1] != nil {
				simd.AddF64(res, res, affine[1])
			}
		}
	})
}

func init() { register(backend.Table{"layer_norm": rowNorm(true), "rms_norm": rowNorm(false)}) }
