package distributions

import "github.com/lucid-go/lucid"

// Weibull is the Weibull distribution.
type Weibull struct {
	Base
	Scale, Concentration *lucid.Tensor
}

// NewWeibull makes a Weibull distribution of a scale and a concentration.
func NewWeibull(scale, concentration any, opts ...Options) *Weibull {
	f := of("Weibull", opts)
	p, batch := f.tensors(par("scale", scale, Positive), par("concentration", concentration, Positive))
	d := &Weibull{Scale: p[0], Concentration: p[1]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: Positive, HasRSample: true, Draw: d.draw}, func(batch []int) Distribution {
		return NewWeibull(expanded(d.Scale, batch, 0), expanded(d.Concentration, batch, 0), unchecked)
	})
	return d
}

func (d *Weibull) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	e := openUniforms(key, d.Scale, shape).Neg().Log1p().Neg()
	return e.Pow(d.Concentration.Reciprocal()).Mul(d.Scale)
}

// moment is Γ(1 + n/Concentration).
func (d *Weibull) moment(n float64) *lucid.Tensor {
	return d.Concentration.Reciprocal().Mul(n).Add(1.0).Lgamma().Exp()
}

// Mean is Scale·Γ(1 + 1/k).
func (d *Weibull) Mean() *lucid.Tensor { return d.Scale.Mul(d.moment(1)) }

// Mode is Scale·((k-1)/k)^(1/k), 0 for concentrations up to 1.
func (d *Weibull) Mode() *lucid.Tensor {
	k := d.Concentration
	over := lucid.Gt(k, 1.0)
	share := lucid.Where(over, k.Sub(1.0).Div(k), 1.0)
	return lucid.Where(over, share.Pow(k.Reciprocal()).Mul(d.Scale), 0.0)
}

// Variance is Scale²(Γ(1 + 2/k) - Γ(1 + 1/k)²).
func (d *Weibull) Variance() *lucid.Tensor {
	return d.Scale.Square().Mul(d.moment(2).Sub(d.moment(1).Square()))
}

// LogProb is the log density.
func (d *Weibull) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.Scale)
	k := d.Concentration
	z := x.Log().Sub(d.Scale.Log())
	return k.Log().Sub(d.Scale.Log()).Add(k.Sub(1.0).Mul(z)).Sub(k.Mul(z).Exp())
}

// CDF is 1 - exp(-(x/Scale)^k).
func (d *Weibull) CDF(value any) *lucid.Tensor {
	return d.limited(value, d.Scale).Div(d.Scale).Pow(d.Concentration).Neg().Expm1().Neg()
}

// ICDF is its inverse.
func (d *Weibull) ICDF(q any) *lucid.Tensor {
	return d.quantile(q, d.Scale).Neg().Log1p().Neg().Pow(d.Concentration.Reciprocal()).Mul(d.Scale)
}

// Entropy is γ(1 - 1/k) + log(Scale/k) + 1.
func (d *Weibull) Entropy() *lucid.Tensor {
	k := d.Concentration
	return k.Reciprocal().Neg().Add(1.0).Mul(eulerGamma).Add(d.Scale.Div(k).Log()).Add(1.0)
}

// Kumaraswamy is the distribution on (0, 1) of distribution function 1 - (1-x^a)^b.
type Kumaraswamy struct {
	Base
	Concentration1, Concentration0 *lucid.Tensor // a and b
}

// NewKumaraswamy makes a Kumaraswamy distribution.
func NewKumaraswamy(concentration1, concentration0 any, opts ...Options) *Kumaraswamy {
	f := of("Kumaraswamy", opts)
	p, batch := f.tensors(par("concentration1", concentration1, Positive), par("concentration0", concentration0, Positive))
	d := &Kumaraswamy{Concentration1: p[0], Concentration0: p[1]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: UnitInterval, HasRSample: true, Draw: d.draw},
		func(batch []int) Distribution {
			return NewKumaraswamy(expanded(d.Concentration1, batch, 0), expanded(d.Concentration0, batch, 0), unchecked)
		})
	return d
}

func (d *Kumaraswamy) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return d.inverse(openUniforms(key, d.Concentration1, shape))
}

// inverse is the quantile of u: (1 - (1-u)^(1/b))^(1/a).
func (d *Kumaraswamy) inverse(u *lucid.Tensor) *lucid.Tensor {
	return u.Neg().Log1p().Div(d.Concentration0).Expm1().Neg().Pow(d.Concentration1.Reciprocal())
}

// moment is b·B(1 + n/a, b).
func (d *Kumaraswamy) moment(n float64) *lucid.Tensor {
	first := d.Concentration1.Reciprocal().Mul(n).Add(1.0)
	return d.Concentration0.Log().Add(logBeta(first, d.Concentration0)).Exp()
}

// Mean is b·B(1 + 1/a, b).
func (d *Kumaraswamy) Mean() *lucid.Tensor { return d.moment(1) }

// Variance is that of the first two moments.
func (d *Kumaraswamy) Variance() *lucid.Tensor { return d.moment(2).Sub(d.moment(1).Square()) }

// Mode is ((a-1)/(ab-1))^(1/a), NaN where a concentration is below 1 or both are 1.
func (d *Kumaraswamy) Mode() *lucid.Tensor {
	a, b := d.Concentration1, d.Concentration0
	none := lucid.LogicalOr(lucid.Lt(a, 1.0), lucid.Lt(b, 1.0))
	none = lucid.LogicalOr(none, lucid.LogicalAnd(lucid.Eq(a, 1.0), lucid.Eq(b, 1.0)))
	a, b = lucid.Where(none, 2.0, a), lucid.Where(none, 2.0, b) // no gradient of NaN
	m := a.Sub(1.0).Div(a.Mul(b).Sub(1.0)).Log().Div(a).Exp()
	return lucid.Where(none, nan(a), m)
}

// LogProb is the log density.
func (d *Kumaraswamy) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.Concentration1)
	a, b := d.Concentration1, d.Concentration0
	return a.Log().Add(b.Log()).Add(a.Sub(1.0).Xlogy(x)).Add(b.Sub(1.0).Mul(x.Pow(a).Neg().Log1p()))
}

// CDF is 1 - (1-x^a)^b.
func (d *Kumaraswamy) CDF(value any) *lucid.Tensor {
	x := d.supported("CDF", value, d.Concentration1)
	return x.Pow(d.Concentration1).Neg().Log1p().Mul(d.Concentration0).Expm1().Neg()
}

// ICDF is its inverse.
func (d *Kumaraswamy) ICDF(q any) *lucid.Tensor { return d.inverse(d.quantile(q, d.Concentration1)) }

// Entropy is (1 - 1/b) + (1 - 1/a)·H(b) - log(ab), H the harmonic number.
func (d *Kumaraswamy) Entropy() *lucid.Tensor {
	a, b := d.Concentration1, d.Concentration0
	harmonic := b.Add(1.0).Digamma().Add(eulerGamma)
	one := func(x *lucid.Tensor) *lucid.Tensor { return x.Reciprocal().Neg().Add(1.0) }
	return one(b).Add(one(a).Mul(harmonic)).Sub(a.Log()).Sub(b.Log())
}
