package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// HistcOptions says how many bins (nil: 100) there are between Min and Max; if they are the same, over the range of the data.
type HistcOptions struct {
	Bins *int    // number of bins; nil: 100
	Min  float64 // lower bound; if equal to Max, both are those of the data
	Max  float64 // upper bound
}

// Histc returns how many elements fall into each of equal bins, in x's dtype. Elements outside are not counted; the
// last bin holds its upper bound.
//
//lucid:func
//lucid:method Histc(bins int)
func Histc(x *Node, o HistcOptions) *Node {
	requireKind("histc", x, x.DType().IsFloat(), "a floating dtype; cast first")
	bins := 100
	if o.Bins != nil {
		bins = *o.Bins
	}
	if bins <= 0 || o.Min > o.Max {
		fault.Throw(fault.Value, "histc", "%d bins from %v to %v; want at least one bin and min <= max", bins, o.Min, o.Max)
	}
	x = Reshape(x, x.Shape().Numel())
	d := x.DType()
	if d.IsHalf() {
		x = Cast(x, dtype.Float32)
	}
	lo, hi := limits("histc", x, o.Min != o.Max, o.Min, o.Max, 1)
	inside := LogicalAnd(Ge(x, lo), Le(x, hi))
	at := Cast(Mul(Div(Sub(Where(inside, x, lo), lo), Sub(hi, lo)), float64(bins)), dtype.Int64)
	at = Where(inside, Minimum(Maximum(at, 0), bins-1), bins) // what is outside has a bin of its own
	one := broadcastTo(Number(dtype.Int64, 1), at.Shape())    // counts are whole numbers, in any order
	return Cast(SliceDim(tally(bins+1, at, one), 0, 0, bins, 1), d)
}

// limits gives the range asked for, or else that of the data, which must be finite. Where its ends are the same it
// reaches by around further on both sides; without data it is 0 to 1.
func limits(op string, x *Node, given bool, min, max, around float64) (lo, hi *Node) {
	if math.IsInf(max-min, 0) || math.IsNaN(max-min) {
		fault.Throw(fault.Value, op, "the range is %v to %v; want finite bounds", min, max)
	}
	switch {
	case given && min == max:
		return constLike(x, min-around), constLike(x, max+around)
	case given:
		return constLike(x, min), constLike(x, max)
	case x.Shape().Numel() == 0:
		return constLike(x, 0), constLike(x, 1)
	}
	lo, hi = reduce(opAmin, StopGradient(x), nil, false), reduce(opAmax, StopGradient(x), nil, false)
	lo, hi = require(op, attr.Finite, lo, lo), require(op, attr.Finite, hi, hi)
	same := Eq(lo, hi)
	return Where(same, Sub(lo, around), lo), Where(same, Add(hi, around), hi)
}

// tally adds up weights by the number of their bin.
func tally(bins int, at, weight *Node) *Node {
	zero := FullOf(shape.Of("histogram", bins), weight.DType(), dtype.Scalar{Kind: dtype.KindFloat})
	return put(zero, at, weight, 0, attr.ReduceAdd)
}

// HistogramOptions says how many bins (nil: 100), over which range (none: that of the data), and whether to give
// densities, whose integral is 1, instead of counts.
type HistogramOptions struct {
	Bins    *int      // number of bins; nil: 100
	Range   []float64 // lower and upper bound; none: those of the data
	Density bool      // densities, whose integral is 1, instead of counts
}

// Histogram returns how many elements fall into each bin, or the sum of their weights, and the edges of the bins.
// edges, rising, may be given instead of a number of bins. The last bin holds its upper edge.
//
//lucid:func
//lucid:optional weight edges
func Histogram(x, weight, edges *Node, o HistogramOptions) (hist, binEdges *Node) {
	requireKind("histogram", x, x.DType().IsFloat(), "a floating dtype; cast first")
	flat := Reshape(x, x.Shape().Numel())
	if weight != nil {
		if !weight.Shape().Equal(x.Shape()) {
			fault.Throw(fault.Shape, "histogram", "weight has shape %v, x %v; want the same", weight.Shape(), x.Shape())
		}
		weight = Reshape(weight, x.Shape().Numel())
	}
	var e []*Node
	if edges != nil {
		e = []*Node{Cast(edges, x.DType())}
	}
	bins := 100
	if o.Bins != nil {
		bins = *o.Bins
	}
	h, ge := histogram("histogram", Unsqueeze(flat, 1), weight, e, []int{bins}, o.Range, o.Density)
	return h, ge[0]
}

