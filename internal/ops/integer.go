package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

var opGcd, opLcm, opBitAnd, opBitOr, opBitXor, opBitNot, opShiftLeft, opShiftRight *graph.Op

func init() {
	op := func(name string, n int, takes dtype.Set) *graph.Op {
		return graph.Register(graph.Op{Name: name, Version: 1, Kind: graph.Elementwise,
			Inputs: graph.Exactly(n), DTypes: takes, Validate: alike,
			Infer: inferSame, NoGrad: "its result is an integer", VMap: vmapElementwise})
	}
	ints, bits := dtype.SetIntegers, dtype.SetIntegers|dtype.SetBool
	opGcd, opLcm = op("gcd", 2, ints), op("lcm", 2, ints)
	opBitAnd, opBitOr, opBitXor = op("bitwise_and", 2, bits), op("bitwise_or", 2, bits), op("bitwise_xor", 2, bits)
	opBitNot = op("bitwise_not", 1, bits)
	opShiftLeft, opShiftRight = op("bitwise_left_shift", 2, ints), op("bitwise_right_shift", 2, ints)
}

func integers(op *graph.Op, bools bool, x, y Operand) *Node {
	a, b := promote(op.Name, x, y)
	requireKind(op.Name, a, a.DType().IsInteger() || bools && a.DType() == dtype.Bool, "integers")
	return binary(op, a, b)
}

// Gcd returns the greatest common divisor, not negative; of 0 and 0 it is 0.
//
//lucid:func
//lucid:method
//lucid:inplace
func Gcd(x, other Operand) *Node { return integers(opGcd, false, x, other) }

// Lcm returns the least common multiple, not negative where the dtype holds it; with a 0 it is 0.
//
//lucid:func
//lucid:method
//lucid:inplace
func Lcm(x, other Operand) *Node { return integers(opLcm, false, x, other) }

// BitwiseAnd returns x & other of integers or bools.
//
//lucid:func
//lucid:method
//lucid:inplace
func BitwiseAnd(x, other Operand) *Node { return integers(opBitAnd, true, x, other) }

// BitwiseOr returns x | other of integers or bools.
//
//lucid:func
//lucid:method
//lucid:inplace
func BitwiseOr(x, other Operand) *Node { return integers(opBitOr, true, x, other) }

// BitwiseXor returns x ^ other of integers or bools.
//
//lucid:func
//lucid:method
//lucid:inplace
func BitwiseXor(x, other Operand) *Node { return integers(opBitXor, true, x, other) }

// BitwiseNot flips every bit of integers, and negates bools.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias bitwise_invert invert
func BitwiseNot(x *Node) *Node {
	requireKind("bitwise_not", x, x.DType().IsInteger() || x.DType() == dtype.Bool, "integers or bools")
	return unary(opBitNot, x)
}

// BitwiseLeftShift returns x << other; 0 if other is negative or not below the number of bits.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias left_shift
func BitwiseLeftShift(x, other Operand) *Node { return integers(opShiftLeft, false, x, other) }

// BitwiseRightShift returns x >> other with sign extension; only the sign is left if other is negative or not
// below the number of bits.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias right_shift
func BitwiseRightShift(x, other Operand) *Node { return integers(opShiftRight, false, x, other) }
