package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/scope"
)

var opSignbit, opCopysign, opNextafter, opMantissa, opExponent *graph.Op

func init() {
	opSignbit = testOp("signbit", 1, dtype.SetOrdered)
	opCopysign = binaryOp("copysign", binaryRule{DTypes: dtype.SetFloats, SavesIn: 1, SavesOut: true, Partials: func(n *Node, i int) *Node {
		if i == 1 {
			return nil
		}
		x := n.In(0)
		return Where(Eq(x, 0), constLike(n, 0), Div(n, x))
	}})
	opNextafter = binaryOp("nextafter", binaryRule{DTypes: dtype.SetFloats, SavesIn: 3, Partials: func(n *Node, i int) *Node {
		if i == 1 {
			return nil
		}
		return Cast(Ne(n.In(0), n.In(1)), n.DType()) // equal numbers give the second, which counts as a constant
	}})
	opMantissa = unaryOp("frexp_mantissa", unaryRule{DTypes: dtype.SetFloats, SavesIn: 1, Derivative: func(n *Node) *Node {
		wide := n.DType()
		if wide.IsHalf() {
			wide = dtype.Float32 // float16 has no 2¹⁶, by which small numbers are multiplied
		}
		return Exp2(Cast(Neg(exponentOf(n.In(0))), wide))
	}})
	opExponent = graph.Register(graph.Op{Name: "frexp_exponent", Version: 1, Kind: graph.Elementwise,
		Inputs: graph.Exactly(1), DTypes: dtype.SetFloats, Validate: alike,
		VMap: vmapElementwise, NoGrad: "its result is an integer",
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: in[0].Shape(), DType: dtype.Int32}}
		}})
}

// Signbit reports which elements are negative, -0 and NaN with the sign set included.
//
//lucid:func
//lucid:method
func Signbit(x *Node) *Node {
	requireKind("signbit", x, !x.DType().IsComplex(), "real numbers")
	return apply(opSignbit, nil, x)
}

// Copysign returns |x| with the sign of other.
//
//lucid:func
//lucid:method
//lucid:inplace
func Copysign(x, other Operand) *Node {
	a, b := promoteFloat("copysign", x, other)
	requireKind("copysign", a, !a.DType().IsComplex(), "real numbers")
	return binary(opCopysign, a, b)
}

// Nextafter returns the next number of the dtype after x towards other.
//
//lucid:func
//lucid:method
//lucid:inplace
func Nextafter(x, other Operand) *Node {
	a, b := promote("nextafter", x, other)
	requireKind("nextafter", a, a.DType().IsFloat(), "a floating dtype")
	return binary(opNextafter, a, b)
}

// Heaviside returns 0 where x is negative or NaN, 1 where it is positive, and values where it is 0. Both must have
// one dtype.
//
//lucid:func
//lucid:method
//lucid:inplace
func Heaviside(x, values *Node) *Node {
	if x.DType() != values.DType() {
		fault.Throw(fault.DType, "heaviside", "x is %v and values are %v; want one dtype", x.DType(), values.DType())
	}
	requireKind("heaviside", x, !x.DType().IsComplex(), "real numbers")
	return StopGradient(Where(Eq(x, 0), values, Cast(Gt(x, 0), x.DType())))
}

func exponentOf(x *Node) *Node { return apply(opExponent, nil, x) }

// Frexp splits x into a mantissa in ±[0.5, 1) and an int32 exponent: x = mantissa·2^exponent. Zeros, infinities and
// NaN are their own mantissa with exponent 0.
//
//lucid:func
//lucid:method
func Frexp(x *Node) (mantissa, exponent *Node) {
	requireKind("frexp", x, x.DType().IsFloat(), "a floating dtype")
	return unary(opMantissa, x), exponentOf(x)
}

// Ldexp returns x·2^other. Of half types it is rounded once.
//
//lucid:func
//lucid:method
//lucid:inplace
//lucid:amp float32
func Ldexp(x, other Operand) *Node {
	a, b := promoteFloat("ldexp", x, other)
	if scope.Current().Autocast != dtype.Invalid { // a power is taken, and stays, in float32
		return Mul(a, Exp2(b))
	}
	return widened(func(v []*Node) *Node { return Mul(v[0], Exp2(v[1])) }, a, b)
}

// NanToNumOptions say what replaces NaN and the infinities; nil: 0 and the dtype's largest and smallest number.
type NanToNumOptions struct {
	NaN    *float64 `lucid:"nan"`    // replaces NaN; nil: 0
	PosInf *float64 `lucid:"posinf"` // replaces infinity; nil: the largest number of the dtype
	NegInf *float64 `lucid:"neginf"` // replaces minus infinity; nil: the smallest number of the dtype
}

// NanToNum replaces NaN and infinities by numbers; no gradient passes there.
//
//lucid:func
//lucid:method
//lucid:inplace
func NanToNum(x *Node, o NanToNumOptions) *Node {
	switch {
	case x.DType().IsComplex():
		return Complex(NanToNum(Real(x), o), NanToNum(Imag(x), o))
	case !x.DType().IsFloat():
		return x
	}
	if o.PosInf == nil && o.NegInf == nil && !x.DType().IsHalf() {
		return piecewise(opNanToNum, x, orElse(o.NaN, 0))
	}
	or := func(v *float64, def float64) *Node {
		if v != nil {
			def = *v
		}
		return constLike(x, def)
	}
	top := largest(x.DType())
	r := Where(IsNaN(x), or(o.NaN, 0), x)
	r = Where(Eq(x, math.Inf(1)), or(o.PosInf, top), r)
	return Where(Eq(x, math.Inf(-1)), or(o.NegInf, -top), r)
}

// largest is the largest finite number of a float dtype.
func largest(d dtype.DType) float64 {
	switch d {
	case dtype.Float16:
		return 65504
	case dtype.BFloat16:
		return 0x1.fep127
	case dtype.Float32:
		return math.MaxFloat32
	}
	return math.MaxFloat64
}
