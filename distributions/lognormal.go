package distributions

import (
	"math"

	"github.com/lucid-go/lucid"
)

// LogNormal is the distribution of the exponential of a normal number.
type LogNormal struct {
	*Transformed
	Loc, Scale *lucid.Tensor // of the normal number
}

// NewLogNormal makes the distribution of exp(x) for x normal of a mean and a standard deviation.
func NewLogNormal(loc, scale any, opts ...Options) *LogNormal {
	f := of("LogNormal", opts)
	p, _ := f.tensors(par("loc", loc, Real), par("scale", scale, Positive))
	d := &LogNormal{Loc: p[0], Scale: p[1]}
	d.Transformed = newTransformed(f, d, NewNormal(d.Loc, d.Scale, unchecked), []Transform{ExpTransform{}})
	d.expandBy(func(batch []int) Distribution {
		return NewLogNormal(expanded(d.Loc, batch, 0), expanded(d.Scale, batch, 0), unchecked)
	})
	return d
}

// expandBy replaces how the distribution is expanded.
func (b *Base) expandBy(expand func(batch []int) Distribution) {
	f := &family{name: b.spec.Name, noValidate: b.spec.NoValidate, args: b.spec.ArgConstraints}
	*b = f.base(b.spec, expand)
}

func (d *LogNormal) like() *lucid.Tensor { return d.Loc }

// Parent is the transformed normal distribution that it is.
func (d *LogNormal) Parent() Distribution { return d.Transformed }

// Mean is exp(Loc + ½Scale²).
func (d *LogNormal) Mean() *lucid.Tensor { return d.Scale.Square().Mul(0.5).Add(d.Loc).Exp() }

// Mode is exp(Loc - Scale²).
func (d *LogNormal) Mode() *lucid.Tensor { return d.Loc.Sub(d.Scale.Square()).Exp() }

// Variance is (exp(Scale²) - 1)·exp(2·Loc + Scale²).
func (d *LogNormal) Variance() *lucid.Tensor {
	s := d.Scale.Square()
	return s.Expm1().Mul(d.Loc.Mul(2.0).Add(s).Exp())
}

// Entropy is that of the normal number plus Loc.
func (d *LogNormal) Entropy() *lucid.Tensor { return d.Scale.Log().Add(0.5 + halfLogTwoPi).Add(d.Loc) }

// LogisticNormal is the distribution on the simplex of a normal vector under StickBreakingTransform.
type LogisticNormal struct {
	*Transformed
	Loc, Scale *lucid.Tensor // of the normal vector, along the last dimension
}

// NewLogisticNormal makes a distribution on the simplex of n+1 numbers from normal vectors of n.
func NewLogisticNormal(loc, scale any, opts ...Options) *LogisticNormal {
	f := of("LogisticNormal", opts)
	p, _ := f.tensors(parameter{"loc", loc, RealVector, 1}, parameter{"scale", scale, IndependentConstraint(Positive, 1), 1})
	d := &LogisticNormal{Loc: p[0], Scale: p[1]}
	d.Transformed = newTransformed(f, d, NewNormal(d.Loc, d.Scale, unchecked), []Transform{StickBreakingTransform{}})
	d.expandBy(func(batch []int) Distribution {
		return NewLogisticNormal(expanded(d.Loc, batch, 1), expanded(d.Scale, batch, 1), unchecked)
	})
	return d
}

func (d *LogisticNormal) like() *lucid.Tensor { return d.Loc }

// Parent is the transformed normal distribution that it is.
func (d *LogisticNormal) Parent() Distribution { return d.Transformed }

// negInf is the log density outside the support.
var negInf = math.Inf(-1)
