package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/ggml"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// gather_block_matmul multiplies chosen rows of x, (rows, elements), with chosen matrices of a stack whose rows are blocks,
// (matrices·rows of a matrix, bytes of a row): out[t] = x[l[t]]·w[r[t]]ᵀ. Matrices that are not chosen are not read.
var opGatherBlock *graph.Op

func init() {
	opGatherBlock = graph.Register(graph.Op{Name: "gather_block_matmul", Version: 1, Kind: graph.Contract,
		Inputs: graph.Exactly(4), SavesIn: 14, FLOPs: productFLOPs, Validate: rule(validateGatherBlock),
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			n := in[1].Dim(0) / a.(attr.GatherBlock).Stack
			return []graph.Spec{{Shape: shape.Of("gather_block_matmul", in[2].Dim(0), n), DType: dtype.Float32}}
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			out := make([]*Node, 4)
			if need[0] {
				a, x, w := n.Attr().(attr.GatherBlock), n.In(0), n.In(1)
				all := graph.New(opBlockDequantize, attr.Block{Type: a.Type}, w)
				all = Reshape(all, a.Stack, w.Dim(0)/a.Stack, x.Dim(1))
				count := n.Dim(0)
				y := gatherMM(Reshape(cot[0], count, 1, n.Dim(1)), all, Arange64(count), n.In(3), n.In(2), x.Dim(0))
				out[0] = Reshape(y, x.Dim(0), x.Dim(1))
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			if tan[0] == nil {
				return []*Node{nil}
			}
			a := n.Attr().(attr.GatherBlock)
			a.Fast = false
			return []*Node{graph.New(opGatherBlock, a, tan[0], n.In(1), n.In(2), n.In(3))}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			a, count := n.Attr().(attr.GatherBlock), n.In(2).Dim(0)
			l := stackedIndex(in[2], batched[2], size, count, n.In(0).Dim(0), batched[0])
			r := stackedIndex(in[3], batched[3], size, count, a.Stack, batched[1])
			if batched[1] {
				a.Stack *= size
			}
			y := graph.New(opGatherBlock, a, stacked(in[0], batched[0]), stacked(in[1], batched[1]), l, r)
			return []*Node{Reshape(y, size, count, n.Dim(1))}
		}})
}

func validateGatherBlock(c check) {
	a, x, w := attrOf[attr.GatherBlock](c), c.in[0], c.in[1]
	c.must(a.Type >= 0 && ggml.Type(a.Type).Known() && ggml.Type(a.Type).CanDequantize(), "the block format %d", a.Type)
	t := ggml.Type(a.Type)
	c.must(w.DType() == dtype.Uint8 && w.Rank() == 2 && w.Dim(1)%t.BlockBytes() == 0 && w.Dim(1)/t.BlockBytes() <= most/t.BlockSize(),
		"%v bytes of type %v in blocks of %d", w.Shape(), w.DType(), t.BlockBytes())
	c.must(a.Stack >= 1 && w.Dim(0)%a.Stack == 0, "%d matrices of %d rows", a.Stack, w.Dim(0))
	c.must(x.DType() == dtype.Float32 && x.Rank() == 2 && x.Dim(1) == w.Dim(1)/t.BlockBytes()*t.BlockSize(),
		"rows of %v %v with those of %d bytes", x.DType(), x.Shape(), w.Dim(1))
	for _, p := range c.in[2:] {
		c.indices(p)
		c.must(p.Rank() == 1 && p.Shape().Equal(c.in[2].Shape()), "positions of shape %v", p.Shape())
	}
}

// GatherBlockMatmul multiplies rows of x, float32 of (…, elements), with matrices of a stack, uint8 of (matrices, rows, bytes), in a block
// format. Positions count the rows of x, and the matrices; they broadcast against each other. The result has their shape, and a dimension
// for the rows of a matrix. fast allows x to be rounded to int8.
func GatherBlockMatmul(x, w, lhsIndices, rhsIndices *Node, t ggml.Type, fast bool) *Node {
	const op = "gather_block_matmul"
	if w.Rank() != 3 || w.Dim(0) == 0 {
		fault.Throw(fault.Shape, op, "the weight has shape %v; want a stack of (matrices, rows, bytes)", w.Shape())
	}
	stack := w.Dim(0)
	w = Reshape(w, stack*w.Dim(1), w.Dim(2))
	checkBlocks(op, w, t)
	k := blockElements(attr.Block{Type: int(t)}, w.Dim(1))
	if x.DType() != dtype.Float32 {
		fault.Throw(fault.DType, op, "x is %v; want float32", x.DType())
	}
	if x.Rank() < 1 || x.Dim(-1) != k {
		fault.Throw(fault.Shape, op, "x has shape %v; want rows of %d elements", x.Shape(), k)
	}
	x = foldRows(x)
	l, r := wrapIndex(op, lhsIndices, x.Dim(0)), wrapIndex(op, rhsIndices, stack)
	s := shape.Broadcast(op, l.Shape(), r.Shape())
	n := s.Numel()
	y := apply(opGatherBlock, attr.GatherBlock{Type: int(t), Fast: fast, Stack: stack}, x, w,
		Reshape(broadcastTo(l, s), n), Reshape(broadcastTo(r, s), n))
	return Reshape(y, slices.Concat(s.Clone(), []int{y.Dim(1)})...)
}
