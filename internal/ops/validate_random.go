package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
)

func validateRandomBits(c check) {
	b := attrOf[attr.Bits](c)
	keyBatch(c.op, c.in[0])
	c.within(b.Dims, 0)
	c.must(uintOfWidth[b.Width] != dtype.Invalid, "words of %d bytes", b.Width)
}

// sampled checks a key and the parameters of a distribution.
func (c check) sampled(takes dtype.Set) {
	c.none()
	keyBatch(c.op, c.in[0])
	c.sameDType(c.in[1:])
	for _, p := range c.in[1:] {
		c.must(p.Shape().Equal(c.in[1].Shape()) && takes.Has(p.DType()), "a parameter of %v and shape %v", p.DType(), p.Shape())
	}
}
