package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// HardtanhOptions has the bounds; nil: -1 and 1.
type HardtanhOptions struct {
	MinVal *float64 // lower bound; nil: -1
	MaxVal *float64 // upper bound; nil: 1
}

// Hardtanh returns x cut to [min_val, max_val]; at a bound the gradient is 0.
//
//lucid:pkg nn/functional
//lucid:alias hard_tanh
func Hardtanh(x *Node, o HardtanhOptions) *Node {
	return cutTo("hardtanh", x, orElse(o.MinVal, -1), orElse(o.MaxVal, 1))
}

func cutTo(op string, x *Node, lo, hi float64) *Node {
	requireKind(op, x, !x.DType().IsComplex() && x.DType() != dtype.Bool, "real numbers")
	if lo > hi {
		fault.Throw(fault.Value, op, "min_val %v is above max_val %v", lo, hi)
	}
	if x.DType().IsFloat() {
		return piecewise(opHardtanh, x, lo, hi)
	}
	return Where(Le(x, lo), constLike(x, lo), Where(Ge(x, hi), constLike(x, hi), x))
}

// Relu6 returns x cut to [0, 6].
//
//lucid:pkg nn/functional ReLU6
//lucid:method ReLU6
func Relu6(x *Node) *Node { return cutTo("relu6", x, 0, 6) }

// LeakyReLUOptions has the slope below 0; nil: 0.01.
type LeakyReLUOptions struct {
	NegativeSlope *float64 // the slope below 0; nil: 0.01
}

// LeakyRelu returns x where it is positive, and x times the slope elsewhere.
//
//lucid:pkg nn/functional LeakyReLU
func LeakyRelu(x *Node, o LeakyReLUOptions) *Node {
	return leakyRelu(realFloat("leaky_relu", x), orElse(o.NegativeSlope, 0.01))
}

// leakyRelu computes in float32 what a half type may not hold the slope for.
func leakyRelu(x *Node, slope float64) *Node {
	return inFloat32(x, func(x *Node) *Node { return piecewise(opLeakyRelu, x, slope) })
}

// RReLUOptions has the range of the slope below 0 (nil: 1/8 and 1/3).
type RReLUOptions struct {
	Lower    *float64 // least slope below 0; nil: 1/8
	Upper    *float64 // largest slope below 0; nil: 1/3
	Training bool     // a random slope for each element; otherwise the mean of both
}

// Rrelu returns x where it is positive, and elsewhere x times a slope: sampled for every element with Training, the
// middle of the range without.
//
//lucid:pkg nn/functional RReLU
//lucid:nondeterministic draws from the default generator
func Rrelu(x *Node, o RReLUOptions) *Node {
	low, high := orElse(o.Lower, 1.0/8), orElse(o.Upper, 1.0/3)
	if !(low <= high) {
		fault.Throw(fault.Value, "rrelu", "lower is %v and upper %v; want lower at most upper", low, high)
	}
	realFloat("rrelu", x)
	if !o.Training {
		return leakyRelu(x, (low+high)/2)
	}
	slope := Cast(Add(Mul(uniformFor("rrelu", x, x.Shape().Dims()), high-low), low), x.DType())
	return Where(Gt(x, 0), x, Mul(x, slope))
}

// Prelu returns x where it is positive, and x times weight elsewhere; weight has one element, or one per channel (dim 1).
//
//lucid:pkg nn/functional PReLU
//lucid:amp half
func Prelu(x, weight *Node) *Node {
	realFloat("prelu", x)
	ampHalf(&x, &weight)
	n := weight.Shape().Numel()
	channels := 1
	if x.Rank() > 1 {
		channels = x.Dim(1)
	}
	if weight.Rank() > 1 || n != 1 && n != channels {
		fault.Throw(fault.Shape, "prelu", "weight %v does not fit %v; want 1 element or %d", weight.Shape(), x.Shape(), channels)
	}
	w := reshapeTo(weight, shape.Of("prelu"))
	if n != 1 {
		w = perChannel(weight, x.Rank())
	}
	return Where(Gt(x, 0), x, Mul(w, x))
}

// perChannel shows a vector along dim 1 of a tensor of the given rank.
func perChannel(v *Node, rank int) *Node {
	d := ones(max(rank, 2))
	d[1] = v.Shape().Numel()
	return Reshape(v, d...)
}

// ELUOptions has the factor; nil: 1.
type ELUOptions struct {
	Alpha *float64 // the factor below 0; nil: 1
}

// elu is x where that is positive, alpha·(exp(x·inner)-1) elsewhere.
func elu(x *Node, alpha, inner float64) *Node {
	return inFloat32(x, func(x *Node) *Node { return piecewise(opElu, x, alpha, inner) })
}

