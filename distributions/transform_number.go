package distributions

import (
	"fmt"
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/nn/functional"
)

// ExpTransform is y = exp(x).
type ExpTransform struct{ elementwise }

// String names the transform.
func (ExpTransform) String() string { return "Exp" }

// Codomain is the positive numbers.
func (ExpTransform) Codomain() Constraint { return Positive }

// Forward is exp.
func (ExpTransform) Forward(x *lucid.Tensor) *lucid.Tensor { return x.Exp() }

// Inverse is log.
func (ExpTransform) Inverse(y *lucid.Tensor) *lucid.Tensor { return y.Log() }

// LogAbsDetJacobian is x.
func (ExpTransform) LogAbsDetJacobian(x, _ *lucid.Tensor) *lucid.Tensor { return x }

// AffineTransform is y = Loc + Scale·x. The last EventDim dimensions are one event.
type AffineTransform struct {
	Loc, Scale any // numbers or tensors
	EventDim   int
}

// String names the transform.
func (t AffineTransform) String() string { return fmt.Sprintf("Affine(%v, %v)", t.Loc, t.Scale) }

// Domain is the real numbers, or tensors of them.
func (t AffineTransform) Domain() Constraint { return IndependentConstraint(Real, t.EventDim) }

// Codomain is the real numbers, or tensors of them.
func (t AffineTransform) Codomain() Constraint { return IndependentConstraint(Real, t.EventDim) }

// Bijective is true.
func (t AffineTransform) Bijective() bool { return true }

// Sign is that of Scale where it is a number; tensors are read for it unless they are traced.
func (t AffineTransform) Sign() int {
	switch s := t.Scale.(type) {
	case *lucid.Tensor:
		if !known(s) {
			return 0
		}
		if lucid.ItemAs[bool](lucid.Gt(s, 0).All()) {
			return 1
		} else if lucid.ItemAs[bool](lucid.Lt(s, 0).All()) {
			return -1
		}
		return 0
	default:
		switch v := numberOf("distributions.AffineTransform", s); {
		case v > 0:
			return 1
		case v < 0:
			return -1
		}
		return 0
	}
}

// numberOf is a parameter that is no tensor.
func numberOf(op string, v any) float64 {
	s, ok := dtype.ScalarOf(v)
	if !ok || s.Kind == dtype.KindComplex {
		fault.Throw(fault.Value, op, "a parameter is a %T; want a tensor or a real number", v)
	}
	return s.Float()
}

// Forward is Loc + Scale·x.
func (t AffineTransform) Forward(x *lucid.Tensor) *lucid.Tensor {
	return lucid.Add(t.Loc, x.Mul(t.Scale))
}

// Inverse is (y - Loc)/Scale.
func (t AffineTransform) Inverse(y *lucid.Tensor) *lucid.Tensor { return y.Sub(t.Loc).Div(t.Scale) }

// LogAbsDetJacobian is log |Scale|, summed over the event.
func (t AffineTransform) LogAbsDetJacobian(x, _ *lucid.Tensor) *lucid.Tensor {
	scale, ok := t.Scale.(*lucid.Tensor)
	if !ok {
		scale = lucid.With{DType: x.DType()}.Scalar(t.Scale)
	}
	r := scale.Abs().Log()
	return sumRight(r.BroadcastTo(lucid.BroadcastShapes(r.Shape(), x.Shape())...), t.EventDim)
}

// ForwardShape broadcasts with the parameters.
func (t AffineTransform) ForwardShape(s []int) []int {
	for _, p := range []any{t.Loc, t.Scale} {
		if x, ok := p.(*lucid.Tensor); ok {
			s = lucid.BroadcastShapes(s, x.Shape())
		}
	}
	return s
}

// InverseShape broadcasts with the parameters.
func (t AffineTransform) InverseShape(s []int) []int { return t.ForwardShape(s) }

// PowerTransform is y = x^Exponent of positive numbers.
type PowerTransform struct {
	Exponent any // a number or a tensor, not 0
}

// String names the transform.
func (t PowerTransform) String() string { return fmt.Sprintf("Power(%v)", t.Exponent) }

// Domain is the positive numbers.
func (t PowerTransform) Domain() Constraint { return Positive }

// Codomain is the positive numbers.
func (t PowerTransform) Codomain() Constraint { return Positive }

// Bijective is true.
func (t PowerTransform) Bijective() bool { return true }

// Sign is that of the exponent.
func (t PowerTransform) Sign() int { return AffineTransform{Loc: 0.0, Scale: t.Exponent}.Sign() }

// Forward is the power.
func (t PowerTransform) Forward(x *lucid.Tensor) *lucid.Tensor { return x.Pow(t.Exponent) }

// Inverse is the root.
func (t PowerTransform) Inverse(y *lucid.Tensor) *lucid.Tensor {
	if e, ok := t.Exponent.(*lucid.Tensor); ok {
		return y.Pow(e.Reciprocal())
	}
	return y.Pow(1 / numberOf("distributions.PowerTransform", t.Exponent))
}

// LogAbsDetJacobian is log |Exponent·y/x|.
func (t PowerTransform) LogAbsDetJacobian(x, y *lucid.Tensor) *lucid.Tensor {
	return lucid.Mul(t.Exponent, y).Div(x).Abs().Log()
}

// ForwardShape broadcasts with the exponent.
func (t PowerTransform) ForwardShape(s []int) []int {
	return AffineTransform{Scale: t.Exponent}.ForwardShape(s)
}

// InverseShape broadcasts with the exponent.
func (t PowerTransform) InverseShape(s []int) []int { return t.ForwardShape(s) }

