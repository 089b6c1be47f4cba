package ops

import (
	"strings"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// Rows of weights in a block format of GGUF files stay bytes, (rows, bytes of a row) of uint8. block_dequantize gives their
// float32 values, (rows, elements). block_matmul is x·wᵀ for x of (rows of x, elements), without the whole dequantised matrix in
// memory. Its value is that of the product with the dequantised matrix; with attr.Block.Fast a device may round x to int8, 32
// elements with one scale, or to bfloat16 for weights of it.
var opBlockDequantize, opBlockMatmul *graph.Op

func init() {
	opBlockDequantize = graph.Register(graph.Op{Name: "block_dequantize", Version: 1, Kind: graph.Other,
		Inputs: graph.Exactly(1), Validate: rule(func(c check) {
			c.blocks(c.in[0])
			c.must(!attrOf[attr.Block](c).Fast, "values that are rounded")
		}), NoGrad: "its input is bytes",
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			s := shape.Of("block_dequantize", in[0].Dim(0), blockElements(a, in[0].Dim(1)))
			return []graph.Spec{{Shape: s, DType: dtype.Float32}}
		},
		VMap: func(n *Node, in []*Node, _ []bool, size int) []*Node {
			y := graph.New(opBlockDequantize, n.Attr(), Reshape(in[0], size*n.In(0).Dim(0), n.In(0).Dim(1)))
			return []*Node{Reshape(y, size, n.Dim(0), n.Dim(1))}
		}})
	opBlockMatmul = graph.Register(graph.Op{Name: "block_matmul", Version: 1, Kind: graph.Contract,
		Inputs: graph.Exactly(2), SavesIn: 2, FLOPs: productFLOPs, Validate: rule(func(c check) {
			c.blocks(c.in[1])
			x := c.in[0]
			c.must(x.DType() == dtype.Float32 && x.Rank() == 2 && x.Dim(1) == blockElements(c.a, c.in[1].Dim(1)),
				"rows of %v %v with those of %d bytes", x.DType(), x.Shape(), c.in[1].Dim(1))
		}),
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: shape.Of("block_matmul", in[0].Dim(0), in[1].Dim(0)), DType: dtype.Float32}}
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			out := make([]*Node, 2)
			if need[0] {
				out[0] = Matmul(cot[0], graph.New(opBlockDequantize, attr.Block{Type: n.Attr().(attr.Block).Type}, n.In(1)))
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			if tan[0] == nil {
				return []*Node{nil}
			}
			exact := attr.Block{Type: n.Attr().(attr.Block).Type}
			return []*Node{graph.New(opBlockMatmul, exact, tan[0], n.In(1))}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			m, k := n.In(0).Dim(0), n.In(0).Dim(1)
			if !batched[1] {
				y := graph.New(opBlockMatmul, n.Attr(), Reshape(in[0], size*m, k), in[1])
				return []*Node{Reshape(y, size, m, n.Dim(1))}
			}
			w := n.In(1)
			all := graph.New(opBlockDequantize, attr.Block{Type: n.Attr().(attr.Block).Type}, Reshape(in[1], size*w.Dim(0), w.Dim(1)))
			return []*Node{Matmul(in[0], swapLast(Reshape(all, size, w.Dim(0), k)))}
		}})
}

// blocks refuses what is no rows of whole blocks of a format that can be dequantised.
func (c check) blocks(w *Node) {
	t := ggml.Type(attrOf[attr.Block](c).Type)
	c.must(attrOf[attr.Block](c).Type >= 0 && t.Known() && t.CanDequantize(), "the block format %d", t)
	c.must(w.DType() == dtype.Uint8 && w.Rank() == 2 && w.Dim(1)%t.BlockBytes() == 0, "%v bytes of type %v in blocks of %d",
		w.Shape(), w.DType(), t.BlockBytes())
	c.must(w.Dim(1)/t.BlockBytes() <= most/t.BlockSize(), "rows of %d bytes", w.Dim(1))
}

// blockElements is how many elements a row of so many bytes has.
func blockElements(a attr.Attr, bytes int) int {
	t := ggml.Type(a.(attr.Block).Type)
	return bytes / t.BlockBytes() * t.BlockSize()
}

// checkBlocks is blocks for programs.
func checkBlocks(op string, w *Node, t ggml.Type) {
	if !t.Known() || !t.CanDequantize() {
		fault.Throw(fault.DType, op, "the block format %v cannot be dequantised", t)
	}
	if w.DType() != dtype.Uint8 || w.Rank() != 2 || w.Dim(1)%t.BlockBytes() != 0 {
		fault.Throw(fault.Shape, op, "the weight is %v of shape %v; want uint8 of (rows, bytes), blocks of %d bytes",
			w.DType(), w.Shape(), t.BlockBytes())
	}
}

// BlockDequantize returns rows of blocks as float32.
func BlockDequantize(w *Node, t ggml.Type) *Node {
	checkBlocks("block_dequantize", w, t)
	return apply(opBlockDequantize, attr.Block{Type: int(t)}, w)
}

// BlockMatmul returns x·wᵀ for float32 x of (…, elements) and rows of blocks w. fast allows x to be rounded.
func BlockMatmul(x, w *Node, t ggml.Type, fast bool) *Node {
	const op = "block_matmul"
	checkBlocks(op, w, t)
	a := attr.Block{Type: int(t), Fast: fast}
	k := blockElements(a, w.Dim(1))
	if x.DType() != dtype.Float32 {
		fault.Throw(fault.DType, op, "x is %v; want float32", x.DType())
	}
	if x.Rank() < 1 || x.Dim(-1) != k {
		fault.Throw(fault.Shape, op, "x has shape %v; want rows of %d elements", x.Shape(), k)
	}
	lead := x.Shape().Clone()[:x.Rank()-1]
	rows := 1
	for _, n := range lead {
		rows *= n
	}
	return Reshape(apply(opBlockMatmul, a, Reshape(x, rows, k), w), append(lead, w.Dim(0))...)
}

// BlockFormat returns the block format of that name, in any case.
func BlockFormat(op, name string) ggml.Type {
	t, ok := ggml.Parse(strings.ToUpper(name))
	if !ok || !t.CanDequantize() {
		fault.Throw(fault.Value, op, "the block format %q; want one of GGUF files, such as q8_0, q4_0, q5_0, q4_k or q6_k", name)
	}
	return t
}

// QuantizeBlocks returns rows of k elements in a block format.
func QuantizeBlocks(values []float32, k int, name string) []byte {
	const op = "quantize_blocks"
	t := BlockFormat(op, name)
	if !t.CanQuantize() {
		fault.Throw(fault.NotImplemented, op, "no conversion to %v; try q8_0, q4_0, q5_0, q4_k or q6_k", t)
	}
	if k == 0 || k%t.BlockSize() != 0 {
		fault.Throw(fault.Shape, op, "rows of %d elements; %v has blocks of %d", k, t, t.BlockSize())
	}
	dst := make([]byte, len(values)/t.BlockSize()*t.BlockBytes())
	ggml.Quantize(t, dst, values)
	return dst
}
