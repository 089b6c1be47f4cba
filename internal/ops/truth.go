package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

var opAny, opAll, opCountNonzero *graph.Op

func init() {
	opAny = graph.Register(graph.Op{Name: "any", Version: 1, Kind: graph.Reduce,
		Inputs: graph.Exactly(1), Validate: rule(validateReduce),
		Infer: inferReduceTo(dtype.Bool), VMap: vmapReduce, NoGrad: isTest})
	opAll = graph.Register(graph.Op{Name: "all", Version: 1, Kind: graph.Reduce,
		Inputs: graph.Exactly(1), Validate: rule(validateReduce),
		Infer: inferReduceTo(dtype.Bool), VMap: vmapReduce, NoGrad: isTest})
	opCountNonzero = graph.Register(graph.Op{Name: "count_nonzero", Version: 1, Kind: graph.Reduce,
		Inputs: graph.Exactly(1), Validate: rule(validateReduce),
		Infer: inferReduceTo(dtype.Int64), VMap: vmapReduce, NoGrad: "its result is a count"})
}

// asked gives the answer about uint8 as uint8, as PyTorch does; all others as bool.
func asked(op *graph.Op, x *Node, o ReduceOptions) *Node {
	noDType(op.Name, o)
	r := reduce(op, x, o.Dim, o.KeepDim)
	if x.DType() == dtype.Uint8 {
		return Cast(r, dtype.Uint8)
	}
	return r
}

// Any returns whether one element over the dimensions is non-zero; of nothing it is false. For uint8 it is 0 or 1.
//
//lucid:func
//lucid:method Any(dim ...int)
func Any(x *Node, o ReduceOptions) *Node { return asked(opAny, x, o) }

// All returns whether all elements over the dimensions are non-zero; of nothing it is true. For uint8 it is 0 or 1.
//
//lucid:func
//lucid:method All(dim ...int)
func All(x *Node, o ReduceOptions) *Node { return asked(opAll, x, o) }

// DimsOptions says which dimensions to fold: none given means all.
type DimsOptions struct {
	Dim []int // none: all
}

// CountNonzero returns how many elements over the dimensions are not zero, as int64; NaN counts.
//
//lucid:func
//lucid:method CountNonzero(dim ...int)
func CountNonzero(x *Node, o DimsOptions) *Node { return reduce(opCountNonzero, x, o.Dim, false) }
