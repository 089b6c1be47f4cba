package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// QuantileOptions says along which dimension (nil: over all elements) and how to choose between two neighbours:
// "linear" (the default), "lower", "higher", "midpoint" or "nearest".
type QuantileOptions struct {
	Dim           *int   // nil: over all elements
	KeepDim       bool   // reduced dimensions stay, with size 1
	Interpolation string // "linear" (also by ""), "lower", "higher", "midpoint" or "nearest"
}

// Quantile returns the values below which a share q, from 0 to 1, of the elements is. A vector of shares adds a
// dimension in front. A NaN among the elements makes the result NaN.
//
//lucid:func
//lucid:method Quantile(q any)
func Quantile(x *Node, q Operand, o QuantileOptions) *Node {
	return quantile("quantile", x, q, o, false)
}

// Nanquantile is Quantile of what is not NaN; NaN if there is nothing.
//
//lucid:func NanQuantile
//lucid:method NanQuantile(q any)
func Nanquantile(x *Node, q Operand, o QuantileOptions) *Node {
	return quantile("nanquantile", x, q, o, true)
}

func quantile(op string, x *Node, q Operand, o QuantileOptions, skip bool) *Node {
	requireKind(op, x, x.DType().IsFloat(), "a floating dtype; cast first")
	qn := as(op, q, x.DType())
	if qn.Rank() > 1 {
		fault.Throw(fault.Shape, op, "q has shape %v; want a number or a vector", qn.Shape())
	}
	if s, ok := dtype.ScalarOf(q); ok && !(s.Float() >= 0 && s.Float() <= 1) {
		fault.Throw(fault.Value, op, "q is %v; want 0 to 1", q)
	}
	rank, axis := x.Rank(), 0
	flat := o.Dim == nil || rank == 0
	if flat {
		if o.Dim != nil {
			shape.Axis(op, *o.Dim, 0)
		}
		x = Reshape(x, x.Shape().Numel())
	} else {
		axis = shape.Axis(op, *o.Dim, rank)
	}
	x = moveLast(x, axis)
	n := x.Dim(-1)
	nonEmpty(op, x, []int{x.Rank() - 1})
	last := x.Rank() - 1
	sorted, indices := Sort(x, SortOptions{})
	giveUp(indices)
	nans := reduce(opCountNonzero, IsNaN(x), []int{last}, true)
	// Ranks: [..., Q]
	many := qn.Rank() == 1
	qs := broadcastTo(reshapeTo(qn, shape.Of(op, product(qn.Shape().Dims()))),
		shape.Of(op, append(x.Shape().Clone()[:last], product(qn.Shape().Dims()))...))
	var ranks *Node
	if skip {
		ranks = Mul(qs, Cast(Maximum(Sub(n-1, nans), 0), x.DType()))
	} else {
		ranks = Where(Eq(nans, 0), Mul(qs, float64(n-1)), float64(n-1))
	}
	y := between(op, sorted, ranks, o.Interpolation) // [..., Q]
	d := x.Shape().Clone()[:last]
	if o.KeepDim {
		if flat {
			d = ones(rank)
		} else {
			d = append(d[:axis], append([]int{1}, d[axis:]...)...)
		}
	}
	y = moveAxis(y, last, 0)
	if many {
		d = append([]int{qn.Dim(0)}, d...)
	}
	return reshapeTo(y, shape.Of(op, d...))
}

// between reads sorted values at ranks that may be between two positions.
func between(op string, sorted, ranks *Node, how string) *Node {
	axis := sorted.Rank() - 1
	low := Cast(ranks, dtype.Int64) // ranks are not negative: truncation is the floor
	part := Sub(ranks, Cast(low, ranks.DType()))
	above := Cast(Gt(part, 0), dtype.Int64)
	switch how {
	case "lower":
		return gather(sorted, low, axis)
	case "higher":
		return gather(sorted, Add(low, above), axis)
	case "nearest": // of two equally near the even one
		odd := Ne(low, Mul(halve(low), 2))
		up := LogicalOr(Gt(part, 0.5), LogicalAnd(Eq(part, 0.5), odd))
		return gather(sorted, Add(low, Cast(up, dtype.Int64)), axis)
	case "midpoint":
		part = Where(Eq(above, 0), constLike(part, 0), constLike(part, 0.5))
	case "", "linear":
	default:
		fault.Throw(fault.Value, op, "interpolation is %q; want linear, lower, higher, midpoint or nearest", how)
	}
	a, b := gather(sorted, low, axis), gather(sorted, Add(low, above), axis)
	step := Sub(b, a)
	mixed := Where(Lt(part, 0.5), Add(a, Mul(part, step)), Sub(b, Mul(step, Sub(1, part))))
	return Where(Eq(above, 0), a, mixed) // at a position: infinities are not mixed
}
