package quant

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/ops"
)

// GatherMatMulBlocks multiplies chosen rows of x, float32 of (…, in), with chosen matrices of a stack in a block format, uint8 of
// (matrices, out, bytes of a row), transposed: the experts of a layer, say. rows counts the rows of x in row-major order, which the
// matrices; they broadcast against each other, and the result has their shape and a dimension of out elements. Matrices that are not
// chosen are not read, and none is copied. Gradients pass to x.
func GatherMatMulBlocks(x, w, rows, which *lucid.Tensor, format string, opts ...BlockOptions) *lucid.Tensor {
	const op = "gather_block_matmul"
	o := door.Option(op, opts)
	in, free := held(x, w, rows, which)
	defer free()
	return wrap(ops.GatherBlockMatmul(in[0], in[1], in[2], in[3], ops.BlockFormat(op, format), o.Fast))
}
