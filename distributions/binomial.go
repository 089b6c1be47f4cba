package distributions

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/random"
	"github.com/lucid-go/lucid/special"
)

// BinomialOptions give the number of trials and the probability of success, one of Probs and Logits, numbers or tensors.
type BinomialOptions struct {
	TotalCount any  // nil: 1
	Probs      any  // from 0 to 1; nil: by Logits
	Logits     any  // log-odds
	NoValidate bool // do not check parameters and values
}

// Binomial is the distribution of the number of successes in a number of trials.
type Binomial struct {
	Base
	chance
	TotalCount *lucid.Tensor
	number     *lucid.Tensor // TotalCount without dimensions, if it was given as a number
}

// NewBinomial makes a binomial distribution.
func NewBinomial(o BinomialOptions) *Binomial {
	f := &family{name: "Binomial", noValidate: o.NoValidate}
	if o.TotalCount == nil {
		o.TotalCount = 1
	}
	c, rest, batch := f.chanceOf(o.Probs, o.Logits, UnitInterval, par("total_count", o.TotalCount, NonNegativeInteger))
	d := &Binomial{chance: c, TotalCount: rest[0]}
	if _, many := o.TotalCount.(*lucid.Tensor); !many && d.TotalCount.NumElement() > 0 {
		for d.number = d.TotalCount; d.number.Dim() > 0; {
			d.number = d.number.At(0)
		}
	}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: IntegerInterval(0, d.TotalCount), Draw: d.draw},
		func(batch []int) Distribution {
			probs, logits := c.expanded(batch)
			return NewBinomial(BinomialOptions{expanded(d.TotalCount, batch, 0), probs, logits, true})
		})
	return d
}

func (d *Binomial) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return random.Binomial(keyFor(key, d.like()), d.TotalCount, d.Probs(), nonNil(shape))
}

// Mean is np.
func (d *Binomial) Mean() *lucid.Tensor { return d.TotalCount.Mul(d.Probs()) }

// Mode is (n+1)p rounded down, at most n.
func (d *Binomial) Mode() *lucid.Tensor {
	return lucid.Minimum(d.TotalCount.Add(1.0).Mul(d.Probs()).Floor(), d.TotalCount)
}

// Variance is np(1-p).
func (d *Binomial) Variance() *lucid.Tensor { return d.Mean().Mul(d.Probs().Neg().Add(1.0)) }

// LogProb is the log-probability.
func (d *Binomial) LogProb(value any) *lucid.Tensor {
	return d.logProb(d.supported("LogProb", value, d.like()))
}

func (d *Binomial) logProb(x *lucid.Tensor) *lucid.Tensor {
	n := d.TotalCount
	yes, no := d.logs()
	one := d.number // its log-gamma is computed once, not for each element of the batch
	if one == nil {
		one = n
	}
	rest := n.Sub(x)
	choose := one.Add(1.0).Lgamma().Sub(x.Add(1.0).Lgamma()).Sub(rest.Add(1.0).Lgamma())
	return choose.Add(x.Mul(yes)).Add(rest.Mul(no))
}

// CDF is by the incomplete beta function.
func (d *Binomial) CDF(value any) *lucid.Tensor {
	x := d.value("CDF", value, d.like(), Real).Floor()
	n := d.TotalCount
	inside := lucid.LogicalAnd(lucid.Ge(x, 0.0), lucid.Lt(x, n))
	k := lucid.Where(inside, x, 0.0)
	p := special.Betainc(n.Sub(k).ClampMin(1.0), k.Add(1.0), d.Probs().Neg().Add(1.0))
	return lucid.Where(inside, p, lucid.Ge(x, n).To(p.DType()))
}

// trials is the number of trials where it is one number for all.
func (d *Binomial) trials(method string) int {
	if !known(d.TotalCount) {
		d.lacks(method, "its number of trials is traced: give a Go number")
	}
	least, most := d.TotalCount.Min().Item(), d.TotalCount.Max().Item()
	if least != most || most > 1<<20 {
		fault.Throw(fault.NotImplemented, d.op(method), "numbers of trials from %v to %v; want one number, at most 2²⁰", least, most)
	}
	return int(most)
}