// SigmoidTransform is y = 1/(1 + exp(-x)).
type SigmoidTransform struct{ elementwise }

// String names the transform.
func (SigmoidTransform) String() string { return "Sigmoid" }

// Codomain is from 0 to 1.
func (SigmoidTransform) Codomain() Constraint { return UnitInterval }

// Forward is the sigmoid, clamped to the open interval.
func (SigmoidTransform) Forward(x *lucid.Tensor) *lucid.Tensor { return insideUnit(x.Sigmoid()) }

// Inverse is the logit of a probability clamped to the open interval.
func (SigmoidTransform) Inverse(y *lucid.Tensor) *lucid.Tensor {
	y = insideUnit(y)
	return y.Log().Sub(y.Neg().Log1p())
}

// LogAbsDetJacobian is log of y(1-y), by x.
func (SigmoidTransform) LogAbsDetJacobian(x, _ *lucid.Tensor) *lucid.Tensor {
	return softplus(x.Neg()).Neg().Sub(softplus(x))
}

// insideUnit clamps to what the dtype holds inside (0, 1).
func insideUnit(p *lucid.Tensor) *lucid.Tensor {
	info := lucid.FInfo(p.DType())
	return p.Clamp(info.SmallestNormal, 1-info.Eps)
}

// softplus is log(1 + exp(x)), exact for all x.
func softplus(x *lucid.Tensor) *lucid.Tensor { return functional.LogSigmoid(x.Neg()).Neg() }

// TanhTransform is y = tanh(x). Its log |det| is exact far out, where that of composed parts overflows.
type TanhTransform struct{ elementwise }

// String names the transform.
func (TanhTransform) String() string { return "Tanh" }

// Codomain is from -1 to 1.
func (TanhTransform) Codomain() Constraint { return Interval(-1.0, 1.0) }

// Forward is tanh.
func (TanhTransform) Forward(x *lucid.Tensor) *lucid.Tensor { return x.Tanh() }

// Inverse is atanh.
func (TanhTransform) Inverse(y *lucid.Tensor) *lucid.Tensor { return y.Atanh() }

// LogAbsDetJacobian is 2(log 2 - x - softplus(-2x)).
func (TanhTransform) LogAbsDetJacobian(x, _ *lucid.Tensor) *lucid.Tensor {
	return lucid.Rsub(x, math.Ln2).Sub(softplus(x.Mul(-2.0))).Mul(2.0)
}

// SoftplusTransform is y = log(1 + exp(x)).
type SoftplusTransform struct{ elementwise }

// String names the transform.
func (SoftplusTransform) String() string { return "Softplus" }

// Codomain is the positive numbers.
func (SoftplusTransform) Codomain() Constraint { return Positive }

// Forward is softplus.
func (SoftplusTransform) Forward(x *lucid.Tensor) *lucid.Tensor { return softplus(x) }

// Inverse is log(exp(y) - 1).
func (SoftplusTransform) Inverse(y *lucid.Tensor) *lucid.Tensor {
	return y.Neg().Expm1().Neg().Log().Add(y)
}

// LogAbsDetJacobian is -softplus(-x).
func (SoftplusTransform) LogAbsDetJacobian(x, _ *lucid.Tensor) *lucid.Tensor {
	return softplus(x.Neg()).Neg()
}

// AbsTransform is y = |x|. It is not bijective: Inverse gives the positive argument.
type AbsTransform struct{ elementwise }

// String names the transform.
func (AbsTransform) String() string { return "Abs" }

// Bijective is false.
func (AbsTransform) Bijective() bool { return false }

// Sign is 0.
func (AbsTransform) Sign() int { return 0 }

// Codomain is the positive numbers.
func (AbsTransform) Codomain() Constraint { return Positive }

// Forward is the absolute value.
func (AbsTransform) Forward(x *lucid.Tensor) *lucid.Tensor { return x.Abs() }

// Inverse is y.
func (AbsTransform) Inverse(y *lucid.Tensor) *lucid.Tensor { return y }

// LogAbsDetJacobian is refused.
func (t AbsTransform) LogAbsDetJacobian(_, _ *lucid.Tensor) *lucid.Tensor { return noJacobian(t) }

// CumulativeDistributionTransform is y = CDF(x) of a distribution of numbers.
type CumulativeDistributionTransform struct {
	elementwise
	Distribution Distribution
}

// String names the transform.
func (t CumulativeDistributionTransform) String() string {
	return fmt.Sprintf("CDF(%v)", t.Distribution)
}

// Domain is the distribution's support.
func (t CumulativeDistributionTransform) Domain() Constraint { return t.Distribution.Support() }

// Codomain is from 0 to 1.
func (t CumulativeDistributionTransform) Codomain() Constraint { return UnitInterval }

// Forward is the distribution function.
func (t CumulativeDistributionTransform) Forward(x *lucid.Tensor) *lucid.Tensor {
	return t.Distribution.CDF(x)
}

// Inverse is its inverse.
func (t CumulativeDistributionTransform) Inverse(y *lucid.Tensor) *lucid.Tensor {
	return t.Distribution.ICDF(y)
}

// LogAbsDetJacobian is the log density.
func (t CumulativeDistributionTransform) LogAbsDetJacobian(x, _ *lucid.Tensor) *lucid.Tensor {
	if len(t.Distribution.EventShape()) > 0 {
		fault.Throw(fault.Shape, "distributions.LogAbsDetJacobian", "%v has events of shape %v; want a distribution of numbers",
			t.Distribution, t.Distribution.EventShape())
	}
	return t.Distribution.LogProb(x)
}
