package distributions

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// Independent makes batch dimensions of a distribution part of its event.
type Independent struct {
	Base
	BaseDist Distribution
	Dims     int // how many batch dimensions
}

// NewIndependent makes the last n batch dimensions of a distribution part of its event.
func NewIndependent(base Distribution, n int, opts ...Options) *Independent {
	f := of("Independent", opts)
	batch := base.BatchShape()
	if n < 0 || n > len(batch) {
		fault.Throw(fault.Value, f.op(), "%d dimensions of batch shape %v; want from 0 to %d", n, batch, len(batch))
	}
	cut := len(batch) - n
	d := &Independent{BaseDist: base, Dims: n}
	support := base.Support()
	if n > 0 {
		support = IndependentConstraint(support, n)
	}
	d.Base = f.base(Spec{Self: d, BatchShape: batch[:cut], EventShape: slices.Concat(batch[cut:], base.EventShape()),
		Support: support, HasRSample: base.HasRSample(), Draw: d.draw}, func(to []int) Distribution {
		return NewIndependent(base.Expand(slices.Concat(to, batch[cut:])...), n, opts...)
	})
	return d
}

func (d *Independent) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	return drawOf(d.BaseDist, key, shape)
}

// drawOf draws a whole shape from a distribution, with gradients where it has them.
func drawOf(d Distribution, key *lucid.Tensor, shape []int) *lucid.Tensor {
	own := len(d.BatchShape()) + len(d.EventShape())
	if d.HasRSample() {
		return d.RSampleKey(key, shape[:len(shape)-own]...)
	}
	return d.SampleKey(key, shape[:len(shape)-own]...)
}

// LogProb sums that of the base over the event.
func (d *Independent) LogProb(value any) *lucid.Tensor {
	return sumRight(d.BaseDist.LogProb(value), d.Dims)
}

// Mean is that of the base.
func (d *Independent) Mean() *lucid.Tensor { return d.BaseDist.Mean() }

// Mode is that of the base.
func (d *Independent) Mode() *lucid.Tensor { return d.BaseDist.Mode() }

// Variance is that of the base.
func (d *Independent) Variance() *lucid.Tensor { return d.BaseDist.Variance() }

// Entropy sums that of the base over the event.
func (d *Independent) Entropy() *lucid.Tensor { return sumRight(d.BaseDist.Entropy(), d.Dims) }

// EnumerateSupport is that of the base, where no dimension was joined.
func (d *Independent) EnumerateSupport(expand bool) *lucid.Tensor {
	if d.Dims > 0 {
		d.lacks("EnumerateSupport", "the product of its supports is too large a list: enumerate the base")
	}
	return d.BaseDist.EnumerateSupport(expand)
}
