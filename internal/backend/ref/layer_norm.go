package ref

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

func rowNorm(centred bool) backend.Kernel {
	return func(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		p, x := a.(attr.RowNorm), load(in[0])
		dims := in[0].Shape.Dims()
		n := 1
		for _, d := range dims[len(dims)-p.Dims:] {
			n *= d
		}
		affine := make([][]dtype.Scalar, 2)
		for i, v := range in[1:] {
			affine[i] = load(v)
		}
		means, rstds := make([]dtype.Scalar, out[1].Numel()), make([]dtype.Scalar, out[1].Numel())
		for r := range rstds {
			row := x[r*n : (r+1)*n]
			mean, sq := 0.0, 0.0
			if centred {
				for _, v := range row {
					mean += v.F / float64(n)
				}
			}
			for _, v := range row {
				sq += (v.F - mean) * (v.F - mean)
			}
			rstd := 1 / math.Sqrt(sq/float64(n)+p.Eps)
			for i, v := range row {
				y := (v.F - mean) * rstd
				if affine[0] != nil {
					y *= affine[0][i].F
				}
				if affine[1] != nil {
					y += affine[1][i].F
				}
				row[i] = float(y)
			}
			means[r], rstds[r] = float(mean), float(rstd)
		}
		store(out[0], x)
		store(out[len(out)-1], rstds)
		if centred {
			store(out[1], means)
		}
		return nil
	}
}

func init() {
	register(backend.Table{"layer_norm": rowNorm(true), "rms_norm": rowNorm(false),
		"layer_norm_grad": rowNormGrad(true), "rms_norm_grad": rowNormGrad(false)})
}

func rowNormGrad(centred bool) backend.Kernel {
	return func(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		dims, n := in[1].Shape.Dims(), 1
		for _, d := range dims[len(dims)-a.(attr.RowNorm).Dims:] {
			n *= d
		}
		g, x := load(in[0]), load(in[1])
		stat := 2
		var means, weight []dtype.Scalar
		if centred {
			means = load(in[2])
			stat++
		}
		rstds := load(in[stat])
		if len(in) > stat+1 {
			weight = load(in[stat+1])
		}
		for r, rstd := range rstds {
			h, hat := make([]float64, n), make([]float64, n)
			mean, sum, dot := 0.0, 0.0, 0.0
			if centred {
				mean = means[r].F
			}
			for i := range n {
				h[i], hat[i] = g[r*n+i].F, (x[r*n+i].F-mean)*rstd.F
				if weight != nil {
					h[i] *= weight[i].F
				}
				sum += h[i]
				dot += h[i] * hat[i]
			}
			if !centred {
				sum = 0
			}
			for i := range n {
				x[r*n+i] = float(rstd.F * (h[i] - sum/float64(n) - hat[i]*dot/float64(n)))
			}
		}
		store(out[0], x)
		return nil
	}
}
