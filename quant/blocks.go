package quant

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/ops"
)

// BlockOptions say how MatMulBlocks multiplies; the zero value is the exact way.
type BlockOptions struct {
	// Fast rounds x to int8, 32 elements with one scale, and multiplies on the integer units; for rows of bfloat16 it rounds x to bfloat16.
	// Where there are no kernels for that, and for float16, the product is exact.
	Fast bool
}

// QuantizeBlocks returns rows of a matrix in a block format of GGUF files, such as "q8_0", "q4_0", "q5_0", "q4_k" or "q6_k": uint8 of
// (rows, bytes of a row). Rows are whole blocks: multiples of 32 elements, of 256 for the K formats. The matrix is evaluated.
func QuantizeBlocks(w *lucid.Tensor, format string) *lucid.Tensor {
	if w.Dim() != 2 {
		panic(lucid.Errorf(lucid.ErrShapeMismatch, "quantize_blocks", "a tensor of shape %v; want a matrix", w.Shape()))
	}
	data := ops.QuantizeBlocks(lucid.ToSlice[float32](w.To(lucid.Float32)), w.Size(1), format)
	return lucid.With{Device: w.Device()}.New(data, w.Size(0), len(data)/max(1, w.Size(0)))
}

// DequantizeBlocks returns the float32 values of rows of blocks.
func DequantizeBlocks(w *lucid.Tensor, format string) *lucid.Tensor {
	in, free := held(w)
	defer free()
	return wrap(ops.BlockDequantize(in[0], ops.BlockFormat("dequantize_blocks", format)))
}

// MatMulBlocks returns x·wᵀ for float32 x of (…, in) and rows of blocks, without their values in memory. A row of x gives the same
// bits alone and with others, for any number of threads. Gradients pass to x.
func MatMulBlocks(x, w *lucid.Tensor, format string, opts ...BlockOptions) *lucid.Tensor {
	o := door.Option("block_matmul", opts)
	in, free := held(x, w)
	defer free()
	return wrap(ops.BlockMatmul(in[0], in[1], ops.BlockFormat("block_matmul", format), o.Fast))
}
