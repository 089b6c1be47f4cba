package ops

import "github.com/lucid-go/lucid/internal/graph"

var opEq, opNe, opLt, opLe, opGt, opGe, opIsNaN, opIsInf, opIsFinite, opLogicalNot, opLogicalAnd, opLogicalOr, opLogicalXor *graph.Op

const isTest = "its result is a truth value"

func testOp(name string) *graph.Op {
	return graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.Elementwise, Infer: inferBool, NoGrad: isTest, VMap: vmapElementwise})
}

func init() {
	opEq, opNe, opLt, opLe, opGt, opGe = testOp("eq"), testOp("ne"), testOp("lt"), testOp("le"), testOp("gt"), testOp("ge")
	opIsNaN, opIsInf, opIsFinite = testOp("isnan"), testOp("isinf"), testOp("isfinite")
	opLogicalNot, opLogicalAnd, opLogicalOr, opLogicalXor = testOp("logical_not"), testOp("logical_and"), testOp("logical_or"), testOp("logical_xor")
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
