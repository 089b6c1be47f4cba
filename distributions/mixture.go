package distributions

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/random"
)

// MixtureSameFamily is a mixture of distributions of one family: the components are along the last batch dimension.
type MixtureSameFamily struct {
	Base
	Mixture   *Categorical
	Component Distribution
}

// NewMixtureSameFamily makes a mixture of the components of a distribution with weights.
func NewMixtureSameFamily(mixture *Categorical, component Distribution, opts ...Options) *MixtureSameFamily {
	f := of("MixtureSameFamily", opts)
	batch := component.BatchShape()
	if len(batch) == 0 || batch[len(batch)-1] != mixture.NumEvents() {
		fault.Throw(fault.Shape, f.op(), "components of batch shape %v for %d weights; want as many along the last dimension", batch,
			mixture.NumEvents())
	}
	batch = batch[:len(batch)-1]
	whole := f.broadcast(mixture.BatchShape(), batch, "the components")
	d := &MixtureSameFamily{Mixture: mixture, Component: component}
	if !slices.Equal(whole, batch) {
		d.Component = component.Expand(append(slices.Clone(whole), mixture.NumEvents())...)
	}
	if !slices.Equal(whole, mixture.BatchShape()) {
		d.Mixture = mixture.Expand(whole...).(*Categorical)
	}
	d.Base = f.base(Spec{Self: d, BatchShape: whole, EventShape: component.EventShape(), Support: component.Support(), Draw: d.draw},
		func(batch []int) Distribution {
			to := d.Component.Expand(append(slices.Clone(batch), mixture.NumEvents())...)
			return NewMixtureSameFamily(d.Mixture.Expand(batch...).(*Categorical), to, opts...)
		})
	return d
}

func (d *MixtureSameFamily) like() *lucid.Tensor { return d.Mixture.logits }

// over brings weights, of shape (…, components), in front of the event dimensions.
func (d *MixtureSameFamily) over(w *lucid.Tensor) *lucid.Tensor {
	return w.Reshape(append(w.Shape(), slices.Repeat([]int{1}, len(d.spec.EventShape))...)...)
}

// at is the dimension of the components in samples of the component distribution.
func (d *MixtureSameFamily) at() int { return -1 - len(d.spec.EventShape) }

func (d *MixtureSameFamily) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	keys := random.Keys(key, 2)
	event := len(d.spec.EventShape)
	outer := shape[:len(shape)-event]
	sample := outer[:len(outer)-len(d.spec.BatchShape)]
	class := d.Mixture.SampleKey(keys[0], sample...)
	x := d.Component.SampleKey(keys[1], sample...)
	index := d.over(class.Unsqueeze(-1))
	index = index.BroadcastTo(slices.Concat(outer, []int{1}, d.spec.EventShape)...)
	return x.Gather(x.Dim()+d.at(), index).Squeeze(x.Dim() + d.at())
}

// LogProb is the logarithm of the weighted sum of densities.
func (d *MixtureSameFamily) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.like())
	return d.Component.LogProb(d.pad(x)).Add(d.Mixture.logits).LogSumExp(-1)
}

// pad gives a value a dimension for the components.
func (d *MixtureSameFamily) pad(x *lucid.Tensor) *lucid.Tensor {
	return x.Unsqueeze(x.Dim() - len(d.spec.EventShape))
}

// Mean is the weighted mean of means.
func (d *MixtureSameFamily) Mean() *lucid.Tensor {
	return d.Component.Mean().Mul(d.over(d.Mixture.Probs())).Sum(d.at())
}

// Variance is the mean of variances and the variance of means.
func (d *MixtureSameFamily) Variance() *lucid.Tensor {
	w := d.over(d.Mixture.Probs())
	mean := d.Component.Mean()
	center := mean.Mul(w).SumKeep(d.at())
	return d.Component.Variance().Add(mean.Sub(center).Square()).Mul(w).Sum(d.at())
}

// CDF is the weighted sum of those of the components.
func (d *MixtureSameFamily) CDF(value any) *lucid.Tensor {
	if len(d.spec.EventShape) > 0 {
		d.lacks("CDF", "its events are no numbers")
	}
	x := d.supported("CDF", value, d.like())
	return d.Component.CDF(d.pad(x)).Mul(d.Mixture.Probs()).Sum(-1)
}
