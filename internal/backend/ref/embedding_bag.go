package ref

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

func init() { register(backend.Table{"bag": bag, "ragged_bag": raggedBag}) }

// bag sums rows of a table times weights; an index of -1 is skipped.
func bag(_ *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	x, at, w := load(in[0]), load(in[1]), load(in[2])
	rows, cols, terms, sums := in[0].Shape.Dims()[0], in[0].Shape.Dims()[1], in[1].Shape.Dims()[0], in[1].Shape.Dims()[1]
	z := make([]dtype.Scalar, out[0].Numel())
	for e := range z {
		s := 0.0
		for t := range terms {
			switch i := at[t*sums+e/cols].I; {
			case i == -1:
			case i < 0 || i >= int64(rows):
				return fault.New(fault.Index, "bag", "row %d of %d", i, rows)
			default:
				s += w[t*sums+e/cols].F * x[int(i)*cols+e%cols].F
			}
		}
		z[e] = dtype.Scalar{Kind: dtype.KindFloat, F: s}
	}
	store(out[0], z)
	return nil
}

// raggedBag sums rows of a table times weights, those from each start on and below the next.
func raggedBag(_ *backend.Ctx, _ attr.Attr, out, in []backend.View) error {
	x, starts, at, w := load(in[0]), load(in[1]), load(in[2]), load(in[3])
	rows, cols := in[0].Shape.Dims()[0], in[0].Shape.Dims()[1]
	z := make([]dtype.Scalar, out[0].Numel())
	for e := range z {
		lo, hi, s := starts[e/cols].I, starts[e/cols+1].I, 0.0
		if lo < 0 || lo > hi || hi > int64(len(at)) {
			return fault.New(fault.Value, "ragged_bag", "sum %d is of terms %d to %d; there are %d", e/cols, lo, hi, len(at))
		}
		for p := lo; p < hi; p++ {
			if i := at[p].I; i < 0 || i >= int64(rows) {
				return fault.New(fault.Index, "ragged_bag", "row %d of %d", i, rows)
			}
			s += w[p].F * x[int(at[p].I)*cols+e%cols].F
		}
		z[e] = dtype.Scalar{Kind: dtype.KindFloat, F: s}
	}
	store(out[0], z)
	return nil
}
