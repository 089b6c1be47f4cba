package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

var opAdd, opSub, opMul, opDiv, opGradMul *graph.Op

func init() {
	one := func(n *Node, i int) *Node { return constLike(n, 1) }
	opAdd = binaryOp("add", graph.AMPPromote, one, 0, false, false)
	opSub = binaryOp("sub", graph.AMPPromote, func(n *Node, i int) *Node {
		return constLike(n, 1-2*float64(i))
	}, 0, false, false)
	opMul = binaryOp("mul", graph.AMPPromote, func(n *Node, i int) *Node { return n.In(1 - i) }, 3, false, false)
	opGradMul = binaryOp("grad_mul", graph.AMPPromote, func(n *Node, i int) *Node { return n.In(1 - i) }, 3, false, true)
	opDiv = binaryOp("div", graph.AMPPromote, func(n *Node, i int) *Node {
		if i == 0 {
			return Reciprocal(n.In(1))
		}
		return Neg(Div(n, n.In(1)))
	}, 2, true, true)
}

// Add returns x + other.
//
//lucid:func
//lucid:method
//lucid:inplace
func Add(x, other Operand) *Node { return binary(opAdd, x, other) }

// Sub returns x - other.
//
//lucid:func
//lucid:method
//lucid:inplace
func Sub(x, other Operand) *Node {
	a, b := promote("sub", x, other)
	requireKind("sub", a, a.DType() != dtype.Bool, "numbers; for bools use logical_xor")
	return binary(opSub, a, b)
}

// Mul returns x · other.
//
//lucid:func
//lucid:method
//lucid:inplace
func Mul(x, other Operand) *Node { return binary(opMul, x, other) }

// gradMul is x·y, and 0 wherever x is 0: how a cotangent meets a derivative that may be infinite.
func gradMul(x, y *Node) *Node { return binary(opGradMul, x, y) }

// Div returns x / other; integers divide as floats.
//
//lucid:func
//lucid:method
//lucid:inplace
func Div(x, other Operand) *Node {
	a, b := promote("div", x, other)
	return binary(opDiv, floating(a), floating(b))
}
