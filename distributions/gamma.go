package distributions

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/special"
)

// Gamma is the gamma distribution of a concentration and a rate.
type Gamma struct {
	Base
	Concentration, Rate *lucid.Tensor
}

// NewGamma makes a gamma distribution.
func NewGamma(concentration, rate any, opts ...Options) *Gamma {
	f := of("Gamma", opts)
	p, batch := f.tensors(par("concentration", concentration, Positive), par("rate", rate, Positive))
	d := &Gamma{Concentration: p[0], Rate: p[1]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: NonNegative, HasRSample: true, Draw: d.draw, made: true},
		func(batch []int) Distribution {
			return NewGamma(expanded(d.Concentration, batch, 0), expanded(d.Rate, batch, 0), unchecked)
		})
	return d
}

func (d *Gamma) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	g := gammas(key, d.Concentration, shape)
	defer g.Free()
	return g.Div(d.Rate)
}

// Mean is Concentration/Rate.
func (d *Gamma) Mean() *lucid.Tensor { return d.Concentration.Div(d.Rate) }

// Mode is (Concentration-1)/Rate, at least 0.
func (d *Gamma) Mode() *lucid.Tensor { return d.Concentration.Sub(1.0).Div(d.Rate).ClampMin(0.0) }

// Variance is Concentration/Rate².
func (d *Gamma) Variance() *lucid.Tensor { return d.Concentration.Div(d.Rate.Square()) }

// LogProb is the log density.
func (d *Gamma) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.Concentration)
	a, b := d.Concentration, d.Rate
	return a.Mul(b.Log()).Add(timesLog(a.Sub(1.0), x)).Sub(b.Mul(x)).Sub(a.Lgamma())
}

// timesLog is a·log x, and 0 where both are 0: Xlogy of parameters, in vector operations.
func timesLog(a, x *lucid.Tensor) *lucid.Tensor {
	none := lucid.LogicalAnd(lucid.Eq(a, 0.0), lucid.Eq(x, 0.0))
	return a.Mul(lucid.Where(none, 1.0, x).Log())
}

// CDF is the regularised incomplete gamma function of Rate·x.
func (d *Gamma) CDF(value any) *lucid.Tensor {
	return special.Gammainc(d.Concentration, d.supported("CDF", value, d.Rate).Mul(d.Rate))
}

// Entropy is a - log b + log Γ(a) + (1-a)ψ(a).
func (d *Gamma) Entropy() *lucid.Tensor {
	a := d.Concentration
	return a.Sub(d.Rate.Log()).Add(a.Lgamma()).Sub(a.Sub(1.0).Mul(a.Digamma()))
}

// Chi2 is the distribution of the sum of squares of DF normal numbers: a gamma distribution.
type Chi2 struct {
	Gamma
	DF *lucid.Tensor
}

// NewChi2 makes a χ² distribution of a number of degrees of freedom.
func NewChi2(df any, opts ...Options) *Chi2 {
	f := of("Chi2", opts)
	p, batch := f.tensors(par("df", df, Positive))
	d := &Chi2{Gamma: *NewGamma(p[0].Mul(0.5), 0.5, unchecked), DF: p[0]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: NonNegative, HasRSample: true, Draw: d.draw}, func(batch []int) Distribution {
		return NewChi2(expanded(d.DF, batch, 0), unchecked)
	})
	return d
}

// Parent is the gamma distribution that it is.
func (d *Chi2) Parent() Distribution { return &d.Gamma }

// InverseGamma is the distribution of 1/x of a gamma distribution.
type InverseGamma struct {
	Base
	Concentration, Rate *lucid.Tensor
}

// NewInverseGamma makes an inverse gamma distribution.
func NewInverseGamma(concentration, rate any, opts ...Options) *InverseGamma {
	f := of("InverseGamma", opts)
	p, batch := f.tensors(par("concentration", concentration, Positive), par("rate", rate, Positive))
	d := &InverseGamma{Concentration: p[0], Rate: p[1]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: Positive, HasRSample: true, Draw: d.draw}, func(batch []int) Distribution {
		return NewInverseGamma(expanded(d.Concentration, batch, 0), expanded(d.Rate, batch, 0), unchecked)
	})
	return d
}

func (d *InverseGamma) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return d.Rate.Div(gammas(key, d.Concentration, shape))
}

// Mean is Rate/(Concentration-1), infinite for concentrations up to 1.
func (d *InverseGamma) Mean() *lucid.Tensor {
	m := d.Rate.Div(d.Concentration.Sub(1.0))
	return lucid.Where(lucid.Gt(d.Concentration, 1.0), m, inf)
}

// Mode is Rate/(Concentration+1).
func (d *InverseGamma) Mode() *lucid.Tensor { return d.Rate.Div(d.Concentration.Add(1.0)) }

// Variance is infinite for concentrations up to 2.
func (d *InverseGamma) Variance() *lucid.Tensor {
	a := d.Concentration
	v := d.Rate.Square().Div(a.Sub(1.0).Square().Mul(a.Sub(2.0)))
	return lucid.Where(lucid.Gt(a, 2.0), v, inf)
}

// LogProb is the log density.
func (d *InverseGamma) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.Concentration)
	a, b := d.Concentration, d.Rate
	return a.Mul(b.Log()).Sub(a.Add(1.0).Mul(x.Log())).Sub(b.Div(x)).Sub(a.Lgamma())
}

// CDF is the complement of the incomplete gamma function of Rate/x.
func (d *InverseGamma) CDF(value any) *lucid.Tensor {
	return special.Gammaincc(d.Concentration, d.Rate.Div(d.limited(value, d.Rate)))
}

// Entropy is a + log b + log Γ(a) - (1+a)ψ(a).
func (d *InverseGamma) Entropy() *lucid.Tensor {
	a := d.Concentration
	return a.Add(d.Rate.Log()).Add(a.Lgamma()).Sub(a.Add(1.0).Mul(a.Digamma()))
}
