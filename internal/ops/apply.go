package ops

import (
	"sync/atomic"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
	"github.com/lucid-go/lucid/internal/shape"
)

// Node is a value of the graph.
type Node = graph.Node

// Operand is a *Node, or a Go number or bool, which is weak: it takes the other operand's dtype within its kind.
type Operand = any

var defaultFloat atomic.Uint32

func init() { defaultFloat.Store(uint32(dtype.Float32)) }

// DefaultFloat returns the dtype of floats that name none.
func DefaultFloat() dtype.DType { return dtype.DType(defaultFloat.Load()) }

// SetDefaultFloat changes it; d must be a real float.
func SetDefaultFloat(d dtype.DType) {
	if !d.IsFloat() {
		fault.Throw(fault.DType, "set_default_dtype", "%v is not a floating type; want float16, bfloat16, float32 or float64", d)
	}
	defaultFloat.Store(uint32(d))
}

// apply records op after the casts of automatic mixed precision. No other function makes them.
func apply(op *graph.Op, a attr.Attr, in ...*Node) *Node {
	if st := scope.Current(); st.Autocast != dtype.Invalid {
		autocast(op, st.Autocast, in)
	}
	return graph.New(op, a, in...)
}

func autocast(op *graph.Op, to dtype.DType, in []*Node) {
	switch op.AMP {
	case graph.AMPHalf:
		for i, x := range in {
			if x.DType().IsFloat() && x.DType() != dtype.Float64 {
				in[i] = Cast(x, to)
			}
		}
	case graph.AMPFloat32:
		for i, x := range in {
			if x.DType().IsHalf() {
				in[i] = Cast(x, dtype.Float32)
			}
		}
	}
}

// giveUp ends results that nothing reads: each holds all of what was computed with it until the collector finds it.
func giveUp(results ...*Node) { graph.Discard(results, nil) }

// scalar makes an immediate.
func scalar(d dtype.DType, s dtype.Scalar) *Node {
	return graph.Make(opConst, attr.Const{DType: d, Value: canonical(d, s)}, graph.Spec{Shape: shape.Scalar, DType: d}).MarkConst()
}

// canonical brings a number to the form its dtype stores, so that equal immediates compare equal.
func canonical(d dtype.DType, s dtype.Scalar) dtype.Scalar {
	var b [16]byte
	d.Put(b[:], 0, s)
	return d.Get(b[:], 0)
}

// Number makes an immediate of dtype d from a Go number.
func Number(d dtype.DType, v any) *Node {
	s, ok := dtype.ScalarOf(v)
	if !ok {
		fault.Throw(fault.DType, "scalar", "%T is not a number", v)
	}
	return scalar(d, s)
}

// constLike makes an immediate of x's dtype.
func constLike(x *Node, v float64) *Node {
	return scalar(x.DType(), dtype.Scalar{Kind: dtype.KindFloat, F: v})
}

var opConst *graph.Op

func init() {
	opConst = graph.Register(graph.Op{Name: "const", Version: 1, Kind: graph.Source,
		Inputs: graph.Exactly(0), Validate: rule(validateConst),
		Infer: func(a attr.Attr, _ []*Node) []graph.Spec {
			return []graph.Spec{{Shape: shape.Scalar, DType: a.(attr.Const).DType}}
		},
		NoGrad: "has no inputs", NoVMap: "has no inputs"})
}

// promote brings operands to one dtype and shape. Numbers stay 0-d immediates of that dtype.
func promote(op string, x, y Operand) (*Node, *Node) {
	a, aok := x.(*Node)
	b, bok := y.(*Node)
	if aok && bok && a != nil && b != nil && a.DType() == b.DType() && a.Shape() == b.Shape() {
		return a, b
	}
	d := resultType(op, x, y)
	return broadcast2(op, as(op, x, d), as(op, y, d))
}

// as returns the operand with dtype d.
func as(op string, x Operand, d dtype.DType) *Node {
	if n, ok := x.(*Node); ok {
		return Cast(n, d)
	}
	s, ok := dtype.ScalarOf(x)
	if !ok {
		fault.Throw(fault.DType, op, "an operand is a %T; want a *Tensor, or a Go number or bool", x)
	}
	return scalar(d, s)
}

// ResultType is the dtype the operands compute in.
func ResultType(op string, xs ...Operand) dtype.DType { return resultType(op, xs...) }

// resultType is the dtype the operands compute in: tensors by the promotion table, 0-d tensors and numbers weak.
func resultType(op string, xs ...Operand) dtype.DType {
	var dim, zero, weak dtype.DType // of tensors with dimensions, 0-d tensors, numbers
	join := func(into *dtype.DType, d dtype.DType) {
		if *into == dtype.Invalid {
			*into = d
			return
		}
		r, ok := dtype.Promote(*into, d)
		if !ok {
			fault.Throw(fault.DType, op, "%v and %v have no common dtype; cast one of them", *into, d)
		}
		*into = r
	}
	for _, x := range xs {
		n, ok := x.(*Node)
		switch {
		case ok && n == nil:
			fault.Throw(fault.Value, op, "an operand is a nil tensor")
		case ok && n.Rank() > 0:
			join(&dim, n.DType())
		case ok:
			join(&zero, n.DType())
		default:
			s, ok := dtype.ScalarOf(x)
			if !ok {
				fault.Throw(fault.DType, op, "an operand is a %T; want a *Tensor, or a Go number or bool", x)
			}
			join(&weak, s.DefaultDType(DefaultFloat()))
		}
	}
	return outrank(dim, outrank(zero, weak))
}

