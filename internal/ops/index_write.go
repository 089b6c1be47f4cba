package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// ScatterOptions says how values are combined with what is there: "" replaces it, "add" and "multiply" combine.
type ScatterOptions struct {
	Reduce string // "" replaces what is there, "add" and "multiply" combine with it
}

// Scatter returns x with values written along a dimension: out[i][index[i][j]] = value[i][j] for dim 1. Where two
// values have one index the last one in row-major order stays. A number is written to all indices.
//
//lucid:func
//lucid:method
//lucid:alias scatter_set
func Scatter(x *Node, dim int, index *Node, value Operand, o ScatterOptions) *Node {
	r, ok := map[string]attr.Reduction{"": attr.ReduceSet, "add": attr.ReduceAdd, "multiply": attr.ReduceMul}[o.Reduce]
	if !ok {
		fault.Throw(fault.Value, "scatter", "reduce %q; want add or multiply", o.Reduce)
	}
	return scatterAlong("scatter", x, dim, index, value, r)
}

// scatterAlong checks the operands of a scatter and brings the source to the index's shape.
func scatterAlong(op string, x *Node, dim int, index *Node, src Operand, r attr.Reduction) *Node {
	axis := shape.Axis(op, dim, x.Rank())
	if n, ok := src.(*Node); ok {
		ampWiden(&x, &n)
		src = n
	}
	v := storedWhole(op, src, x.DType())
	back := x.Shape()
	if x.Rank() == 0 {
		x = Reshape(x, 1)
	}
	index = atleast1d(index)
	if v.IsConst() || v.Rank() == 0 && v.Shape() != index.Shape() {
		v = broadcastTo(v, index.Shape())
	}
	v = atleast1d(v)
	if index.Shape().Numel() == 0 {
		return reshapeTo(x, back)
	}
	checkAlong(op, x, index, axis)
	if v.Rank() != index.Rank() {
		fault.Throw(fault.Shape, op, "src %v and index %v differ in the number of dims", v.Shape(), index.Shape())
	}
	for i := range index.Rank() {
		if v.Dim(i) < index.Dim(i) {
			fault.Throw(fault.Shape, op, "src %v is smaller than index %v in dim %d", v.Shape(), index.Shape(), i)
		}
		v = SliceDim(v, i, 0, index.Dim(i), 1)
	}
	return reshapeTo(scatter(x, wrapIndex(op, index, x.Dim(axis)), v, axis, r), back)
}

// ScatterAdd returns x with src added along a dimension: out[i][index[i][j]] += src[i][j] for dim 1, in row-major order.
//
//lucid:func
//lucid:method
func ScatterAdd(x *Node, dim int, index, src *Node) *Node {
	return scatterAlong("scatter_add", x, dim, index, src, attr.ReduceAdd)
}

// IncludeOptions says whether the values that are there before take part.
type IncludeOptions struct {
	ExcludeSelf bool `lucid:"include_self,not"` // values that are there before do not take part (include_self=False)
}

// writer writes src into x by a reduction.
type writer func(x *Node, src *Node, r attr.Reduction) *Node

// reduceInto combines src into x by a named reduction; ones is a one for every element of src.
func reduceInto(op, reduce string, x, src *Node, o IncludeOptions, write writer) *Node {
	r, ok := map[string]attr.Reduction{"sum": attr.ReduceAdd, "mean": attr.ReduceAdd, "prod": attr.ReduceMul, "amax": attr.ReduceMax,
		"amin": attr.ReduceMin}[reduce]
	if !ok {
		fault.Throw(fault.Value, op, "reduce %q; want sum, prod, mean, amax or amin", reduce)
	}
	if x.DType().IsComplex() && (r == attr.ReduceMax || r == attr.ReduceMin) {
		fault.Throw(fault.DType, op, "%v has no order; reduce %q wants real numbers", x.DType(), reduce)
	}
	y := x
	if o.ExcludeSelf {
		y = write(y, broadcastTo(neutral(x.DType(), r), src.Shape()), attr.ReduceSet)
	}
	y = write(y, src, r)
	if reduce != "mean" {
		return y
	}
	d := x.DType()
	if !d.IsInexact() {
		d = dtype.Int64
	}
	count := broadcastTo(Number(d, 1), x.Shape())
	if o.ExcludeSelf {
		count = write(count, broadcastTo(Number(d, 0), src.Shape()), attr.ReduceSet)
	}
	count = Maximum(write(count, broadcastTo(Number(d, 1), src.Shape()), attr.ReduceAdd), 1)
	if d.IsInexact() {
		return Div(y, count)
	}
	return Cast(FloorDivide(Cast(y, d), count), x.DType())
}

