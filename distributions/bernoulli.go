package distributions

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/random"
)

var notANumber = math.NaN()

// chance is a probability of success, given as it is or by its log-odds.
type chance struct {
	probs, logits *lucid.Tensor // one of them is nil
}

// chanceOf reads one of two parameters.
func (f *family) chanceOf(probs, logits any, domain Constraint, others ...parameter) (c chance, rest []*lucid.Tensor, batch []int) {
	p := par("logits", logits, Real)
	byProbs := f.oneOf(probs, logits)
	if byProbs {
		p = par("probs", probs, domain)
	}
	v, batch := f.tensors(append(others, p)...)
	f.args["probs"], f.args["logits"] = domain, Real
	last := v[len(others)]
	if byProbs {
		return chance{probs: last}, v[:len(others)], batch
	}
	return chance{logits: last}, v[:len(others)], batch
}

// Probs are the probabilities of success.
func (c chance) Probs() *lucid.Tensor {
	if c.probs != nil {
		return c.probs
	}
	return c.logits.Sigmoid()
}

// Logits are the log-odds of success.
func (c chance) Logits() *lucid.Tensor {
	if c.logits != nil {
		return c.logits
	}
	yes, no := c.logs()
	return yes.Sub(no)
}

// logs are the log-probabilities of success and of failure.
func (c chance) logs() (yes, no *lucid.Tensor) {
	if c.logits != nil {
		no = softplus(c.logits).Neg()
		return c.logits.Add(no), no
	}
	p := clampProbs(c.probs)
	return p.Log(), p.Neg().Log1p()
}

// like is the parameter that was given.
func (c chance) like() *lucid.Tensor {
	if c.probs != nil {
		return c.probs
	}
	return c.logits
}

// expanded are the options of the same chance for another batch shape.
func (c chance) expanded(batch []int) (probs, logits any) {
	if c.probs != nil {
		return expanded(c.probs, batch, 0), nil
	}
	return nil, expanded(c.logits, batch, 0)
}

// crossEntropy is the entropy of a Bernoulli distribution by its log-odds: softplus(l) - p·l.
func crossEntropy(logits, x *lucid.Tensor) *lucid.Tensor { return softplus(logits).Sub(x.Mul(logits)) }

// BernoulliOptions give the probability of 1, one of Probs and Logits, numbers or tensors.
type BernoulliOptions struct {
	Probs      any  // from 0 to 1; nil: by Logits
	Logits     any  // log-odds
	NoValidate bool // do not check parameters and values
}

// Bernoulli is the distribution of 0 and 1.
type Bernoulli struct {
	Base
	chance
}

// NewBernoulli makes a Bernoulli distribution.
func NewBernoulli(o BernoulliOptions) *Bernoulli {
	f := &family{name: "Bernoulli", noValidate: o.NoValidate}
	c, _, batch := f.chanceOf(o.Probs, o.Logits, UnitInterval)
	d := &Bernoulli{chance: c}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: Boolean, Draw: d.draw}, func(batch []int) Distribution {
		probs, logits := c.expanded(batch)
		return NewBernoulli(BernoulliOptions{probs, logits, true})
	})
	return d
}

func (d *Bernoulli) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return random.Bernoulli(keyFor(key, d.like()), d.Probs(), nonNil(shape)).To(d.like().DType())
}

// Mean is the probability.
func (d *Bernoulli) Mean() *lucid.Tensor { return d.Probs() }

// Mode is 1 where it is more likely, NaN where both are as likely.
func (d *Bernoulli) Mode() *lucid.Tensor {
	p := d.Probs()
	return lucid.Where(lucid.Eq(p, 0.5), nan(p), lucid.Ge(p, 0.5).To(p.DType()))
}

// Variance is p(1-p).
func (d *Bernoulli) Variance() *lucid.Tensor {
	p := d.Probs()
	return p.Mul(p.Neg().Add(1.0))
}

// LogProb is the log-probability.
func (d *Bernoulli) LogProb(value any) *lucid.Tensor {
	return crossEntropy(d.Logits(), d.supported("LogProb", value, d.like())).Neg()
}

// Entropy is in nats.
func (d *Bernoulli) Entropy() *lucid.Tensor { return crossEntropy(d.Logits(), d.Probs()) }

