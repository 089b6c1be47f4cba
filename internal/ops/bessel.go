package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/graph"
)

var opI0, opI0e, opI1, opI1e, opJ0, opJ1, opY0, opY1, opK0, opK1, opK0e, opK1e, opSphericalJ0, opAiryAi, opAiryAiPrime *graph.Op

func init() {
	fn := func(name string, d func(n, x *Node) *Node) *graph.Op {
		return unaryOp(name, unaryRule{AMP: graph.AMPFloat32, DTypes: dtype.SetFloats, SavesIn: 1, SavesOut: true, Singular: true,
			Derivative: func(n *Node) *Node { return d(n, n.In(0)) }})
	}
	// byX is y/x, and at 0 its limit.
	byX := func(y, x *Node, limit float64) *Node {
		zero := Eq(x, 0)
		return Where(zero, constLike(x, limit), Div(y, Where(zero, constLike(x, 1), x)))
	}
	opI0 = fn("i0", func(n, x *Node) *Node { return BesselI1(x) })
	opI1 = fn("special_i1", func(n, x *Node) *Node {
		// Where both terms overflow, their difference is taken before the exponential.
		far := Clamp(x, -1e4, 1e4)
		scaled := Mul(Exp(Abs(far)), Sub(BesselI0e(far), byX(BesselI1e(far), far, 0.5)))
		return Where(Lt(Abs(x), 80), Sub(I0(x), byX(n, x, 0.5)), scaled)
	})
	opI0e = fn("special_i0e", func(n, x *Node) *Node { return Sub(BesselI1e(x), Mul(Sign(x), n)) })
	opI1e = fn("special_i1e", func(n, x *Node) *Node {
		return Sub(Sub(BesselI0e(x), Mul(Sign(x), n)), byX(n, x, 0.5))
	})
	opJ0 = fn("special_bessel_j0", func(n, x *Node) *Node { return Neg(BesselJ1(x)) })
	opJ1 = fn("special_bessel_j1", func(n, x *Node) *Node { return Sub(BesselJ0(x), byX(n, x, 0.5)) })
	opY0 = fn("special_bessel_y0", func(n, x *Node) *Node { return Neg(BesselY1(x)) })
	opY1 = fn("special_bessel_y1", func(n, x *Node) *Node { return Sub(BesselY0(x), Div(n, x)) })
	opK0 = fn("special_modified_bessel_k0", func(n, x *Node) *Node { return Neg(ModifiedBesselK1(x)) })
	opK1 = fn("special_modified_bessel_k1", func(n, x *Node) *Node { return Neg(Add(ModifiedBesselK0(x), Div(n, x))) })
	opK0e = fn("special_scaled_modified_bessel_k0", func(n, x *Node) *Node { return Sub(n, ScaledModifiedBesselK1(x)) })
	opK1e = fn("special_scaled_modified_bessel_k1", func(n, x *Node) *Node {
		return Sub(Sub(n, ScaledModifiedBesselK0(x)), Div(n, x))
	})
	opAiryAi = fn("special_airy_ai", func(n, x *Node) *Node { return special(opAiryAiPrime, x) })
	opAiryAiPrime = fn("airy_ai_prime", func(n, x *Node) *Node { return Mul(x, AiryAi(x)) })
	opSphericalJ0 = fn("special_spherical_bessel_j0", func(n, x *Node) *Node {
		near := Lt(Abs(x), 1)
		safe, small := Where(near, constLike(x, 1), x), Where(near, x, constLike(x, 0))
		return Where(near, sincSlope(small), Div(Sub(Cos(safe), special(opSphericalJ0, safe)), safe))
	})
}

// I0 returns the modified Bessel function of the first kind of order 0.
//
//lucid:pkg special
//lucid:method
//lucid:inplace
//lucid:alias special_i0 special_modified_bessel_i0
func I0(x *Node) *Node { return special(opI0, x) }

// BesselI0e returns exp(-|x|)·I0(x).
//
//lucid:name special_i0e
//lucid:pkg special I0e
func BesselI0e(x *Node) *Node { return special(opI0e, x) }

// BesselI1 returns the modified Bessel function of the first kind of order 1.
//
//lucid:pkg special I1
//lucid:name special_i1
//lucid:alias special_modified_bessel_i1
func BesselI1(x *Node) *Node { return special(opI1, x) }

// BesselI1e returns exp(-|x|)·I1(x).
//
//lucid:name special_i1e
//lucid:pkg special I1e
func BesselI1e(x *Node) *Node { return special(opI1e, x) }

// BesselJ0 returns the Bessel function of the first kind of order 0.
//
//lucid:name special_bessel_j0
//lucid:pkg special
func BesselJ0(x *Node) *Node { return special(opJ0, x) }

// BesselJ1 returns the Bessel function of the first kind of order 1.
//
//lucid:name special_bessel_j1
//lucid:pkg special
func BesselJ1(x *Node) *Node { return special(opJ1, x) }

// BesselY0 returns the Bessel function of the second kind of order 0; NaN below zero.
//
//lucid:name special_bessel_y0
//lucid:pkg special
func BesselY0(x *Node) *Node { return special(opY0, x) }

// BesselY1 returns the Bessel function of the second kind of order 1; NaN below zero.
//
//lucid:name special_bessel_y1
//lucid:pkg special
func BesselY1(x *Node) *Node { return special(opY1, x) }

// ModifiedBesselK0 returns the modified Bessel function of the second kind of order 0; NaN below zero.
//
//lucid:name special_modified_bessel_k0
//lucid:pkg special
func ModifiedBesselK0(x *Node) *Node { return special(opK0, x) }

// ModifiedBesselK1 returns the modified Bessel function of the second kind of order 1; NaN below zero.
//
//lucid:name special_modified_bessel_k1
//lucid:pkg special
func ModifiedBesselK1(x *Node) *Node { return special(opK1, x) }

// ScaledModifiedBesselK0 returns exp(x)·K0(x).
//
//lucid:name special_scaled_modified_bessel_k0
//lucid:pkg special
func ScaledModifiedBesselK0(x *Node) *Node { return special(opK0e, x) }

// ScaledModifiedBesselK1 returns exp(x)·K1(x).
//
//lucid:name special_scaled_modified_bessel_k1
//lucid:pkg special
func ScaledModifiedBesselK1(x *Node) *Node { return special(opK1e, x) }

// AiryAi returns the Airy function Ai; 0 at infinities.
//
//lucid:name special_airy_ai
//lucid:pkg special
func AiryAi(x *Node) *Node { return special(opAiryAi, x) }

// SphericalBesselJ0 returns sin(x)/x, 1 at 0.
//
//lucid:name special_spherical_bessel_j0
//lucid:pkg special
func SphericalBesselJ0(x *Node) *Node { return special(opSphericalJ0, x) }
