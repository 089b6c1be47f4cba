package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
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
	if c.Sums {
		d = dtype.Float32
	}
	x, w := load(in[0]), load(in[1])
	xs, ws := rowMajor(in[0].Shape), rowMajor(in[1].Shape)
	channels, perGroup := in[1].Shape.Dim(1), in[1].Shape.Dim(0)/c.Groups
	spatial := size[2:]
	if last {
		spatial = size[1 : len(size)-1]
	}
	taps, strides := convTaps(c, spatial, in[0].Shape, in[1].Shape), rowMajor(shape.Of("conv", spatial...))
	var res, terms []dtype.Scalar
	pair := make([]dtype.Scalar, 2)
	indices(size, func(at []int) {
		terms = terms[:0]
		n, o, y := at[0], at[1], at[2:]
		if last {
			o, y = at[len(at)-1], at[1:len(at)-1]
		}
		for ch := range channels {
			xo, wo := n*xs[0]+(o/perGroup*channels+ch)*xs[1], o*ws[0]+ch*ws[1]
			for _, t := range taps[offset(y, strides)] {
				pair[0], pair[1] = x[xo+t.x], w[wo+t.w]
				terms = append(terms, prodOf(d, pair))
			}
		}
		res = append(res, sumOf(d, terms))
	})
	return res
}

// convTap is a pair of elements that are multiplied, of the input and of the kernel, as offsets within a channel.
type convTap struct{ x, w int }

// convTaps gives the taps inside the input for each output position: all channels have the same.
func convTaps(c attr.Conv, spatial []int, x, w *shape.Shape) [][]convTap {
	kernel, xs, ws := w.Dims()[2:], rowMajor(x)[2:], rowMajor(w)[2:]
	var all [][]convTap
	indices(spatial, func(y []int) {
		var taps []convTap
		indices(kernel, func(k []int) {
			var t convTap
			for i := range k {
				p, between := y[i]*c.Stride.At(i)+k[i]*c.KernelDilation.At(i)-c.Low.At(i), c.InputDilation.At(i)
				if p < 0 || p%between != 0 || p/between >= x.Dim(2+i) {
					return
				}
				tap := k[i]
				if c.Flip {
					tap = kernel[i] - 1 - tap
				}
				t.x, t.w = t.x+p/between*xs[i], t.w+tap*ws[i]
			}
			taps = append(taps, t)
		})
		all = append(all, taps)
	})
	return all
}
