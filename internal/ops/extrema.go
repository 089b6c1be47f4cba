package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

var opMaximum, opMinimum, opFmax, opFmin, opClampMin, opClampMax *graph.Op

func init() {
	opMaximum = binaryOp("maximum", binaryRule{DTypes: dtype.SetOrdered, SavesIn: 3, Partials: pickedShare(Lt)})
	opMinimum = binaryOp("minimum", binaryRule{DTypes: dtype.SetOrdered, SavesIn: 3, Partials: pickedShare(Gt)})
	opFmax = binaryOp("fmax", binaryRule{DTypes: dtype.SetOrdered, SavesIn: 3, Partials: pickedNumber(Gt)})
	opFmin = binaryOp("fmin", binaryRule{DTypes: dtype.SetOrdered, SavesIn: 3, Partials: pickedNumber(Lt)})
	opClampMin = binaryOp("clamp_min", binaryRule{DTypes: dtype.SetOrdered, SavesIn: 3, Partials: pickedAlone(Gt)})
	opClampMax = binaryOp("clamp_max", binaryRule{DTypes: dtype.SetOrdered, SavesIn: 3, Partials: pickedAlone(Lt)})
}

// pickedShare is the derivative of maximum and minimum: 0 where the input lost, half where they tie; both share a NaN
// in full.
func pickedShare(loses func(x, y Operand) *Node) partials {
	return func(n *Node, i int) *Node {
		x, y := n.In(i), n.In(1-i)
		return Where(loses(x, y), constLike(n, 0), Where(Eq(x, y), constLike(n, 0.5), constLike(n, 1)))
	}
}

// pickedNumber is pickedShare where an input wins over NaN; of two NaNs the first does.
func pickedNumber(wins func(x, y Operand) *Node) partials {
	return func(n *Node, i int) *Node {
		x, y := n.In(i), n.In(1-i)
		over := IsNaN(y)
		if i == 1 {
			over = LogicalAnd(over, LogicalNot(IsNaN(x)))
		}
		return Where(LogicalOr(wins(x, y), over), constLike(n, 1), Where(Eq(x, y), constLike(n, 0.5), constLike(n, 0)))
	}
}

// pickedAlone is the derivative of a bound: 1 where the input won, and for neither where they tie. It is a choice rather than a
// cast, since devices fuse choices with what is around them.
func pickedAlone(wins func(x, y Operand) *Node) partials {
	return func(n *Node, i int) *Node { return Where(wins(n.In(i), n.In(1-i)), constLike(n, 1), constLike(n, 0)) }
}

// ordered records an op of two real operands.
func ordered(op *graph.Op, x, y Operand) *Node {
	a, b := promote(op.Name, x, y)
	requireKind(op.Name, a, !a.DType().IsComplex(), "numbers with an order")
	return binary(op, a, b)
}

// Maximum returns the larger of x and other, elementwise; NaN if either is.
//
//lucid:func
//lucid:method
//lucid:inplace
func Maximum(x, other Operand) *Node { return ordered(opMaximum, x, other) }

// Minimum returns the smaller of x and other, elementwise; NaN if either is.
//
//lucid:func
//lucid:method
//lucid:inplace
func Minimum(x, other Operand) *Node { return ordered(opMinimum, x, other) }

// Fmax returns the larger of x and other, elementwise; a NaN loses to a number.
//
//lucid:func
//lucid:method
//lucid:inplace
func Fmax(x, other Operand) *Node { return ordered(opFmax, x, other) }

// Fmin returns the smaller of x and other, elementwise; a NaN loses to a number.
//
//lucid:func
//lucid:method
//lucid:inplace
func Fmin(x, other Operand) *Node { return ordered(opFmin, x, other) }

// bounded records a bound: a number takes no gradient, nor does x at it; a tensor shares it as Maximum and Minimum do.
func bounded(name string, byNumber, byTensor *graph.Op, x, bound Operand) *Node {
	a, b := promote(name, x, bound)
	requireKind(name, a, !a.DType().IsComplex(), "numbers with an order")
	if _, ok := bound.(*Node); ok {
		return binary(byTensor, a, b)
	}
	return binary(byNumber, a, b)
}

// ClampMin returns the larger of x and min. No gradient passes where x is at a bound that is a number; a tensor takes half.
//
//lucid:func
//lucid:method
//lucid:inplace
func ClampMin(x, min Operand) *Node {
	return bounded("clamp_min", opClampMin, opMaximum, x, min)
}

// ClampMax returns the smaller of x and max. No gradient passes where x is at a bound that is a number; a tensor takes half.
//
//lucid:func
//lucid:method
//lucid:inplace
func ClampMax(x, max Operand) *Node {
	return bounded("clamp_max", opClampMax, opMinimum, x, max)
}

// Clamp keeps x between min and max; nil is no bound. If min is above max the result is max; NaN stays NaN, and a
// NaN bound gives NaN. No gradient passes where x is at a bound that is a number; a tensor takes half.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:optional min max
//lucid:alias clip
func Clamp(x *Node, min, max Operand) *Node {
	if min == nil && max == nil {
		fault.Throw(fault.Value, "clamp", "neither min nor max is given; want at least one")
	}
	all := []Operand{x}
	for _, b := range []Operand{min, max} {
		if b != nil {
			all = append(all, b)
		}
	}
	// All three are promoted to one dtype, and bounds outside an unsigned dtype's range bind as numbers do.
	d := resultType("clamp", all...)
	r := as("clamp", x, d)
	if isScalar(min) && isScalar(max) {
		requireKind("clamp", r, !d.IsComplex(), "numbers with an order")
		return apply(opClamp, nil, r, as("clamp", inRange(d, min), d), as("clamp", inRange(d, max), d))
	}
	if min != nil {
		r = ClampMin(r, inRange(d, min))
	}
	if max != nil {
		r = ClampMax(r, inRange(d, max))
	}
	return r
}

// isScalar reports whether an operand is given, and no tensor.
func isScalar(x Operand) bool {
	_, tensor := x.(*Node)
	return x != nil && !tensor
}
