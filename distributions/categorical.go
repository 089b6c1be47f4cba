package distributions

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/random"
)

// CategoricalOptions give the weights of classes along the last dimension, one of Probs and Logits.
type CategoricalOptions struct {
	Probs      *lucid.Tensor // non-negative, not all zero; they are normalised
	Logits     *lucid.Tensor // unnormalised log-probabilities
	NoValidate bool          // do not check parameters and values
}

// Categorical is the distribution of class numbers 0 … n-1.
type Categorical struct {
	Base
	logits *lucid.Tensor // normalised
	probs  *lucid.Tensor // normalised; nil: those of the logits
}

// NewCategorical makes a categorical distribution.
func NewCategorical(o CategoricalOptions) *Categorical {
	f := &family{name: "Categorical", noValidate: o.NoValidate}
	return newCategorical(f, o)
}

// one of two alternatives: it refuses both and neither.
func (f *family) oneOf(probs, logits any) (byProbs bool) {
	p, l := given(probs), given(logits)
	if p == l {
		fault.Throw(fault.Value, f.op(), "Probs given: %v, Logits given: %v; give one of them", p, l)
	}
	return p
}

func given(v any) bool {
	t, ok := v.(*lucid.Tensor)
	return v != nil && (!ok || t != nil)
}

// weights normalises the weights of classes.
func (f *family) weights(o CategoricalOptions) (logits, probs *lucid.Tensor, batch []int) {
	if f.oneOf(o.Probs, o.Logits) {
		v, batch := f.tensors(parameter{"probs", o.Probs, IndependentConstraint(NonNegative, 1), 1})
		f.check("the sum of probs", v[0].Sum(-1), Positive)
		f.args = map[string]Constraint{"probs": Simplex, "logits": RealVector}
		probs = v[0].Div(v[0].SumKeep(-1))
		f.someClass(probs)
		f.check("probs, normalised,", probs, RealVector) // not those of an infinite weight
		return clampProbs(probs).Log(), probs, batch
	}
	v, batch := f.tensors(parameter{"logits", o.Logits, RealVector, 1})
	f.args = map[string]Constraint{"probs": Simplex, "logits": RealVector}
	f.someClass(v[0])
	logits = v[0].Sub(v[0].LogSumExpKeep(-1))
	f.check("logits, normalised,", logits, RealVector) // not those of +Inf, nor of nothing but -Inf
	return logits, nil, batch
}

func (f *family) someClass(x *lucid.Tensor) {
	if x.Size(-1) == 0 {
		fault.Throw(fault.Shape, f.op(), "weights of shape %v hold no class; want at least one along the last dimension", x.Shape())
	}
}

// clampProbs brings probabilities inside (0, 1), as far as the dtype can tell.
func clampProbs(p *lucid.Tensor) *lucid.Tensor {
	eps := lucid.FInfo(p.DType()).Eps
	return p.Clamp(eps, 1-eps)
}

func newCategorical(f *family, o CategoricalOptions) *Categorical {
	logits, probs, batch := f.weights(o)
	d := &Categorical{logits: logits, probs: probs}
	n := logits.Size(-1)
	d.Base = f.base(Spec{Self: d, BatchShape: batch, Support: IntegerInterval(0, n-1), Draw: d.draw}, func(batch []int) Distribution {
		return NewCategorical(d.expandedOptions(batch))
	})
	return d
}

// expandedOptions are the weights for a larger batch shape.
func (d *Categorical) expandedOptions(batch []int) CategoricalOptions {
	if d.probs != nil {
		return CategoricalOptions{Probs: expanded(d.probs, batch, 1), NoValidate: true}
	}
	return CategoricalOptions{Logits: expanded(d.logits, batch, 1), NoValidate: true}
}

// Logits are the normalised log-probabilities of the classes.
func (d *Categorical) Logits() *lucid.Tensor { return d.logits }