// Entropy is summed over the support; the number of trials must be one for all.
func (d *Binomial) Entropy() *lucid.Tensor {
	d.trials("Entropy")
	lp := d.logProb(d.EnumerateSupport(false))
	return lp.Exp().Mul(lp).Sum(0).Neg()
}

// EnumerateSupport lists 0 … n; the number of trials must be one for all.
func (d *Binomial) EnumerateSupport(expand bool) *lucid.Tensor {
	like := d.like()
	values := lucid.With{DType: like.DType(), Device: like.Device()}.Arange(d.trials("EnumerateSupport") + 1)
	return enumerate(values, d.spec.BatchShape, expand)
}

// NegativeBinomialOptions give the number of failures after which trials stop, and the probability of success, one of Probs and
// Logits, numbers or tensors.
type NegativeBinomialOptions struct {
	TotalCount any  // a real number, not negative
	Probs      any  // below 1
	Logits     any  // log-odds
	NoValidate bool // do not check parameters and values
}

// NegativeBinomial is the distribution of the number of successes before a number of failures.
type NegativeBinomial struct {
	Base
	chance
	TotalCount *lucid.Tensor
}

// NewNegativeBinomial makes a negative binomial distribution.
func NewNegativeBinomial(o NegativeBinomialOptions) *NegativeBinomial {
	f := &family{name: "NegativeBinomial", noValidate: o.NoValidate}
	c, rest, batch := f.chanceOf(o.Probs, o.Logits, HalfOpenInterval(0.0, 1.0), par("total_count", o.TotalCount, NonNegative))
	d := &NegativeBinomial{chance: c, TotalCount: rest[0]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: NonNegativeInteger, Draw: d.draw}, func(batch []int) Distribution {
		probs, logits := c.expanded(batch)
		return NewNegativeBinomial(NegativeBinomialOptions{expanded(d.TotalCount, batch, 0), probs, logits, true})
	})
	return d
}

func (d *NegativeBinomial) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	keys := keysFor(key, d.like(), 2)
	rate := random.Gamma(keys[0], d.TotalCount, nonNil(shape)).Mul(d.Logits().Exp())
	return random.Poisson(keys[1], rate, nil)
}

// Mean is n·exp(logits).
func (d *NegativeBinomial) Mean() *lucid.Tensor { return d.TotalCount.Mul(d.Logits().Exp()) }

// Mode is (n-1)·exp(logits) rounded down, at least 0.
func (d *NegativeBinomial) Mode() *lucid.Tensor {
	return d.TotalCount.Sub(1.0).Mul(d.Logits().Exp()).Floor().ClampMin(0.0)
}

// Variance is the mean over 1-p.
func (d *NegativeBinomial) Variance() *lucid.Tensor { return d.Mean().Div(d.Logits().Neg().Sigmoid()) }

// LogProb is the log-probability.
func (d *NegativeBinomial) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.like())
	n, l := d.TotalCount, d.Logits()
	lp := x.Mul(softplus(l.Neg())).Add(n.Mul(softplus(l))).Neg()
	count := n.Add(x).Lgamma().Sub(x.Add(1.0).Lgamma()).Sub(n.Lgamma())
	return lp.Add(lucid.Where(lucid.Eq(n.Add(x), 0.0), 0.0, count))
}

// CDF is by the incomplete beta function.
func (d *NegativeBinomial) CDF(value any) *lucid.Tensor {
	x := d.value("CDF", value, d.like(), Real).Floor()
	p := special.Betainc(d.TotalCount, x.ClampMin(0.0).Add(1.0), d.Logits().Neg().Sigmoid())
	return lucid.Where(lucid.Ge(x, 0.0), p, 0.0)
}
