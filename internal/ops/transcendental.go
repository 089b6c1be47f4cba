package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

var opExp, opExp2, opExpm1, opLog, opLog2, opLog10, opLog1p, opSin, opCos, opTan, opAsin, opAcos, opAtan,
	opSinh, opCosh, opTanh, opAsinh, opAcosh, opAtanh, opErf, opErfc, opErfinv, opSigmoid, opCbrt *graph.Op

// x1 returns 1 + s·x² for the inverse functions' derivatives.
func x1(n *Node, s float64) *Node { return Add(Mul(Square(n.In(0)), s), 1) }

func init() {
	opExp = unaryOp("exp", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesOut: true,
		Derivative: func(n *Node) *Node { return n }})
	opExp2 = unaryOp("exp2", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesOut: true,
		Derivative: func(n *Node) *Node { return Mul(n, math.Ln2) }})
	opExpm1 = unaryOp("expm1", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesIn: 1,
		Derivative: func(n *Node) *Node { return Exp(n.In(0)) }})
	opLog = unaryOp("log", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesIn: 1, Singular: true,
		Derivative: func(n *Node) *Node { return Reciprocal(n.In(0)) }})
	opLog2 = unaryOp("log2", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesIn: 1, Singular: true,
		Derivative: func(n *Node) *Node { return Div(1/math.Ln2, n.In(0)) }})
	opLog10 = unaryOp("log10", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesIn: 1, Singular: true,
		Derivative: func(n *Node) *Node { return Div(1/math.Ln10, n.In(0)) }})
	opLog1p = unaryOp("log1p", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesIn: 1, Singular: true,
		Derivative: func(n *Node) *Node { return Reciprocal(Add(n.In(0), 1)) }})
	opSin = unaryOp("sin", unaryRule{DTypes: dtype.SetInexact, SavesIn: 1, Derivative: func(n *Node) *Node { return Cos(n.In(0)) }})
	opCos = unaryOp("cos", unaryRule{DTypes: dtype.SetInexact, SavesIn: 1, Derivative: func(n *Node) *Node { return Neg(Sin(n.In(0))) }})
	opTan = unaryOp("tan", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesOut: true, Singular: true,
		Derivative: func(n *Node) *Node { return Add(Square(n), 1) }})
	opAsin = unaryOp("asin", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesIn: 1, Singular: true,
		Derivative: func(n *Node) *Node { return Rsqrt(x1(n, -1)) }})
	opAcos = unaryOp("acos", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesIn: 1, Singular: true,
		Derivative: func(n *Node) *Node { return Neg(Rsqrt(x1(n, -1))) }})
	opAtan = unaryOp("atan", unaryRule{DTypes: dtype.SetInexact, SavesIn: 1,
		Derivative: func(n *Node) *Node { return Reciprocal(x1(n, 1)) }})
	opSinh = unaryOp("sinh", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesIn: 1,
		Derivative: func(n *Node) *Node { return Cosh(n.In(0)) }})
	opCosh = unaryOp("cosh", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesIn: 1,
		Derivative: func(n *Node) *Node { return Sinh(n.In(0)) }})
	opTanh = unaryOp("tanh", unaryRule{DTypes: dtype.SetInexact, SavesOut: true,
		Derivative: func(n *Node) *Node { return Sub(1, Square(n)) }})
	opAsinh = unaryOp("asinh", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesIn: 1,
		Derivative: func(n *Node) *Node { return Rsqrt(x1(n, 1)) }})
	opAcosh = unaryOp("acosh", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesIn: 1, Singular: true,
		Derivative: func(n *Node) *Node { return acoshSlope(n.In(0)) }})
	opAtanh = unaryOp("atanh", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesIn: 1, Singular: true,
		Derivative: func(n *Node) *Node { return Reciprocal(x1(n, -1)) }})
	opErf = unaryOp("erf", unaryRule{DTypes: dtype.SetFloats, SavesIn: 1,
		Derivative: func(n *Node) *Node { return gaussSlope(n.In(0), 1) }})
	opErfc = unaryOp("erfc", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1,
		Derivative: func(n *Node) *Node { return gaussSlope(n.In(0), -1) }})
	opErfinv = unaryOp("erfinv", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1, SavesOut: true, Singular: true,
		Derivative: func(n *Node) *Node {
			return overDensity(n, 1, math.Sqrt(math.Pi)/2, func(y *Node) *Node { return Sub(1, Abs(y)) })
		}})
	opCbrt = unaryOp("cbrt", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesOut: true, Singular: true,
		Derivative: func(n *Node) *Node { return Div(1.0/3, Square(n)) }})
	opSigmoid = unaryOp("sigmoid", unaryRule{DTypes: dtype.SetInexact, SavesOut: true,
		Derivative: func(n *Node) *Node { return Mul(n, Sub(1, n)) }})
}

// acoshSlope is 1/√(x²-1); of complex numbers the root is a product of two, which has the branch cut of acosh.
func acoshSlope(x *Node) *Node {
	if x.DType().IsComplex() {
		return Mul(Rsqrt(Sub(x, 1)), Rsqrt(Add(x, 1)))
	}
	return Rsqrt(Sub(Square(x), 1))
}

