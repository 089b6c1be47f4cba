package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

var opAdd, opSub, opMul, opDiv, opGradMul *graph.Op

func init() {
	one := func(n *Node, i int) *Node { return constLike(n, 1) }
	opAdd = binaryOp("add", binaryRule{DTypes: dtype.SetAll, Partials: one})
	opSub = binaryOp("sub", binaryRule{DTypes: dtype.SetNumbers, Neutral: graph.Neutral{Value: 0, Right: true},
		Partials: func(n *Node, i int) *Node {
			return constLike(n, 1-2*float64(i))
		}})
	opMul = binaryOp("mul", binaryRule{DTypes: dtype.SetAll, Neutral: graph.Neutral{Value: 1, Left: true, Right: true}, SavesIn: 3,
		Partials: func(n *Node, i int) *Node { return n.In(1 - i) }})
	opGradMul = binaryOp("grad_mul", binaryRule{DTypes: dtype.SetInexact, SavesIn: 3, Singular: true,
		Partials: func(n *Node, i int) *Node { return n.In(1 - i) }})
	opDiv = binaryOp("div", binaryRule{DTypes: dtype.SetInexact, Neutral: graph.Neutral{Value: 1, Right: true}, SavesIn: 2, SavesOut: true,
		Singular: true,
		Partials: func(n *Node, i int) *Node {
			if i == 0 {
				return Reciprocal(n.In(1))
			}
			return Neg(Div(n, n.In(1)))
		}})
}

// AlphaOptions scale the second operand of a sum or difference.
type AlphaOptions struct {
	Alpha any // a number; nil is 1
}

// DivOptions round a quotient.
type DivOptions struct {
	RoundingMode string // "" for none, "floor" or "trunc"
}

// scaled returns x and alpha·y of one dtype and shape.
func scaled(op string, x, y Operand, o []AlphaOptions) (a, b *Node) {
	s, ok := dtype.ScalarOf(o[0].Alpha)
	d := resultType(op, x, y)
	if !ok || !dtype.CanCast(s.DefaultDType(dtype.Float32), d) {
		fault.Throw(fault.DType, op, "alpha %v of type %T does not fit a result of %v; want a number of its kind",
			o[0].Alpha, o[0].Alpha, d)
	}
	return broadcast2(op, as(op, x, d), as(op, y, d))
}

func hasAlpha(o []AlphaOptions) bool { return len(o) > 0 && o[0].Alpha != nil }

// Add returns x + alpha·other.
//
//lucid:func
//lucid:method
//lucid:inplace
func Add(x, other Operand, o ...AlphaOptions) *Node {
	if hasAlpha(o) {
		a, b := scaled("add", x, other, o)
		return widened(func(v []*Node) *Node { return Add(v[0], Mul(v[1], o[0].Alpha)) }, a, b)
	}
	if z := withHalf(x, other, func(x, y *Node) *Node { return binary(opAdd, x, y) }); z != nil {
		return z
	}
	return binary(opAdd, x, other)
}

// Sub returns x - alpha·other.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias subtract
func Sub(x, other Operand, o ...AlphaOptions) *Node {
	if hasAlpha(o) {
		a, b := scaled("sub", x, other, o)
		return widened(func(v []*Node) *Node { return Sub(v[0], Mul(v[1], o[0].Alpha)) }, a, b)
	}
	if z := withHalf(x, other, func(x, y *Node) *Node { return binary(opSub, x, y) }); z != nil {
		return z
	}
	a, b := promote("sub", x, other)
	requireKind("sub", a, a.DType() != dtype.Bool, "numbers; for bools use logical_xor")
	return binary(opSub, a, b)
}

// Rsub returns other - alpha·x.
//
//lucid:func
//lucid:method
func Rsub(x, other Operand, o AlphaOptions) *Node { return Sub(other, x, o) }

// Mul returns x · other.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias multiply
func Mul(x, other Operand) *Node {
	if z := withHalf(x, other, func(x, y *Node) *Node { return binary(opMul, x, y) }); z != nil {
		return z
	}
	return binary(opMul, x, other)
}

// gradMul is x·y, and 0 wherever x is 0: a cotangent times a derivative that may be infinite.
func gradMul(x, y *Node) *Node { return binary(opGradMul, x, y) }

// Div returns x / other; integers divide as floats. With a rounding mode the quotient is rounded down ("floor") or
// towards zero ("trunc") and integers stay integers.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias divide true_divide
func Div(x, other Operand, o ...DivOptions) *Node {
	if len(o) > 0 && o[0].RoundingMode != "" {
		switch o[0].RoundingMode {
		case "floor":
			return quotient("div", opFloorDivide, x, other)
		case "trunc":
			return quotient("div", opTruncDivide, x, other)
		}
		fault.Throw(fault.Value, "div", "rounding_mode %q is unknown; want \"floor\" or \"trunc\"", o[0].RoundingMode)
	}
	if z := withHalf(x, other, func(x, y *Node) *Node { return binary(opDiv, x, y) }); z != nil {
		return z
	}
	a, b := promoteFloat("div", x, other)
	return binary(opDiv, a, b)
}
