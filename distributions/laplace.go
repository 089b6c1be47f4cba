package distributions

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/random"
)

const eulerGamma = 0.57721566490153286061

// Laplace is the distribution of density exp(-|x-Loc|/Scale)/(2·Scale).
type Laplace struct {
	Base
	Loc, Scale *lucid.Tensor
}

// NewLaplace makes a Laplace distribution.
func NewLaplace(loc, scale any, opts ...Options) *Laplace {
	f := of("Laplace", opts)
	p, batch := f.tensors(par("loc", loc, Real), par("scale", scale, Positive))
	d := &Laplace{Loc: p[0], Scale: p[1]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: Real, HasRSample: true, Draw: d.draw, made: true},
		func(batch []int) Distribution {
			return NewLaplace(expanded(d.Loc, batch, 0), expanded(d.Scale, batch, 0), unchecked)
		})
	return d
}

func (d *Laplace) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return located(random.Laplace(keyFor(key, d.Loc), shape, random.LaplaceOptions{DType: d.Loc.DType()}), d.Scale, d.Loc)
}

// Mean is Loc.
func (d *Laplace) Mean() *lucid.Tensor { return d.Loc }

// Mode is Loc.
func (d *Laplace) Mode() *lucid.Tensor { return d.Loc }

// StdDev is √2·Scale.
func (d *Laplace) StdDev() *lucid.Tensor { return d.Scale.Mul(math.Sqrt2) }

// Variance is 2·Scale².
func (d *Laplace) Variance() *lucid.Tensor { return d.Scale.Square().Mul(2.0) }

// LogProb is the log density.
func (d *Laplace) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.Loc)
	return d.Scale.Mul(2.0).Log().Neg().Sub(x.Sub(d.Loc).Abs().Div(d.Scale))
}

// CDF is the distribution function.
func (d *Laplace) CDF(value any) *lucid.Tensor {
	z := d.supported("CDF", value, d.Loc).Sub(d.Loc)
	return z.Sign().Mul(z.Abs().Neg().Div(d.Scale).Expm1()).Mul(-0.5).Add(0.5)
}

// ICDF is its inverse.
func (d *Laplace) ICDF(q any) *lucid.Tensor {
	t := d.quantile(q, d.Loc).Sub(0.5)
	return d.Loc.Sub(d.Scale.Mul(t.Sign()).Mul(t.Abs().Mul(-2.0).Log1p()))
}

// Entropy is 1 + log(2·Scale).
func (d *Laplace) Entropy() *lucid.Tensor { return d.Scale.Mul(2.0).Log().Add(1.0) }

// Gumbel is the distribution of maxima: exp(-exp(-(x-Loc)/Scale)) is its distribution function.
type Gumbel struct {
	Base
	Loc, Scale *lucid.Tensor
}

// NewGumbel makes a Gumbel distribution.
func NewGumbel(loc, scale any, opts ...Options) *Gumbel {
	f := of("Gumbel", opts)
	p, batch := f.tensors(par("loc", loc, Real), par("scale", scale, Positive))
	d := &Gumbel{Loc: p[0], Scale: p[1]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: Real, HasRSample: true, Draw: d.draw}, func(batch []int) Distribution {
		return NewGumbel(expanded(d.Loc, batch, 0), expanded(d.Scale, batch, 0), unchecked)
	})
	return d
}

func (d *Gumbel) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	g := openUniforms(key, d.Loc, shape).Log().Neg().Log().Neg()
	return g.Mul(d.Scale).Add(d.Loc)
}

// Mean is Loc + Scale·γ.
func (d *Gumbel) Mean() *lucid.Tensor { return d.Scale.Mul(eulerGamma).Add(d.Loc) }

// Mode is Loc.
func (d *Gumbel) Mode() *lucid.Tensor { return d.Loc }

// StdDev is π/√6·Scale.
func (d *Gumbel) StdDev() *lucid.Tensor { return d.Scale.Mul(math.Pi / math.Sqrt(6)) }

// Variance is π²/6·Scale².
func (d *Gumbel) Variance() *lucid.Tensor { return d.StdDev().Square() }

// LogProb is the log density.
func (d *Gumbel) LogProb(value any) *lucid.Tensor {
	y := d.Loc.Sub(d.supported("LogProb", value, d.Loc)).Div(d.Scale)
	return y.Sub(y.Exp()).Sub(d.Scale.Log())
}

// CDF is the distribution function.
func (d *Gumbel) CDF(value any) *lucid.Tensor {
	return d.Loc.Sub(d.supported("CDF", value, d.Loc)).Div(d.Scale).Exp().Neg().Exp()
}

// ICDF is its inverse.
func (d *Gumbel) ICDF(q any) *lucid.Tensor {
	return d.quantile(q, d.Loc).Log().Neg().Log().Neg().Mul(d.Scale).Add(d.Loc)
}

// Entropy is log Scale + 1 + γ.
func (d *Gumbel) Entropy() *lucid.Tensor { return d.Scale.Log().Add(1 + eulerGamma) }