// gaussSlope is ±2/√π·exp(-x²).
func gaussSlope(x *Node, sign float64) *Node {
	return widened(func(v []*Node) *Node { return Mul(gauss(v[0], 1), sign*2/math.Sqrt(math.Pi)) }, x)
}

// gauss is exp(-k·x²) for k of 1 and 1/2. Rounding x² would cost as many units of the result as x² is large, so it is h² + (x-h)(x+h)
// with a short h, whose square is exact.
func gauss(x *Node, k float64) *Node {
	x = Clamp(x, -40, 40) // 0 from there on
	h := StopGradient(Mul(Round(Mul(x, 256), RoundOptions{}), 1.0/256))
	return Mul(Exp(Mul(Square(h), -k)), Exp(Mul(Mul(Sub(x, h), Add(x, h)), -k)))
}

// Exp returns e to the power x.
//
//lucid:func
//lucid:method
//lucid:inplace
func Exp(x *Node) *Node { return unary(opExp, floating(x)) }

// Exp2 returns 2 to the power x.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias special_exp2
func Exp2(x *Node) *Node { return unary(opExp2, floating(x)) }

// Expm1 returns exp(x) - 1, precise near 0.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias special_expm1
func Expm1(x *Node) *Node { return unary(opExpm1, floating(x)) }

// Log returns the natural logarithm; NaN below zero, -Inf at zero.
//
//lucid:func
//lucid:method
//lucid:inplace
func Log(x *Node) *Node { return unary(opLog, floating(x)) }

// Log2 returns the logarithm to base 2.
//
//lucid:func
//lucid:method
//lucid:inplace
func Log2(x *Node) *Node { return unary(opLog2, floating(x)) }

// Log10 returns the logarithm to base 10.
//
//lucid:func
//lucid:method
//lucid:inplace
func Log10(x *Node) *Node { return unary(opLog10, floating(x)) }

// Log1p returns log(1 + x), precise near 0.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias special_log1p
func Log1p(x *Node) *Node { return unary(opLog1p, floating(x)) }

// Sin returns the sine of x in radians.
//
//lucid:func
//lucid:method
//lucid:inplace
func Sin(x *Node) *Node { return unary(opSin, floating(x)) }

// Cos returns the cosine of x in radians.
//
//lucid:func
//lucid:method
//lucid:inplace
func Cos(x *Node) *Node { return unary(opCos, floating(x)) }

// Tan returns the tangent of x in radians.
//
//lucid:func
//lucid:method
//lucid:inplace
func Tan(x *Node) *Node { return unary(opTan, floating(x)) }

// Asin returns the inverse sine; NaN outside [-1, 1].
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias arcsin
func Asin(x *Node) *Node { return unary(opAsin, floating(x)) }

// Acos returns the inverse cosine; NaN outside [-1, 1].
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias arccos
func Acos(x *Node) *Node { return unary(opAcos, floating(x)) }

// Atan returns the inverse tangent.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias arctan
func Atan(x *Node) *Node { return unary(opAtan, floating(x)) }

// Sinh returns the hyperbolic sine.
//
//lucid:func
//lucid:method
//lucid:inplace
func Sinh(x *Node) *Node { return unary(opSinh, floating(x)) }

// Cosh returns the hyperbolic cosine.
//
//lucid:func
//lucid:method
//lucid:inplace
func Cosh(x *Node) *Node { return unary(opCosh, floating(x)) }

// Tanh returns the hyperbolic tangent.
//
//lucid:func
//lucid:method
//lucid:inplace
func Tanh(x *Node) *Node { return unary(opTanh, floating(x)) }

// Asinh returns the inverse hyperbolic sine.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias arcsinh
func Asinh(x *Node) *Node { return unary(opAsinh, floating(x)) }

// Acosh returns the inverse hyperbolic cosine; NaN below 1.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias arccosh
func Acosh(x *Node) *Node { return unary(opAcosh, floating(x)) }

// Atanh returns the inverse hyperbolic tangent; NaN outside [-1, 1].
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias arctanh
func Atanh(x *Node) *Node { return unary(opAtanh, floating(x)) }

// Erf returns the error function.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias special_erf
func Erf(x *Node) *Node { return special(opErf, x) }

// Erfc returns 1 - erf(x), precise for large x.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias special_erfc
func Erfc(x *Node) *Node { return special(opErfc, x) }

// Erfinv returns the inverse of erf.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias special_erfinv
func Erfinv(x *Node) *Node { return special(opErfinv, x) }

// Sigmoid returns 1/(1 + exp(-x)).
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias special_expit expit
func Sigmoid(x *Node) *Node { return unary(opSigmoid, floating(x)) }

// Cbrt returns the cube root of real numbers, negative for negative ones.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias cube_root
func Cbrt(x *Node) *Node { return unary(opCbrt, realFloat("cbrt", floating(x))) }
