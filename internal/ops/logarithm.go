package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

var opLogaddexp, opLogaddexp2, opXlogy, opXlog1py, opLogit, opAtan2, opHypot *graph.Op

func init() {
	// d/dx log(eˣ+eʸ) = 1/(1+e^(y-x)), which stays a number where the result does not. As a sigmoid its own derivative does so too.
	share := func(scale float64) partials {
		return func(n *Node, i int) *Node {
			d := Sub(n.In(i), n.In(1-i))
			if n.DType().IsComplex() {
				return Reciprocal(Add(Exp(Neg(d)), 1))
			}
			if scale != 1 {
				d = Mul(d, scale)
			}
			return Sigmoid(d)
		}
	}
	opLogaddexp = binaryOp("logaddexp", binaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesIn: 3, Partials: share(1)})
	opLogaddexp2 = binaryOp("logaddexp2", binaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 3, Partials: share(math.Ln2)})
	opXlogy = binaryOp("xlogy", binaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 3, Singular: true,
		Partials: func(n *Node, i int) *Node {
			x, y := n.In(0), n.In(1)
			if i == 1 {
				return Div(x, y)
			}
			return Where(LogicalAnd(Eq(x, 0), Le(y, 0)), constLike(n, 0), Log(y))
		}})
	opXlog1py = binaryOp("special_xlog1py", binaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 3, Singular: true,
		Partials: func(n *Node, i int) *Node {
			x, y := n.In(0), n.In(1)
			if i == 1 {
				return Div(x, Add(y, 1))
			}
			return Where(LogicalAnd(Eq(x, 0), Le(y, -1)), constLike(n, 0), Log1p(y))
		}})
	opLogit = unaryOp("logit", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1, Singular: true,
		Derivative: func(n *Node) *Node {
			x := n.In(0)
			outside := LogicalOr(Lt(x, 0), Gt(x, 1))
			return Where(outside, constLike(x, math.NaN()), Reciprocal(Mul(x, Sub(1, x))))
		}})
	opAtan2 = binaryOp("atan2", binaryRule{DTypes: dtype.SetFloats, SavesIn: 3, Singular: true,
		Partials: func(n *Node, i int) *Node {
			y, x := n.In(0), n.In(1)
			r := Add(Square(x), Square(y))
			r = Where(Eq(r, 0), constLike(r, math.Inf(1)), r) // at the origin there is no direction: the gradient is 0
			if i == 0 {
				return Div(x, r)
			}
			return Neg(Div(y, r))
		}})
	opHypot = binaryOp("hypot", binaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 3, SavesOut: true, Singular: true,
		Partials: func(n *Node, i int) *Node { return Div(n.In(i), n) }})
}

// realFloats records an op of two real floats.
func realFloats(op *graph.Op, x, y Operand) *Node {
	a, b := promoteFloat(op.Name, x, y)
	requireKind(op.Name, a, !a.DType().IsComplex(), "real numbers")
	return binary(op, a, b)
}

// Logaddexp returns log(exp(x) + exp(other)) without overflow.
//
//lucid:func
//lucid:method
func Logaddexp(x, other Operand) *Node {
	a, b := promoteFloat("logaddexp", x, other)
	return binary(opLogaddexp, a, b)
}

// Logaddexp2 returns log2(2^x + 2^other) without overflow.
//
//lucid:func
//lucid:method
func Logaddexp2(x, other Operand) *Node { return realFloats(opLogaddexp2, x, other) }

// Xlogy returns x·log(other), and 0 where x is 0 and other is no NaN.
//
//lucid:pkg special
//lucid:method
//lucid:inplace
//lucid:alias special_xlogy
func Xlogy(x, other Operand) *Node { return realFloats(opXlogy, x, other) }

// Xlog1py returns x·log(1 + other), and 0 where x is 0 and other is no NaN.
//
//lucid:name special_xlog1py
//lucid:pkg special
func Xlog1py(x, other Operand) *Node { return realFloats(opXlog1py, x, other) }

// Atan2 returns the angle of the point (other, x) from the positive axis, in (-π, π].
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias arctan2
func Atan2(x, other Operand) *Node { return realFloats(opAtan2, x, other) }

// Hypot returns √(x² + other²) without overflow.
//
//lucid:func
//lucid:method
//lucid:inplace
func Hypot(x, other Operand) *Node { return realFloats(opHypot, x, other) }

// LogitOptions keep the argument in [eps, 1-eps].
type LogitOptions struct {
	Eps *float64 // keeps the argument in [eps, 1-eps]; nil: any argument
}

// Logit returns log(x/(1-x)); NaN outside [0, 1] unless eps is given.
//
//lucid:pkg special
//lucid:method
//lucid:inplace
//lucid:alias special_logit
func Logit(x *Node, o LogitOptions) *Node {
	x = floating(x)
	requireKind("logit", x, !x.DType().IsComplex(), "real numbers")
	if o.Eps != nil {
		lo, hi := *o.Eps, 1-*o.Eps
		x = Where(Lt(x, lo), constLike(x, lo), Where(Gt(x, hi), constLike(x, hi), x))
	}
	return unary(opLogit, x)
}

// Deg2rad converts degrees to radians.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias radians
func Deg2rad(x *Node) *Node { return rescaled("deg2rad", x, math.Pi/180) }

// Rad2deg converts radians to degrees.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias degrees
func Rad2deg(x *Node) *Node { return rescaled("rad2deg", x, 180/math.Pi) }

func rescaled(op string, x *Node, by float64) *Node {
	requireKind(op, x, !x.DType().IsComplex(), "real numbers")
	return widened(func(v []*Node) *Node { return Mul(v[0], by) }, floating(x))
}

// sincSeries has the coefficients (-1)^k / (2k+1)! of sin(p)/p in p²; up to p = 1 the rest is below float64's precision.
var sincSeries = [...]float64{1, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800,
	-1.0 / 1307674368000, 1.0 / 355687428096000, -1.0 / 121645100408832000}

// Sinc returns sin(πx)/πx, 1 at 0.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias special_sinc
func Sinc(x *Node) *Node {
	if !x.DType().IsComplex() {
		return unary(opSinc, floating(x))
	}
	p := Mul(x, math.Pi)
	// Up to 1 stands the series, for its derivatives as in sincDerivative. Each form sees its own arguments alone: a square or a reciprocal
	// that overflows has no gradient that could be multiplied by 0.
	near := Lt(Abs(p), 1)
	safe, sq := Where(near, constLike(p, 1), p), Square(Where(near, p, constLike(p, 0)))
	series := constLike(sq, sincSeries[len(sincSeries)-1])
	for k := len(sincSeries) - 2; k >= 0; k-- {
		series = Add(Mul(series, sq), sincSeries[k])
	}
	return Where(near, series, Div(Sin(safe), safe))
}
