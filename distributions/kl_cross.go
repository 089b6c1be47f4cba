package distributions

import (
	"math"

	"github.com/lucid-go/lucid"
)

// Divergences between families: -H(p) - E log q, where E log q needs some moments of p.

func init() {
	registerAgainstNormal()
	registerAgainstGamma()
	registerAgainstInterval()
	registerAgainstGumbel()
	registerInfinite()
	RegisterKL(func(p *Normal, q *Laplace) *lucid.Tensor {
		away := p.Loc.Sub(q.Loc)
		z := away.Div(p.Scale).Mul(math.Sqrt2 / 2)
		mean := p.Scale.Mul(math.Sqrt(2 / math.Pi)).Mul(z.Square().Neg().Exp()).Add(away.Mul(z.Erf()))
		return mean.Div(q.Scale).Add(q.Scale.Mul(2.0).Log()).Sub(p.Entropy())
	})
	RegisterKL(func(p *Bernoulli, q *Poisson) *lucid.Tensor {
		return q.Rate.Sub(p.Probs().Xlogy(q.Rate)).Sub(p.Entropy())
	})
}

// againstNormal needs mean and variance.
func againstNormal(p Distribution, q *Normal) *lucid.Tensor {
	s := q.Scale.Square()
	square := p.Variance().Add(p.Mean().Sub(q.Loc).Square())
	return square.Div(s.Mul(2.0)).Add(q.Scale.Log()).Add(halfLogTwoPi).Sub(p.Entropy())
}

func registerAgainstNormal() {
	RegisterKL(func(p *Beta, q *Normal) *lucid.Tensor { return againstNormal(p, q) })
	RegisterKL(func(p *ContinuousBernoulli, q *Normal) *lucid.Tensor { return againstNormal(p, q) })
	RegisterKL(func(p *Exponential, q *Normal) *lucid.Tensor { return againstNormal(p, q) })
	RegisterKL(func(p *Gamma, q *Normal) *lucid.Tensor { return againstNormal(p, q) })
	RegisterKL(func(p *Gumbel, q *Normal) *lucid.Tensor { return againstNormal(p, q) })
	RegisterKL(func(p *Laplace, q *Normal) *lucid.Tensor { return againstNormal(p, q) })
	RegisterKL(func(p *Pareto, q *Normal) *lucid.Tensor {
		return p.heavier(2, func(p *Pareto) *lucid.Tensor { return againstNormal(p, q) })
	})
	RegisterKL(func(p *Uniform, q *Normal) *lucid.Tensor { return againstNormal(p, q) })
}

// heavier is infinite, without a gradient, where the tail has no moment of an order. The divergence is computed of a lighter tail there,
// so that no gradient of 0 is multiplied by an infinite moment.
func (d *Pareto) heavier(order float64, kl func(p *Pareto) *lucid.Tensor) *lucid.Tensor {
	none := lucid.Le(d.Alpha, order)
	return lucid.Where(none, inf, kl(&Pareto{Scale: d.Scale, Alpha: lucid.Where(none, order+1, d.Alpha)}))
}

// againstExponential needs the mean.
func againstExponential(p Distribution, q *Exponential) *lucid.Tensor {
	return q.Rate.Mul(p.Mean()).Sub(q.Rate.Log()).Sub(p.Entropy())
}

// againstGamma needs the mean and the mean logarithm.
func againstGamma(p Distribution, q *Gamma, meanLog *lucid.Tensor) *lucid.Tensor {
	a, b := q.Concentration, q.Rate
	logs := a.Lgamma().Sub(a.Mul(b.Log())).Sub(a.Sub(1.0).Mul(meanLog))
	return logs.Add(b.Mul(p.Mean())).Sub(p.Entropy())
}

// meanLog is the mean of the logarithm of a uniform number.
func (d *Uniform) meanLog() *lucid.Tensor {
	return d.High.Xlogy(d.High).Sub(d.Low.Xlogy(d.Low)).Div(d.High.Sub(d.Low)).Sub(1.0)
}

func registerAgainstGamma() {
	RegisterKL(func(p *Beta, q *Exponential) *lucid.Tensor { return againstExponential(p, q) })
	RegisterKL(func(p *ContinuousBernoulli, q *Exponential) *lucid.Tensor { return againstExponential(p, q) })
	RegisterKL(func(p *Gamma, q *Exponential) *lucid.Tensor { return againstExponential(p, q) })
	RegisterKL(func(p *Pareto, q *Exponential) *lucid.Tensor {
		return p.heavier(1, func(p *Pareto) *lucid.Tensor { return againstExponential(p, q) })
	})
	RegisterKL(func(p *Uniform, q *Exponential) *lucid.Tensor {
		return lucid.Where(lucid.Lt(p.Low, 0.0), inf, againstExponential(p, q))
	})
	RegisterKL(func(p *Beta, q *Gamma) *lucid.Tensor {
		return againstGamma(p, q, p.Concentration1.Digamma().Sub(p.total().Digamma()))
	})
	RegisterKL(func(p *Exponential, q *Gamma) *lucid.Tensor {
		return againstGamma(p, q, p.Rate.Log().Neg().Sub(eulerGamma))
	})
	RegisterKL(func(p *Pareto, q *Gamma) *lucid.Tensor {
		return p.heavier(1, func(p *Pareto) *lucid.Tensor {
			return againstGamma(p, q, p.Scale.Log().Add(p.Alpha.Reciprocal()))
		})
	})
	RegisterKL(func(p *Uniform, q *Gamma) *lucid.Tensor {
		return lucid.Where(lucid.Lt(p.Low, 0.0), inf, againstGamma(p, q, p.meanLog()))
	})
	RegisterKL(func(p *Uniform, q *Pareto) *lucid.Tensor {
		kl := q.Alpha.Add(1.0).Mul(p.meanLog()).Sub(q.Alpha.Log()).Sub(q.Alpha.Mul(q.Scale.Log())).Sub(p.Entropy())
		return lucid.Where(lucid.Lt(p.Low, q.Scale), inf, kl)
	})
}

