package distributions

import (
	"math"

	"github.com/lucid-go/lucid"
)

var halfLogTwoPi = 0.5 * math.Log(2*math.Pi)

// Normal is the normal distribution.
type Normal struct {
	Base
	Loc, Scale *lucid.Tensor // mean and standard deviation
}

// NewNormal makes a normal distribution of a mean and a standard deviation.
func NewNormal(loc, scale any, opts ...Options) *Normal {
	f := of("Normal", opts)
	p, batch := f.tensors(par("loc", loc, Real), par("scale", scale, Positive))
	d := &Normal{Loc: p[0], Scale: p[1]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: Real, HasRSample: true, Draw: d.draw, made: true},
		func(batch []int) Distribution {
			return NewNormal(expanded(d.Loc, batch, 0), expanded(d.Scale, batch, 0), unchecked)
		})
	return d
}

func (d *Normal) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return located(normals(key, d.Loc, shape), d.Scale, d.Loc)
}

// Mean is Loc.
func (d *Normal) Mean() *lucid.Tensor { return d.Loc }

// Mode is Loc.
func (d *Normal) Mode() *lucid.Tensor { return d.Loc }

// StdDev is Scale.
func (d *Normal) StdDev() *lucid.Tensor { return d.Scale }

// Variance is the square of Scale.
func (d *Normal) Variance() *lucid.Tensor { return d.Scale.Square() }

// LogProb is the log density.
func (d *Normal) LogProb(value any) *lucid.Tensor {
	z := d.standard(d.supported("LogProb", value, d.Loc))
	return z.Square().Mul(-0.5).Sub(d.Scale.Log()).Sub(halfLogTwoPi)
}

func (d *Normal) standard(x *lucid.Tensor) *lucid.Tensor { return x.Sub(d.Loc).Div(d.Scale) }

// CDF is by the error function.
func (d *Normal) CDF(value any) *lucid.Tensor {
	return d.standard(d.supported("CDF", value, d.Loc)).Mul(-math.Sqrt2 / 2).Erfc().Mul(0.5)
}

// ICDF is by the inverse error function.
func (d *Normal) ICDF(q any) *lucid.Tensor {
	p := d.quantile(q, d.Loc)
	return p.Mul(2.0).Sub(1.0).Erfinv().Mul(math.Sqrt2).Mul(d.Scale).Add(d.Loc)
}

// Entropy is ½ + ½ log 2π + log Scale.
func (d *Normal) Entropy() *lucid.Tensor { return d.Scale.Log().Add(0.5 + halfLogTwoPi) }

// HalfNormal is the distribution of the absolute value of a normal number of mean 0.
type HalfNormal struct {
	Base
	Scale *lucid.Tensor
}

// NewHalfNormal makes a half-normal distribution of a scale.
func NewHalfNormal(scale any, opts ...Options) *HalfNormal {
	f := of("HalfNormal", opts)
	p, batch := f.tensors(par("scale", scale, Positive))
	d := &HalfNormal{Scale: p[0]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: NonNegative, HasRSample: true, Draw: d.draw}, func(batch []int) Distribution {
		return NewHalfNormal(expanded(d.Scale, batch, 0), unchecked)
	})
	return d
}

func (d *HalfNormal) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return normals(key, d.Scale, shape).Abs().Mul(d.Scale)
}

// Mean is Scale·√(2/π).
func (d *HalfNormal) Mean() *lucid.Tensor { return d.Scale.Mul(math.Sqrt(2 / math.Pi)) }

// Mode is 0.
func (d *HalfNormal) Mode() *lucid.Tensor { return lucid.ZerosLike(d.Scale) }

// Variance is Scale²(1 - 2/π).
func (d *HalfNormal) Variance() *lucid.Tensor { return d.Scale.Square().Mul(1 - 2/math.Pi) }

// LogProb is the log density.
func (d *HalfNormal) LogProb(value any) *lucid.Tensor {
	z := d.supported("LogProb", value, d.Scale).Div(d.Scale)
	lp := z.Square().Mul(-0.5).Sub(d.Scale.Log()).Add(math.Ln2 - halfLogTwoPi)
	return lucid.Where(lucid.Ge(z, 0.0), lp, math.Inf(-1))
}

// CDF is erf(x/(Scale·√2)).
func (d *HalfNormal) CDF(value any) *lucid.Tensor {
	return d.supported("CDF", value, d.Scale).Div(d.Scale).Mul(math.Sqrt2 / 2).Erf()
}

// ICDF is Scale·√2·erfinv(q).
func (d *HalfNormal) ICDF(q any) *lucid.Tensor {
	return d.quantile(q, d.Scale).Erfinv().Mul(math.Sqrt2).Mul(d.Scale)
}

// Entropy is that of the normal distribution less log 2.
func (d *HalfNormal) Entropy() *lucid.Tensor { return d.Scale.Log().Add(0.5 + halfLogTwoPi - math.Ln2) }
