package distributions

import (
	"math"

	"github.com/lucid-go/lucid"
)

// Cauchy is the distribution of the ratio of two normal numbers; it has no mean.
type Cauchy struct {
	Base
	Loc, Scale *lucid.Tensor
}

// NewCauchy makes a Cauchy distribution of a median and half the width at half maximum.
func NewCauchy(loc, scale any, opts ...Options) *Cauchy {
	f := of("Cauchy", opts)
	p, batch := f.tensors(par("loc", loc, Real), par("scale", scale, Positive))
	d := &Cauchy{Loc: p[0], Scale: p[1]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: Real, HasRSample: true, Draw: d.draw}, func(batch []int) Distribution {
		return NewCauchy(expanded(d.Loc, batch, 0), expanded(d.Scale, batch, 0), unchecked)
	})
	return d
}

// cauchys are standard Cauchy numbers.
func cauchys(key, like *lucid.Tensor, shape []int) *lucid.Tensor {
	return openUniforms(key, like, shape).Sub(0.5).Mul(math.Pi).Tan()
}

func (d *Cauchy) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return cauchys(key, d.Loc, shape).Mul(d.Scale).Add(d.Loc)
}

// Mean is NaN.
func (d *Cauchy) Mean() *lucid.Tensor { return full(d.Loc, d.BatchShape(), math.NaN()) }

// Mode is Loc.
func (d *Cauchy) Mode() *lucid.Tensor { return d.Loc }

// Variance is infinite.
func (d *Cauchy) Variance() *lucid.Tensor { return full(d.Loc, d.BatchShape(), inf) }

// LogProb is the log density.
func (d *Cauchy) LogProb(value any) *lucid.Tensor {
	z := d.supported("LogProb", value, d.Loc).Sub(d.Loc).Div(d.Scale)
	return z.Square().Log1p().Neg().Sub(d.Scale.Log()).Sub(math.Log(math.Pi))
}

// CDF is ½ + atan(z)/π.
func (d *Cauchy) CDF(value any) *lucid.Tensor {
	return d.supported("CDF", value, d.Loc).Sub(d.Loc).Div(d.Scale).Atan().Mul(1 / math.Pi).Add(0.5)
}

// ICDF is its inverse.
func (d *Cauchy) ICDF(q any) *lucid.Tensor {
	return d.quantile(q, d.Loc).Sub(0.5).Mul(math.Pi).Tan().Mul(d.Scale).Add(d.Loc)
}

// Entropy is log(4π·Scale).
func (d *Cauchy) Entropy() *lucid.Tensor { return d.Scale.Log().Add(math.Log(4 * math.Pi)) }

// HalfCauchy is the distribution of the absolute value of a Cauchy number around 0.
type HalfCauchy struct {
	Base
	Scale *lucid.Tensor
}

// NewHalfCauchy makes a half-Cauchy distribution.
func NewHalfCauchy(scale any, opts ...Options) *HalfCauchy {
	f := of("HalfCauchy", opts)
	p, batch := f.tensors(par("scale", scale, Positive))
	d := &HalfCauchy{Scale: p[0]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: NonNegative, HasRSample: true, Draw: d.draw}, func(batch []int) Distribution {
		return NewHalfCauchy(expanded(d.Scale, batch, 0), unchecked)
	})
	return d
}

func (d *HalfCauchy) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return cauchys(key, d.Scale, shape).Abs().Mul(d.Scale)
}

// Mean is infinite.
func (d *HalfCauchy) Mean() *lucid.Tensor { return full(d.Scale, d.BatchShape(), math.Inf(1)) }

// Mode is 0.
func (d *HalfCauchy) Mode() *lucid.Tensor { return lucid.ZerosLike(d.Scale) }

// Variance is infinite.
func (d *HalfCauchy) Variance() *lucid.Tensor { return full(d.Scale, d.BatchShape(), math.Inf(1)) }

// LogProb is the log density.
func (d *HalfCauchy) LogProb(value any) *lucid.Tensor {
	z := d.supported("LogProb", value, d.Scale).Div(d.Scale)
	lp := z.Square().Log1p().Neg().Sub(d.Scale.Log()).Add(math.Log(2 / math.Pi))
	return lucid.Where(lucid.Ge(z, 0.0), lp, math.Inf(-1))
}

// CDF is 2/π·atan(x/Scale).
func (d *HalfCauchy) CDF(value any) *lucid.Tensor {
	return d.supported("CDF", value, d.Scale).Div(d.Scale).Atan().Mul(2 / math.Pi)
}

// ICDF is its inverse.
func (d *HalfCauchy) ICDF(q any) *lucid.Tensor {
	return d.quantile(q, d.Scale).Mul(math.Pi / 2).Tan().Mul(d.Scale)
}

// Entropy is log(2π·Scale).
func (d *HalfCauchy) Entropy() *lucid.Tensor { return d.Scale.Log().Add(math.Log(2 * math.Pi)) }
