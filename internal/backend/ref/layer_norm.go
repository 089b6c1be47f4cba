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

func init() { register(backend.Table{"layer_norm": rowNorm(true), "rms_norm": rowNorm(false)}) }
