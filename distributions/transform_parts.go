package distributions

import (
	"fmt"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
)

// CatTransform applies transforms to parts of a tensor along a dimension.
type CatTransform struct {
	Transforms []Transform
	Dim        int
	Lengths    []int // the sizes of the parts along Dim
}

// NewCatTransform makes a CatTransform; lengths nil: parts of size 1.
func NewCatTransform(transforms []Transform, dim int, lengths []int) CatTransform {
	if lengths == nil {
		lengths = slices.Repeat([]int{1}, len(transforms))
	}
	if len(transforms) == 0 || len(lengths) != len(transforms) {
		fault.Throw(fault.Value, "distributions.NewCatTransform", "%d transforms and %d lengths; want one length each",
			len(transforms), len(lengths))
	}
	return CatTransform{slices.Clone(transforms), dim, slices.Clone(lengths)}
}

// String names the transform.
func (t CatTransform) String() string { return fmt.Sprintf("Cat%v", t.Transforms) }

// each applies f to the parts of x and y.
func (t CatTransform) each(x, y *lucid.Tensor, f func(p Transform, x, y *lucid.Tensor) *lucid.Tensor) []*lucid.Tensor {
	total := 0
	for _, n := range t.Lengths {
		total += n
	}
	if n := x.Size(t.Dim); n != total {
		fault.Throw(fault.Shape, "distributions.CatTransform", "dim %d has size %d; want %d, the sum of the lengths %v", t.Dim, n,
			total, t.Lengths)
	}
	var out []*lucid.Tensor
	at := 0
	for i, p := range t.Transforms {
		part := func(z *lucid.Tensor) *lucid.Tensor {
			if z == nil {
				return nil
			}
			return z.Narrow(t.Dim, at, t.Lengths[i])
		}
		out = append(out, f(p, part(x), part(y)))
		at += t.Lengths[i]
	}
	return out
}

// Domain has the parts' domains.
func (t CatTransform) Domain() Constraint {
	return CatConstraint(constraintsOf(t.Transforms, Transform.Domain), t.Dim, t.Lengths)
}

// Codomain has the parts' codomains.
func (t CatTransform) Codomain() Constraint {
	return CatConstraint(constraintsOf(t.Transforms, Transform.Codomain), t.Dim, t.Lengths)
}

func constraintsOf(list []Transform, f func(Transform) Constraint) (all []Constraint) {
	for _, p := range list {
		all = append(all, f(p))
	}
	return all
}

// Bijective reports whether all parts are.
func (t CatTransform) Bijective() bool { return NewComposeTransform(t.Transforms...).Bijective() }

// Sign is the parts' sign, 0 where they differ.
func (t CatTransform) Sign() int { return commonSign(t.Transforms) }

func commonSign(list []Transform) int {
	s := list[0].Sign()
	for _, p := range list {
		if p.Sign() != s {
			return 0
		}
	}
	return s
}

// Forward maps each part.
func (t CatTransform) Forward(x *lucid.Tensor) *lucid.Tensor {
	return lucid.Cat(t.each(x, nil, func(p Transform, x, _ *lucid.Tensor) *lucid.Tensor { return p.Forward(x) }), t.Dim)
}

// Inverse maps each part back.
func (t CatTransform) Inverse(y *lucid.Tensor) *lucid.Tensor {
	return lucid.Cat(t.each(y, nil, func(p Transform, y, _ *lucid.Tensor) *lucid.Tensor { return p.Inverse(y) }), t.Dim)
}

// LogAbsDetJacobian joins those of the parts, or sums them where Dim belongs to the event.
func (t CatTransform) LogAbsDetJacobian(x, y *lucid.Tensor) *lucid.Tensor {
	event := t.Domain().EventDim()
	list := t.each(x, y, func(p Transform, x, y *lucid.Tensor) *lucid.Tensor {
		return sumRight(p.LogAbsDetJacobian(x, y), event-p.Domain().EventDim())
	})
	dim := t.Dim
	if dim >= 0 {
		dim -= x.Dim()
	}
	dim += event
	if dim < 0 {
		return lucid.Cat(list, dim)
	}
	return sumAll(list)
}

func sumAll(list []*lucid.Tensor) *lucid.Tensor {
	sum := list[0]
	for _, x := range list[1:] {
		sum = sum.Add(x)
	}
	return sum
}

// ForwardShape is the shape itself.
func (t CatTransform) ForwardShape(s []int) []int { return s }

// InverseShape is the shape itself.
func (t CatTransform) InverseShape(s []int) []int { return s }

// StackTransform applies one transform to each slice along a dimension.
type StackTransform struct {
	Transforms []Transform
	Dim        int
}

// NewStackTransform makes a StackTransform.
func NewStackTransform(transforms []Transform, dim int) StackTransform {
	if len(transforms) == 0 {
		fault.Throw(fault.Value, "distributions.NewStackTransform", "no transforms; want at least one")
	}
	return StackTransform{slices.Clone(transforms), dim}
}

// String names the transform.
func (t StackTransform) String() string { return fmt.Sprintf("Stack%v", t.Transforms) }

// Domain has the slices' domains.
func (t StackTransform) Domain() Constraint {
	return StackConstraint(constraintsOf(t.Transforms, Transform.Domain), t.Dim)
}

// Codomain has the slices' codomains.
func (t StackTransform) Codomain() Constraint {
	return StackConstraint(constraintsOf(t.Transforms, Transform.Codomain), t.Dim)
}

// Bijective reports whether all are.
func (t StackTransform) Bijective() bool { return NewComposeTransform(t.Transforms...).Bijective() }

// Sign is the common sign, 0 where they differ.
func (t StackTransform) Sign() int { return commonSign(t.Transforms) }

func (t StackTransform) each(x, y *lucid.Tensor, f func(p Transform, x, y *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
	if n := x.Size(t.Dim); n != len(t.Transforms) {
		fault.Throw(fault.Shape, "distributions.StackTransform", "dim %d has size %d; want one slice for each of %d transforms",
			t.Dim, n, len(t.Transforms))
	}
	var out []*lucid.Tensor
	for i, p := range t.Transforms {
		var other *lucid.Tensor
		if y != nil {
			other = y.Select(t.Dim, i)
		}
		out = append(out, f(p, x.Select(t.Dim, i), other))
	}
	return lucid.Stack(out, t.Dim)
}

// Forward maps each slice.
func (t StackTransform) Forward(x *lucid.Tensor) *lucid.Tensor {
	return t.each(x, nil, func(p Transform, x, _ *lucid.Tensor) *lucid.Tensor { return p.Forward(x) })
}

// Inverse maps each slice back.
func (t StackTransform) Inverse(y *lucid.Tensor) *lucid.Tensor {
	return t.each(y, nil, func(p Transform, y, _ *lucid.Tensor) *lucid.Tensor { return p.Inverse(y) })
}

// LogAbsDetJacobian stacks those of the slices.
func (t StackTransform) LogAbsDetJacobian(x, y *lucid.Tensor) *lucid.Tensor {
	return t.each(x, y, func(p Transform, x, y *lucid.Tensor) *lucid.Tensor { return p.LogAbsDetJacobian(x, y) })
}

// ForwardShape is the shape itself.
func (t StackTransform) ForwardShape(s []int) []int { return s }

// InverseShape is the shape itself.
func (t StackTransform) InverseShape(s []int) []int { return s }
