package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// Squeeze drops the given dimensions that have size 1; none given means all that do.
//
//lucid:func
//lucid:method
//lucid:default dim=
//lucid:view
func Squeeze(x *Node, dim ...int) *Node {
	if dim != nil && len(dim) == 0 { // an empty list names none
		return x
	}
	axes := shape.Axes("squeeze", dim, x.Rank())
	var d []int
	for i, n := range x.Shape().Dims() {
		if n != 1 || !slices.Contains(axes, i) {
			d = append(d, n)
		}
	}
	return Reshape(x, d...)
}

// Flatten joins the dimensions from startDim to endDim, both included, into one; a 0-d tensor becomes one of size 1.
//
//lucid:func
//lucid:default startDim=0 endDim=-1
//lucid:view
func Flatten(x *Node, startDim, endDim int) *Node {
	s, e := shape.Axis("flatten", startDim, x.Rank()), shape.Axis("flatten", endDim, x.Rank())
	if s > e {
		fault.Throw(fault.Value, "flatten", "start_dim %d comes after end_dim %d in %v", startDim, endDim, x.Shape())
	}
	if x.Rank() == 0 {
		return Reshape(x, 1)
	}
	d, n := x.Shape().Dims(), 1
	for _, v := range d[s : e+1] {
		n *= v
	}
	return Reshape(x, slices.Concat(d[:s], []int{n}, d[e+1:])...)
}

// Ravel shows all elements in one dimension.
//
//lucid:func
//lucid:method
//lucid:view
func Ravel(x *Node) *Node { return Reshape(x, x.Shape().Numel()) }

// Unflatten splits one dimension into several, one of which may be -1: what is left over.
//
//lucid:func
//lucid:method
//lucid:view
func Unflatten(x *Node, dim int, sizes []int) *Node {
	dim = shape.Axis("unflatten", dim, x.Rank())
	if x.Rank() == 0 || len(sizes) == 0 {
		fault.Throw(fault.Shape, "unflatten", "cannot split dim %d of %v into %v", dim, x.Shape(), sizes)
	}
	d := x.Shape().Dims()
	part := resolveSizes("unflatten", d[dim], sizes)
	return Reshape(x, slices.Concat(d[:dim], part, d[dim+1:])...)
}

// resolveSizes fills in a -1 so that the sizes hold n elements.
func resolveSizes(op string, n int, sizes []int) []int {
	out, at, p := slices.Clone(sizes), -1, 1
	for i, s := range sizes {
		if s == -1 && at < 0 {
			at = i
			continue
		}
		p *= s
	}
	if at >= 0 && p > 0 {
		out[at] = n / p
		p *= out[at]
	}
	if p != n || slices.Min(out) < 0 {
		fault.Throw(fault.Shape, op, "%v does not hold the %d elements of the dim", sizes, n)
	}
	return out
}

// View is Reshape: the result shares memory wherever strides allow it.
//
//lucid:method
//lucid:view
func View(x *Node, shape ...int) *Node { return reshapeTo(x, resolveShape("view", x, shape)) }

// ViewAs shows x with the shape of other.
//
//lucid:method
//lucid:view
func ViewAs(x, other *Node) *Node { return View(x, other.Shape().Dims()...) }

// ReshapeAs shows x with the shape of other.
//
//lucid:method
//lucid:view
func ReshapeAs(x, other *Node) *Node { return Reshape(x, other.Shape().Dims()...) }

// Expand shows dimensions of size 1 with a larger size, and new ones in front; -1 keeps the size there is.
//
//lucid:method
//lucid:view
func Expand(x *Node, size ...int) *Node { return broadcastTo(x, expandShape("expand", x, size)) }

// ExpandAs shows x with the shape of other.
//
//lucid:method
//lucid:view
func ExpandAs(x, other *Node) *Node { return Expand(x, other.Shape().Dims()...) }

// Transpose swaps two dimensions.
//
//lucid:func
//lucid:method
//lucid:view
func Transpose(x *Node, dim0, dim1 int) *Node { return swapDims("transpose", x, dim0, dim1) }

