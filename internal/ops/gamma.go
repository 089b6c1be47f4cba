package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

var opLgamma, opDigamma, opPolygamma, opZeta *graph.Op

func init() {
	opLgamma = unaryOp("lgamma", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1, Singular: true,
		Derivative: func(n *Node) *Node { return Digamma(n.In(0)) }})
	opDigamma = unaryOp("digamma", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1, Singular: true,
		Derivative: func(n *Node) *Node { return Polygamma(n.In(0), 1) }})
	opPolygamma = unaryOp("polygamma", unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, Validate: rule(validatePolygamma),
		SavesIn: 1, Singular: true,
		Derivative: func(n *Node) *Node {
			return Polygamma(n.In(0), n.Attr().(attr.Order).N+1)
		}})
	opZeta = binaryOp("special_zeta", binaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 3, Singular: true,
		Partials: func(n *Node, i int) *Node {
			if i == 0 {
				return widened(zetaByExponent, n.In(0), n.In(1))
			}
			return widened(func(v []*Node) *Node {
				s, q := v[0], v[1]
				t := Add(s, 1)
				lost := Sub(s, Sub(t, 1)) // by rounding; the derivative of log ζ by the exponent is about -log q
				lost = Where(Gt(q, 0), Mul(lost, Log(q)), constLike(q, 0))
				return Mul(Neg(s), Mul(Zeta(t, q), Sub(1, lost)))
			}, n.In(0), n.In(1))
		}})
}

// zetaTail has B(2k)/(2k)! for k from 1 on.
var zetaTail = []float64{1.0 / 12, -1.0 / 720, 1.0 / 30240, -1.0 / 1209600, 1.0 / 47900160, -691.0 / 1307674368000, 1.0 / 74724249600,
	-3617.0 / 10670622842880000}

// zetaByExponent is the derivative of Zeta by its exponent: the formula of Euler and Maclaurin, term by term. Where Zeta is
// not differentiable by it, which is for exponents up to 1 and below the pole at 0, it is NaN.
func zetaByExponent(v []*Node) *Node {
	const terms = 12
	s, q := v[0], v[1]
	down := Neg(s)
	var sum *Node
	for k := range terms {
		a := Add(q, k)
		t := Mul(Log(a), Pow(a, down))
		if sum == nil {
			sum = Neg(t)
		} else {
			sum = Sub(sum, t)
		}
	}
	a := Add(q, terms)
	l, p, r := Log(a), Pow(a, down), Reciprocal(Sub(s, 1))
	sum = Sub(sum, Mul(Mul(Mul(p, a), r), Add(l, r)))
	sum = Sub(sum, Mul(Mul(l, p), 0.5))
	// Each term has s(s+1)…(s+2k-2), whose derivative is slope times as much. For exponents that would overflow it, p is 0.
	s = Minimum(s, 1e15)
	rise, slope := s, Reciprocal(s)
	p = Div(p, a)
	for k, b := range zetaTail {
		sum = Add(sum, Mul(Mul(Mul(rise, p), Sub(slope, l)), b))
		m, n := Add(s, 2*k+1), Add(s, 2*k+2)
		rise, slope, p = Mul(rise, Mul(m, n)), Add(slope, Add(Reciprocal(m), Reciprocal(n))), Div(p, Mul(a, a))
	}
	// The root of a negative number, whose derivatives are NaN too.
	return Where(Gt(s, 1), sum, Pow(Sub(Sub(s, 2), Abs(q)), 0.5))
}

// special records a unary op of real floats.
func special(op *graph.Op, x *Node) *Node {
	x = floating(x)
	requireKind(op.Name, x, !x.DType().IsComplex(), "real numbers")
	return unary(op, x)
}

// Lgamma returns log |Γ(x)|; Inf at the poles.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:alias special_gammaln
func Lgamma(x *Node) *Node { return special(opLgamma, x) }

// Digamma returns the derivative of log Γ(x); NaN at negative integers.
//
//lucid:pkg special
//lucid:method
//lucid:inplace
//lucid:alias special_digamma special_psi
func Digamma(x *Node) *Node { return special(opDigamma, x) }

// Polygamma returns the n-th derivative of digamma.
//
//lucid:pkg special
//lucid:method
//lucid:inplace
//lucid:alias special_polygamma
func Polygamma(x *Node, n int) *Node {
	if n < 0 {
		fault.Throw(fault.Value, "polygamma", "n is %d; want 0 or more", n)
	}
	x = floating(x)
	requireKind("polygamma", x, !x.DType().IsComplex(), "real numbers")
	if n == 0 {
		return Digamma(x)
	}
	return apply(opPolygamma, attr.Order{N: n}, x)
}

// Mvlgamma returns the logarithm of the multivariate gamma function of dimension p.
//
//lucid:pkg special
//lucid:method
//lucid:inplace
//lucid:alias special_multigammaln
func Mvlgamma(x *Node, p int) *Node {
	if p < 1 || p > 10000 { // a sum of p terms
		fault.Throw(fault.Value, "mvlgamma", "p is %d; want 1 to 10000", p)
	}
	return widened(func(v []*Node) *Node {
		sum := Lgamma(v[0])
		for j := 1; j < p; j++ {
			sum = Add(sum, Lgamma(Sub(v[0], 0.5*float64(j))))
		}
		return Add(sum, 0.25*float64(p*(p-1))*math.Log(math.Pi))
	}, floating(x))
}

// Zeta returns the Hurwitz zeta function Σ (k + other)^-x over k from 0 on.
//
//lucid:name special_zeta
//lucid:pkg special
func Zeta(x, other Operand) *Node { return realFloats(opZeta, x, other) }