// CDF is 0, 1-p or 1.
func (d *Bernoulli) CDF(value any) *lucid.Tensor {
	x := d.value("CDF", value, d.like(), Real)
	below := lucid.Where(lucid.Lt(x, 1.0), d.Probs().Neg().Add(1.0), 1.0)
	return lucid.Where(lucid.Lt(x, 0.0), 0.0, below)
}

// ICDF is 0 for probabilities up to 1-p and 1 above.
func (d *Bernoulli) ICDF(q any) *lucid.Tensor {
	p := d.quantile(q, d.like())
	return lucid.Where(p.IsNaN(), p, lucid.Gt(p, d.Probs().Neg().Add(1.0)).To(p.DType()))
}

// EnumerateSupport lists 0 and 1.
func (d *Bernoulli) EnumerateSupport(expand bool) *lucid.Tensor {
	like := d.like()
	return enumerate(lucid.With{DType: like.DType(), Device: like.Device()}.Arange(2), d.spec.BatchShape, expand)
}

// GeometricOptions give the probability of success, one of Probs and Logits, numbers or tensors.
type GeometricOptions struct {
	Probs      any  // from 0 to 1; nil: by Logits
	Logits     any  // log-odds
	NoValidate bool // do not check parameters and values
}

// Geometric is the distribution of the number of failures before the first success.
type Geometric struct {
	Base
	chance
}

// NewGeometric makes a geometric distribution.
func NewGeometric(o GeometricOptions) *Geometric {
	f := &family{name: "Geometric", noValidate: o.NoValidate}
	c, _, batch := f.chanceOf(o.Probs, o.Logits, UnitInterval)
	if c.probs != nil {
		f.check("probs", c.probs, Positive)
		f.args["probs"] = UnitInterval
	}
	d := &Geometric{chance: c}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: NonNegativeInteger, Draw: d.draw}, func(batch []int) Distribution {
		probs, logits := c.expanded(batch)
		return NewGeometric(GeometricOptions{probs, logits, true})
	})
	return d
}

func (d *Geometric) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return openUniforms(key, d.like(), shape).Log().Div(d.Probs().Neg().Log1p()).Floor()
}

// Mean is 1/p - 1.
func (d *Geometric) Mean() *lucid.Tensor { return d.Probs().Reciprocal().Sub(1.0) }

// Mode is 0.
func (d *Geometric) Mode() *lucid.Tensor { return lucid.ZerosLike(d.like()) }

// Variance is (1/p - 1)/p.
func (d *Geometric) Variance() *lucid.Tensor { return d.Mean().Div(d.Probs()) }

// LogProb is x·log(1-p) + log p.
func (d *Geometric) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.like())
	p := d.Probs()
	none := lucid.LogicalAnd(lucid.Eq(p, 1.0), lucid.Eq(x, 0.0))
	return lucid.Where(none, 0.0, x.Mul(lucid.Where(none, 0.0, p).Neg().Log1p())).Add(p.Log())
}

// CDF is 1 - (1-p)^(x+1).
func (d *Geometric) CDF(value any) *lucid.Tensor {
	x := d.value("CDF", value, d.like(), Real).Floor()
	return lucid.Where(lucid.Lt(x, 0.0), 0.0, x.Add(1.0).Mul(d.Probs().Neg().Log1p()).Expm1().Neg())
}

// ICDF is the least count of at least the probability q: it jumps where CDF does, as far as rounding lets it.
func (d *Geometric) ICDF(q any) *lucid.Tensor {
	p := d.quantile(q, d.like())
	no := d.Probs().Neg().Log1p()
	x := p.Neg().Log1p().Div(no).Ceil().Sub(1.0).ClampMin(0.0)
	reached := lucid.Ge(x.Mul(no).Expm1().Neg(), p) // by one less: the quotient was rounded up
	x = lucid.Where(reached, x.Sub(1.0).ClampMin(0.0), x)
	return lucid.Where(lucid.Eq(d.Probs(), 1.0), lucid.Where(p.IsNaN(), p, 0.0), x)
}

// Entropy is that of one trial over p.
func (d *Geometric) Entropy() *lucid.Tensor {
	return crossEntropy(d.Logits(), d.Probs()).Div(d.Probs())
}
