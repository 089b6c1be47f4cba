package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// joined is the dtype several tensors share when they are joined: unlike in arithmetic, 0-d tensors count as any other.
func joined(op string, tensors []*Node) dtype.DType {
	if len(tensors) == 0 {
		fault.Throw(fault.Value, op, "needs at least one tensor")
	}
	d := tensors[0].DType()
	for _, x := range tensors[1:] {
		r, ok := dtype.Promote(d, x.DType())
		if !ok {
			fault.Throw(fault.DType, op, "%v and %v have no common dtype; cast one of them", d, x.DType())
		}
		d = r
	}
	return d
}

// Cat joins tensors along a dimension in which alone their sizes may differ.
//
//lucid:func
//lucid:default dim=0
func Cat(tensors []*Node, dim int) *Node { return catAs("cat", tensors, dim) }

// Concat is Cat.
//
//lucid:default dim=0
func Concat(tensors []*Node, dim int) *Node { return catAs("concat", tensors, dim) }

// Concatenate is Cat.
//
//lucid:default dim=0
func Concatenate(tensors []*Node, dim int) *Node { return catAs("concatenate", tensors, dim) }

func catAs(op string, tensors []*Node, dim int) *Node {
	d := joined(op, tensors)
	xs := make([]*Node, 0, len(tensors))
	var first *Node
	for _, x := range tensors {
		if x.Rank() == 0 {
			fault.Throw(fault.Shape, op, "a 0-d tensor cannot be joined; use Stack")
		}
		if x.Rank() == 1 && x.Dim(0) == 0 && len(tensors) > 1 {
			continue // PyTorch lets an empty vector join anything
		}
		if first == nil {
			first = x
			dim = shape.Axis(op, dim, x.Rank())
		}
		ok := x.Rank() == first.Rank()
		for i := 0; ok && i < x.Rank(); i++ {
			ok = i == dim || x.Dim(i) == first.Dim(i)
		}
		if !ok {
			fault.Throw(fault.Shape, op, "%v and %v differ in a dim other than %d", first.Shape(), x.Shape(), dim)
		}
		xs = append(xs, Cast(x, d))
	}
	if first == nil {
		return Cast(tensors[0], d)
	}
	return concat(xs, dim)
}

// Stack joins tensors of one shape along a new dimension.
//
//lucid:func
//lucid:default dim=0
func Stack(tensors []*Node, dim int) *Node {
	joined("stack", tensors)
	dim = shape.Axis("stack", dim, tensors[0].Rank()+1)
	xs := make([]*Node, len(tensors))
	for i, x := range tensors {
		if !x.Shape().Equal(tensors[0].Shape()) {
			fault.Throw(fault.Shape, "stack", "%v and %v differ; want one shape", tensors[0].Shape(), x.Shape())
		}
		xs[i] = Unsqueeze(x, dim)
	}
	return catAs("stack", xs, dim)
}

func eachNode(tensors []*Node, f func(*Node) *Node) []*Node {
	out := make([]*Node, len(tensors))
	for i, x := range tensors {
		out[i] = f(x)
	}
	return out
}

// Hstack joins along columns: the second dimension, or the first of vectors.
//
//lucid:func HStack
func Hstack(tensors []*Node) *Node {
	xs := eachNode(tensors, atleast1d)
	if len(xs) > 0 && xs[0].Rank() == 1 {
		return catAs("hstack", xs, 0)
	}
	return catAs("hstack", xs, 1)
}

// Vstack joins along rows; vectors count as rows.
//
//lucid:func VStack
func Vstack(tensors []*Node) *Node { return catAs("vstack", eachNode(tensors, atleast2d), 0) }

// RowStack is Vstack.
//
//lucid:name row_stack
func RowStack(tensors []*Node) *Node { return catAs("row_stack", eachNode(tensors, atleast2d), 0) }

// Dstack joins along the third dimension.
//
//lucid:func DStack
func Dstack(tensors []*Node) *Node { return catAs("dstack", eachNode(tensors, atleast3d), 2) }

// ColumnStack joins along columns; vectors count as columns.
//
//lucid:func
func ColumnStack(tensors []*Node) *Node {
	return catAs("column_stack", eachNode(tensors, func(x *Node) *Node {
		if x.Rank() <= 1 {
			return Reshape(x, x.Shape().Numel(), 1)
		}
		return x
	}), 1)
}

func atleast1d(x *Node) *Node {
	if x.Rank() == 0 {
		return Reshape(x, 1)
	}
	return x
}

func atleast2d(x *Node) *Node {
	if x.Rank() < 2 {
		return Reshape(x, 1, x.Shape().Numel())
	}
	return x
}

func atleast3d(x *Node) *Node {
	switch x.Rank() {
	case 0, 1:
		return Reshape(x, 1, x.Shape().Numel(), 1)
	case 2:
		return Unsqueeze(x, 2)
	}
	return x
}

// Atleast1d gives 0-d tensors a dimension.
//
//lucid:func
//lucid:name atleast_1d
//lucid:view
func Atleast1d(tensors ...*Node) []*Node { return eachNode(tensors, atleast1d) }

// Atleast2d makes rows of vectors and scalars.
//
//lucid:func
//lucid:name atleast_2d
//lucid:view
func Atleast2d(tensors ...*Node) []*Node { return eachNode(tensors, atleast2d) }

// Atleast3d gives matrices a third dimension behind, and vectors and scalars one in front too.
//
//lucid:func
//lucid:name atleast_3d
//lucid:view
func Atleast3d(tensors ...*Node) []*Node { return eachNode(tensors, atleast3d) }

// BlockDiag puts matrices on the diagonal of a larger one, zero elsewhere; vectors and scalars count as rows.
//
//lucid:func
func BlockDiag(tensors ...*Node) *Node {
	d := joined("block_diag", tensors)
	cols := 0
	xs := eachNode(tensors, func(x *Node) *Node {
		if x.Rank() > 2 {
			fault.Throw(fault.Shape, "block_diag", "%v has %d dims; want at most 2", x.Shape(), x.Rank())
		}
		x = Cast(atleast2d(x), d)
		cols += x.Dim(1)
		return x
	})
	at := 0
	for i, x := range xs {
		n := x.Dim(1)
		xs[i] = padded(x, 1, at, cols-at-n)
		at += n
	}
	return concat(xs, 0)
}

// padded adds zeros before and behind along a dimension.
func padded(x *Node, axis, before, behind int) *Node {
	parts := []*Node{x}
	zeros := func(n int) *Node {
		dims := slices.Clone(x.Shape().Dims())
		dims[axis] = n
		return broadcastTo(constLike(x, 0), shape.Of("pad", dims...))
	}
	if before > 0 {
		parts = []*Node{zeros(before), x}
	}
	if behind > 0 {
		parts = append(parts, zeros(behind))
	}
	return concat(parts, axis)
}
