package distributions

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// LogitRelaxedBernoulli is the distribution of the log-odds of a relaxed Bernoulli number.
type LogitRelaxedBernoulli struct {
	Base
	chance
	Temperature *lucid.Tensor
}

// RelaxedBernoulliOptions give the probability of 1, one of Probs and Logits, numbers or tensors.
type RelaxedBernoulliOptions struct {
	Probs      any  // from 0 to 1; nil: by Logits
	Logits     any  // log-odds
	NoValidate bool // do not check parameters and values
}

// NewLogitRelaxedBernoulli makes the distribution of log-odds of a temperature: small ones give numbers near 0 and 1.
func NewLogitRelaxedBernoulli(temperature any, o RelaxedBernoulliOptions) *LogitRelaxedBernoulli {
	f := &family{name: "LogitRelaxedBernoulli", noValidate: o.NoValidate}
	c, rest, batch := f.chanceOf(o.Probs, o.Logits, UnitInterval, par("temperature", temperature, Positive))
	d := &LogitRelaxedBernoulli{chance: c, Temperature: rest[0]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: Real, HasRSample: true, Draw: d.draw}, func(batch []int) Distribution {
		probs, logits := c.expanded(batch)
		return NewLogitRelaxedBernoulli(expanded(d.Temperature, batch, 0), RelaxedBernoulliOptions{probs, logits, true})
	})
	return d
}

func (d *LogitRelaxedBernoulli) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	u := clampProbs(uniforms(key, d.like(), shape))
	return u.Log().Sub(u.Neg().Log1p()).Add(d.Logits()).Div(d.Temperature)
}

// LogProb is the log density.
func (d *LogitRelaxedBernoulli) LogProb(value any) *lucid.Tensor {
	diff := d.Logits().Sub(d.supported("LogProb", value, d.like()).Mul(d.Temperature))
	return d.Temperature.Log().Add(diff).Sub(softplus(diff).Mul(2.0))
}

// CDF is that of the logistic distribution.
func (d *LogitRelaxedBernoulli) CDF(value any) *lucid.Tensor {
	return d.value("CDF", value, d.like(), Real).Mul(d.Temperature).Sub(d.Logits()).Sigmoid()
}

// ICDF inverts CDF.
func (d *LogitRelaxedBernoulli) ICDF(q any) *lucid.Tensor {
	p := d.quantile(q, d.like())
	return p.Log().Sub(p.Neg().Log1p()).Add(d.Logits()).Div(d.Temperature)
}

// Mean is that of the logistic distribution.
func (d *LogitRelaxedBernoulli) Mean() *lucid.Tensor { return d.Logits().Div(d.Temperature) }

// Mode is the mean.
func (d *LogitRelaxedBernoulli) Mode() *lucid.Tensor { return d.Mean() }

// Variance is (π/Temperature)²/3.
func (d *LogitRelaxedBernoulli) Variance() *lucid.Tensor {
	return d.Temperature.Reciprocal().Mul(math.Pi).Square().Div(3.0).BroadcastTo(d.BatchShape()...)
}

// Entropy is 2 - log Temperature.
func (d *LogitRelaxedBernoulli) Entropy() *lucid.Tensor {
	return d.Temperature.Log().Neg().Add(2.0).BroadcastTo(d.BatchShape()...)
}

// RelaxedBernoulli is a distribution of numbers in (0, 1) near 0 and 1, with gradients through samples.
type RelaxedBernoulli struct {
	*Transformed
	Temperature *lucid.Tensor
	logit       *LogitRelaxedBernoulli
}

// NewRelaxedBernoulli makes a relaxed Bernoulli distribution of a temperature.
func NewRelaxedBernoulli(temperature any, o RelaxedBernoulliOptions) *RelaxedBernoulli {
	logit := NewLogitRelaxedBernoulli(temperature, o)
	d := &RelaxedBernoulli{Temperature: logit.Temperature, logit: logit}
	f := &family{name: "RelaxedBernoulli", noValidate: o.NoValidate, args: logit.ArgConstraints()}
	d.Transformed = newTransformed(f, d, logit, []Transform{SigmoidTransform{}})
	d.expandBy(func(batch []int) Distribution {
		probs, logits := logit.expanded(batch)
		return NewRelaxedBernoulli(expanded(d.Temperature, batch, 0), RelaxedBernoulliOptions{probs, logits, true})
	})
	return d
}

