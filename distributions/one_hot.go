package distributions

import (
	"github.com/lucid-go/lucid"
)

// OneHotCategorical is the categorical distribution with classes as vectors of one 1 among zeros.
type OneHotCategorical struct {
	Base
	classes *Categorical
}

// NewOneHotCategorical makes a categorical distribution of one-hot vectors.
func NewOneHotCategorical(o CategoricalOptions) *OneHotCategorical {
	f := &family{name: "OneHotCategorical", noValidate: o.NoValidate}
	d := &OneHotCategorical{classes: f.classes(o)}
	s := d.specOf(d)
	s.Draw = d.draw
	d.Base = f.base(s, func(batch []int) Distribution { return NewOneHotCategorical(d.classes.expandedOptions(batch)) })
	return d
}

// classes is the distribution of class numbers behind one of vectors, and its constraints.
func (f *family) classes(o CategoricalOptions) *Categorical {
	c := newCategorical(&family{name: f.name, noValidate: o.NoValidate}, o)
	f.args = c.ArgConstraints()
	return c
}

// specOf is what distributions of one-hot vectors share.
func (d *OneHotCategorical) specOf(self Distribution) Spec {
	return Spec{Self: self, BatchShape: d.classes.BatchShape(), EventShape: []int{d.classes.NumEvents()}, Support: OneHot}
}

func (d *OneHotCategorical) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return d.oneHot(d.classes.draw(key, shape[:len(shape)-1]))
}

// oneHot makes vectors of class numbers.
func (d *OneHotCategorical) oneHot(class *lucid.Tensor) *lucid.Tensor {
	l := d.classes.logits
	all := lucid.With{DType: lucid.Int64, Device: l.Device()}.Arange(d.classes.NumEvents())
	return lucid.Eq(class.Unsqueeze(-1), all).To(l.DType())
}

// Logits are the normalised log-probabilities of the classes.
func (d *OneHotCategorical) Logits() *lucid.Tensor { return d.classes.Logits() }

// Probs are the probabilities of the classes.
func (d *OneHotCategorical) Probs() *lucid.Tensor { return d.classes.Probs() }

// Mean is the vector of probabilities.
func (d *OneHotCategorical) Mean() *lucid.Tensor { return d.Probs() }

// Variance is p(1-p) of each class.
func (d *OneHotCategorical) Variance() *lucid.Tensor { return d.Probs().Mul(d.Probs().Neg().Add(1.0)) }

// Mode is the class of the largest probability.
func (d *OneHotCategorical) Mode() *lucid.Tensor { return d.oneHot(d.classes.Mode()) }

// LogProb is the log-probability.
func (d *OneHotCategorical) LogProb(value any) *lucid.Tensor {
	return d.classes.LogProb(d.supported("LogProb", value, d.classes.logits).ArgMax(-1))
}

// Entropy is in nats.
func (d *OneHotCategorical) Entropy() *lucid.Tensor { return d.classes.Entropy() }

// EnumerateSupport lists the one-hot vectors.
func (d *OneHotCategorical) EnumerateSupport(expand bool) *lucid.Tensor {
	l := d.classes.logits
	n := d.classes.NumEvents()
	s := []int{n}
	for range d.spec.BatchShape {
		s = append(s, 1)
	}
	x := lucid.With{DType: l.DType(), Device: l.Device()}.Eye(n).Reshape(append(s, n)...)
	if expand {
		x = x.BroadcastTo(append(append([]int{n}, d.spec.BatchShape...), n)...)
	}
	return x
}

// OneHotCategoricalStraightThrough is OneHotCategorical with a gradient through samples: a sample is one-hot, and its gradient goes to
// the probabilities as if it were they.
type OneHotCategoricalStraightThrough struct{ OneHotCategorical }

// NewOneHotCategoricalStraightThrough makes a categorical distribution of one-hot vectors whose samples pass gradients on.
func NewOneHotCategoricalStraightThrough(o CategoricalOptions) *OneHotCategoricalStraightThrough {
	f := &family{name: "OneHotCategoricalStraightThrough", noValidate: o.NoValidate}
	d := &OneHotCategoricalStraightThrough{OneHotCategorical{classes: f.classes(o)}}
	s := d.specOf(d)
	s.HasRSample, s.Draw = true, d.drawThrough
	d.Base = f.base(s, func(batch []int) Distribution {
		return NewOneHotCategoricalStraightThrough(d.classes.expandedOptions(batch))
	})
	return d
}

// drawThrough adds what is zero and has the gradient of the probabilities.
func (d *OneHotCategoricalStraightThrough) drawThrough(key *lucid.Tensor, shape []int) *lucid.Tensor {
	p := d.Probs()
	return d.draw(key, shape).Add(p.Sub(p.Detach()))
}

// Parent is the same distribution without gradients through samples.
func (d *OneHotCategoricalStraightThrough) Parent() Distribution { return &d.OneHotCategorical }
