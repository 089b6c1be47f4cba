package distributions

import (
	"math"

	"github.com/lucid-go/lucid"
)

// ContinuousBernoulliOptions give the parameter of the distribution, one of Probs and Logits, numbers or tensors.
type ContinuousBernoulliOptions struct {
	Probs      any  // from 0 to 1; nil: by Logits
	Logits     any  // log-odds
	NoValidate bool // do not check parameters and values
}

// ContinuousBernoulli is the distribution on [0, 1] of density proportional to p^x·(1-p)^(1-x). Near p = ½, where the normaliser is 0/0,
// Taylor series are used.
type ContinuousBernoulli struct {
	Base
	chance
}

// NewContinuousBernoulli makes a continuous Bernoulli distribution.
func NewContinuousBernoulli(o ContinuousBernoulliOptions) *ContinuousBernoulli {
	f := &family{name: "ContinuousBernoulli", noValidate: o.NoValidate}
	c, _, batch := f.chanceOf(o.Probs, o.Logits, UnitInterval)
	if c.probs != nil {
		c.probs = clampProbs(c.probs)
	}
	d := &ContinuousBernoulli{chance: c}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: UnitInterval, HasRSample: true, Draw: d.draw},
		func(batch []int) Distribution {
			probs, logits := c.expanded(batch)
			return NewContinuousBernoulli(ContinuousBernoulliOptions{probs, logits, true})
		})
	return d
}

// cut is the parameter where the closed forms hold, and where that is.
func (d *ContinuousBernoulli) cut() (p, closed *lucid.Tensor) {
	q := clampProbs(d.Probs())
	closed = lucid.LogicalOr(lucid.Le(q, 0.499), lucid.Gt(q, 0.501))
	return lucid.Where(closed, q, 0.499), closed
}

// away is the distance of the parameter from ½.
func (d *ContinuousBernoulli) away() *lucid.Tensor { return d.Probs().Sub(0.5) }

// odds is log(1-p) - log p.
func odds(p *lucid.Tensor) *lucid.Tensor { return p.Neg().Log1p().Sub(p.Log()) }

// logNorm is the logarithm of the factor that makes the density integrate to 1.
func (d *ContinuousBernoulli) logNorm() *lucid.Tensor {
	p, closed := d.cut()
	n := odds(p).Abs().Log().Sub(p.Mul(-2.0).Add(1.0).Abs().Log())
	x := d.away().Square()
	return lucid.Where(closed, n, x.Mul(104.0/45).Add(4.0/3).Mul(x).Add(math.Ln2))
}

func (d *ContinuousBernoulli) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return d.inverse(uniforms(key, d.like(), shape))
}

func (d *ContinuousBernoulli) inverse(u *lucid.Tensor) *lucid.Tensor {
	p, closed := d.cut()
	top := u.Mul(p.Mul(2.0).Sub(1.0)).Sub(p).Log1p().Sub(p.Neg().Log1p())
	return lucid.Where(closed, top.Div(odds(p).Neg()), u)
}

// Mean is the mean.
func (d *ContinuousBernoulli) Mean() *lucid.Tensor {
	p, closed := d.cut()
	m := p.Div(p.Mul(2.0).Sub(1.0)).Add(odds(p).Reciprocal())
	x := d.away()
	return lucid.Where(closed, m, x.Square().Mul(16.0/45).Add(1.0/3).Mul(x).Add(0.5))
}

// Mode is the end of the larger density.
func (d *ContinuousBernoulli) Mode() *lucid.Tensor {
	p := d.Probs()
	return lucid.Where(lucid.Eq(p, 0.5), nan(p), lucid.Gt(p, 0.5).To(p.DType()))
}

// Variance is the variance.
func (d *ContinuousBernoulli) Variance() *lucid.Tensor {
	p, closed := d.cut()
	v := p.Mul(p.Sub(1.0)).Div(p.Mul(-2.0).Add(1.0).Square()).Add(odds(p).Square().Reciprocal())
	x := d.away().Square()
	return lucid.Where(closed, v, x.Mul(-128.0/945).Add(1.0/15).Mul(x).Neg().Add(1.0/12))
}

// LogProb is the log density.
func (d *ContinuousBernoulli) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.like())
	return d.logNorm().Sub(crossEntropy(d.Logits(), x))
}

// CDF is the distribution function.
func (d *ContinuousBernoulli) CDF(value any) *lucid.Tensor {
	x := d.supported("CDF", value, d.like())
	p, closed := d.cut()
	c := p.Pow(x).Mul(p.Neg().Add(1.0).Pow(x.Neg().Add(1.0))).Add(p).Sub(1.0).Div(p.Mul(2.0).Sub(1.0))
	return lucid.Where(closed, c, x).Clamp(0.0, 1.0)
}

// ICDF is its inverse.
func (d *ContinuousBernoulli) ICDF(q any) *lucid.Tensor { return d.inverse(d.quantile(q, d.like())) }

// Entropy is the differential entropy.
func (d *ContinuousBernoulli) Entropy() *lucid.Tensor {
	l := d.Logits()
	return softplus(l).Sub(d.Mean().Mul(l)).Sub(d.logNorm())
}
