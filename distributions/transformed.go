package distributions

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// Transformed is the distribution of the images of samples under transforms.
type Transformed struct {
	Base
	BaseDist   Distribution
	Transforms []Transform
}

// NewTransformed applies transforms, the first one first, to a distribution. LogProb needs them bijective.
func NewTransformed(base Distribution, transforms ...Transform) *Transformed {
	return newTransformed(&family{name: "Transformed"}, nil, base, transforms)
}

// newTransformed makes the distribution for a type that embeds it; self nil: for itself.
func newTransformed(f *family, self Distribution, base Distribution, transforms []Transform) *Transformed {
	t := NewComposeTransform(transforms...)
	domain, codomain := t.Domain().EventDim(), t.Codomain().EventDim()
	shape := slices.Concat(base.BatchShape(), base.EventShape())
	if len(shape) < domain {
		fault.Throw(fault.Shape, f.op(), "samples of shape %v; want at least %d dimensions for %v", shape, domain, t)
	}
	forward := t.ForwardShape(shape)
	if back := t.InverseShape(forward); !slices.Equal(back, shape) {
		base = base.Expand(back[:len(back)-len(base.EventShape())]...)
	}
	if n := domain - len(base.EventShape()); n > 0 {
		base = NewIndependent(base, n)
	}
	event := codomain + max(len(base.EventShape())-domain, 0)
	cut := len(forward) - event
	d := &Transformed{BaseDist: base, Transforms: slices.Clone(transforms)}
	if self == nil {
		self = d
	}
	support := base.Support()
	if len(transforms) > 0 {
		support = t.Codomain()
	}
	if n := event - support.EventDim(); n > 0 {
		support = IndependentConstraint(support, n)
	}
	d.Base = f.base(Spec{Self: self, BatchShape: forward[:cut], EventShape: forward[cut:], Support: support, HasRSample: base.HasRSample(),
		Draw: d.draw}, func(batch []int) Distribution {
		shape := t.InverseShape(slices.Concat(batch, forward[cut:]))
		return NewTransformed(base.Expand(shape[:len(shape)-len(base.EventShape())]...), transforms...)
	})
	return d
}

func (d *Transformed) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	own := len(d.spec.BatchShape) + len(d.spec.EventShape)
	x := drawOf(d.BaseDist, key, slices.Concat(shape[:len(shape)-own], d.BaseDist.BatchShape(), d.BaseDist.EventShape()))
	return NewComposeTransform(d.Transforms...).Forward(x)
}

// LogProb is that of the argument, less the change of volume.
func (d *Transformed) LogProb(value any) *lucid.Tensor {
	y := d.supported("LogProb", value, d.like())
	event := len(d.spec.EventShape)
	var lp *lucid.Tensor
	for _, t := range slices.Backward(d.Transforms) {
		if !t.Bijective() {
			d.lacks("LogProb", t.String()+" is not bijective: use a bijective transform")
		}
		x := t.Inverse(y)
		event += t.Domain().EventDim() - t.Codomain().EventDim()
		volume := sumRight(t.LogAbsDetJacobian(x, y), event-t.Domain().EventDim()).Neg()
		if lp == nil {
			lp = volume
		} else {
			lp = lp.Add(volume)
		}
		y = x
	}
	base := sumRight(d.BaseDist.LogProb(y), event-len(d.BaseDist.EventShape()))
	if lp == nil {
		return base
	}
	return base.Add(lp)
}

// like is a tensor of the dtype of samples.
func (d *Transformed) like() *lucid.Tensor { return likeOf(d.BaseDist) }

// likeOf is a parameter of a distribution, whose dtype and device samples have.
func likeOf(d Distribution) *lucid.Tensor {
	if t, ok := d.(interface{ like() *lucid.Tensor }); ok {
		return t.like()
	}
	if i, ok := d.(*Independent); ok {
		return likeOf(i.BaseDist)
	}
	var m *lucid.Tensor
	if err := lucid.Try(func() { m = d.Mean() }); err == nil && m.DType().IsFloat() {
		return m
	}
	return lucid.Scalar(0.0)
}

// CDF is that of the argument, or its complement where the transforms decrease.
func (d *Transformed) CDF(value any) *lucid.Tensor {
	sign := d.monotone("CDF")
	x := NewComposeTransform(d.Transforms...).Inverse(d.limited(value, d.like()))
	return flipped(d.BaseDist.CDF(x), sign)
}

// ICDF is the image of that of the base.
func (d *Transformed) ICDF(q any) *lucid.Tensor {
	sign := d.monotone("ICDF")
	return NewComposeTransform(d.Transforms...).Forward(d.BaseDist.ICDF(flipped(d.quantile(q, d.like()), sign)))
}

func (d *Transformed) monotone(method string) int {
	s := NewComposeTransform(d.Transforms...).Sign()
	if s == 0 || len(d.spec.EventShape) > 0 {
		d.lacks(method, "its transforms are not monotone maps of numbers")
	}
	return s
}

func flipped(p *lucid.Tensor, sign int) *lucid.Tensor {
	if sign < 0 {
		return p.Neg().Add(1.0)
	}
	return p
}
