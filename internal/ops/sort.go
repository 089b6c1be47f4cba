package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opArgsort *graph.Op

func init() {
	opArgsort = graph.Register(graph.Op{Name: "argsort", Version: 1, Kind: graph.RowWise, NoGrad: "its result is a position",
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: dtype.Int64}}
		},
		VMap: func(n *Node, in []*Node, _ []bool, _ int) []*Node {
			s := n.Attr().(attr.Sort)
			s.Axis++
			return []*Node{graph.New(opArgsort, s, in[0])}
		}})
}

// SortOptions says along which dimension (nil: the last) and in which order to sort.
type SortOptions struct {
	Dim        *int
	Descending bool
	Stable     bool // the order of equal elements is always kept
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
	requireKind("argsort", x, !x.DType().IsComplex(), "numbers with an order")
	axis := dimOr("argsort", o.Dim, x, -1)
	if x.Rank() == 0 {
		return Cast(zerosLike(x), dtype.Int64)
	}
	return apply(opArgsort, attr.Sort{Axis: axis, Descending: o.Descending}, x)
}

// Sort returns the elements in order, and their positions.
//
//lucid:func
//lucid:method Sort(dim int)
func Sort(x *Node, o SortOptions) (values, indices *Node) {
	axis := dimOr("sort", o.Dim, x, -1)
	idx := Argsort(x, o)
	if x.Rank() == 0 {
		return x, idx
	}
	return gather(x, idx, axis), idx
}

// TopkOptions says where and what to look for; the zero value asks for the largest along the last dimension, in order.
type TopkOptions struct {
	Dim      *int
	Smallest bool `lucid:"largest,not"`
	Unsorted bool `lucid:"sorted,not"`
}

// Topk returns the k largest elements along a dimension, in order, and their positions.
//
//lucid:func TopK
//lucid:method TopK(k int)
func Topk(x *Node, k int, o TopkOptions) (values, indices *Node) {
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
	idx := Argsort(x, SortOptions{Dim: &axis, Descending: !o.Smallest})
	idx = SliceDim(idx, axis, 0, k, 1)
	return gather(x, idx, axis), idx
}
