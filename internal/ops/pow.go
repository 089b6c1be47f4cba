package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

var opPow *graph.Op

func init() {
	opPow = binaryOp("pow", graph.AMPFloat32, func(n *Node, i int) *Node {
		x, y := n.In(0), n.In(1)
		if i == 0 {
			// y·x^(y-1), and 0 where y is 0 whatever x is.
			return Where(Eq(y, 0), constLike(n, 0), Mul(y, Pow(x, Sub(y, 1))))
		}
		// x^y·log x, and 0 where x is 0 and the power is too.
		return Where(LogicalAnd(Eq(x, 0), orderedGe(y)), constLike(n, 0), Mul(n, Log(x)))
	}, 3, true, true)
}

func orderedGe(y *Node) *Node {
	if y.DType().IsComplex() {
		return Ge(Real(y), 0)
	}
	return Ge(y, 0)
}

// Pow returns x to the power exponent. Integers stay integers; a negative integer exponent of integers is an error
// when it is a Go number.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias power
func Pow(x, exponent Operand) *Node {
	if s, ok := dtype.ScalarOf(exponent); ok {
		if n, isNode := x.(*Node); isNode {
			if p := powNumber(n, s); p != nil {
				return p
			}
		}
	}
	a, b := promote("pow", x, exponent)
	if a.DType() == dtype.Bool {
		return LogicalOr(a, LogicalNot(b)) // 0 to the power 0 is 1
	}
	return binary(opPow, a, b)
}

// FloatPower returns x to the power exponent, computed in float64, or complex128 if one is complex.
//
//lucid:func
//lucid:method
func FloatPower(x, exponent Operand) *Node {
	d := dtype.Float64
	if resultType("float_power", x, exponent).IsComplex() {
		d = dtype.Complex128
	}
	return Pow(as("float_power", x, d), as("float_power", exponent, d))
}

// powNumber takes the short way for exponents that have one.
func powNumber(x *Node, s dtype.Scalar) *Node {
	if s.Kind == dtype.KindInt && s.I < 0 && x.DType().IsInteger() {
		fault.Throw(fault.Value, "pow", "integers of dtype %v to the negative power %d; cast to a float first", x.DType(), s.I)
	}
	if !x.DType().IsInexact() || s.Kind > dtype.KindFloat {
		return nil
	}
	switch s.Float() {
	case 1:
		return Alias(x)
	case 2:
		return Square(x)
	case 0.5:
		return Sqrt(x)
	case -0.5:
		return Rsqrt(x)
	case -1:
		return Reciprocal(x)
	}
	return nil
}
