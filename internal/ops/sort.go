package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opArgsort, opSort, opTopk, opLexsort, opArgpartition *graph.Op

func init() {
	opArgsort = graph.Register(graph.Op{Name: "argsort", Version: 1, Kind: graph.RowWise,
		Inputs: graph.Exactly(1), Validate: rule(validateSort),
		NoGrad: isIndex,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: dtype.Int64}}
		},
		VMap: func(n *Node, in []*Node, _ []bool, _ int) []*Node {
			s := n.Attr().(attr.Sort)
			s.Axis++
			return []*Node{graph.New(opArgsort, s, in[0])}
		}})
	// argpartition gives indices in three parts: what sorting would put before index K, the one at K, and what it would put
	// behind; the first and the last part in the order of indices.
	opArgpartition = graph.Register(graph.Op{Name: "argpartition", Version: 1, Kind: graph.RowWise,
		Inputs: graph.Exactly(1), Validate: rule(validateArgpartition),
		NoGrad: isIndex,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: dtype.Int64}}
		},
		VMap: func(n *Node, in []*Node, _ []bool, _ int) []*Node {
			t := n.Attr().(attr.TopK)
			t.Axis++
			return []*Node{graph.New(opArgpartition, t, in[0])}
		}})
	opSort = pickOp("sort", validateSort, func(a attr.Attr) (int, int) { return a.(attr.Sort).Axis, -1 }, func(a attr.Attr) attr.Attr {
		s := a.(attr.Sort)
		s.Axis++
		return s
	})
	opTopk = pickOp("topk", validateTopK, func(a attr.Attr) (int, int) { return a.(attr.TopK).Axis, a.(attr.TopK).K },
		func(a attr.Attr) attr.Attr {
			t := a.(attr.TopK)
			t.Axis++
			return t
		})
	opLexsort = graph.Register(graph.Op{Name: "lexsort", Version: 1, Kind: graph.RowWise,
		Inputs: graph.Exactly(1), Validate: rule(validateLexsort),
		NoGrad: isIndex,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			d := in[0].Shape().Dims()
			return []graph.Spec{{Shape: shape.Of("lexsort", d[:len(d)-1]...), DType: dtype.Int64}}
		},
		VMap: func(n *Node, in []*Node, _ []bool, _ int) []*Node { return []*Node{graph.New(opLexsort, nil, in[0])} }})
}

// pickOp declares an op that moves elements along one dimension and says where they came from: two outputs, of which
// the second leads the gradient back. where gives the axis and its new size, -1 if it stays.
func pickOp(name string, valid func(c check), where func(attr.Attr) (axis, size int), batch func(attr.Attr) attr.Attr) *graph.Op {
	var op *graph.Op
	op = graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.RowWise,
		Inputs: graph.Exactly(1), Validate: rule(valid),
		SavesOut: true,
		Infer: func(a attr.Attr, in []*Node) []graph.Spec {
			s := in[0].Shape()
			if axis, size := where(a); size >= 0 {
				d := s.Clone()
				d[axis] = size
				s = shape.Of(name, d...)
			}
			return []graph.Spec{{Shape: s, DType: in[0].DType()}, {Shape: s, DType: dtype.Int64}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node {
			if cot[0] == nil {
				return []*Node{nil}
			}
			axis, _ := where(n.Attr())
			return []*Node{scatter(zerosLike(n.In(0)), graph.TupleItem(n, 1), cot[0], axis, attr.ReduceAdd)}
		},
		JVP: func(n *Node, tan []*Node) []*Node {
			axis, _ := where(n.Attr())
			return []*Node{gather(tan[0], graph.TupleItem(n, 1), axis), nil}
		},
		VMap: func(n *Node, in []*Node, _ []bool, _ int) []*Node {
			return graph.TupleItems(graph.New(op, batch(n.Attr()), in[0]))
		}})
	return op
}

// SortOptions says along which dimension (nil: the last) and in which order to sort.
type SortOptions struct {
	Dim        *int // nil: the last
	Descending bool // largest first
	Stable     bool // the order of equal elements always stays
}

func dimOr(op string, dim *int, x *Node, def int) int {
	if dim != nil {
		def = *dim
	}
	return shape.Axis(op, def, x.Rank())
}

