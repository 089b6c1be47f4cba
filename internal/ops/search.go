package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opSearchsorted *graph.Op

func init() {
	// The sequence is [n] for all values, or [rows…, n] for values [rows…, m].
	opSearchsorted = graph.Register(graph.Op{Name: "searchsorted", Version: 1, Kind: graph.Other,
		Inputs: graph.Exactly(2), Validate: rule(validateSearchsorted),
		NoGrad: isIndex,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[1].Shape(), DType: dtype.Int64}}
		},
		VMap: func(n *Node, in []*Node, batched []bool, size int) []*Node {
			if !batched[0] && n.In(0).Rank() == 1 {
				return []*Node{graph.New(opSearchsorted, n.Attr(), in...)}
			}
			b := allBatched(n, in, batched, size)
			if n.In(0).Rank() > 1 {
				return []*Node{graph.New(opSearchsorted, n.Attr(), b...)}
			}
			v := reshapeTo(b[1], shape.Of("searchsorted", size, n.In(1).Shape().Numel()))
			return []*Node{reshapeTo(graph.New(opSearchsorted, n.Attr(), b[0], v), b[1].Shape())}
		}})
}

// SearchOptions says on which side of equal elements to stand (Side "right" is Right) and whether to answer in int32.
type SearchOptions struct {
	Right    bool   // behind equal elements, not in front
	Side     string // "left" (also by "") or "right", which is Right
	OutInt32 bool   `lucid:"out_int32"` // indices are int32 instead of int64
}

// Searchsorted returns where each value would go in a sorted sequence: before equal elements, or behind them with
// Right. NaN goes to the end. A sequence of several dimensions has a row for each row of values. sorter, which may be
// nil, is an order that sorts the sequence.
//
//lucid:func SearchSorted
//lucid:optional sorter
func Searchsorted(sortedSequence *Node, input Operand, sorter *Node, o SearchOptions) *Node {
	right := o.Right
	switch o.Side {
	case "", "left":
		if o.Side == "left" && right {
			fault.Throw(fault.Value, "searchsorted", "side is \"left\" and right is true; give one")
		}
	case "right":
		right = true
	default:
		fault.Throw(fault.Value, "searchsorted", "side is %q; want \"left\" or \"right\"", o.Side)
	}
	seq := sortedSequence
	if sorter != nil {
		if !sorter.Shape().Equal(seq.Shape()) {
			fault.Throw(fault.Shape, "searchsorted", "sorter has shape %v, the sequence %v; want the same", sorter.Shape(), seq.Shape())
		}
		seq = gather(seq, wrapIndex("searchsorted", sorter, seq.Dim(-1)), seq.Rank()-1)
	}
	return search("searchsorted", seq, input, right, o.OutInt32)
}

// BucketOptions says whether a bucket holds its lower boundary, not its upper one, and whether to answer in int32.
type BucketOptions struct {
	Right    bool // a bucket holds its lower boundary, not its upper one
	OutInt32 bool `lucid:"out_int32"` // indices are int32 instead of int64
}

// Bucketize returns the number of the bucket between boundaries of each value; a value on a boundary
// belongs to the bucket below it, or above it with Right.
//
//lucid:func
//lucid:nograd its result is a position
func Bucketize(x Operand, boundaries *Node, o BucketOptions) *Node {
	if boundaries.Rank() != 1 {
		fault.Throw(fault.Shape, "bucketize", "boundaries have shape %v; want a vector", boundaries.Shape())
	}
	return search("bucketize", boundaries, x, o.Right, o.OutInt32)
}

func search(op string, seq *Node, x Operand, right, small bool) *Node {
	d := resultType(op, seq, x)
	v := as(op, x, d)
	if v.IsConst() {
		v = broadcastTo(reshapeTo(v, shape.Of(op, 1)), shape.Of(op, 1))
		v = reshapeTo(v, shape.Scalar)
	}
	seq = Cast(seq, d)
	requireOrder(op, seq)
	if seq.Rank() == 0 {
		fault.Throw(fault.Shape, op, "the sequence is 0-d; want at least one dim")
	}
	if seq.Rank() > 1 {
		ok := seq.Rank() == v.Rank()
		for i := 0; ok && i < seq.Rank()-1; i++ {
			ok = seq.Dim(i) == v.Dim(i)
		}
		if !ok {
			fault.Throw(fault.Shape, op, "a sequence of shape %v and values of shape %v; want a vector, or the same dims but for the last",
				seq.Shape(), v.Shape())
		}
	}
	r := graph.New(opSearchsorted, attr.Search{Right: right}, seq, v)
	if small {
		return Cast(r, dtype.Int32)
	}
	return r
}
