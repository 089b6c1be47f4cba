package distributions

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/random"
)

// MultinomialOptions give the number of trials and the weights of classes, one of Probs and Logits.
type MultinomialOptions struct {
	TotalCount int           // 0: 1
	Probs      *lucid.Tensor // non-negative; they are normalised
	Logits     *lucid.Tensor // unnormalised log-probabilities
	NoValidate bool          // do not check parameters and values
}

// Multinomial is the distribution of how often each class occurs in a number of trials.
type Multinomial struct {
	Base
	TotalCount int
	classes    *Categorical
}

// NewMultinomial makes a multinomial distribution.
func NewMultinomial(o MultinomialOptions) *Multinomial {
	f := &family{name: "Multinomial", noValidate: o.NoValidate}
	if o.TotalCount == 0 {
		o.TotalCount = 1
	}
	if o.TotalCount < 0 {
		fault.Throw(fault.Value, f.op(), "TotalCount is %d; want at least 1", o.TotalCount)
	}
	c := f.classes(CategoricalOptions{Probs: o.Probs, Logits: o.Logits, NoValidate: o.NoValidate})
	d := &Multinomial{TotalCount: o.TotalCount, classes: c}
	d.Base = f.base(Spec{Self: d, BatchShape: c.BatchShape(), EventShape: []int{c.NumEvents()},
		Support: MultinomialConstraint(o.TotalCount),
		Draw:    d.draw}, func(batch []int) Distribution {
		e := c.expandedOptions(batch)
		return NewMultinomial(MultinomialOptions{TotalCount: o.TotalCount, Probs: e.Probs, Logits: e.Logits, NoValidate: true})
	})
	return d
}

// draw makes the counts one class after the other, each a binomial number of what is left: no memory for single trials.
func (d *Multinomial) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	n := d.classes.NumEvents()
	p := d.classes.Probs()
	outer := nonNil(shape[:len(shape)-1])
	left := full(p, outer, float64(d.TotalCount))
	rest := full(p, outer, 1)
	keys := keysFor(key, p, n)
	counts := make([]*lucid.Tensor, n)
	for i := range n - 1 {
		share := p.Select(-1, i)
		chance := lucid.Where(lucid.Gt(rest, 0.0), share.Div(rest), 0.0).Clamp(0.0, 1.0)
		counts[i] = random.Binomial(keys[i], left, chance, nil)
		left = left.Sub(counts[i])
		rest = rest.Sub(share).ClampMin(0.0)
	}
	counts[n-1] = left
	return lucid.Stack(counts, -1)
}

// Logits are the normalised log-probabilities of the classes.
func (d *Multinomial) Logits() *lucid.Tensor { return d.classes.Logits() }

// Probs are the probabilities of the classes.
func (d *Multinomial) Probs() *lucid.Tensor { return d.classes.Probs() }

// Mean is n·p.
func (d *Multinomial) Mean() *lucid.Tensor { return d.Probs().Mul(float64(d.TotalCount)) }

// Variance is np(1-p) of each class.
func (d *Multinomial) Variance() *lucid.Tensor { return d.Mean().Mul(d.Probs().Neg().Add(1.0)) }

// LogProb is the log-probability.
func (d *Multinomial) LogProb(value any) *lucid.Tensor {
	l := d.Logits()
	x := d.supported("LogProb", value, l)
	none := lucid.LogicalAnd(lucid.Eq(x, 0.0), lucid.Eq(l, negInf))
	terms := x.Mul(lucid.Where(none, 0.0, l)).Sub(x.Add(1.0).Lgamma())
	return terms.Sum(-1).Add(x.Sum(-1).Add(1.0).Lgamma())
}

// Entropy is by the binomial distributions of the classes.
func (d *Multinomial) Entropy() *lucid.Tensor {
	n := float64(d.TotalCount)
	p := d.Probs()
	classEntropy := d.classes.Entropy()
	counts := NewBinomial(BinomialOptions{TotalCount: d.TotalCount, Probs: p, NoValidate: true})
	x := counts.EnumerateSupport(false).Narrow(0, 1, d.TotalCount)
	lgammas := counts.logProb(x).Exp().Mul(x.Add(1.0).Lgamma()).Sum(0).Sum(-1)
	logCount, _ := math.Lgamma(n + 1)
	return classEntropy.Mul(n).Sub(logCount).Add(lgammas)
}
