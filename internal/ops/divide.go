package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

var opFloorDivide, opTruncDivide, opRemainder, opFmod *graph.Op

func init() {
	flat := func(*Node, int) *Node { return nil }
	opFloorDivide = binaryOp("floor_divide", binaryRule{DTypes: dtype.SetReals, Partials: flat})
	opTruncDivide = binaryOp("trunc_divide", binaryRule{DTypes: dtype.SetReals, Partials: flat})
	opRemainder = binaryOp("remainder", binaryRule{DTypes: dtype.SetReals, SavesIn: 3, Partials: modulus(&opFloorDivide)})
	opFmod = binaryOp("fmod", binaryRule{DTypes: dtype.SetReals, SavesIn: 3, Partials: modulus(&opTruncDivide)})
}

// modulus is the derivative of x - y·round(x/y).
func modulus(quotient **graph.Op) partials {
	return func(n *Node, i int) *Node {
		if i == 0 {
			return constLike(n, 1)
		}
		return Neg(binary(*quotient, n.In(0), n.In(1)))
	}
}

// divide records one of the divisions that integers have too.
func divide(name string, op *graph.Op, x, y Operand) *Node {
	a, b := promote(name, x, y)
	requireKind(name, a, a.DType() != dtype.Bool && !a.DType().IsComplex(), "real numbers")
	return binary(op, a, b)
}

// quotient is divide next to a half type, too: a number is not rounded to it.
func quotient(name string, op *graph.Op, x, y Operand) *Node {
	if z := withHalf(x, y, func(x, y *Node) *Node { return divide(name, op, x, y) }); z != nil {
		return z
	}
	return divide(name, op, x, y)
}

// FloorDivide returns x / other rounded down; integers stay integers, and dividing them by zero is an error.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias floordiv
func FloorDivide(x, other Operand) *Node { return quotient("floor_divide", opFloorDivide, x, other) }

// Remainder returns x - other·floor(x/other), which has other's sign.
//
//lucid:func
//lucid:method
//lucid:inplace
func Remainder(x, other Operand) *Node { return divide("remainder", opRemainder, x, other) }

// Fmod returns x - other·trunc(x/other), which has x's sign.
//
//lucid:func
//lucid:method
//lucid:inplace
func Fmod(x, other Operand) *Node { return divide("fmod", opFmod, x, other) }
