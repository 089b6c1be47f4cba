package cpu

import (
	"unsafe"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/simd"
	"github.com/lucid-go/lucid/internal/dtype"
)

// normGradRow computes z = rstd·(h - mean(h) - xhat·mean(h·xhat)) for a row, h being g·weight; z may be g, but not if it
// has non-temporal stores. next is the row of x that comes after.
func normGradRow(z, g, x, weight, next []float32, mean, rstd float32, centred, stream bool) {
	n := float32(len(x))
	d := simd.DotNormF32(x, g, weight, mean, rstd) / n
	var m float32
	switch {
	case !centred:
	case weight != nil:
		m = simd.DotF32(g, weight) / n
	default:
		m = simd.SumF32(g) / n
	}
	switch {
	case weight != nil && stream:
		simd.NormWeightBackStreamF32(z, g, x, weight, next, mean, rstd, m, d)
	case weight != nil:
		simd.NormWeightBackF32(z, g, x, weight, mean, rstd, m, d)
	case stream:
		simd.NormBackStreamF32(z, g, x, next, mean, rstd, m, d)
	default:
		simd.NormBackF32(z, g, x, mean, rstd, m, d)
	}
}

func rowNormGrad(centred bool) backend.Kernel {
	return func(c *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		dims, n, stat := in[1].Shape.Dims(), 1, 2
		for _, d := range dims[len(dims)-a.(attr.RowNorm).Dims:] {
			n *= d
		}
		if centred {
			stat++
		}
		if out[0].Numel() == 0 {
			return nil
		}
		base := make([]unsafe.Pointer, len(in))
		for i, v := range in {
			var err error
			if base[i], err = dense(c, v); err != nil {
				return err
			}
		}
		rows := in[stat].Numel()
		if in[1].DType == dtype.Float64 {
			return normGrad64(c, outOf[float64](out[0]), base, rows, n, stat, centred)
		}
		var weight []float32
		if len(in) > stat+1 {
			var err error
			if weight, err = denseF32(c, in[stat+1]); err != nil {
				return err
			}
		}
		means, rstds := elems[float32](base[2], rows), elems[float32](base[stat], rows)
		z, size := unsafe.Pointer(unsafe.SliceData(out[0].Bytes())), in[1].DType.Size()
		per := max(1, softmaxElems/n)
		stream := size == 4 && streams(rows, n) && z != base[0] && z != base[1]
		return c.For((rows+per-1)/per, func(b int) {
			withScratch(2*n, func(t []float32) {
				for r := b * per; r < min((b+1)*per, rows); r++ {
					mean, at := float32(0), r*n*size
					if centred {
						mean = means[r]
					}
					if size == 4 {
						next := elems[float32](unsafe.Add(base[1], min(r+1, rows-1)*n*4), n)
						normGradRow(elems[float32](unsafe.Add(z, at), n), elems[float32](unsafe.Add(base[0], at), n),
							elems[float32](unsafe.Add(base[1], at), n), weight, next, mean, rstds[r], centred, stream)
						continue
					}
					g, x := t[:n], t[n:]
					widener(in[0].DType)(g, unsafe.Add(base[0], at))
					widener(in[1].DType)(x, unsafe.Add(base[1], at))
					normGradRow(g, g, x, weight, nil, mean, rstds[r], centred, false)
					narrower(in[1].DType)(unsafe.Add(z, at), g)
				}
			})
			if stream {
				simd.Fence()
			}
		})
	}
}

func normGrad64(c *backend.Ctx, z []float64, base []unsafe.Pointer, rows, n, stat int, centred bool) error {
	g, x := elems[float64](base[0], rows*n), elems[float64](base[1], rows*n)
	means, rstds := elems[float64](base[2], rows), elems[float64](base[stat], rows)
	var weight []float64
	if len(base) > stat+1 {
		weight = elems[float64](base[stat+1], n)
	}
	per := max(1, softmaxElems/(4*n))
	return c.For((rows+per-1)/per, func(b int) {
		for r := b * per; r < min((b+1)*per, rows); r++ {
			at, rstd, mean := r*n, rstds[r], 0.0
			if centred {
				mean = means[r]
			}
			h := func(i int) float64 {
				if weight != nil {
					return g[at+i] * weight[i]
				}
				return g[at+i]
			}
			sum, dot := 0.0, 0.0
			for i := range n {
				sum += h(i)
				dot += h(i) * (x[at+i] - mean) * rstd
			}
			if !centred {
				sum = 0
			}
			for i := range n {
				z[at+i] = rstd * (h(i) - sum/float64(n) - (x[at+i]-mean)*rstd*dot/float64(n))
			}
		}
	})
}

func init() {
	register(backend.Table{"layer_norm_grad": rowNormGrad(true), "rms_norm_grad": rowNormGrad(false)})
}
