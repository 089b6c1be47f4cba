package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

var opReal, opImag, opComplex *graph.Op

func inferPart(_ attr.Attr, in []*Node) []graph.Spec {
	return []graph.Spec{{Shape: in[0].Shape(), DType: in[0].DType().Real()}}
}

func init() {
	opReal = graph.Register(graph.Op{Name: "real", Version: 1, Kind: graph.Elementwise,
		Inputs: graph.Exactly(1), DTypes: dtype.SetComplex, Validate: alike,
		Infer: inferPart, VMap: vmapElementwise,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{Cast(cot[0], n.In(0).DType())} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{Real(tan[0])} }})
	opImag = graph.Register(graph.Op{Name: "imag", Version: 1, Kind: graph.Elementwise,
		Inputs: graph.Exactly(1), DTypes: dtype.SetComplex, Validate: alike,
		Infer: inferPart, VMap: vmapElementwise,
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{Complex(zerosLike(cot[0]), cot[0])} },
		JVP: func(n *Node, tan []*Node) []*Node { return []*Node{Imag(tan[0])} }})
	opComplex = graph.Register(graph.Op{Name: "complex", Version: 1, Kind: graph.Elementwise,
		Inputs: graph.Exactly(2), DTypes: dtype.SetOf(dtype.Float32, dtype.Float64), Validate: rule(validateComplex),
		VMap: vmapElementwise,
		Infer: func(_ attr.Attr, in []*Node) []graph.Spec {
			return []graph.Spec{{Shape: outShape(in...), DType: in[0].DType().Complex()}}
		},
		VJP: func(n *Node, cot []*Node, _ []bool) []*Node { return []*Node{Real(cot[0]), Imag(cot[0])} },
		JVP: func(n *Node, tan []*Node) []*Node {
			t := withZeros(n, tan)
			return []*Node{Complex(t[0], t[1])}
		}})
}

// Real returns the real part; real numbers are their own.
//
//lucid:func
//lucid:method
//lucid:view
func Real(x *Node) *Node {
	if !x.DType().IsComplex() {
		return x
	}
	return apply(opReal, nil, x)
}

// Imag returns the imaginary part of complex numbers.
//
//lucid:func
//lucid:method
//lucid:view
func Imag(x *Node) *Node {
	requireKind("imag", x, x.DType().IsComplex(), "a complex dtype")
	return apply(opImag, nil, x)
}

// Complex joins a real and an imaginary part.
//
//lucid:func
func Complex(real, imag *Node) *Node {
	a, b := promote("complex", floating(real), floating(imag))
	requireKind("complex", a, !a.DType().IsComplex(), "real parts")
	if a.DType().IsHalf() {
		a, b = Cast(a, dtype.Float32), Cast(b, dtype.Float32) // there is no complex half
	}
	return apply(opComplex, nil, a, b)
}

// Polar joins a magnitude and an angle in radians.
//
//lucid:func
func Polar(abs, angle *Node) *Node {
	requireKind("polar", abs, abs.DType().IsFloat() && angle.DType().IsFloat(), "floating magnitudes and angles")
	return Complex(Mul(abs, Cos(angle)), Mul(abs, Sin(angle)))
}

// Angle returns the angle of complex numbers in (-π, π]; for real ones it is 0, π below zero, and NaN for NaN.
//
//lucid:func
//lucid:method
func Angle(x *Node) *Node {
	if x.DType().IsComplex() {
		re, im := Real(x), Imag(x)
		zero := Eq(x, 0)
		// At zero no gradient passes: there the angle is taken of numbers that do not depend on x.
		free := func(p *Node) *Node { return Where(zero, StopGradient(p), p) }
		return Atan2(free(im), Where(zero, StopGradient(re), re))
	}
	x = floating(x)
	return flatGrad(StopGradient(Where(Lt(x, 0), constLike(x, math.Pi), Where(IsNaN(x), x, constLike(x, 0)))), x)
}

// ViewAsReal returns complex numbers as pairs: a last dimension of size 2 holds the real and the imaginary part.
//
//lucid:func
//lucid:method
//lucid:view
func ViewAsReal(x *Node) *Node {
	requireKind("view_as_real", x, x.DType().IsComplex(), "a complex dtype")
	return concat([]*Node{Unsqueeze(Real(x), -1), Unsqueeze(Imag(x), -1)}, x.Rank())
}

// ViewAsComplex joins pairs of floats along the last dimension, which must have size 2.
//
//lucid:func
//lucid:method
//lucid:view
func ViewAsComplex(x *Node) *Node {
	requireKind("view_as_complex", x, x.DType().IsFloat(), "a floating dtype")
	last := x.Rank() - 1
	if last < 0 || x.Dim(last) != 2 {
		fault.Throw(fault.Shape, "view_as_complex", "the last dimension of %v holds no pairs; want size 2", x.Shape())
	}
	part := func(i int) *Node { return Reshape(SliceDim(x, last, i, 1, 1), x.Shape().Dims()[:last]...) }
	return Complex(part(0), part(1))
}