func swapDims(op string, x *Node, dim0, dim1 int) *Node {
	a, b := shape.Axis(op, dim0, x.Rank()), shape.Axis(op, dim1, x.Rank())
	order := make([]int, x.Rank())
	for i := range order {
		order[i] = i
	}
	if x.Rank() > 0 {
		order[a], order[b] = b, a
	}
	return permute(x, order)
}

// Swapaxes swaps two dimensions.
//
//lucid:name swapaxes
//lucid:view
func Swapaxes(x *Node, axis0, axis1 int) *Node { return swapDims("swapaxes", x, axis0, axis1) }

// Swapdims swaps two dimensions.
//
//lucid:name swapdims
//lucid:view
func Swapdims(x *Node, dim0, dim1 int) *Node { return swapDims("swapdims", x, dim0, dim1) }

// T transposes a matrix; vectors and scalars stay as they are.
//
//lucid:func
//lucid:method
//lucid:alias T
//lucid:view
func T(x *Node) *Node {
	if x.Rank() > 2 {
		fault.Throw(fault.Shape, "t", "%v has %d dims; want at most 2, or use MT or Transpose", x.Shape(), x.Rank())
	}
	if x.Rank() < 2 {
		return x
	}
	return swapLast(x)
}

func matrices(op string, x *Node) {
	if x.Rank() < 2 {
		fault.Throw(fault.Shape, op, "%v has %d dims; want at least 2", x.Shape(), x.Rank())
	}
}

// MT swaps the last two dimensions: it transposes each matrix of a batch.
//
//lucid:func
//lucid:method
//lucid:name matrix_transpose
//lucid:alias mT
//lucid:view
func MT(x *Node) *Node {
	matrices("matrix_transpose", x)
	return swapLast(x)
}

// Adjoint is the conjugate transpose of each matrix.
//
//lucid:func
//lucid:method
//lucid:view
func Adjoint(x *Node) *Node {
	matrices("adjoint", x)
	return conj(swapLast(x))
}

func moveDims(op string, x *Node, source, destination []int) *Node {
	if len(source) != len(destination) {
		fault.Throw(fault.Value, op, "source %v and destination %v differ in length", source, destination)
	}
	if x.Rank() == 0 {
		for i := range source {
			shape.Axis(op, source[i], 0)
			shape.Axis(op, destination[i], 0)
		}
		return x
	}
	order := make([]int, x.Rank())
	for i := range order {
		order[i] = -1
	}
	taken := make([]bool, x.Rank())
	for i := range source {
		s, d := shape.Axis(op, source[i], x.Rank()), shape.Axis(op, destination[i], x.Rank())
		if taken[s] || order[d] >= 0 {
			fault.Throw(fault.Index, op, "a dim appears twice in source %v or destination %v", source, destination)
		}
		taken[s], order[d] = true, s
	}
	next := 0
	for i := range order {
		if order[i] >= 0 {
			continue
		}
		for taken[next] {
			next++
		}
		order[i] = next
		next++
	}
	return permute(x, order)
}

// Movedim moves dimensions to other positions; the rest keep their order.
//
//lucid:func MoveDim
//lucid:method MoveDim(source int, destination int)
//lucid:view
func Movedim(x *Node, source, destination []int) *Node {
	return moveDims("movedim", x, source, destination)
}

// Moveaxis moves dimensions to other positions; the rest keep their order.
//
//lucid:name moveaxis
//lucid:view
func Moveaxis(x *Node, source, destination []int) *Node {
	return moveDims("moveaxis", x, source, destination)
}

// ExpandDims adds dimensions of size 1 at the given positions of the result.
//
//lucid:name expand_dims
//lucid:view
func ExpandDims(x *Node, axis ...int) *Node {
	axes := shape.Axes("expand_dims", axis, x.Rank()+len(axis))
	d := x.Shape().Clone()
	for _, a := range axes {
		d = slices.Insert(d, a, 1)
	}
	return Reshape(x, d...)
}