// Elu returns x where it is positive, alpha·(exp(x)-1) elsewhere.
//
//lucid:pkg nn/functional ELU
//lucid:options ELUOptions
func Elu(x *Node, o ELUOptions) *Node { return elu(realFloat("elu", x), orElse(o.Alpha, 1), 1) }

// Celu returns x where it is positive, alpha·(exp(x/alpha)-1) elsewhere.
//
//lucid:pkg nn/functional CELU
//lucid:options ELUOptions
func Celu(x *Node, o ELUOptions) *Node {
	a := orElse(o.Alpha, 1)
	if a == 0 {
		fault.Throw(fault.Value, "celu", "alpha is 0; want another number")
	}
	return elu(realFloat("celu", x), a, 1/a)
}

// Selu returns scale·elu(x, alpha) with the two constants of self-normalising networks.
//
//lucid:pkg nn/functional SELU
//lucid:method SELU
func Selu(x *Node) *Node { return unary(opSelu, realFloat("selu", x)) }

// ShrinkOptions has the half-width of the range that is set to 0; nil: 0.5.
type ShrinkOptions struct {
	Lambd *float64 // half the width of the range that becomes 0; nil: 0.5
}

// Softshrink returns x moved towards 0 by lambd, and 0 where |x| does not exceed it.
//
//lucid:pkg nn/functional
//lucid:options ShrinkOptions
func Softshrink(x *Node, o ShrinkOptions) *Node {
	l := orElse(o.Lambd, 0.5)
	if !(l >= 0) || math.IsInf(l, 1) {
		fault.Throw(fault.Value, "softshrink", "lambd is %v; want a finite number from 0", l)
	}
	return piecewise(opSoftshrink, realFloat("softshrink", x), l)
}

// Hardshrink returns x, and 0 where |x| does not exceed lambd.
//
//lucid:pkg nn/functional
//lucid:options ShrinkOptions
//lucid:alias hard_shrink
func Hardshrink(x *Node, o ShrinkOptions) *Node {
	return piecewise(opHardshrink, realFloat("hardshrink", x), orElse(o.Lambd, 0.5))
}

// Threshold returns x where it exceeds the threshold, and value elsewhere.
//
//lucid:pkg nn/functional
func Threshold(x *Node, threshold, value float64) *Node {
	requireKind("threshold", x, !x.DType().IsComplex(), "real numbers")
	return Where(Le(x, stored("threshold", threshold, x.DType())), stored("threshold", value, x.DType()), x)
}

// Hardsigmoid returns x/6 + 1/2 cut to [0, 1].
//
//lucid:pkg nn/functional
//lucid:method
//lucid:alias hard_sigmoid
func Hardsigmoid(x *Node) *Node { return unary(opHardsigmoid, realFloat("hardsigmoid", x)) }

// Hardswish returns x·hardsigmoid(x).
//
//lucid:pkg nn/functional
//lucid:method
//lucid:alias hard_swish
func Hardswish(x *Node) *Node { return unary(opHardswish, realFloat("hardswish", x)) }

// Mish returns x·tanh(softplus(x)).
//
//lucid:pkg nn/functional
//lucid:method
func Mish(x *Node) *Node { return unary(opMish, realFloat("mish", x)) }

// Softsign returns x/(1+|x|).
//
//lucid:pkg nn/functional
func Softsign(x *Node) *Node {
	return inFloat32(floating(x), func(x *Node) *Node { return Div(x, Add(Abs(x), 1)) })
}

// Tanhshrink returns x - tanh(x).
//
//lucid:pkg nn/functional
func Tanhshrink(x *Node) *Node {
	return inFloat32(floating(x), func(x *Node) *Node { return Sub(x, Tanh(x)) })
}

// GLUOptions names the dimension that is halved; nil: the last.
type GLUOptions struct {
	Dim *int // the dimension that is halved; nil: the last
}

// Glu returns a·sigmoid(b), a and b being the two parts of x along a dimension.
//
//lucid:pkg nn/functional GLU
func Glu(x *Node, o GLUOptions) *Node {
	d := dimOr("glu", o.Dim, x, -1)
	if x.Rank() == 0 || x.Dim(d)%2 != 0 {
		fault.Throw(fault.Shape, "glu", "dim %d of %v cannot be halved; want an even size", d, x.Shape())
	}
	h := x.Dim(d) / 2
	return Mul(SliceDim(x, d, 0, h, 1), Sigmoid(SliceDim(x, d, h, h, 1)))
}

// StepOptions has the number from which on the result is 1; nil: 0.
type StepOptions struct {
	Threshold *float64 // the result is 1 above it; nil: 0
}

// Step returns 1 where x exceeds the threshold and 0 elsewhere.
//
//lucid:pkg nn/functional
func Step(x *Node, o StepOptions) *Node { return Cast(Gt(x, orElse(o.Threshold, 0)), x.DType()) }
