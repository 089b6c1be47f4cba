package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

var opGammainc, opGammaincc, opGammaDensity, opGammaGrad, opBetainc, opBetaDensity, opBetaGrad, opBetaln, opBeta *graph.Op

func init() {
	real := func(saves uint32, out bool, p partials) binaryRule {
		return binaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: saves, SavesOut: out, Singular: true, Partials: p}
	}
	lower := func(n *Node, i int) *Node {
		p := binary(opGammaDensity, n.In(0), n.In(1))
		if i == 1 {
			return p
		}
		return Neg(Mul(p, StandardGammaGrad(n.In(0), n.In(1))))
	}
	opGammainc = binaryOp("special_gammainc", real(3, false, lower))
	opGammaincc = binaryOp("special_gammaincc", real(3, false, func(n *Node, i int) *Node { return Neg(lower(n, i)) }))
	opGammaDensity = binaryOp("gamma_density", real(3, true, func(n *Node, i int) *Node {
		return widened(func(v []*Node) *Node {
			a, x, p := v[0], v[1], v[2]
			if i == 0 {
				return Mul(p, Sub(Log(x), Digamma(a)))
			}
			return Mul(p, Sub(Div(Sub(a, 1), x), 1))
		}, n.In(0), n.In(1), n)
	}))
	opBetainc = partialsOp("special_betainc", 3, real(7, false, func(n *Node, i int) *Node {
		a, b, x := n.In(0), n.In(1), n.In(2)
		p := apply(opBetaDensity, nil, a, b, x)
		if i == 2 {
			return p
		}
		return widened(func(v []*Node) *Node { return Neg(Mul(Mul(v[0], v[1]), Mul(v[2], Sub(1, v[2])))) }, betaGrad(i, a, b, x), p, x)
	}))
	opBetaDensity = partialsOp("beta_density", 3, real(7, true, func(n *Node, i int) *Node {
		return widened(func(v []*Node) *Node {
			a, b, x, p := v[0], v[1], v[2], v[3]
			switch i {
			case 0:
				return Mul(p, Add(Sub(Log(x), Digamma(a)), Digamma(Add(a, b))))
			case 1:
				return Mul(p, Add(Sub(Log1p(Neg(x)), Digamma(b)), Digamma(Add(a, b))))
			}
			return Mul(p, Sub(Div(Sub(a, 1), x), Div(Sub(b, 1), Sub(1, x))))
		}, n.In(0), n.In(1), n.In(2), n)
	}))
	opBetaln = binaryOp("special_betaln", real(3, false, func(n *Node, i int) *Node {
		return widened(func(v []*Node) *Node { return Sub(Digamma(v[i]), Digamma(Add(v[0], v[1]))) }, n.In(0), n.In(1))
	}))
	opBeta = binaryOp("special_beta", real(3, true, func(n *Node, i int) *Node {
		return widened(func(v []*Node) *Node {
			return Mul(v[2], Sub(Digamma(v[i]), Digamma(Add(v[0], v[1]))))
		}, n.In(0), n.In(1), n)
	}))
	// The implicit gradient of sampling: how a sample of the gamma distribution moves with its concentration while its cumulative
	// probability stays. Attribute 1 is the derivative of that by the concentration.
	opGammaGrad = binaryOp("standard_gamma_grad", binaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats,
		Validate: rule(sampleGradOrders(2)), SavesIn: 3, SavesOut: true, Singular: true, Partials: gammaGradPartials})
	// The same for the beta distribution, over x(1-x): attribute 0 is by a, 1 by b; 2 and 3 are the derivatives of the first by a
	// and b, 4 and 5 those of the second. The inputs are a, b, x.
	opBetaGrad = partialsOp("beta_grad", 3, binaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats,
		Validate: rule(sampleGradOrders(6)), SavesIn: 7, SavesOut: true, Singular: true, Partials: betaGradPartials})
}

func sampleGradOrders(count int) func(c check) {
	return func(c check) {
		c.alike()
		n := attrOf[attr.Order](c).N
		c.must(n >= 0 && n < count, "of order %d", n)
	}
}

// gammaGradPartials: with F the cumulative probability and p the density, g = -F_α/p, and F_αz = p·(log z - ψ(α)).
func gammaGradPartials(n *Node, i int) *Node {
	order := n.Attr().(attr.Order).N
	if i == 0 && order == 1 {
		noDerivative("standard_gamma_grad", "the third derivative by the concentration is not computed; at most two are")
	}
	if i == 0 {
		return graph.New(opGammaGrad, attr.Order{N: 1}, n.In(0), n.In(1))
	}
	return widened(func(v []*Node) *Node {
		alpha, z, g := v[0], v[1], v[2]
		rate := Sub(Div(Sub(alpha, 1), z), 1) // (log p)' by z
		if order == 0 {
			return Sub(Sub(Digamma(alpha), Log(z)), Mul(g, rate))
		}
		return Sub(Sub(Polygamma(alpha, 1), Mul(g, rate)), Div(StandardGammaGrad(alpha, z), z))
	}, n.In(0), n.In(1), n)
}

