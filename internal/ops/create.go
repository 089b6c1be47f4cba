package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
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

// ArangeArgs is a sequence by its end, start and end, or start, end and step.
func ArangeArgs(args []any, d dtype.DType) *Node {
	num := []dtype.Scalar{{Kind: dtype.KindInt}, {}, {Kind: dtype.KindInt, I: 1}}
	if len(args) < 1 || len(args) > 3 {
		fault.Throw(fault.Value, "arange", "got %d arguments; want end, or start and end, or start, end and step", len(args))
	}
	for i, a := range args {
		s, ok := dtype.ScalarOf(a)
		if !ok || s.Kind == dtype.KindComplex {
			fault.Throw(fault.DType, "arange", "argument %d is a %T; want a real number", i, a)
		}
		if len(args) == 1 {
			i = 1
		}
		num[i] = s
	}
	start, end, step := num[0], num[1], num[2]
	floats := start.Kind == dtype.KindFloat || end.Kind == dtype.KindFloat || step.Kind == dtype.KindFloat
	if d == dtype.Invalid {
		d = dtype.Int64
		if floats {
			d = DefaultFloat()
		}
	}
	if step.Float() == 0 || step.Float() != step.Float() {
		fault.Throw(fault.Value, "arange", "step is %v; want a number other than 0", step.Float())
	}
	if (end.Float()-start.Float())/step.Float() < 0 {
		fault.Throw(fault.Value, "arange", "from %v to %v with step %v goes the wrong way", start.Float(), end.Float(), step.Float())
	}
	return ArangeOf(start, step, sequenceLen(start, end, step, floats), d)
}

// sequenceLen counts the steps before end is reached.
func sequenceLen(start, end, step dtype.Scalar, floats bool) int {
	if !floats {
		span, st := end.I-start.I, step.I
		if st < 0 {
			span, st = -span, -st
		}
		return int((span + st - 1) / st)
	}
	n := math.Ceil((end.Float() - start.Float()) / step.Float())
	if !(n < shape.MaxElements) {
		fault.Throw(fault.Value, "arange", "a sequence of %v elements is too long", n)
	}
	return int(n)
}
