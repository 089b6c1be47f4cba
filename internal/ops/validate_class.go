package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
)

func validateClassNLL(c check) {
	axis := attrOf[attr.Axis](c).Axis
	c.axis(axis, c.in[0])
	c.floating(c.in[0])
	c.indices(c.in[1])
	d := c.in[0].Shape().Clone()
	d[axis] = 1
	c.must(slices.Equal(d, c.in[1].Shape().Clone()), "targets of shape %v for %v", c.in[1].Shape(), c.in[0].Shape())
}

func validateClassNLLGrad(c check) {
	axis := attrOf[attr.Axis](c).Axis
	x := c.in[0]
	c.axis(axis, x)
	c.floating(x)
	c.indices(c.in[2])
	d := x.Shape().Clone()
	d[axis] = 1
	for i, v := range c.in[1:] {
		c.must(i == 1 || v.DType() == x.DType(), "an operand of %v for %v", v.DType(), x.DType())
		c.must(slices.Equal(d, v.Shape().Clone()), "an operand of shape %v for %v", v.Shape(), x.Shape())
	}
}