// Argsort returns the positions that sort x; equal elements keep their order, NaN counts as the largest.
//
//lucid:func ArgSort
//lucid:method ArgSort(dim int)
func Argsort(x *Node, o SortOptions) *Node {
	requireOrder("argsort", x)
	axis := dimOr("argsort", o.Dim, x, -1)
	if x.Rank() == 0 {
		return Cast(zerosLike(x), dtype.Int64)
	}
	return apply(opArgsort, attr.Sort{Axis: axis, Descending: o.Descending}, x)
}

// Sort returns the elements in order, and their positions; equal elements keep their order, NaN counts as the largest.
//
//lucid:func
//lucid:method Sort(dim int)
func Sort(x *Node, o SortOptions) (values, indices *Node) {
	requireOrder("sort", x)
	axis := dimOr("sort", o.Dim, x, -1)
	if x.Rank() == 0 {
		return x, Cast(zerosLike(x), dtype.Int64)
	}
	n := apply(opSort, attr.Sort{Axis: axis, Descending: o.Descending}, x)
	return graph.TupleItem(n, 0), graph.TupleItem(n, 1)
}

// Msort returns the elements in order along the first dimension.
//
//lucid:func
//lucid:method
func Msort(x *Node) *Node {
	first := 0
	v, indices := Sort(x, SortOptions{Dim: &first})
	giveUp(indices)
	return v
}

// DimOptions says along which dimension to work; nil means the last.
type DimOptions struct {
	Dim *int // nil: the last
}

// partition returns the axis and the indices of a partition around kth; indices is nil for a tensor without dimensions.
func partition(op string, x *Node, kth int, o DimOptions) (axis int, indices *Node) {
	requireOrder(op, x)
	axis = dimOr(op, o.Dim, x, -1)
	n := 1
	if x.Rank() > 0 {
		n = x.Dim(axis)
	}
	if kth < -n || kth >= n {
		fault.Throw(fault.Index, op, "kth is %d; dim %d of %v has %d elements", kth, axis, x.Shape(), n)
	}
	if x.Rank() == 0 {
		return 0, nil
	}
	if kth < 0 {
		kth += n
	}
	return axis, graph.New(opArgpartition, attr.TopK{Axis: axis, K: kth, Smallest: true}, x)
}

// Partition returns the elements along a dimension such that the one at kth is where sorting would put it, none
// before it is larger and none behind it smaller. Within the two parts elements keep their order; NaN counts as the largest.
//
//lucid:func
func Partition(x *Node, kth int, o DimOptions) *Node {
	axis, indices := partition("partition", x, kth, o)
	if indices == nil {
		return x
	}
	return gather(x, indices, axis)
}

// Argpartition returns the positions that partition x around kth.
//
//lucid:func ArgPartition
//lucid:nograd its result is a position
func Argpartition(x *Node, kth int, o DimOptions) *Node {
	_, indices := partition("argpartition", x, kth, o)
	if indices == nil {
		return Cast(zerosLike(x), dtype.Int64)
	}
	return indices
}

// TopKOptions says where and what to look for; the zero value asks for the largest along the last dimension, in order.
type TopKOptions struct {
	Dim      *int // nil: the last
	Smallest bool `lucid:"largest,not"` // the smallest instead of the largest (largest=False)
	Unsorted bool `lucid:"sorted,not"`  // in any order (sorted=False)
}

// Topk returns the k largest elements along a dimension, in order, and their positions. NaN counts as the largest; of
// equal elements the first come first.
//
//lucid:func TopK
//lucid:method TopK(k int)
func Topk(x *Node, k int, o TopKOptions) (values, indices *Node) {
	requireOrder("topk", x)
	axis := dimOr("topk", o.Dim, x, -1)
	if x.Rank() == 0 {
		if k < 0 || k > 1 {
			fault.Throw(fault.Value, "topk", "k is %d; the tensor has 1 element", k)
		}
		return x, Cast(zerosLike(x), dtype.Int64)
	}
	if k < 0 || k > x.Dim(axis) {
		fault.Throw(fault.Value, "topk", "k is %d; dim %d of %v has %d elements", k, axis, x.Shape(), x.Dim(axis))
	}
	n := apply(opTopk, attr.TopK{Axis: axis, K: k, Smallest: o.Smallest}, x)
	return graph.TupleItem(n, 0), graph.TupleItem(n, 1)
}