// Probs are the probabilities of the classes.
func (d *Categorical) Probs() *lucid.Tensor {
	if d.probs != nil {
		return d.probs
	}
	return d.logits.Exp()
}

// NumEvents is the number of classes.
func (d *Categorical) NumEvents() int { return d.logits.Size(-1) }

func (d *Categorical) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	logits := d.logits
	if d.probs != nil { // a class of probability 0 is never sampled
		logits = d.probs.Log()
	}
	if len(d.spec.BatchShape) == 0 && len(shape) > 0 {
		n := product(shape)
		return random.Categorical(keyFor(key, logits), logits, random.CategoricalOptions{NumSamples: n}).Reshape(shape...)
	}
	return random.Categorical(keyFor(key, logits), logits, random.CategoricalOptions{Shape: nonNil(shape)})
}

func nonNil(s []int) []int {
	if s == nil {
		return []int{}
	}
	return s
}

// LogProb is the log-probability of class numbers.
func (d *Categorical) LogProb(value any) *lucid.Tensor {
	x := d.classes("LogProb", value)
	s := lucid.BroadcastShapes(x.Shape(), d.spec.BatchShape)
	at := x.BroadcastTo(s...).Unsqueeze(-1)
	return d.logits.BroadcastTo(append(s, d.NumEvents())...).Gather(-1, at).Squeeze(-1)
}

// classes is the argument of LogProb as class numbers.
func (d *Categorical) classes(method string, value any) *lucid.Tensor {
	if _, ok := value.(*lucid.Tensor); !ok {
		value = d.tensor(method, value, d.logits)
	}
	return d.supported(method, value, d.logits).Long()
}

// CDF is the probability of a class number of at most the value.
func (d *Categorical) CDF(value any) *lucid.Tensor {
	x := d.value("CDF", value, d.logits, Real).Unsqueeze(-1)
	return lucid.Where(lucid.Ge(x, d.numbers()), d.Probs(), 0.0).Sum(-1).ClampMax(1.0)
}

// ICDF is the least class number whose CDF is at least q.
func (d *Categorical) ICDF(q any) *lucid.Tensor {
	p := d.quantile(q, d.logits).Unsqueeze(-1)
	below := lucid.Lt(d.Probs().CumSum(-1).Narrow(-1, 0, d.NumEvents()-1), p)
	return below.To(lucid.Int64).Sum(-1)
}

// numbers are those of the classes, in the dtype of the weights.
func (d *Categorical) numbers() *lucid.Tensor {
	return lucid.With{Device: d.logits.Device(), DType: d.logits.DType()}.Arange(d.NumEvents())
}

// Mean is NaN: class numbers have none.
func (d *Categorical) Mean() *lucid.Tensor { return full(d.logits, d.BatchShape(), math.NaN()) }

// Variance is NaN.
func (d *Categorical) Variance() *lucid.Tensor { return full(d.logits, d.BatchShape(), math.NaN()) }

// Mode is the class of the largest probability.
func (d *Categorical) Mode() *lucid.Tensor { return d.Probs().ArgMax(-1) }

// Entropy is in nats.
func (d *Categorical) Entropy() *lucid.Tensor {
	least := lucid.FInfo(d.logits.DType()).Min
	return d.logits.ClampMin(least).Mul(d.Probs()).Sum(-1).Neg()
}

// EnumerateSupport lists the class numbers.
func (d *Categorical) EnumerateSupport(expand bool) *lucid.Tensor {
	return enumerate(lucid.With{Device: d.logits.Device(), DType: lucid.Int64}.Arange(d.NumEvents()), d.spec.BatchShape, expand)
}

// enumerate brings a list of values in front of a batch shape.
func enumerate(values *lucid.Tensor, batch []int, expand bool) *lucid.Tensor {
	n := values.Size(0)
	s := append([]int{n}, slices.Repeat([]int{1}, len(batch))...)
	values = values.Reshape(s...)
	if expand {
		values = values.BroadcastTo(append([]int{n}, batch...)...)
	}
	return values
}
