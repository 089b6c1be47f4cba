package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

func init() { register(backend.Table{"mix": mix}) }

// mix multiplies a dimension by a sparse matrix: row starts, column indices and weights are the inputs behind x.
func mix(_ *backend.Ctx, a attr.Attr, out, in []backend.View) error {
	x, starts, at, w := load(in[0]), load(in[1]), load(in[2]), load(in[3])
	d := in[0].Shape.Rank() - 1 - a.(attr.Mix).Behind
	n, m, inner := in[0].Shape.Dims()[d], len(starts)-1, 1
	for _, s := range in[0].Shape.Dims()[d+1:] {
		inner *= s
	}
	z := make([]dtype.Scalar, out[0].Numel())
	for e := range z {
		q, o, lead := e%inner, e/inner%m, e/inner/m
		s := 0.0
		lo, hi := starts[o].I, starts[o+1].I
		if lo < 0 || hi > int64(len(at)) {
			return fault.New(fault.Value, "mix", "terms %d to %d of %d", lo, hi, len(at))
		}
		for p := lo; p < hi; p++ {
			i := int(at[p].I)
			if i < 0 || i >= n {
				return fault.New(fault.Index, "mix", "element %d of %d", i, n)
			}
			s += w[p].F * x[(lead*n+i)*inner+q].F
		}
		z[e] = dtype.Scalar{Kind: dtype.KindFloat, F: s}
	}
	store(out[0], z)
	return nil
}