// againstUniform is infinite where the support, from low to high, is not inside.
func againstUniform(p Distribution, q *Uniform, low, high float64) *lucid.Tensor {
	out := lucid.LogicalOr(lucid.Gt(q.Low, low), lucid.Lt(q.High, high))
	return lucid.Where(out, inf, q.Entropy().Sub(p.Entropy()))
}

// againstContinuous needs the mean.
func againstContinuous(p Distribution, q *ContinuousBernoulli) *lucid.Tensor {
	return softplus(q.Logits()).Sub(p.Mean().Mul(q.Logits())).Sub(q.logNorm()).Sub(p.Entropy())
}

// outsideUnit is where a uniform distribution reaches outside [0, 1].
func (d *Uniform) outsideUnit() *lucid.Tensor {
	return lucid.LogicalOr(lucid.Lt(d.Low, 0.0), lucid.Gt(d.High, 1.0))
}

func registerAgainstInterval() {
	RegisterKL(func(p *Beta, q *Uniform) *lucid.Tensor { return againstUniform(p, q, 0, 1) })
	RegisterKL(func(p *ContinuousBernoulli, q *Uniform) *lucid.Tensor { return againstUniform(p, q, 0, 1) })
	RegisterKL(func(p *Beta, q *ContinuousBernoulli) *lucid.Tensor { return againstContinuous(p, q) })
	RegisterKL(func(p *Uniform, q *ContinuousBernoulli) *lucid.Tensor {
		return lucid.Where(p.outsideUnit(), inf, againstContinuous(p, q))
	})
	RegisterKL(func(p *Uniform, q *Beta) *lucid.Tensor {
		a, b := q.Concentration1, q.Concentration0
		mirrored := &Uniform{Low: p.High.Neg().Add(1.0), High: p.Low.Neg().Add(1.0)}
		logs := a.Sub(1.0).Mul(p.meanLog()).Add(b.Sub(1.0).Mul(mirrored.meanLog()))
		return lucid.Where(p.outsideUnit(), inf, logBeta(a, b).Sub(logs).Sub(p.Entropy()))
	})
}

// againstGumbel needs the mean, and the mean of exp(-x/scale).
func againstGumbel(p Distribution, q *Gumbel, meanExp *lucid.Tensor) *lucid.Tensor {
	tail := q.Loc.Div(q.Scale).Exp().Mul(meanExp)
	return p.Mean().Sub(q.Loc).Div(q.Scale).Add(q.Scale.Log()).Add(tail).Sub(p.Entropy())
}

func registerAgainstGumbel() {
	RegisterKL(func(p *Exponential, q *Gumbel) *lucid.Tensor {
		rate := p.Rate.Mul(q.Scale)
		return againstGumbel(p, q, rate.Div(rate.Add(1.0)))
	})
	RegisterKL(func(p *Gamma, q *Gumbel) *lucid.Tensor {
		return againstGumbel(p, q, p.Rate.Mul(q.Scale).Reciprocal().Log1p().Mul(p.Concentration).Neg().Exp())
	})
	RegisterKL(func(p *Normal, q *Gumbel) *lucid.Tensor {
		t := q.Scale.Reciprocal()
		return againstGumbel(p, q, p.Scale.Mul(t).Square().Mul(0.5).Sub(p.Loc.Mul(t)).Exp())
	})
	RegisterKL(func(p *Uniform, q *Gumbel) *lucid.Tensor {
		low, high := p.Low.Div(q.Scale), p.High.Div(q.Scale)
		return againstGumbel(p, q, low.Neg().Exp().Sub(high.Neg().Exp()).Div(high.Sub(low)))
	})
}

// infinite is the divergence where the support of p is not inside that of q.
func infinite[P, Q Distribution]() {
	RegisterKL(func(p P, q Q) *lucid.Tensor {
		return full(likeOf(p), lucid.BroadcastShapes(p.BatchShape(), q.BatchShape()), inf)
	})
}

// unbounded registers the pairs of a distribution that reaches outside [0, 1] and starts below every Pareto distribution.
func unbounded[P Distribution]() {
	infinite[P, *Beta]()
	infinite[P, *ContinuousBernoulli]()
	infinite[P, *Pareto]()
	infinite[P, *Uniform]()
}

func registerInfinite() {
	infinite[*Beta, *Pareto]()
	infinite[*ContinuousBernoulli, *Pareto]()
	unbounded[*Exponential]()
	unbounded[*Gamma]()
	unbounded[*Gumbel]()
	unbounded[*Laplace]()
	unbounded[*Normal]()
	for _, f := range []func(){infinite[*Gumbel, *Exponential], infinite[*Gumbel, *Gamma], infinite[*Laplace, *Exponential],
		infinite[*Laplace, *Gamma], infinite[*Normal, *Exponential], infinite[*Normal, *Gamma], infinite[*Pareto, *Beta],
		infinite[*Pareto, *ContinuousBernoulli], infinite[*Pareto, *Uniform], infinite[*Poisson, *Bernoulli], infinite[*Poisson,
			*Binomial]} {
		f()
	}
}