// betaGradPartials: with q = x(1-x)·p, the derivative of v = -F_a/q by x is (-(log q)_a - v·(a(1-x) - bx))/(x(1-x)).
func betaGradPartials(n *Node, i int) *Node {
	order := n.Attr().(attr.Order).N
	if i < 2 {
		if order > 1 {
			noDerivative("beta_grad", "the third derivative by the concentrations is not computed; at most two are")
		}
		return betaGrad(2+2*order+i, n.In(0), n.In(1), n.In(2))
	}
	return widened(func(v []*Node) *Node {
		a, b, x, g := v[0], v[1], v[2], v[3]
		y := Sub(1, x)
		slope := Sub(Mul(a, y), Mul(b, x))
		top := Mul(g, slope)
		switch order {
		case 0:
			top = Add(top, Add(Sub(Log(x), Digamma(a)), Digamma(Add(a, b))))
		case 1:
			top = Add(top, Add(Sub(Log1p(Neg(x)), Digamma(b)), Digamma(Add(a, b))))
		case 2:
			top = Add(top, Add(Mul(betaGrad(0, a, b, x), y), Sub(Polygamma(Add(a, b), 1), Polygamma(a, 1))))
		case 3:
			top = Add(top, Sub(Polygamma(Add(a, b), 1), Mul(betaGrad(0, a, b, x), x)))
		case 4:
			top = Add(top, Add(Polygamma(Add(a, b), 1), Mul(betaGrad(1, a, b, x), y)))
		default:
			top = Add(top, Sub(Sub(Polygamma(Add(a, b), 1), Polygamma(b, 1)), Mul(betaGrad(1, a, b, x), x)))
		}
		return Neg(Div(top, Mul(x, y)))
	}, n.In(0), n.In(1), n.In(2), n)
}

func betaGrad(order int, a, b, x *Node) *Node {
	return apply(opBetaGrad, attr.Order{N: order}, a, b, x)
}

// promote3 brings three operands to one floating dtype and shape.
func promote3(op string, x, y, z Operand) (*Node, *Node, *Node) {
	d := resultType(op, x, y, z)
	if !d.IsInexact() {
		d = DefaultFloat()
	}
	a, b, c := as(op, x, d), as(op, y, d), as(op, z, d)
	requireKind(op, a, !d.IsComplex(), "real numbers")
	s := shape.Broadcast(op, shape.Broadcast(op, a.Shape(), b.Shape()), c.Shape())
	return expandTo(a, s), expandTo(b, s), expandTo(c, s)
}

// Gammainc returns the regularised lower incomplete gamma function P(a, x): the probability of the gamma distribution of
// concentration a up to x. NaN for negative arguments, and where both are 0 or both infinite.
//
//lucid:name special_gammainc
//lucid:alias igamma
//lucid:pkg special
func Gammainc(a, x Operand) *Node { return realFloats(opGammainc, a, x) }

// Gammaincc returns the regularised upper incomplete gamma function 1 - Gammainc, precise where it is small.
//
//lucid:name special_gammaincc
//lucid:alias igammac
//lucid:pkg special
func Gammaincc(a, x Operand) *Node { return realFloats(opGammaincc, a, x) }

// Betainc returns the regularised incomplete beta function: the probability of the beta distribution of concentrations a and b
// up to x. NaN for negative concentrations and x outside [0, 1].
//
//lucid:name special_betainc
//lucid:pkg special
//lucid:amp float32
func Betainc(a, b, x Operand) *Node {
	p, q, v := promote3("special_betainc", a, b, x)
	return apply(opBetainc, nil, p, q, v)
}

// Beta returns the beta function Γ(a)·Γ(b)/Γ(a+b).
//
//lucid:name special_beta
//lucid:pkg special
func Beta(a, b Operand) *Node { return realFloats(opBeta, a, b) }

// Betaln returns the logarithm of |Beta|, precise for large arguments too.
//
//lucid:name special_betaln
//lucid:pkg special
func Betaln(a, b Operand) *Node { return realFloats(opBetaln, a, b) }

// StandardGammaGrad returns the derivative of a sample of the gamma distribution of rate 1 by its concentration alpha, its
// cumulative probability being constant. It is NaN for concentrations and samples that are not positive, and 0 at 0.
//
//lucid:name standard_gamma_grad
//lucid:alias _standard_gamma_grad
//lucid:amp float32
func StandardGammaGrad(alpha, sample Operand) *Node {
	a, x := promoteFloat("standard_gamma_grad", alpha, sample)
	requireKind("standard_gamma_grad", a, !a.DType().IsComplex(), "real numbers")
	return apply(opGammaGrad, attr.Order{}, a, x)
}

// DirichletGrad returns the derivative of an element x of a sample of the Dirichlet distribution by its concentration alpha over
// 1 - x, total being the sum of all concentrations. The gradient by the concentrations is this times the cotangent less its
// sum weighted by x.
//
//lucid:name dirichlet_grad
//lucid:alias _dirichlet_grad
func DirichletGrad(x, alpha, total Operand) *Node {
	v, a, t := promote3("dirichlet_grad", x, alpha, total)
	return widened(func(v []*Node) *Node {
		return Mul(v[0], betaGrad(0, v[1], Sub(v[2], v[1]), v[0]))
	}, v, a, t)
}
