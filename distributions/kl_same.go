package distributions

import (
	"reflect"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// Divergences of two distributions of one family.

func init() {
	registerLocationScale()
	registerGammas()
	registerDiscrete()
	registerWrapped()
}

func registerLocationScale() {
	RegisterKL(func(p, q *Normal) *lucid.Tensor {
		return normalKL(p.Scale, q.Scale).Add(shift(p.Loc, q.Loc, q.Scale).Square().Mul(0.5))
	})
	RegisterKL(func(p, q *HalfNormal) *lucid.Tensor { return normalKL(p.Scale, q.Scale) })
	RegisterKL(func(p, q *Laplace) *lucid.Tensor {
		ratio, away := p.Scale.Div(q.Scale), p.Loc.Sub(q.Loc).Abs()
		return away.Div(q.Scale).Sub(ratio.Log()).Add(ratio.Mul(away.Div(p.Scale).Neg().Exp())).Sub(1.0)
	})
	RegisterKL(func(p, q *Gumbel) *lucid.Tensor {
		ratio, away := p.Scale.Div(q.Scale), shift(p.Loc, q.Loc, q.Scale)
		tail := ratio.Add(1.0).Lgamma().Sub(away).Exp()
		return away.Sub(ratio.Log()).Add(ratio.Mul(eulerGamma)).Add(tail).Sub(1 + eulerGamma)
	})
	RegisterKL(func(p, q *Cauchy) *lucid.Tensor {
		top := p.Scale.Add(q.Scale).Square().Add(p.Loc.Sub(q.Loc).Square())
		return top.Div(p.Scale.Mul(q.Scale).Mul(4.0)).Log()
	})
	RegisterKL(func(p, q *HalfCauchy) *lucid.Tensor { // folding both doubles both densities
		return p.Scale.Add(q.Scale).Square().Div(p.Scale.Mul(q.Scale).Mul(4.0)).Log()
	})
	RegisterKL(func(p, q *Uniform) *lucid.Tensor {
		kl := q.High.Sub(q.Low).Div(p.High.Sub(p.Low)).Log()
		out := lucid.LogicalOr(lucid.Lt(p.Low, q.Low), lucid.Gt(p.High, q.High))
		return lucid.Where(out, inf, kl)
	})
	RegisterKL(func(p, q *Exponential) *lucid.Tensor {
		ratio := q.Rate.Div(p.Rate)
		return ratio.Sub(ratio.Log()).Sub(1.0)
	})
	RegisterKL(func(p, q *Pareto) *lucid.Tensor {
		ratio := q.Alpha.Div(p.Alpha)
		kl := q.Alpha.Mul(p.Scale.Div(q.Scale).Log()).Sub(ratio.Log()).Add(ratio).Sub(1.0)
		return lucid.Where(lucid.Lt(p.Scale, q.Scale), inf, kl)
	})
	RegisterKL(func(p, q *VonMises) *lucid.Tensor {
		// E log q = κq·A(κp)·cos(μp - μq) - log 2πI₀(κq).
		mean := p.ratio().Mul(p.Loc.Sub(q.Loc).Cos()).Mul(q.Concentration)
		return q.logNorm().Sub(mean).Sub(p.Entropy())
	})
	RegisterKL(func(p, q *Weibull) *lucid.Tensor {
		ratio := q.Concentration.Div(p.Concentration)
		scales := p.Scale.Log().Sub(q.Scale.Log())
		power := scales.Mul(q.Concentration).Add(ratio.Add(1.0).Lgamma()).Exp()
		logs := p.Concentration.Log().Sub(p.Concentration.Mul(p.Scale.Log())).Sub(q.Concentration.Log()).
			Add(q.Concentration.Mul(q.Scale.Log()))
		mean := p.Scale.Log().Sub(p.Concentration.Reciprocal().Mul(eulerGamma))
		return logs.Add(p.Concentration.Sub(q.Concentration).Mul(mean)).Add(power).Sub(1.0)
	})
}

// normalKL is the divergence of centred normal distributions.
func normalKL(p, q *lucid.Tensor) *lucid.Tensor {
	ratio := p.Div(q).Square()
	return ratio.Sub(1.0).Sub(ratio.Log()).Mul(0.5)
}

func shift(a, b, scale *lucid.Tensor) *lucid.Tensor { return a.Sub(b).Div(scale) }

func registerGammas() {
	RegisterKL(func(p, q *Gamma) *lucid.Tensor { return gammaKL(p.Concentration, p.Rate, q.Concentration, q.Rate) })
	RegisterKL(func(p, q *InverseGamma) *lucid.Tensor {
		return gammaKL(p.Concentration, p.Rate, q.Concentration, q.Rate)
	})
	RegisterKL(func(p, q *Beta) *lucid.Tensor {
		a, b, t := p.Concentration1, p.Concentration0, p.total()
		kl := logBeta(q.Concentration1, q.Concentration0).Sub(logBeta(a, b))
		kl = kl.Add(a.Sub(q.Concentration1).Mul(a.Digamma())).Add(b.Sub(q.Concentration0).Mul(b.Digamma()))
		return kl.Add(q.total().Sub(t).Mul(t.Digamma()))
	})
	RegisterKL(func(p, q *Dirichlet) *lucid.Tensor {
		a, b := p.Concentration, q.Concentration
		t := a.SumKeep(-1)
		norm := t.Squeeze(-1).Lgamma().Sub(b.Sum(-1).Lgamma())
		terms := b.Lgamma().Sub(a.Lgamma()).Add(a.Sub(b).Mul(a.Digamma().Sub(t.Digamma())))
		return terms.Sum(-1).Add(norm)
	})
	RegisterKL(func(p, q *ContinuousBernoulli) *lucid.Tensor {
		return p.Mean().Mul(p.Logits().Sub(q.Logits())).Add(p.logNorm()).Sub(softplus(p.Logits())).Sub(q.logNorm()).
			Add(softplus(q.Logits()))
	})
}

func gammaKL(pa, pb, qa, qb *lucid.Tensor) *lucid.Tensor {
	kl := qa.Mul(pb.Div(qb).Log()).Add(qa.Lgamma()).Sub(pa.Lgamma())
	return kl.Add(pa.Sub(qa).Mul(pa.Digamma())).Add(qb.Sub(pb).Mul(pa.Div(pb)))
}

func registerDiscrete() {
	RegisterKL(func(p, q *Bernoulli) *lucid.Tensor {
		a, b := p.Probs(), q.Probs()
		one := bernoulliTerm(a, b, softplus(q.Logits().Neg()).Sub(softplus(p.Logits().Neg())))
		zero := bernoulliTerm(a.Neg().Add(1.0), b.Neg().Add(1.0), softplus(q.Logits()).Sub(softplus(p.Logits())))
		return one.Add(zero)
	})
	RegisterKL(func(p, q *Categorical) *lucid.Tensor { return categoricalKL(p, q) })
	RegisterKL(func(p, q *OneHotCategorical) *lucid.Tensor { return categoricalKL(p.classes, q.classes) })
	RegisterKL(func(p, q *Binomial) *lucid.Tensor {
		if known(p.TotalCount) && known(q.TotalCount) && lucid.ItemAs[bool](lucid.Lt(p.TotalCount, q.TotalCount).Any()) {
			fault.Throw(fault.NotImplemented, "distributions.KL",
				"binomial distributions with fewer trials than the other have no closed form")
		}
		l := p.Logits().Sub(q.Logits()).Mul(p.Probs())
		kl := p.TotalCount.Mul(l.Add(softplus(q.Logits())).Sub(softplus(p.Logits())))
		return lucid.Where(lucid.Gt(p.TotalCount, q.TotalCount), inf, kl)
	})
	RegisterKL(func(p, q *Geometric) *lucid.Tensor {
		return p.Entropy().Neg().Sub(q.Probs().Neg().Log1p().Div(p.Probs())).Sub(q.Logits())
	})
	RegisterKL(func(p, q *Poisson) *lucid.Tensor {
		return p.Rate.Xlogy(p.Rate).Sub(p.Rate.Xlogy(q.Rate)).Sub(p.Rate).Add(q.Rate)
	})
}

// bernoulliTerm is p·log(p/q) by the difference of logarithms.
func bernoulliTerm(p, q, diff *lucid.Tensor) *lucid.Tensor {
	t := lucid.Where(lucid.Eq(q, 0.0), inf, p.Mul(diff))
	return lucid.Where(lucid.Eq(p, 0.0), 0.0, t)
}

func categoricalKL(p, q *Categorical) *lucid.Tensor {
	return bernoulliTerm(p.Probs(), q.Probs(), p.logits.Sub(q.logits)).Sum(-1)
}

func registerWrapped() {
	RegisterKL(func(p, q *Independent) *lucid.Tensor {
		if p.Dims != q.Dims {
			fault.Throw(fault.Shape, "distributions.KL", "%v and %v join different numbers of dimensions; want equal ones", p, q)
		}
		return sumRight(KL(p.BaseDist, q.BaseDist), p.Dims)
	})
	RegisterKL(func(p, q *Transformed) *lucid.Tensor {
		if !slices.EqualFunc(p.Transforms, q.Transforms, sameTransform) || !slices.Equal(p.spec.EventShape, q.spec.EventShape) {
			fault.Throw(fault.NotImplemented, "distributions.KL", "%v and %v have different transforms; use MonteCarloKL", p, q)
		}
		return KL(p.BaseDist, q.BaseDist)
	})
}

// sameTransform reports whether two transforms are equal: of one type, with equal numbers and the same tensors.
func sameTransform(a, b Transform) bool {
	if x, ok := a.(ReshapeTransform); ok {
		y, ok := b.(ReshapeTransform)
		return ok && slices.Equal(x.In, y.In) && slices.Equal(x.Out, y.Out)
	}
	return reflect.ValueOf(a).Comparable() && reflect.ValueOf(b).Comparable() && a == b
}
