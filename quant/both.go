package quant

import (
	"sync"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// BothOptions are those of MatMulBoth and GatherMatMulBoth.
type BothOptions struct {
	Options // the format of both operands; the zero Mode is nvfp4

	// LHSIndices and RHSIndices are positions of matrices in the stacks, for GatherMatMulBoth; nil: all, in order.
	LHSIndices, RHSIndices *lucid.Tensor
}

// format checks the mode.
func (o BothOptions) format(op string) Options {
	switch o.Mode {
	case "":
		o.Mode = "nvfp4"
	case "nvfp4", "mxfp8", "mxfp4":
	default:
		panic(lucid.Errorf(lucid.ErrValue, op, "the mode %q; want nvfp4, mxfp8 or mxfp4", o.Mode))
	}
	return o.Options
}

// rounders are functions that round to a format, by format.
var rounders sync.Map

// rounded is the nearest value of a format for each element. Gradients pass as if it were x.
func rounded(x *lucid.Tensor, o Options) *lucid.Tensor {
	f, ok := rounders.Load(o)
	if !ok {
		f, _ = rounders.LoadOrStore(o, lucid.Custom(lucid.CustomFunc{Name: "quant.rounded",
			Forward: func(in []*lucid.Tensor) []*lucid.Tensor {
				rows := in[0]
				if rows.Dim() == 1 {
					rows = rows.Unsqueeze(0)
				}
				packed, scales, _ := QuantizeGroups(rows, o)
				y := DequantizeGroups(packed, scales, nil, DequantizeOptions{o, in[0].DType()})
				return []*lucid.Tensor{y.Reshape(in[0].Shape()...)}
			},
			VJP: func(_, _, cot []*lucid.Tensor) []*lucid.Tensor { return cot },
			JVP: func(_, tan []*lucid.Tensor) []*lucid.Tensor { return tan },
		}))
	}
	return f.(func(in ...*lucid.Tensor) []*lucid.Tensor)(x)[0]
}

// checkBoth refuses operands that are none.
func checkBoth(op string, x, w, scales *lucid.Tensor) {
	if !x.DType().IsFloat() || x.DType() == lucid.Float64 {
		panic(lucid.Errorf(lucid.ErrDType, op, "x is %v; want float32, bfloat16 or float16", x.DType()))
	}
	if (scales != nil) != (w.DType() == lucid.Uint32) {
		panic(lucid.Errorf(lucid.ErrValue, op, "w is %v, scales given: %v; a quantized w is uint32 and has scales, another has none",
			w.DType(), scales != nil))
	}
}

// operands returns the values that are multiplied, in float32.
func (o Options) operands(op string, x, w, scales *lucid.Tensor) (a, b *lucid.Tensor) {
	checkBoth(op, x, w, scales)
	if scales == nil {
		w = rounded(w, o).To(lucid.Float32)
	} else {
		w = DequantizeGroups(w, scales, nil, DequantizeOptions{o, lucid.Float32})
	}
	return rounded(x, o).To(lucid.Float32), w
}

// MatMulBoth returns x·wᵀ with both operands in a format of small floats, as MLX's qqmm: x of (…, in) is quantized for the product, and
// so is w of (out, in) unless it is packed already, with scales. Sums are float32, the result has the dtype of x. Gradients pass to x
// and to a w that is not packed as if nothing had been rounded.
func MatMulBoth(x, w, scales *lucid.Tensor, opts ...BothOptions) *lucid.Tensor {
	const op = "qqmm"
	o := door.Option(op, opts)
	if o.LHSIndices != nil || o.RHSIndices != nil {
		panic(lucid.Errorf(lucid.ErrValue, op, "indices are given; they are for GatherMatMulBoth"))
	}
	f := o.format(op)
	if scales != nil && w.Dim() == 2 { // w stays packed
		checkBoth(op, x, w, scales)
		return MatMulGroups(rounded(x, f).To(lucid.Float32), w, scales, nil, MatMulOptions{Options: f}).To(x.DType())
	}
	a, b := f.operands(op, x, w, scales)
	return a.MatMul(b.Transpose(-1, -2)).To(x.DType())
}

// GatherMatMulBoth is MatMulBoth of chosen matrices of x, (…, m, in), with chosen ones of a stack w, (…, out, in).
func GatherMatMulBoth(x, w, scales *lucid.Tensor, opts ...BothOptions) *lucid.Tensor {
	const op = "gather_qqmm"
	o := door.Option(op, opts)
	a, b := o.format(op).operands(op, x, w, scales)
	indices := lucid.GatherMmOptions{LHSIndices: o.LHSIndices, RHSIndices: o.RHSIndices}
	return lucid.GatherMm(a, b.Transpose(-1, -2), indices).To(x.DType())
}
