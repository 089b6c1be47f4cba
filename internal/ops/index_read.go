package ops

import (
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// onRows calls f with 0-d operands shown with one dimension, and the result with none again if x had none.
func onRows(x, index *Node, f func(x, index *Node) *Node) *Node {
	if x.Rank() > 0 {
		return f(x, atleast1d(index))
	}
	return reshapeTo(f(Reshape(x, 1), Ravel(index)), index.Shape())
}

// Gather picks elements along a dimension: out[i][j] = x[i][index[i][j]] for dim 1. index has as many dimensions as x and
// is nowhere larger but along dim.
//
//lucid:func
//lucid:method
func Gather(x *Node, dim int, index *Node) *Node {
	axis := shape.Axis("gather", dim, x.Rank())
	if x.Rank() == 1 && index.Rank() == 0 {
		return reshapeTo(Gather(x, dim, Reshape(index, 1)), index.Shape())
	}
	if x.Rank() != index.Rank() && index.Shape().Numel() == 0 { // nothing is read, as PyTorch has it
		return reshapeTo(Gather(Ravel(x), 0, Ravel(index)), index.Shape())
	}
	return onRows(x, index, func(x, index *Node) *Node {
		checkAlong("gather", x, index, axis)
		return gather(x, wrapIndex("gather", index, x.Dim(axis)), axis)
	})
}

// checkAlong refuses an index that reaches beyond x in a dimension other than axis.
func checkAlong(op string, x, index *Node, axis int) {
	ok := x.Rank() == index.Rank()
	for i := 0; ok && i < x.Rank(); i++ {
		ok = i == axis || index.Dim(i) <= x.Dim(i)
	}
	if !ok && index.Shape().Numel() > 0 {
		fault.Throw(fault.Shape, op, "index %v does not fit %v: want as many dims, none larger but dim %d", index.Shape(), x.Shape(), axis)
	}
	if x.Rank() != index.Rank() {
		fault.Throw(fault.Shape, op, "index %v has %d dims, %v has %d", index.Shape(), index.Rank(), x.Shape(), x.Rank())
	}
}

// Take picks elements of the flattened tensor; negative positions count from the end.
//
//lucid:func
//lucid:method
func Take(x, index *Node) *Node {
	x = Ravel(x)
	return take(x, wrapIndex("take", index, x.Dim(0)), 0)
}

// TakeAlongDimOptions says along which dimension; nil means over the flattened tensors.
type TakeAlongDimOptions struct {
	Dim *int // nil: over the flattened tensors
}

// TakeAlongDim is Gather whose other dimensions broadcast; positions as from ArgSort or ArgMax with KeepDim pick what they are of.
//
//lucid:func
//lucid:method TakeAlongDim(indices *Tensor, dim int)
func TakeAlongDim(x, indices *Node, o TakeAlongDimOptions) *Node {
	if o.Dim == nil {
		return Gather(Ravel(x), 0, Ravel(indices))
	}
	x, idx, axis := along("take_along_dim", x, indices, *o.Dim)
	return gather(x, wrapIndex("take_along_dim", idx, x.Dim(axis)), axis)
}

// along broadcasts x and index against each other in all dimensions but one.
func along(op string, x, index *Node, dim int) (*Node, *Node, int) {
	if x.Rank() != index.Rank() {
		fault.Throw(fault.Shape, op, "indices %v and the tensor %v differ in the number of dims", index.Shape(), x.Shape())
	}
	axis := shape.Axis(op, dim, x.Rank())
	if x.Rank() == 0 {
		return Reshape(x, 1), Reshape(index, 1), 0
	}
	xd, id := x.Shape().Clone(), index.Shape().Clone()
	n, m := xd[axis], id[axis]
	xd[axis], id[axis] = 1, 1
	s := shape.Broadcast(op, shape.Of(op, xd...), shape.Of(op, id...)).Clone()
	s[axis] = n
	x = broadcastTo(x, shape.Of(op, s...))
	s[axis] = m
	return x, broadcastTo(index, shape.Of(op, s...)), axis
}

// TakeAlongAxis is TakeAlongDim along one dimension.
//
//lucid:name take_along_axis
func TakeAlongAxis(x, indices *Node, axis int) *Node {
	return TakeAlongDim(x, indices, TakeAlongDimOptions{Dim: &axis})
}

// IndexSelect picks whole slices along a dimension by a vector of positions.
//
//lucid:func
//lucid:method
func IndexSelect(x *Node, dim int, index *Node) *Node {
	if index.Rank() > 1 {
		fault.Throw(fault.Shape, "index_select", "index has shape %v; want a vector", index.Shape())
	}
	axis := shape.Axis("index_select", dim, x.Rank())
	if x.Rank() == 0 {
		return reshapeTo(take(Reshape(x, 1), wrapIndex("index_select", Reshape(index, 1), 1), 0), x.Shape())
	}
	return take(x, wrapIndex("index_select", atleast1d(index), x.Dim(axis)), axis)
}
