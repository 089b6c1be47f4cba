package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

var opErfcx, opErfcxDerivative, opNdtr, opLogNdtr, opNdtri, opErfcinv, opEntr *graph.Op

func init() {
	opErfcx = unaryOp("special_erfcx", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1,
		Derivative: func(n *Node) *Node { return apply(opErfcxDerivative, attr.Order{N: 1}, n.In(0)) }})
	// The derivatives are kernels: the formula 2x·erfcx(x) - 2/√π cancels all digits for large x.
	opErfcxDerivative = unaryOp("erfcx_derivative", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats,
		Validate: rule(validateErfcxDerivative), SavesIn: 1,
		Derivative: func(n *Node) *Node {
			return apply(opErfcxDerivative, attr.Order{N: n.Attr().(attr.Order).N + 1}, n.In(0))
		}})
	opNdtr = unaryOp("special_ndtr", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1, Derivative: func(n *Node) *Node {
		return widened(func(v []*Node) *Node { return Mul(gauss(v[0], 0.5), 1/math.Sqrt(2*math.Pi)) }, n.In(0))
	}})
	opLogNdtr = unaryOp("special_log_ndtr", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1,
		Derivative: func(n *Node) *Node { return widened(logNdtrDerivative, n.In(0)) }})
	opErfcinv = unaryOp("special_erfcinv", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1, SavesOut: true,
		Singular: true, Derivative: func(n *Node) *Node {
			return overDensity(n, 1, -math.Sqrt(math.Pi)/2, func(y *Node) *Node { return Minimum(y, Sub(2, y)) })
		}})
	opNdtri = unaryOp("special_ndtri", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1, SavesOut: true,
		Singular: true, Derivative: func(n *Node) *Node {
			return overDensity(n, 0.5, math.Sqrt(2*math.Pi), func(p *Node) *Node { return Mul(Minimum(p, Sub(1, p)), 2) })
		}})
	opEntr = unaryOp("special_entr", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1, Singular: true,
		Derivative: func(n *Node) *Node { return Sub(Neg(Log(n.In(0))), 1) }})
}

// overDensity is c·exp(k·n²), the derivative of an inverse n of a probability. n² would make as many units of its rounding as it is
// large; erfcx(√k·|n|) over tail, which is twice the probability beyond n, does not.
func overDensity(n *Node, k, c float64, tail func(p *Node) *Node) *Node {
	return widened(func(v []*Node) *Node {
		n, p := v[0], v[1]
		simple := Mul(Exp(Mul(Square(n), k)), c)
		value := Mul(Div(Erfcx(Mul(Abs(n), math.Sqrt(k))), tail(p)), c)
		return withGrad(Where(IsFinite(value), value, simple), n, Mul(Mul(n, simple), 2*k))
	}, n, n.In(0))
}

func validateErfcxDerivative(c check) {
	c.alike()
	n := attrOf[attr.Order](c).N
	c.must(n >= 1 && n < 1<<10, "of order %d", n)
}

// logNdtrDerivative is the density over the area, in three pieces: far below 0 both vanish and the quotient is -x - 1/x + …; between
// there and 0 it is a multiple of 1/erfcx; above 0 it is the quotient.
func logNdtrDerivative(v []*Node) *Node {
	const limit = -1e5
	x := v[0]
	low, high := Minimum(x, limit/2), Maximum(x, -1) // not bound where they are taken, so that derivatives pass
	far := Sub(Neg(low), Reciprocal(low))
	near := Div(math.Sqrt(2/math.Pi), Erfcx(Mul(Clamp(x, 2*limit, 1), -math.Sqrt2/2)))
	above := Div(Mul(gauss(high, 0.5), 1/math.Sqrt(2*math.Pi)), Ndtr(high))
	return Where(Lt(x, limit), far, Where(Gt(x, 0), above, near))
}

// Erfcx returns exp(x²)·erfc(x), a number where its factors are none.
//
//lucid:name special_erfcx
//lucid:pkg special
func Erfcx(x *Node) *Node { return special(opErfcx, x) }

// Ndtr returns the area under the standard normal density up to x.
//
//lucid:name special_ndtr
//lucid:pkg special
func Ndtr(x *Node) *Node { return special(opNdtr, x) }

// LogNdtr returns the logarithm of Ndtr, precise far below zero.
//
//lucid:name special_log_ndtr
//lucid:pkg special
func LogNdtr(x *Node) *Node { return special(opLogNdtr, x) }

// Ndtri returns the inverse of Ndtr; NaN outside [0, 1].
//
//lucid:name special_ndtri
//lucid:pkg special
func Ndtri(x *Node) *Node { return special(opNdtri, x) }

// Erfcinv returns the inverse of the complementary error function: infinite at 0 and 2, NaN outside.
//
//lucid:name special_erfcinv
//lucid:pkg special
func Erfcinv(x *Node) *Node { return special(opErfcinv, x) }

// Entr returns -x·log(x): 0 at 0 and -Inf below.
//
//lucid:name special_entr
//lucid:pkg special
func Entr(x *Node) *Node { return special(opEntr, x) }
