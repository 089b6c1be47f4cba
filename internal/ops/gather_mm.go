package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// gather_mm multiplies chosen pairs of matrices and adds each product to a chosen output: out[o[t]] += lhs[l[t]] @ rhs[r[t]].
// With three lists of positions both gradients are of the same form.
var opGatherMM *graph.Op

func init() {
	opGatherMM = graph.Register(graph.Op{Name: "gather_mm", Version: 1, Kind: graph.Contract,
		Inputs: graph.Exactly(5), Validate: rule(validateGatherMM),
		AMP: graph.AMPHalf, SavesIn: 31, FLOPs: productFLOPs,
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: shape.Of("gather_mm", a.(attr.GatherMM).Outs, in[0].Dim(1), in[1].Dim(2)), DType: in[0].DType()}}
		},
		VJP: func(n *Node, cot []*Node, need []bool) []*Node {
			lhs, rhs, l, r, o := n.In(0), n.In(1), n.In(2), n.In(3), n.In(4)
			out := make([]*Node, 5)
			if need[0] {
				out[0] = gatherMM(cot[0], conj(swapLast(rhs)), o, r, l, lhs.Dim(0))
			}
			if need[1] {
				out[1] = gatherMM(conj(swapLast(lhs)), cot[0], l, o, r, rhs.Dim(0))
			}
			return out
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			outs := n.Attr().(attr.GatherMM).Outs
			var sum *Node
			if tan[0] != nil {
				sum = gatherMM(tan[0], n.In(1), n.In(2), n.In(3), n.In(4), outs)
			}
			if tan[1] != nil {
				sum = addMaybe(sum, gatherMM(n.In(0), tan[1], n.In(2), n.In(3), n.In(4), outs))
			}
			return []*Node{sum}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			outs, count := n.Attr().(attr.GatherMM).Outs, n.In(2).Dim(0)
			l := stackedIndex(in[2], batched[2], size, count, n.In(0).Dim(0), batched[0])
			r := stackedIndex(in[3], batched[3], size, count, n.In(1).Dim(0), batched[1])
			o := stackedIndex(in[4], batched[4], size, count, outs, true)
			y := gatherMM(stacked(in[0], batched[0]), stacked(in[1], batched[1]), l, r, o, size*outs)
			return []*Node{Reshape(y, append([]int{size}, n.Shape().Dims()...)...)}
		}})
}

func gatherMM(lhs, rhs, l, r, o *Node, outs int) *Node {
	return apply(opGatherMM, attr.GatherMM{Outs: outs}, lhs, rhs, l, r, o)
}

// stacked puts the stacks of all examples behind each other.
func stacked(x *Node, batched bool) *Node {
	if !batched {
		return x
	}
	d := x.Shape().Dims()
	return Reshape(x, append([]int{d[0] * d[1]}, d[2:]...)...)
}

// stackedIndex is count positions of each of size examples, in a stack of all examples if shift, of which each has stack members.
func stackedIndex(idx *Node, batched bool, size, count, stack int, shift bool) *Node {
	if !batched {
		idx = broadcastTo(idx, shape.Of("gather_mm", size, count))
	}
	if shift {
		idx = shiftRows(idx, stack)
	}
	return Reshape(idx, size*count)
}

// GatherMm multiplies chosen pairs from two stacks of matrices, without copying the chosen ones. Positions count the
// matrices of a stack in row-major order and broadcast against each other; nil means all, in order.
//
//lucid:func
//lucid:optional lhsIndices rhsIndices
func GatherMm(lhs, rhs, lhsIndices, rhsIndices *Node) *Node {
	const op = "gather_mm"
	if lhs.Rank() < 2 || rhs.Rank() < 2 || lhs.Dim(-1) != rhs.Dim(-2) {
		fault.Throw(fault.Shape, op, "%v and %v do not hold matrices that fit; want (…, m, k) and (…, k, n)", lhs.Shape(), rhs.Shape())
	}
	d := resultType(op, lhs, rhs)
	requireKind(op, lhs, d != dtype.Bool, "numbers")
	flat := func(x, idx *Node) (*Node, *Node) {
		x = Cast(x, d)
		lead := slices.Clone(x.Shape().Dims()[:x.Rank()-2])
		n := product(lead)
		if idx == nil {
			idx = Reshape(Arange64(n), lead...)
		} else {
			idx = wrapIndex(op, idx, n)
		}
		return Reshape(x, n, x.Dim(-2), x.Dim(-1)), idx
	}
	a, l := flat(lhs, lhsIndices)
	b, r := flat(rhs, rhsIndices)
	s := shape.Broadcast(op, l.Shape(), r.Shape())
	n := s.Numel()
	l, r = Reshape(broadcastTo(l, s), n), Reshape(broadcastTo(r, s), n)
	y := gatherMM(a, b, l, r, Arange64(n), n)
	return Reshape(y, append(s.Clone(), a.Dim(1), b.Dim(2))...)
}

// BlockMaskedMmOptions says how large the blocks are: nil is 64.
type BlockMaskedMmOptions struct {
	BlockSize *int // rows and columns of a block; nil: 64
}

// BlockMaskedMm multiplies matrices whose blocks are switched off or scaled: a mask has one element for each block of
// the output, of lhs or of rhs. A bool mask keeps or zeroes a block, whatever it holds; numbers multiply it.
//
//lucid:func
//lucid:optional maskOut maskLhs maskRhs
//lucid:amp half
func BlockMaskedMm(lhs, rhs, maskOut, maskLhs, maskRhs *Node, o BlockMaskedMmOptions) *Node {
	size := 64
	if o.BlockSize != nil {
		size = *o.BlockSize
	}
	if size < 1 {
		fault.Throw(fault.Value, "block_masked_mm", "block_size is %d; want at least 1", size)
	}
	if lhs.Rank() < 2 || rhs.Rank() < 2 {
		fault.Throw(fault.Shape, "block_masked_mm", "%v and %v do not hold matrices", lhs.Shape(), rhs.Shape())
	}
	return blockMask(Matmul(blockMask(lhs, maskLhs, size), blockMask(rhs, maskRhs, size)), maskOut, size)
}

// blockMask applies a mask to the blocks of the last two dimensions.
func blockMask(x, mask *Node, size int) *Node {
	if mask == nil {
		return x
	}
	m, n := x.Dim(-2), x.Dim(-1)
	bm, bn := (m+size-1)/size, (n+size-1)/size
	if mask.Rank() < 2 || mask.Dim(-2) != bm || mask.Dim(-1) != bn {
		fault.Throw(fault.Shape, "block_masked_mm", "mask %v does not fit %v in blocks of %d; want (…, %d, %d)", mask.Shape(),
			x.Shape(), size, bm, bn)
	}
	lead, r := mask.Shape().Dims()[:mask.Rank()-2], mask.Rank()
	y := Reshape(mask, slices.Concat(lead, []int{bm, 1, bn, 1})...)
	y = broadcastTo(y, shape.Of("block_masked_mm", slices.Concat(lead, []int{bm, size, bn, size})...))
	y = Reshape(y, slices.Concat(lead, []int{bm * size, bn * size})...)
	y = SliceDim(SliceDim(y, r-2, 0, m, 1), r-1, 0, n, 1)
	if mask.DType() == dtype.Bool {
		return Where(y, x, constLike(x, 0))
	}
	return Mul(x, Cast(y, x.DType()))
}
