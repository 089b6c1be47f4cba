package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() { register(backend.Table{"conv": conv(false), "conv_last": conv(true)}) }

// conv stores a convolution, its channels last or not.
func conv(last bool) backend.Kernel {
	return func(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
		res := convolve(a.(attr.Conv), out[0].Shape.Dims(), last, in)
		store(out[0], res)
		return nil
	}
}

// convolve computes each output from its definition.
func convolve(c attr.Conv, size []int, last bool, in []backend.View) []dtype.Scalar {
	d := in[0].DType
	x, w := load(in[0]), load(in[1])
	xs, ws := rowMajor(in[0].Shape), rowMajor(in[1].Shape)
	channels, perGroup := in[1].Shape.Dim(1), in[1].Shape.Dim(0)/c.Groups
	kernel := in[1].Shape.Dims()[2:]
	var res, terms []dtype.Scalar
	pair := make([]dtype.Scalar, 2)
	indices(size, func(at []int) {
		terms = terms[:0]
		n, o, y := at[0], at[1], at[2:]
		if last {
			o, y = at[len(at)-1], at[1:len(at)-1]
		}
		for ch := range channels {
			indices(kernel, func(k []int) {
				xo, wo := n*xs[0]+(o/perGroup*channels+ch)*xs[1], o*ws[0]+ch*ws[1]
				for i := range k {
					p, between := y[i]*c.Stride.At(i)+k[i]*c.KernelDilation.At(i)-c.Low.At(i), c.InputDilation.At(i)
					if p < 0 || p%between != 0 || p/between >= in[0].Shape.Dim(2+i) {
						return
					}
					tap := k[i]
					if c.Flip {
						tap = kernel[i] - 1 - tap
					}
					xo, wo = xo+p/between*xs[2+i], wo+tap*ws[2+i]
				}
				pair[0], pair[1] = x[xo], w[wo]
				terms = append(terms, prodOf(d, pair))
			})
		}
		res = append(res, sumOf(d, terms))
	})
	return res
}
