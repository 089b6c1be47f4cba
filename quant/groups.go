package quant

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
)

// Options are the format of a quantized matrix; the zero value is MLX's default, affine levels of 4 bits in groups of 64.
type Options struct {
	// Mode is affine (the default): scale·level + bias; mxfp4 or mxfp8: floats of 4 or 8 bits times a power of two; or nvfp4: floats
	// of 4 bits times one of 8 bits.
	Mode      string
	Bits      int // of a level: affine has 2, 3, 4, 5, 6 and 8; 0: 8 for mxfp8, else 4
	GroupSize int // affine has 32, 64 and 128; 0: 64 for affine, 16 for nvfp4, else 32
}

func (o Options) op() ops.QuantizedOptions {
	return ops.QuantizedOptions{Mode: o.Mode, Bits: o.Bits, GroupSize: o.GroupSize}
}

// DequantizeOptions are those of DequantizeGroups.
type DequantizeOptions struct {
	Options             // the format
	DType   lucid.DType // of the result; zero: that of the scales, or bfloat16 for the modes of floats
}

// MatMulOptions are those of MatMulGroups and GatherMatMulGroups.
type MatMulOptions struct {
	Options          // the format
	NoTranspose bool // x·w in place of x·wᵀ
	// Fast rounds x to int8, 32 elements with one scale, and multiplies on the integer units. Where there are no kernels for that, the
	// product is exact: they are for one matrix, transposed, of affine levels or mxfp4, on a CPU. On a GPU more than a few rows of
	// float32 are rounded to bfloat16.
	Fast bool

	// LHSIndices and RHSIndices are positions of matrices in the stacks, for GatherMatMulGroups; nil: all, in order.
	LHSIndices, RHSIndices *lucid.Tensor
}

// held are nodes of tensors, referenced until free.
func held(ts ...*lucid.Tensor) (list []*graph.Node, free func()) {
	for _, t := range ts {
		var n *graph.Node
		if t != nil {
			n = (*graph.Array)(t).Acquire()
		}
		list = append(list, n)
	}
	return list, func() {
		for _, n := range list {
			if n != nil {
				n.Unref()
			}
		}
	}
}

func wrap(n *graph.Node) *lucid.Tensor {
	if n == nil {
		return nil
	}
	return (*lucid.Tensor)(door.Wrap(n))
}

// QuantizeGroups returns a matrix of float32, bfloat16 or float16, or a stack of them, as words of packed levels, uint32 of
// (…, rows, columns·bits/32), with a scale for each group of a row, and in affine mode a bias for each. In the other modes scales are
// codes, uint8, and biases is nil. The last dimension is a multiple of 32 and of the group. The bits are those of MLX.
func QuantizeGroups(w *lucid.Tensor, opts ...Options) (packed, scales, biases *lucid.Tensor) {
	o := door.Option("quantize", opts)
	in, free := held(w)
	defer free()
	p, s, b := ops.Quantize(in[0], o.op())
	return wrap(p), wrap(s), wrap(b)
}

// DequantizeGroups returns the values of a quantized matrix. Gradients pass to scales and biases.
func DequantizeGroups(packed, scales, biases *lucid.Tensor, opts ...DequantizeOptions) *lucid.Tensor {
	o := door.Option("dequantize", opts)
	in, free := held(packed, scales, biases)
	defer free()
	return wrap(ops.DequantizeGroups(in[0], in[1], in[2], o.op(), o.DType))
}

// MatMulGroups returns x·wᵀ for a quantized matrix w of (out, in) and x of (…, in), without w's values in memory. A stack of matrices is
// dequantized first. Gradients pass to x, and in affine mode to scales and biases.
func MatMulGroups(x, packed, scales, biases *lucid.Tensor, opts ...MatMulOptions) *lucid.Tensor {
	o := door.Option("quantized_matmul", opts)
	if o.LHSIndices != nil || o.RHSIndices != nil {
		panic(lucid.Errorf(lucid.ErrValue, "quantized_matmul", "indices are given; they are for GatherMatMulGroups"))
	}
	in, free := held(x, packed, scales, biases)
	defer free()
	return wrap(ops.QuantizedMatmul(in[0], in[1], in[2], in[3], o.op(), o.NoTranspose, o.Fast))
}

// GatherMatMulGroups multiplies chosen matrices of x, (…, m, in), with chosen ones of a stack of quantized matrices, (…, out, in): the
// experts of a layer, say. Positions count the matrices of a stack in row-major order and broadcast against each other.
func GatherMatMulGroups(x, packed, scales, biases *lucid.Tensor, opts ...MatMulOptions) *lucid.Tensor {
	o := door.Option("gather_qmm", opts)
	in, free := held(x, packed, scales, biases, o.LHSIndices, o.RHSIndices)
	defer free()
	return wrap(ops.GatherQuantizedMatmul(in[0], in[1], in[2], in[3], in[4], in[5], o.op(), o.NoTranspose))
}
