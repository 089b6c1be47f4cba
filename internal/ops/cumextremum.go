package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opArgcummax, opArgcummin *graph.Op

func init() {
	scan := func(name string) *graph.Op {
		return graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.RowWise,
			Inputs: graph.Exactly(1), Validate: rule(validateScanOrdered),
			NoGrad: isIndex, VMap: vmapScan,
			Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
				return []graph.Spec{{Shape: in[0].Shape(), DType: dtype.Int64}}
			}})
	}
	opArgcummax, opArgcummin = scan("argcummax"), scan("argcummin")
}

// ReverseOptions says whether a scan runs from the end.
type ReverseOptions struct {
	Reverse bool // from the end
}

func cumExtremum(name string, op *graph.Op, x *Node, dim int, o ReverseOptions) (values, indices *Node) {
	requireOrder(name, x)
	axis := shape.Axis(name, dim, x.Rank())
	if x.Rank() == 0 {
		return x, Cast(zerosLike(x), dtype.Int64)
	}
	i := graph.New(op, attr.Scan{Axis: axis, Reverse: o.Reverse}, x)
	return gather(x, i, axis), i
}

// Cummax returns the largest element so far along a dimension and its position, the latest of those that tie; from
// the first NaN on it is NaN.
//
//lucid:func CumMax
//lucid:method CumMax(dim int)
func Cummax(x *Node, dim int, o ReverseOptions) (values, indices *Node) {
	return cumExtremum("cummax", opArgcummax, x, dim, o)
}

// Cummin returns the smallest element so far along a dimension and its position, the latest of those that tie; from
// the first NaN on it is NaN.
//
//lucid:func CumMin
//lucid:method CumMin(dim int)
func Cummin(x *Node, dim int, o ReverseOptions) (values, indices *Node) {
	return cumExtremum("cummin", opArgcummin, x, dim, o)
}
