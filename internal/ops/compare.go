package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

var opEq, opNe, opLt, opLe, opGt, opGe, opIsNaN, opIsInf, opIsFinite, opLogicalNot, opLogicalAnd, opLogicalOr, opLogicalXor *graph.Op

const isTest = "its result is a truth value"

// testOp declares a test of n operands.
func testOp(name string, n int, takes dtype.Set) *graph.Op {
	return graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.Elementwise,
		Inputs: graph.Exactly(n), DTypes: takes, Validate: alike,
		Infer: inferBool, NoGrad: isTest, VMap: vmapElementwise})
}

func init() {
	opEq, opNe = testOp("eq", 2, dtype.SetAll), testOp("ne", 2, dtype.SetAll)
	opLt, opLe = testOp("lt", 2, dtype.SetOrdered), testOp("le", 2, dtype.SetOrdered)
	opGt, opGe = testOp("gt", 2, dtype.SetOrdered), testOp("ge", 2, dtype.SetOrdered)
	opIsNaN, opIsInf = testOp("isnan", 1, dtype.SetInexact), testOp("isinf", 1, dtype.SetInexact)
	opIsFinite, opLogicalNot = testOp("isfinite", 1, dtype.SetInexact), testOp("logical_not", 1, dtype.SetAll)
	opLogicalAnd, opLogicalOr = testOp("logical_and", 2, dtype.SetAll), testOp("logical_or", 2, dtype.SetAll)
	opLogicalXor = testOp("logical_xor", 2, dtype.SetAll)
}

// Eq returns x == other, elementwise.
//
//lucid:func
//lucid:method
func Eq(x, other Operand) *Node { return test(opEq, x, other) }

// Ne returns x != other, elementwise.
//
//lucid:func
//lucid:method
//lucid:alias not_equal
func Ne(x, other Operand) *Node { return test(opNe, x, other) }

// Lt returns x < other, elementwise.
//
//lucid:func
//lucid:method
//lucid:alias less
func Lt(x, other Operand) *Node { return order(opLt, x, other) }

// Le returns x <= other, elementwise.
//
//lucid:func
//lucid:method
//lucid:alias less_equal
func Le(x, other Operand) *Node { return order(opLe, x, other) }

// Gt returns x > other, elementwise.
//
//lucid:func
//lucid:method
//lucid:alias greater
func Gt(x, other Operand) *Node { return order(opGt, x, other) }

// Ge returns x >= other, elementwise.
//
//lucid:func
//lucid:method
//lucid:alias greater_equal
func Ge(x, other Operand) *Node { return order(opGe, x, other) }

// order is a comparison that complex numbers do not have.
func order(op *graph.Op, x, y Operand) *Node {
	a, b := promote(op.Name, x, y)
	requireKind(op.Name, a, !a.DType().IsComplex(), "numbers with an order")
	return test(op, a, b)
}

// IsNaN reports which elements are NaN.
//
//lucid:name isnan
//lucid:func
//lucid:method
func IsNaN(x *Node) *Node { return ofInexact(opIsNaN, x, false) }

// IsInf reports which elements are infinite.
//
//lucid:name isinf
//lucid:func
//lucid:method
func IsInf(x *Node) *Node { return ofInexact(opIsInf, x, false) }

// IsFinite reports which elements are neither NaN nor infinite.
//
//lucid:name isfinite
//lucid:func
//lucid:method
func IsFinite(x *Node) *Node { return ofInexact(opIsFinite, x, true) }

// ofInexact tests floats and complex numbers; all others have one answer.
func ofInexact(op *graph.Op, x *Node, other bool) *Node {
	if !x.DType().IsInexact() {
		return allBool(x, other)
	}
	return apply(op, nil, x)
}

// LogicalNot returns whether x is zero.
//
//lucid:func
//lucid:method
func LogicalNot(x *Node) *Node { return apply(opLogicalNot, nil, x) }

// LogicalAnd returns whether both are non-zero.
//
//lucid:func
//lucid:method
func LogicalAnd(x, other Operand) *Node { return test(opLogicalAnd, x, other) }

// LogicalOr returns whether one is non-zero.
//
//lucid:func
//lucid:method
func LogicalOr(x, other Operand) *Node { return test(opLogicalOr, x, other) }

// LogicalXor returns whether exactly one is non-zero.
//
//lucid:func
//lucid:method
func LogicalXor(x, other Operand) *Node { return test(opLogicalXor, x, other) }
