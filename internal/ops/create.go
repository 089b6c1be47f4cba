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
	opArange = graph.Register(graph.Op{Name: "arange", Version: 1, Kind: graph.Source,
		Inputs: graph.Exactly(0), Validate: rule(validateArange),
		NoGrad: "has no inputs", NoVMap: "has no inputs",
		Infer: func(a attr.Attr, _ []*Node) []graph.Spec {
			r := a.(attr.Arange)
			return []graph.Spec{{Shape: shape.Of("arange", r.N), DType: r.DType}}
		}})
}

// Arange64 is 0, 1, … n-1 as int64.
func Arange64(n int) *Node {
	return graph.New(opArange, attr.Arange{Start: dtype.Scalar{Kind: dtype.KindInt}, Step: dtype.Scalar{Kind: dtype.KindInt, I: 1}, N: n,
		DType: dtype.Int64})
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
//lucid:view
func Unsqueeze(x *Node, dim int) *Node {
	dim = shape.Axis("unsqueeze", dim, x.Rank()+1)
	d := x.Shape().Clone()
	d = append(d[:dim], append([]int{1}, d[dim:]...)...)
	return Reshape(x, d...)
}

// ArangeArgs is a sequence by its end, start and end, or start, end and step.
func ArangeArgs(args []any, d dtype.DType) *Node {
	for i, a := range args {
		if a == nil {
			fault.Throw(fault.DType, "arange", "argument %d is nil; want a number", i)
		}
	}
	switch len(args) {
	case 1:
		return Arange(args[0], ArangeOptions{DType: d})
	case 2:
		return Arange(args[1], ArangeOptions{Start: args[0], DType: d})
	case 3:
		return Arange(args[1], ArangeOptions{Start: args[0], Step: args[2], DType: d})
	}
	fault.Throw(fault.Value, "arange", "got %d arguments; want end, or start and end, or start, end and step", len(args))
	return nil
}

// ArangeOptions says where a sequence begins (nil: 0), its step (nil: 1) and its dtype (zero:
// int64, or the default float if a number is a float).
type ArangeOptions struct {
	Start any
	Step  any
	DType dtype.DType // zero: the default float
}

// Arange returns start, start+step, … up to but without end. Each number is start + i·step in float64, rounded once;
// with an integer dtype start and step are cut to integers first.
//
//lucid:name arange
func Arange(end any, o ArangeOptions) *Node {
	first, last, step := realNumber("arange", "start", o.Start, 0), realNumber("arange", "end", end, 0),
		realNumber("arange", "step", o.Step, 1)
	d := o.DType
	floats := first.Kind == dtype.KindFloat || last.Kind == dtype.KindFloat || step.Kind == dtype.KindFloat
	if d == dtype.Invalid {
		d = dtype.Int64
		if floats {
			d = DefaultFloat()
		}
	}
	if d == dtype.Bool || d.IsComplex() {
		fault.Throw(fault.DType, "arange", "dtype %v; want an integer or floating dtype", d)
	}
	n := sequenceLen(first, last, step, floats)
	if d.IsInteger() && floats {
		first, step = dtype.Scalar{Kind: dtype.KindInt, I: first.Int()}, dtype.Scalar{Kind: dtype.KindInt, I: step.Int()}
		if step.I == 0 {
			fault.Throw(fault.Value, "arange", "step %v is 0 as %v; want a whole step, or a floating dtype", o.Step, d)
		}
	}
	return ArangeOf(first, step, n, d)
}

// realNumber reads a Go number that may be missing.
func realNumber(op, name string, v any, def int64) dtype.Scalar {
	if v == nil {
		return dtype.Scalar{Kind: dtype.KindInt, I: def}
	}
	s, ok := dtype.ScalarOf(v)
	if !ok || s.Kind == dtype.KindComplex {
		fault.Throw(fault.DType, op, "%s is a %T; want a real number", name, v)
	}
	if s.Kind == dtype.KindBool {
		s.Kind = dtype.KindInt
	}
	return s
}

// sequenceLen counts the steps before end is reached.
func sequenceLen(first, last, step dtype.Scalar, floats bool) int {
	f, l, st := first.Float(), last.Float(), step.Float()
	switch {
	case st == 0 || st != st || math.IsInf(st, 0):
		fault.Throw(fault.Value, "arange", "step is %v; want a finite number other than 0", st)
	case !(math.Abs(f) < math.Inf(1)) || !(math.Abs(l) < math.Inf(1)):
		fault.Throw(fault.Value, "arange", "from %v to %v: want finite numbers", f, l)
	case l > f && st < 0 || l < f && st > 0:
		fault.Throw(fault.Value, "arange", "from %v to %v with step %v goes the wrong way", f, l, st)
	}
	if floats {
		n := math.Ceil((l - f) / st)
		if !(n < shape.MaxElements) {
			fault.Throw(fault.Value, "arange", "a sequence of %v elements is too long", n)
		}
		return int(n)
	}
	// The distance of two int64 always fits uint64.
	span, by := uint64(last.I)-uint64(first.I), uint64(step.I)
	if step.I < 0 {
		span, by = -span, -by
	}
	n := span / by
	if span%by != 0 {
		n++
	}
	if n > shape.MaxElements {
		fault.Throw(fault.Value, "arange", "a sequence of %d elements is too long", n)
	}
	return int(n)
}
