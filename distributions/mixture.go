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
	parts     partSupport // nil: all components have one support
}

// partSupport is a support that differs between the components of a mixture.
type partSupport interface {
	Constraint
	nearest(x *lucid.Tensor) *lucid.Tensor // the value inside that is nearest to x
}

// partsOf is the support of components, nil if it is the same for all.
func partsOf(c Constraint) partSupport {
	switch c := c.(type) {
	case *bounds:
		if isBatch(c.low) || isBatch(c.high) {
			return c
		}
	case paretoSupport:
		return c
	case *independent:
		if partsOf(c.base) != nil {
			return c
		}
	}
	return nil
}

func isBatch(bound any) bool {
	t, ok := bound.(*lucid.Tensor)
	return ok && t.Dim() > 0
}

func (c *bounds) nearest(x *lucid.Tensor) *lucid.Tensor {
	if c.low != nil {
		x = lucid.Maximum(x, c.low)
	}
	if c.high != nil {
		x = lucid.Minimum(x, c.high)
	}
	return x
}

func (c paretoSupport) nearest(x *lucid.Tensor) *lucid.Tensor {
	x = lucid.Maximum(x, c.d.Loc)
	return lucid.Where(c.Check(x), x, c.top())
}

func (c *independent) nearest(x *lucid.Tensor) *lucid.Tensor { return partsOf(c.base).nearest(x) }

// anyOf is the support of a mixture: a value is inside if one component can have it.
type anyOf struct{ Constraint }

// Check gives the value a dimension for the components.
func (c anyOf) Check(x *lucid.Tensor) *lucid.Tensor {
	return c.Constraint.Check(x.Unsqueeze(x.Dim() - c.EventDim())).Any(-1)
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
	support := d.Component.Support()
	if d.parts = partsOf(support); d.parts != nil {
		support = anyOf{support}
	}
	d.Base = f.base(Spec{Self: d, BatchShape: whole, EventShape: component.EventShape(), Support: support, Draw: d.draw},
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
	x := d.pad(d.supported("LogProb", value, d.like()))
	lp := d.Component.LogProb(d.within(x))
	if d.parts != nil {
		lp = lucid.Where(d.parts.Check(x), lp, -inf)
	}
	return lp.Add(d.Mixture.logits).LogSumExp(-1)
}

// pad gives a value a dimension for the components.
func (d *MixtureSameFamily) pad(x *lucid.Tensor) *lucid.Tensor {
	return x.Unsqueeze(x.Dim() - len(d.spec.EventShape))
}

// within brings values into the support of each component.
func (d *MixtureSameFamily) within(x *lucid.Tensor) *lucid.Tensor {
	if d.parts == nil {
		return x
	}
	return d.parts.nearest(x)
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
	x := d.pad(d.supported("CDF", value, d.like()))
	return d.Component.CDF(d.within(x)).Mul(d.Mixture.Probs()).Sum(-1)
}