// neutral is the value that changes nothing under a reduction.
func neutral(d dtype.DType, r attr.Reduction) *Node {
	switch r {
	case attr.ReduceMul:
		return Number(d, 1)
	case attr.ReduceMax:
		return extreme(d, false)
	case attr.ReduceMin:
		return extreme(d, true)
	}
	return Number(d, 0)
}

// extreme is the largest or the smallest value of a real dtype.
func extreme(d dtype.DType, largest bool) *Node {
	switch d.Kind() {
	case dtype.KindFloat:
		if largest {
			return Number(d, math.Inf(1))
		}
		return Number(d, math.Inf(-1))
	case dtype.KindInt:
		bits := d.Size()*8 - 1
		if largest {
			return Number(d, int64(1)<<bits-1)
		}
		return Number(d, -int64(1)<<bits)
	case dtype.KindUint:
		if largest {
			return Number(d, uint64(math.MaxUint64)>>(64-8*d.Size()))
		}
	}
	return Number(d, largest && d == dtype.Bool)
}

// ScatterReduce returns x with src combined into it along a dimension by sum, prod, mean, amax or amin. The mean of
// integers is rounded down.
//
//lucid:func
//lucid:method
func ScatterReduce(x *Node, dim int, index, src *Node, reduce string, o IncludeOptions) *Node {
	const op = "scatter_reduce"
	if src.DType() != x.DType() {
		fault.Throw(fault.DType, op, "src is %v, the tensor %v; want one dtype", src.DType(), x.DType())
	}
	return reduceInto(op, reduce, x, src, o, func(x, src *Node, r attr.Reduction) *Node {
		return scatterAlong(op, x, dim, index, src, r)
	})
}

// PutAlongAxis returns x with values written along a dimension, index and values broadcast in the others.
//
//lucid:func
//lucid:method
func PutAlongAxis(x, indices *Node, values Operand, axis int) *Node {
	if x.Rank() != indices.Rank() {
		fault.Throw(fault.Shape, "put_along_axis", "indices %v and the tensor %v differ in the number of dims", indices.Shape(), x.Shape())
	}
	axis = shape.Axis("put_along_axis", axis, x.Rank())
	d := x.Shape().Clone()
	if len(d) > 0 {
		d[axis] = indices.Dim(axis)
	}
	s := shape.Of("put_along_axis", d...)
	v := storedWhole("put_along_axis", values, x.DType())
	if !shape.BroadcastsTo(v.Shape(), s) || !shape.BroadcastsTo(indices.Shape(), s) {
		fault.Throw(fault.Shape, "put_along_axis", "values %v or indices %v do not fit %v", v.Shape(), indices.Shape(), s)
	}
	v = broadcastTo(v, s)
	return scatterAlong("put_along_axis", x, axis, broadcastTo(indices, s), v, attr.ReduceSet)
}

// PutOptions says whether to add to what is there.
type PutOptions struct {
	Accumulate bool // add to what is there instead of replacing it
}

func accumulation(on bool) attr.Reduction {
	if on {
		return attr.ReduceAdd
	}
	return attr.ReduceSet
}

// Put returns x with the elements of source written to indices of the flattened tensor, or added to what is there.
//
//lucid:func
//lucid:method
func Put(x, index, source *Node, o PutOptions) *Node {
	if source.DType() != x.DType() {
		fault.Throw(fault.DType, "put", "source is %v, the tensor %v; want one dtype", source.DType(), x.DType())
	}
	if source.Shape().Numel() != index.Shape().Numel() {
		fault.Throw(fault.Shape, "put", "source %v and index %v differ in the number of elements", source.Shape(), index.Shape())
	}
	idx := wrapIndex("put", Ravel(index), x.Shape().Numel())
	return reshapeTo(put(Ravel(x), idx, Ravel(source), 0, accumulation(o.Accumulate)), x.Shape())
}
