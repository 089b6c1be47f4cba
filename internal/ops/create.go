package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opArange *graph.Op

func init() {
	opArange = graph.Register(graph.Op{Name: "arange", Version: 1, Kind: graph.Source, NoGrad: "has no inputs", NoVMap: "has no inputs",
		Infer: func(a attr.Attr, _ []*Node) []graph.Spec {
			r := a.(attr.Arange)
			return []graph.Spec{{Shape: shape.Of("arange", r.N), DType: r.DType}}
		}})
}

// Arange64 is 0, 1, … n-1 as int64.
func Arange64(n int) *Node {
	return graph.New(opArange, attr.Arange{Start: dtype.Scalar{Kind: dtype.KindInt}, Step: dtype.Scalar{Kind: dtype.KindInt, I: 1}, N: n, DType: dtype.Int64})
}

// ArangeOf is n elements of dtype d from start on.
func ArangeOf(start, step dtype.Scalar, n int, d dtype.DType) *Node {
	return graph.New(opArange, attr.Arange{Start: start, Step: step, N: n, DType: d})
}

// FullOf is a constant of any shape; it takes no memory until something writes to it.
func FullOf(s *shape.Shape, d dtype.DType, v dtype.Scalar) *Node { return broadcastTo(scalar(d, v), s) }

// Unsqueeze adds a dimension of size 1 at dim.
//
//lucid:func
//lucid:method
func Unsqueeze(x *Node, dim int) *Node {
	dim = shape.Axis("unsqueeze", dim, x.Rank()+1)
	d := x.Shape().Clone()
	d = append(d[:dim], append([]int{1}, d[dim:]...)...)
	return Reshape(x, d...)
}
