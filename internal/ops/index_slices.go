package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// slicesAt checks the operands of an op that writes whole slices along a dimension, and returns it as a writer. A
// number or a 0-d tensor fills the slices.
func slicesAt(op string, x *Node, dim int, index *Node, source Operand) (src *Node, write writer) {
	axis := shape.Axis(op, dim, x.Rank())
	if index.Rank() > 1 {
		fault.Throw(fault.Shape, op, "index has shape %v; want a vector", index.Shape())
	}
	row := x
	if x.Rank() == 0 {
		row = Reshape(x, 1)
	}
	idx := wrapIndex(op, atleast1d(index), row.Dim(axis))
	want := takeShape(row, idx, axis)
	src = storedWhole(op, source, x.DType())
	_, isTensor := source.(*Node)
	switch {
	case !isTensor, src.Rank() == 0 && src.Shape().Numel() == want.Numel():
		src = broadcastTo(src, want)
	case !src.Shape().Equal(want):
		fault.Throw(fault.Shape, op, "source has shape %v, the slices %v", src.Shape(), want)
	}
	return src, func(x, src *Node, r attr.Reduction) *Node {
		y := put(atleast1d(x), idx, src, axis, r)
		return reshapeTo(y, x.Shape())
	}
}

// IndexAddOptions has the factor of the source; nil is 1.
type IndexAddOptions struct {
	Alpha any // factor of the source, a number; nil: 1
}

// IndexAdd returns x with slices of source, times Alpha, added along a dimension.
//
//lucid:func
//lucid:method
func IndexAdd(x *Node, dim int, index, source *Node, o IndexAddOptions) *Node {
	src, write := slicesAt("index_add", x, dim, index, source)
	return write(x, timesNumber("index_add", src, "alpha", o.Alpha), attr.ReduceAdd)
}

// IndexCopy returns x with slices of source written along a dimension; of several for one index the last stays.
//
//lucid:func
//lucid:method
func IndexCopy(x *Node, dim int, index, source *Node) *Node {
	ampWiden(&x, &source)
	src, write := slicesAt("index_copy", x, dim, index, source)
	return write(x, src, attr.ReduceSet)
}

// IndexFill returns x with slices along a dimension filled with a number or a 0-d tensor.
//
//lucid:func
//lucid:method
func IndexFill(x *Node, dim int, index *Node, value Operand) *Node {
	if n, ok := value.(*Node); ok {
		if n.Rank() != 0 {
			fault.Throw(fault.Shape, "index_fill", "value has shape %v; want a number or a 0-d tensor", n.Shape())
		}
		_, write := slicesAt("index_fill", x, dim, index, 0)
		axis := shape.Axis("index_fill", dim, x.Rank())
		want := takeShape(atleast1d(x), atleast1d(index), axis)
		return write(x, broadcastTo(stored("index_fill", n, x.DType()), want), attr.ReduceSet)
	}
	src, write := slicesAt("index_fill", x, dim, index, value)
	return write(x, src, attr.ReduceSet)
}

// IndexReduce returns x with slices of source combined into it along a dimension by prod, mean, amax or amin.
//
//lucid:func
//lucid:method
func IndexReduce(x *Node, dim int, index, source *Node, reduce string, o IncludeOptions) *Node {
	src, write := slicesAt("index_reduce", x, dim, index, source)
	return reduceInto("index_reduce", reduce, x, src, o, write)
}

// SelectScatter returns x with one position of a dimension replaced by src, which lacks the dimension.
//
//lucid:func
//lucid:method
func SelectScatter(x, src *Node, dim, index int) *Node {
	axis := splitAxis("select_scatter", x, dim)
	i := checkIndex("select_scatter", index, axis, x)
	return updateDim("select_scatter", x, Unsqueeze(src, axis), axis, i, 1, 1)
}

// SliceScatterOptions says which part of which dimension; nil is the whole.
type SliceScatterOptions struct {
	Dim   int  // the dimension
	Start *int // first index; nil: 0
	End   *int // index behind the last; nil: the size
	Step  *int // distance of the indices; nil: 1
}

// SliceScatter returns x with a regular part of a dimension replaced by src.
//
//lucid:func
//lucid:method
func SliceScatter(x, src *Node, o SliceScatterOptions) *Node {
	axis := splitAxis("slice_scatter", x, o.Dim)
	n, step := x.Dim(axis), 1
	start, end := 0, n
	if o.Start != nil {
		start = clampIndex(*o.Start, n)
	}
	if o.End != nil {
		end = clampIndex(*o.End, n)
	}
	if o.Step != nil {
		step = *o.Step
	}
	if step <= 0 {
		fault.Throw(fault.Value, "slice_scatter", "step %d; want 1 or more", step)
	}
	return updateDim("slice_scatter", x, src, axis, start, max(0, (end-start+step-1)/step), step)
}

// updateDim replaces size elements of a dimension from start on, every step-th.
func updateDim(op string, x, src *Node, axis, start, size, step int) *Node {
	st, sz, sp := make([]int, x.Rank()), x.Shape().Clone(), ones(x.Rank())
	st[axis], sz[axis], sp[axis] = start, size, step
	if want := shape.Of(op, sz...); !src.Shape().Equal(want) {
		fault.Throw(fault.Shape, op, "src %v does not fit the part %v of %v", src.Shape(), want, x.Shape())
	}
	return sliceUpdate(x, stored(op, src, x.DType()), attr.Slice{Start: attr.MakeInts(st...), Size: attr.MakeInts(sz...),
		Step: attr.MakeInts(sp...)})
}