// outrank gives the dtype of operands of a higher rank (tensors before 0-d tensors before numbers) with those of
// a lower: the lower count only if they are of a higher kind, and then bring floats no width of their own.
func outrank(hi, lo dtype.DType) dtype.DType {
	switch {
	case hi == dtype.Invalid:
		return lo
	case lo == dtype.Invalid || hi.IsComplex():
		return hi
	case hi.IsFloat() && lo.IsComplex():
		return hi.Complex()
	case hi.IsFloat():
		return hi
	case hi == dtype.Bool || lo.IsInexact():
		d, _ := dtype.Promote(hi, lo) // bools and integers promote with every inexact dtype
		return d
	}
	return hi
}

// promoteFloat is promote for ops that compute in floats: numbers and integers go to the default float at once.
func promoteFloat(op string, x, y Operand) (*Node, *Node) {
	d := resultType(op, x, y)
	if !d.IsInexact() {
		d = DefaultFloat()
	}
	return broadcast2(op, as(op, x, d), as(op, y, d))
}

// widened computes f in float32 where its operands are half types, so that only the result is rounded to theirs.
func widened(f func(xs []*Node) *Node, xs ...*Node) *Node {
	d := xs[0].DType()
	if !d.IsHalf() {
		return f(xs)
	}
	up := make([]*Node, len(xs))
	for i, x := range xs {
		up[i] = Cast(x, dtype.Float32)
	}
	return Cast(f(up), d)
}

// withHalf computes f in float32, and rounds once, where one operand has a half type and the other is a number that it may not hold: a Go
// number, or a 0-d tensor of another dtype. Else it returns nil. RATIONALE.md, "How is a number next to a half type rounded?".
func withHalf(x, y Operand, f func(x, y *Node) *Node) *Node {
	a, aok := x.(*Node)
	b, bok := y.(*Node)
	switch {
	case aok && bok:
		if a == nil || b == nil || a.DType() == b.DType() || !a.DType().IsHalf() && !b.DType().IsHalf() {
			return nil
		}
		if !(aloneWith(a, b) || aloneWith(b, a)) {
			return nil
		}
		d := a.DType()
		if a.Rank() == 0 {
			d = b.DType()
		}
		return Cast(f(Cast(a, dtype.Float32), Cast(b, dtype.Float32)), d)
	case aok:
		if c := unheld(a, y); c != nil {
			return Cast(f(Cast(a, dtype.Float32), c), a.DType())
		}
	case bok:
		if c := unheld(b, x); c != nil {
			return Cast(f(c, Cast(b, dtype.Float32)), b.DType())
		}
	}
	return nil
}

// aloneWith reports whether x is a real number, as a 0-d tensor, next to a tensor of a half type.
func aloneWith(x, half *Node) bool {
	return x.Rank() == 0 && half.Rank() > 0 && half.DType().IsHalf() && !x.DType().IsComplex()
}

// unheld makes an immediate of float32 of a real number that the half type of x does not hold, and returns nil for others.
func unheld(x *Node, number Operand) *Node {
	if x == nil || !x.DType().IsHalf() {
		return nil
	}
	s, ok := dtype.ScalarOf(number)
	if !ok || s.Kind == dtype.KindComplex {
		return nil
	}
	v := float64(float32(s.Float()))
	if h := canonical(x.DType(), s).F; h == v || v != v {
		return nil
	}
	return scalar(dtype.Float32, s)
}

// broadcast2 brings two nodes to one shape; immediates are taken as they are.
func broadcast2(op string, x, y *Node) (*Node, *Node) {
	if x.Shape() == y.Shape() {
		return x, y
	}
	s := shape.Broadcast(op, x.Shape(), y.Shape())
	return expandTo(x, s), expandTo(y, s)
}

func expandTo(x *Node, s *shape.Shape) *Node {
	if x.IsConst() || x.Shape().Equal(s) {
		return x
	}
	return broadcastTo(x, s)
}

// floating casts integers and bools to the default float; other dtypes stay.
func floating(x *Node) *Node {
	if x.DType().IsInexact() {
		return x
	}
	return Cast(x, DefaultFloat())
}

// outShape is the shape of an elementwise result: that of the operand which is no immediate.
func outShape(in ...*Node) *shape.Shape {
	for _, x := range in {
		if !x.IsConst() {
			return x.Shape()
		}
	}
	return in[0].Shape()
}

// Immediate makes a 0-d immediate.
func Immediate(d dtype.DType, s dtype.Scalar) *Node { return scalar(d, s) }
