package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
)

// indices checks a tensor of indices.
func (c check) indices(idx *Node) {
	c.must(idx.DType() == dtype.Int64, "positions of %v", idx.DType())
}

func (c check) scatter() attr.Scatter {
	s := attrOf[attr.Scatter](c)
	c.axis(s.Axis, c.in[0])
	c.indices(c.in[1])
	c.sameDType([]*Node{c.in[0], c.in[2]})
	c.must(s.Reduce <= attr.ReduceMin, "reduction %d", s.Reduce)
	return s
}

// picks checks that positions address x along one axis.
func (c check) picks(x, idx *Node, axis int) {
	c.must(idx.Rank() == x.Rank(), "positions of shape %v in %v", idx.Shape(), x.Shape())
	for d := range x.Rank() {
		c.must(d == axis || idx.Dim(d) <= x.Dim(d), "positions of shape %v in %v", idx.Shape(), x.Shape())
	}
}

func validateCat(c check) {
	axis := attrOf[attr.Axis](c).Axis
	c.axis(axis, c.in[0])
	c.sameDType(c.in)
	for _, x := range c.in {
		c.must(x.Rank() == c.in[0].Rank(), "of shapes %v and %v", c.in[0].Shape(), x.Shape())
		for d := range x.Rank() {
			c.must(d == axis || x.Dim(d) == c.in[0].Dim(d), "of shapes %v and %v", c.in[0].Shape(), x.Shape())
		}
	}
}

func validateSplit(c check) {
	s := attrOf[attr.Split](c)
	c.inputs(1 + s.Sizes.Len())
	c.must(s.Sizes.Len() > 0, "into nothing")
	c.axis(s.Axis, c.in[0])
	c.within(s.Sizes, 0)
	c.sameDType(c.in)
	d, sum := c.in[0].Shape().Clone(), 0
	for i, n := range s.Sizes.Slice() {
		d[s.Axis] = n
		sum += n
		c.must(slices.Equal(d, c.in[1+i].Shape().Clone()), "a part of shape %v, not %v", c.in[1+i].Shape(), d)
	}
	c.must(sum == c.in[0].Dim(s.Axis), "sizes %v of shape %v", s.Sizes, c.in[0].Shape())
}

func validateTake(c check) {
	c.axis(attrOf[attr.Axis](c).Axis, c.in[0])
	c.indices(c.in[1])
}

func validatePut(c check) {
	s := c.scatter()
	c.must(takeShape(c.in[0], c.in[1], s.Axis).Equal(c.in[2].Shape()), "a source of shape %v", c.in[2].Shape())
}

func validateGather(c check) {
	axis := attrOf[attr.Axis](c).Axis
	c.axis(axis, c.in[0])
	c.indices(c.in[1])
	c.picks(c.in[0], c.in[1], axis)
}

func validateScatter(c check) {
	s := c.scatter()
	c.picks(c.in[0], c.in[1], s.Axis)
	c.must(c.in[2].Shape().Equal(c.in[1].Shape()), "values of shape %v for positions of shape %v", c.in[2].Shape(), c.in[1].Shape())
}