// HistogramDDOptions says how many bins each dimension has (one number: all of them), over which range, given as lower
// and upper bound of each (none: that of the data), and whether to give densities.
type HistogramDDOptions struct {
	Bins    []int     // number of bins of each dimension; one number: of all
	Range   []float64 // lower and upper bound of each dimension; none: those of the data
	Density bool      // densities, whose integral is 1, instead of counts
}

// Histogramdd counts points, one a row of x, in boxes, or sums their weights. It returns the counts, with a dimension
// for each column of x, followed by the edges of each dimension.
//
//lucid:func HistogramDD
//lucid:optional weight
func Histogramdd(x, weight *Node, o HistogramDDOptions) []*Node {
	requireKind("histogramdd", x, x.DType().IsFloat(), "a floating dtype; cast first")
	if x.Rank() < 2 {
		fault.Throw(fault.Shape, "histogramdd", "x has shape %v; want points in the last dim", x.Shape())
	}
	d := x.Dim(-1)
	if d > shape.MaxRank {
		fault.Throw(fault.Shape, "histogramdd", "x has shape %v, points of %d numbers; want at most %d, since each is a dim of the result",
			x.Shape(), d, shape.MaxRank)
	}
	n := product(x.Shape().Dims()[:x.Rank()-1])
	bins := o.Bins
	if len(bins) == 0 {
		bins = []int{10}
	}
	for len(bins) == 1 && len(bins) < d {
		b := make([]int, d)
		for i := range b {
			b[i] = bins[0]
		}
		bins = b
	}
	if weight != nil {
		weight = Reshape(weight, n)
	}
	h, e := histogram("histogramdd", Reshape(x, n, d), weight, nil, bins, o.Range, o.Density)
	return append([]*Node{h}, e...)
}

// Histogram2d counts points (x, y) in boxes: Histogramdd of two vectors.
//
//lucid:func
//lucid:options Histogram2dOptions
func Histogram2d(x, y *Node, o HistogramDDOptions) (hist, xEdges, yEdges *Node) {
	if x.Rank() != 1 || !x.Shape().Equal(y.Shape()) {
		fault.Throw(fault.Shape, "histogram2d", "x has shape %v, y %v; want two vectors of one length", x.Shape(), y.Shape())
	}
	r := Histogramdd(concat([]*Node{Unsqueeze(x, 1), Unsqueeze(Cast(y, x.DType()), 1)}, 1), nil, o)
	return r[0], r[1], r[2]
}

// histogram tallies the rows of x, [n, d], in boxes between edges, which are made where none are given.
func histogram(op string, x, weight *Node, edges []*Node, bins []int, rng []float64, density bool) (*Node, []*Node) {
	d := x.Dim(1)
	if len(bins) != d || len(rng) != 0 && len(rng) != 2*d {
		fault.Throw(fault.Value, op, "%d columns, bins %v, range %v; want one number of bins and two bounds a column", d, bins, rng)
	}
	if weight == nil {
		weight = broadcastTo(constLike(x, 1), shape.Of(op, x.Dim(0)))
	}
	weight = Cast(weight, x.DType())
	var at *Node
	var sizes []int
	for i := range d {
		col := reshapeTo(SliceDim(x, 1, i, 1, 1), shape.Of(op, x.Dim(0)))
		// A search of few is less than the launches that make up for it.
		even := len(edges) <= i && bins[i] <= 1<<16 && x.Dim(0) >= 1<<10
		if len(edges) <= i {
			lo, hi := 0.0, 0.0
			if len(rng) > 0 {
				lo, hi = rng[2*i], rng[2*i+1]
			}
			if bins[i] <= 0 || lo > hi {
				fault.Throw(fault.Value, op, "%d bins from %v to %v; want at least one bin and rising bounds", bins[i], lo, hi)
			}
			a, b := limits(op, col, len(rng) > 0, lo, hi, 0.5)
			edges = append(edges, edgesBetween(a, b, bins[i]))
		}
		e := edges[i]
		if e.Rank() != 1 || e.Dim(0) < 2 {
			fault.Throw(fault.Shape, op, "edges have shape %v; want a vector of at least two", e.Shape())
		}
		m := e.Dim(0) - 1
		first, last := SliceDim(e, 0, 0, 1, 1), SliceDim(e, 0, m, 1, 1)
		weight = Where(LogicalAnd(Ge(col, first), Le(col, last)), weight, constLike(weight, 0))
		var b *Node
		if even {
			b = evenBin(e, col, first, last)
		} else {
			b = Sub(search(op, e, col, true, false), 1)
		}
		b = Minimum(Maximum(b, 0), m-1)
		if at == nil {
			at = b
		} else {
			at = Add(Mul(at, m), b)
		}
		sizes = append(sizes, m)
	}
	boxes := shape.Of(op, sizes...)
	h := reshapeTo(tally(boxes.Numel(), at, weight), boxes)
	if density {
		h = Div(h, Sum(h, ReduceOptions{}))
		for i, e := range edges {
			w := Diff(e, nil, nil, DiffOptions{})
			h = Div(h, reshapeTo(w, shape.Of(op, append([]int{sizes[i]}, ones(d-1-i)...)...)))
		}
	}
	return h, edges
}