// Probs are the probabilities of 1.
func (d *RelaxedBernoulli) Probs() *lucid.Tensor { return d.logit.Probs() }

// Logits are their log-odds.
func (d *RelaxedBernoulli) Logits() *lucid.Tensor { return d.logit.Logits() }

func (d *RelaxedBernoulli) like() *lucid.Tensor { return d.Temperature }

// ExpRelaxedCategorical is the distribution of the logarithms of a relaxed one-hot vector.
type ExpRelaxedCategorical struct {
	Base
	Temperature *lucid.Tensor
	classes     *Categorical
}

// NewExpRelaxedCategorical makes the distribution of logarithms of a temperature, one number.
func NewExpRelaxedCategorical(temperature any, o CategoricalOptions) *ExpRelaxedCategorical {
	f := &family{name: "ExpRelaxedCategorical", noValidate: o.NoValidate}
	c := f.classes(o)
	t, shape := f.tensors(par("temperature", temperature, Positive))
	if len(shape) > 0 {
		fault.Throw(fault.Shape, f.op(), "temperature has shape %v; want one number", shape)
	}
	d := &ExpRelaxedCategorical{Temperature: t[0].To(c.logits.DType()), classes: c}
	f.args = map[string]Constraint{"temperature": Positive, "probs": Simplex, "logits": RealVector}
	d.Base = f.base(Spec{Self: d, BatchShape: c.BatchShape(), EventShape: []int{c.NumEvents()}, Support: RealVector, HasRSample: true,
		Draw: d.draw}, func(batch []int) Distribution {
		return NewExpRelaxedCategorical(d.Temperature, c.expandedOptions(batch))
	})
	return d
}

func (d *ExpRelaxedCategorical) like() *lucid.Tensor { return d.classes.logits }

func (d *ExpRelaxedCategorical) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	g := clampProbs(uniforms(key, d.like(), shape)).Log().Neg().Log().Neg()
	return d.classes.logits.Add(g).Div(d.Temperature).LogSoftmax(-1)
}

// LogProb is the log density.
func (d *ExpRelaxedCategorical) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.like())
	n := float64(d.classes.NumEvents())
	count, _ := math.Lgamma(n)
	score := d.classes.logits.Sub(x.Mul(d.Temperature)).LogSoftmax(-1).Sum(-1)
	return score.Add(d.Temperature.Log().Mul(n - 1)).Add(count)
}

// RelaxedOneHotCategorical is a distribution on the simplex near its corners, with gradients through samples.
type RelaxedOneHotCategorical struct {
	*Transformed
	Temperature *lucid.Tensor
	logs        *ExpRelaxedCategorical
}

// NewRelaxedOneHotCategorical makes a relaxed categorical distribution of a temperature, one number.
func NewRelaxedOneHotCategorical(temperature any, o CategoricalOptions) *RelaxedOneHotCategorical {
	logs := NewExpRelaxedCategorical(temperature, o)
	d := &RelaxedOneHotCategorical{Temperature: logs.Temperature, logs: logs}
	f := &family{name: "RelaxedOneHotCategorical", noValidate: o.NoValidate, args: logs.ArgConstraints()}
	d.Transformed = newTransformed(f, d, logs, []Transform{ExpTransform{}})
	d.spec.Support = Simplex
	d.expandBy(func(batch []int) Distribution {
		return NewRelaxedOneHotCategorical(d.Temperature, logs.classes.expandedOptions(batch))
	})
	return d
}

// Probs are the probabilities of the classes.
func (d *RelaxedOneHotCategorical) Probs() *lucid.Tensor { return d.logs.classes.Probs() }

// Logits are their normalised logarithms.
func (d *RelaxedOneHotCategorical) Logits() *lucid.Tensor { return d.logs.classes.Logits() }

func (d *RelaxedOneHotCategorical) like() *lucid.Tensor { return d.logs.like() }
