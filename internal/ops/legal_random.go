package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
)

func init() {
	legal["random_bits"] = func(c claim) {
		c.inputs(1)
		b := attrOf[attr.Bits](c)
		keyBatch(c.op, c.in[0])
		c.within(b.Dims, 0)
		c.must(uintOfWidth[b.Width] != dtype.Invalid, "words of %d bytes", b.Width)
	}
	sampled := func(params int, dtypes ...dtype.DType) func(claim) {
		return func(c claim) {
			c.inputs(1 + params)
			c.none()
			keyBatch(c.op, c.in[0])
			c.sameDType(c.in[1:])
			for _, p := range c.in[1:] {
				c.must(p.Shape().Equal(c.in[1].Shape()) && slices.Contains(dtypes, p.DType()), "a parameter of %v and shape %v", p.DType(), p.Shape())
			}
		}
	}
	floats := []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64}
	legal["random_int"] = sampled(1, dtype.Uint64)
	legal["random_poisson"] = sampled(1, floats...)
	legal["random_binomial"] = sampled(2, floats...)
}
