package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

var opErfcx, opNdtr, opLogNdtr, opNdtri, opEntr *graph.Op

func init() {
	opErfcx = unaryOp("special_erfcx", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1, SavesOut: true,
		Derivative: func(n *Node) *Node {
			return Sub(Mul(Mul(n.In(0), 2), n), 2/math.Sqrt(math.Pi))
		}})
	opNdtr = unaryOp("special_ndtr", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1, Derivative: func(n *Node) *Node {
		return Mul(Exp(Mul(Square(n.In(0)), -0.5)), 1/math.Sqrt(2*math.Pi))
	}})
	opLogNdtr = unaryOp("special_log_ndtr", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1, Derivative: func(n *Node) *Node {
		return Div(math.Sqrt(2/math.Pi), Erfcx(Mul(n.In(0), -math.Sqrt2/2)))
	}})
	opNdtri = unaryOp("special_ndtri", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesOut: true, Singular: true,
		Derivative: func(n *Node) *Node {
			return Mul(Exp(Mul(Square(n), 0.5)), math.Sqrt(2*math.Pi))
		}})
	opEntr = unaryOp("special_entr", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1, Singular: true,
		Derivative: func(n *Node) *Node { return Sub(Neg(Log(n.In(0))), 1) }})
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

// Entr returns -x·log(x): 0 at 0 and -Inf below.
//
//lucid:name special_entr
//lucid:pkg special
func Entr(x *Node) *Node { return special(opEntr, x) }