// evenBin is the bin of each x between edges that are evenly spread: where it should be, or next to it, since edges and quotients are
// rounded.
func evenBin(edges, x, first, last *Node) *Node {
	m := edges.Dim(0) - 1
	k := Cast(Mul(Div(Sub(x, first), Sub(last, first)), float64(m)), dtype.Int64)
	k = Minimum(Maximum(k, 0), m-1)
	below, above := Lt(x, take(edges, k, 0)), Ge(x, take(edges, Add(k, 1), 0))
	return Add(Sub(k, Cast(below, dtype.Int64)), Cast(above, dtype.Int64))
}

// edgesBetween cuts a range into equal parts, counting from the nearer end so that both ends are exact.
func edgesBetween(lo, hi *Node, bins int) *Node {
	d := lo.DType()
	i := Arange64(bins + 1)
	up, down := Cast(i, d), Cast(Sub(bins, i), d)
	step := Div(Sub(hi, lo), float64(bins))
	return Where(Lt(i, (bins+1)/2), Add(lo, Mul(up, step)), Sub(hi, Mul(down, step)))
}

// BincountOptions says how many counts there are at least.
type BincountOptions struct {
	Minlength int // least number of counts
}

// Bincount returns how often each number from 0 to the largest occurs in a vector of non-negative integers, or the sum
// of the weights there. It evaluates x, since the size of the result depends on it; inside Compile or VMap it is
// refused.
//
//lucid:func
//lucid:optional weights
//lucid:novmap the size of its result depends on values
func Bincount(x, weights *Node, o BincountOptions) *Node {
	if x.Rank() != 1 || !x.DType().IsInteger() && x.DType() != dtype.Bool {
		fault.Throw(fault.Shape, "bincount", "x is %v of shape %v; want a vector of integers", x.DType(), x.Shape())
	}
	if o.Minlength < 0 {
		fault.Throw(fault.Value, "bincount", "minlength is %d; want 0 or more", o.Minlength)
	}
	if weights != nil && !weights.Shape().Equal(x.Shape()) {
		fault.Throw(fault.Shape, "bincount", "weights have shape %v, x %v; want the same", weights.Shape(), x.Shape())
	}
	n := o.Minlength
	at := Cast(x, dtype.Int64)
	defer hold(at)()
	if x.Dim(0) > 0 {
		if low := readInt("bincount", reduce(opAmin, at, nil, false)); low < 0 {
			fault.Throw(fault.Value, "bincount", "x holds %d; want no negative numbers", low)
		}
		top := readInt("bincount", reduce(opAmax, at, nil, false))
		if top >= shape.MaxElements {
			fault.Throw(fault.Value, "bincount", "x holds %d; want numbers below 2⁵⁷", top)
		}
		n = max(n, top+1)
	}
	w := weights
	switch {
	case w == nil:
		w = OnesLike(at)
	case w.DType() != dtype.Float32:
		w = Cast(w, dtype.Float64)
	}
	return tally(n, at, w)
}
