package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// SegmentReduceOptions say which dimension is cut into segments and what a segment begins with.
type SegmentReduceOptions struct {
	Axis    int      // the dimension that is cut; lengths have those in front of it
	Unsafe  bool     // what is behind the last segment is left out, instead of being an error
	Initial *float64 // what each segment begins with; nil: what changes nothing, and NaN for the mean of an empty one
}

// SegmentReduce reduces neighbours along a dimension, cut into segments of the given lengths or between the given offsets, by sum,
// mean, max, min or prod. The result has a position a segment. Lengths that do not add up to the dimension are an error.
//
//lucid:name segment_reduce
//lucid:method SegmentReduce(reduce string, lengths *Node)
//lucid:optional lengths offsets
func SegmentReduce(data *Node, reduce string, lengths, offsets *Node, o SegmentReduceOptions) *Node {
	const op = "segment_reduce"
	requireKind(op, data, data.DType().IsFloat(), "a floating dtype")
	r, ok := map[string]attr.Reduction{"sum": attr.ReduceAdd, "mean": attr.ReduceAdd, "prod": attr.ReduceMul, "max": attr.ReduceMax,
		"min": attr.ReduceMin}[reduce]
	if !ok {
		fault.Throw(fault.Value, op, "reduce %q; want sum, mean, max, min or prod", reduce)
	}
	if (lengths == nil) == (offsets == nil) {
		fault.Throw(fault.Value, op, "wants lengths or offsets, and not both")
	}
	axis := shape.Axis(op, o.Axis, data.Rank())
	if lengths == nil {
		segmentBounds(op, "offsets", offsets, data, axis)
		lengths = Diff(offsets, nil, nil, DiffOptions{})
	}
	segmentBounds(op, "lengths", lengths, data, axis)
	n, count := data.Dim(axis), lengths.Dim(axis)
	ends := Cumsum(lengths, -1, CumulativeOptions{})
	slots := count + 1 // the last is for what is behind all segments
	if !o.Unsafe {
		slots = count
		ends = Take(Arange64(n+1), ends) // an end behind the data is an error
	}
	lead := data.Shape().Dims()[:axis]
	at := expandTo(Arange64(n), shape.Of(op, append(append([]int{}, lead...), n)...))
	index := Searchsorted(ends, at, nil, SearchOptions{Right: true})
	begin := neutral(data.DType(), r)
	if o.Initial != nil {
		begin = Number(data.DType(), *o.Initial)
	}
	dims := append([]int{}, data.Shape().Dims()...)
	dims[axis] = slots
	y := scatterAlong(op, broadcastTo(begin, shape.Of(op, dims...)), axis, broadcastTo(behind(index, data.Rank()), data.Shape()), data, r)
	y = Narrow(y, axis, 0, count)
	if reduce != "mean" {
		return y
	}
	size := Cast(behind(lengths, data.Rank()), data.DType())
	empty := math.NaN()
	if o.Initial != nil {
		empty = *o.Initial
	}
	return Where(Eq(size, 0), Number(data.DType(), empty), Div(y, Maximum(size, 1)))
}

// segmentBounds checks lengths or offsets: integers, with the dimensions of the data in front of the axis.
func segmentBounds(op, name string, x, data *Node, axis int) {
	requireKind(op, x, x.DType().IsInteger(), "an integer dtype for "+name)
	want := data.Shape().Dims()[:axis]
	if x.Rank() != axis+1 || !shape.Of(op, x.Shape().Dims()[:axis]...).Equal(shape.Of(op, want...)) {
		fault.Throw(fault.Shape, op, "%s have shape %v; want %v and one dimension more", name, x.Shape(), want)
	}
}

// behind shows x with dimensions of size 1 behind its own.
func behind(x *Node, rank int) *Node {
	for x.Rank() < rank {
		x = Unsqueeze(x, -1)
	}
	return x
}
