package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

var opPow *graph.Op

func init() {
	opPow = binaryOp("pow", binaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetNumbers, SavesIn: 3, SavesOut: true, Singular: true,
		Partials: func(n *Node, i int) *Node {
			x, y := n.In(0), n.In(1)
			if i == 0 {
				return powSlope(x, y)
			}
			// x^y·log x, and 0 where x is 0 and the power is too; log 1 stands in there, so that higher orders are 0 as well.
			flat := LogicalAnd(Eq(x, 0), orderedGe(y))
			return Mul(n, Log(Where(flat, constLike(n, 1), x)))
		}})
}

// powSlope is y·x^(y-1), and 0 where y is 0 whatever x is. There x may be no base for the power -1, so that 1 stands in; only
// then, since the slope's own derivative by y is 1/x at other x.
func powSlope(x, y *Node) *Node {
	if c, ok := y.Attr().(attr.Const); ok && y.IsConst() && c.Value.Kind == dtype.KindFloat {
		if c.Value.F == 0 {
			return nil
		}
		return Mul(Pow(x, c.Value.F-1), y)
	}
	none := LogicalAnd(Eq(y, 0), LogicalNot(IsFinite(Reciprocal(x))))
	return Mul(y, Pow(Where(none, constLike(x, 1), x), Sub(y, 1)))
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
//lucid:alias power pow_scalar
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
	ampFloat32(&x) // as opPow does: a square of float16 is infinite past 256
	switch s.Float() {
	case 1:
		return Alias(x)
	case 2:
		return Square(x)
	case 3:
		return Mul(Square(x), x)
	case 0.5:
		return Sqrt(x)
	case -0.5:
		return Rsqrt(x)
	case -1:
		return Reciprocal(x)
	}
	return nil
}
