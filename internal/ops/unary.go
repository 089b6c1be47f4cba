package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

var opNeg, opAbs, opSquare, opSqrt, opRsqrt, opReciprocal, opSign, opConj *graph.Op

func init() {
	opNeg = unaryOp("neg", unaryRule{DTypes: dtype.SetNumbers, Derivative: func(n *Node) *Node { return constLike(n, -1) }})
	// The factor 2 comes last: 2x overflows for the largest numbers, and a cotangent of 0, as most functions have out there, would be NaN.
	opSquare = graph.Register(graph.Op{Name: "square", Version: 1, Kind: graph.Elementwise,
		Inputs: graph.Exactly(1), DTypes: dtype.SetNumbers, Validate: alike,
		Infer: inferSame, SavesIn: 1, VMap: vmapElementwise,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{Mul(Mul(cot[0], conj(n.In(0))), 2)} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{Mul(Mul(tan[0], n.In(0)), 2)} }})
	opSqrt = unaryOp("sqrt", unaryRule{DTypes: dtype.SetInexact, SavesOut: true, Singular: true,
		Derivative: func(n *Node) *Node { return Div(0.5, n) }})
	opRsqrt = unaryOp("rsqrt", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesOut: true, Singular: true,
		Derivative: func(n *Node) *Node { return Mul(-0.5, Mul(n, Square(n))) }})
	opReciprocal = unaryOp("reciprocal", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetInexact, SavesOut: true, Singular: true,
		Derivative: func(n *Node) *Node { return Neg(Mul(n, n)) }})
	opSign = unaryOp("sign", unaryRule{DTypes: dtype.SetOrdered, Derivative: func(n *Node) *Node { return nil }})
	opAbs = graph.Register(graph.Op{Name: "abs", Version: 1, Kind: graph.Elementwise,
		Inputs: graph.Exactly(1), DTypes: dtype.SetSigned, Validate: alike,
		SavesIn: 1, VMap: vmapElementwise,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: in[0].DType().Real()}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{Mul(cot[0], Sgn(n.In(0)))} },
		JVP: func(n *Node, tan []*Node) []*Node {
			s := Sgn(n.In(0))
			if s.DType().IsComplex() {
				return []*Node{Real(Mul(tan[0], Conj(s)))}
			}
			return []*Node{Mul(tan[0], s)}
		}})
	opConj = graph.Register(graph.Op{Name: "conj", Version: 1, Kind: graph.Elementwise,
		Inputs: graph.Exactly(1), DTypes: dtype.SetComplex, Validate: alike,
		Infer: inferSame, VMap: vmapElementwise,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{Conj(cot[0])} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{Conj(tan[0])} }})
}

// Neg returns -x.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias negative
func Neg(x *Node) *Node {
	requireKind("neg", x, x.DType() != dtype.Bool, "numbers; for bools use logical_not")
	return unary(opNeg, x)
}

// Positive returns x.
//
//lucid:func
//lucid:method
func Positive(x *Node) *Node {
	requireKind("positive", x, x.DType() != dtype.Bool, "numbers")
	return x
}

// Abs returns |x|; the magnitude of complex numbers.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias absolute
func Abs(x *Node) *Node {
	if x.DType() == dtype.Bool || x.DType().Kind() == dtype.KindUint {
		return x
	}
	return apply(opAbs, nil, x)
}

// Square returns x².
//
//lucid:func
//lucid:method
//lucid:inplace
func Square(x *Node) *Node {
	if x.DType() == dtype.Bool {
		x = Cast(x, dtype.Int64)
	}
	return unary(opSquare, x)
}

// Cube returns x³.
//
//lucid:func
//lucid:method
//lucid:inplace
func Cube(x *Node) *Node {
	return widened(func(v []*Node) *Node { return Mul(Square(v[0]), v[0]) }, x)
}

// Sqrt returns √x; NaN below zero.
//
//lucid:func
//lucid:method
//lucid:inplace
func Sqrt(x *Node) *Node { return unary(opSqrt, floating(x)) }

// Rsqrt returns 1/√x.
//
//lucid:func
//lucid:method
//lucid:inplace
func Rsqrt(x *Node) *Node { return unary(opRsqrt, floating(x)) }

// Reciprocal returns 1/x.
//
//lucid:func
//lucid:method
//lucid:inplace
func Reciprocal(x *Node) *Node { return unary(opReciprocal, floating(x)) }

// Sign returns -1, 0 or 1; for NaN it is 0.
//
//lucid:func
//lucid:method
//lucid:inplace
func Sign(x *Node) *Node {
	requireKind("sign", x, !x.DType().IsComplex(), "real numbers; for complex ones use sgn")
	return unary(opSign, x)
}

// Conj returns the complex conjugate; real numbers are their own.
//
//lucid:func
//lucid:method
//lucid:alias conj_physical conjugate
func Conj(x *Node) *Node {
	if !x.DType().IsComplex() {
		return x
	}
	return unary(opConj, x)
}

// ResolveConj returns x: a conjugate is never held back here.
//
//lucid:func
//lucid:method
//lucid:alias resolve_neg
func ResolveConj(x *Node) *Node { return x }

// Sgn returns x/|x|, and 0 at 0: the sign, for complex numbers their direction.
//
//lucid:func
//lucid:method
//lucid:inplace
func Sgn(x *Node) *Node {
	if !x.DType().IsComplex() {
		return Sign(x)
	}
	m := Abs(x)
	zero := Eq(m, 0)
	m = Where(zero, constLike(m, 1), m)
	return Where(zero, constLike(x, 0), Complex(Div(Real(x), m), Div(Imag(x), m)))
}
