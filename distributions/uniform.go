package distributions

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// Uniform is the uniform distribution between two numbers.
type Uniform struct {
	Base
	Low, High *lucid.Tensor
}

// NewUniform makes the uniform distribution from low to high, low being less.
func NewUniform(low, high any, opts ...Options) *Uniform {
	f := of("Uniform", opts)
	p, batch := f.tensors(par("low", low, Real), par("high", high, Real))
	d := &Uniform{Low: p[0], High: p[1]}
	if !f.noValidate && known(d.Low) && known(d.High) && !lucid.ItemAs[bool](lucid.Lt(d.Low, d.High).All()) {
		fault.Throw(fault.Value, f.op(), "low is %s and high is %s; want low below high", boundText(d.Low), boundText(d.High))
	}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: Interval(d.Low, d.High), HasRSample: true, Draw: d.draw, made: true},
		func(batch []int) Distribution {
			return NewUniform(expanded(d.Low, batch, 0), expanded(d.High, batch, 0), unchecked)
		})
	return d
}

func (d *Uniform) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	span := d.High.Sub(d.Low)
	defer span.Free()
	return located(uniforms(key, d.Low, shape), span, d.Low)
}

// Mean is the middle.
func (d *Uniform) Mean() *lucid.Tensor { return d.High.Add(d.Low).Mul(0.5) }

// Mode is NaN: every value is one.
func (d *Uniform) Mode() *lucid.Tensor { return full(d.Low, d.BatchShape(), math.NaN()) }

// Variance is (High - Low)²/12.
func (d *Uniform) Variance() *lucid.Tensor { return d.High.Sub(d.Low).Square().Mul(1.0 / 12) }

// LogProb is -log(High - Low) inside, -Inf outside.
func (d *Uniform) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.Low)
	inside := lucid.LogicalAnd(lucid.Ge(x, d.Low), lucid.Lt(x, d.High))
	return lucid.Where(inside, d.High.Sub(d.Low).Log().Neg(), math.Inf(-1))
}

// CDF rises from 0 to 1.
func (d *Uniform) CDF(value any) *lucid.Tensor {
	return d.supported("CDF", value, d.Low).Sub(d.Low).Div(d.High.Sub(d.Low)).Clamp(0.0, 1.0)
}

// ICDF is Low + q(High - Low).
func (d *Uniform) ICDF(q any) *lucid.Tensor {
	return d.quantile(q, d.Low).Mul(d.High.Sub(d.Low)).Add(d.Low)
}

// Entropy is log(High - Low).
func (d *Uniform) Entropy() *lucid.Tensor { return d.High.Sub(d.Low).Log() }

// Exponential is the distribution of waiting times of a rate.
type Exponential struct {
	Base
	Rate *lucid.Tensor
}

// NewExponential makes an exponential distribution.
func NewExponential(rate any, opts ...Options) *Exponential {
	f := of("Exponential", opts)
	p, batch := f.tensors(par("rate", rate, Positive))
	d := &Exponential{Rate: p[0]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: NonNegative, HasRSample: true, Draw: d.draw}, func(batch []int) Distribution {
		return NewExponential(expanded(d.Rate, batch, 0), unchecked)
	})
	return d
}

func (d *Exponential) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return exponentials(key, d.Rate, shape).Div(d.Rate)
}

// Mean is 1/Rate.
func (d *Exponential) Mean() *lucid.Tensor { return d.Rate.Reciprocal() }

// Mode is 0.
func (d *Exponential) Mode() *lucid.Tensor { return lucid.ZerosLike(d.Rate) }

// StdDev is 1/Rate.
func (d *Exponential) StdDev() *lucid.Tensor { return d.Rate.Reciprocal() }

// Variance is 1/Rate².
func (d *Exponential) Variance() *lucid.Tensor { return d.Rate.Square().Reciprocal() }

// LogProb is log Rate - Rate·x.
func (d *Exponential) LogProb(value any) *lucid.Tensor {
	return d.Rate.Log().Sub(d.supported("LogProb", value, d.Rate).Mul(d.Rate))
}

// CDF is 1 - exp(-Rate·x).
func (d *Exponential) CDF(value any) *lucid.Tensor {
	return d.supported("CDF", value, d.Rate).Mul(d.Rate).Neg().Expm1().Neg()
}

// ICDF is -log(1-q)/Rate.
func (d *Exponential) ICDF(q any) *lucid.Tensor {
	return d.quantile(q, d.Rate).Neg().Log1p().Neg().Div(d.Rate)
}

// Entropy is 1 - log Rate.
func (d *Exponential) Entropy() *lucid.Tensor { return d.Rate.Log().Neg().Add(1.0) }
