package ops

import "github.com/lucid-go/lucid/internal/graph"

var opMaximum, opMinimum, opFmax, opFmin, opClampMin, opClampMax *graph.Op

func init() {
	opMaximum = binaryOp("maximum", graph.AMPPromote, pickedShare(Gt, false), 3, false, false)
	opMinimum = binaryOp("minimum", graph.AMPPromote, pickedShare(Lt, false), 3, false, false)
	opFmax = binaryOp("fmax", graph.AMPPromote, pickedShare(Gt, true), 3, false, false)
	opFmin = binaryOp("fmin", graph.AMPPromote, pickedShare(Lt, true), 3, false, false)
	opClampMin = binaryOp("clamp_min", graph.AMPPromote, pickedAlone(Gt), 3, false, false)
	opClampMax = binaryOp("clamp_max", graph.AMPPromote, pickedAlone(Lt), 3, false, false)
}

// pickedShare is the derivative of maximum and minimum: 1 where the input won, half where they tie. With skipNaN an
// input also wins over NaN.
func pickedShare(wins func(x, y Operand) *Node, skipNaN bool) partials {
	return func(n *Node, i int) *Node {
		x, y := n.In(i), n.In(1-i)
		won := wins(x, y)
		if skipNaN {
			won = LogicalOr(won, Ne(y, y))
		}
		return Where(won, constLike(n, 1), Where(Eq(x, y), constLike(n, 0.5), constLike(n, 0)))
	}
}

// pickedAlone is the derivative of a bound: 1 where the input won, and for neither where they tie.
func pickedAlone(wins func(x, y Operand) *Node) partials {
	return func(n *Node, i int) *Node { return Cast(wins(n.In(i), n.In(1-i)), n.DType()) }
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

// ClampMin returns the larger of x and min. No gradient passes where x is at the bound.
//
//lucid:func
//lucid:method
//lucid:inplace
func ClampMin(x, min Operand) *Node { return ordered(opClampMin, x, min) }

// ClampMax returns the smaller of x and max. No gradient passes where x is at the bound.
//
//lucid:func
//lucid:method
//lucid:inplace
func ClampMax(x, max Operand) *Node { return ordered(opClampMax, x, max) }

// Clamp keeps x between min and max; nil is no bound. If min is above max the result is max; NaN stays NaN, and a
// NaN bound gives NaN. No gradient passes where x is at a bound.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:optional min max
//lucid:alias clip
func Clamp(x *Node, min, max Operand) *Node {
	all := []Operand{x}
	for _, b := range []Operand{min, max} {
		if b != nil {
			all = append(all, b)
		}
	}
	// All three meet in one dtype, and bounds outside an unsigned dtype's range bind as numbers do.
	d := resultType("clamp", all...)
	r := as("clamp", x, d)
	if min != nil {
		r = ClampMin(r, inRange(d, min))
	}
	if max != nil {
		r = ClampMax(r, inRange(d, max))
	}
	return r
}
