package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// windows gives the positions of a part of fixed size along each axis, whose start is a value: start, start+1, ….
// They are not wrapped: a part that is not inside fails when it is computed.
func windows(op string, x, start *Node, axes, size []int) (resolved []int, at []*Node) {
	if !start.DType().IsInteger() || start.Shape().Numel() != len(axes) || start.Rank() > 1 {
		fault.Throw(fault.Shape, op, "start is %v of shape %v; want one integer for each of the axes %v", start.DType(),
			start.Shape(), axes)
	}
	if len(size) != len(axes) {
		fault.Throw(fault.Value, op, "sizes %v and axes %v differ in length", size, axes)
	}
	start = Cast(Ravel(start), dtype.Int64)
	seen := map[int]bool{}
	for i, a := range axes {
		a = splitAxis(op, x, a)
		if seen[a] {
			fault.Throw(fault.Index, op, "dim %d appears twice in %v", a, axes)
		}
		seen[a] = true
		if size[i] < 0 || size[i] > x.Dim(a) {
			fault.Throw(fault.Shape, op, "a part of size %d does not fit dim %d of %v", size[i], a, x.Shape())
		}
		resolved = append(resolved, a)
		at = append(at, Add(SliceDim(start, 0, i, 1, 1), Arange64(size[i])))
	}
	return resolved, at
}

// DynamicSlice returns a part of x of fixed size whose start is a tensor: size[i] elements from start[i] on along
// axes[i]. A part that reaches outside x fails when it is computed.
//
//lucid:func
//lucid:method
//lucid:alias slice
func DynamicSlice(x, start *Node, axes, size []int) *Node {
	axes, at := windows("dynamic_slice", x, start, axes, size)
	for i, a := range axes {
		x = take(x, at[i], a)
	}
	return x
}

// DynamicSliceUpdate returns x with a part replaced by update, whose sizes along the axes are the part's and whose
// others are x's. The part begins at start[i] along axes[i]; one that reaches outside x fails when it is computed.
//
//lucid:func
//lucid:method
//lucid:alias slice_update
func DynamicSliceUpdate(x, update, start *Node, axes []int) *Node {
	const op = "dynamic_slice_update"
	if update.Rank() != x.Rank() {
		fault.Throw(fault.Shape, op, "update %v and the tensor %v differ in the number of dims", update.Shape(), x.Shape())
	}
	size, want := make([]int, len(axes)), x.Shape().Clone()
	for i, a := range axes {
		size[i] = update.Dim(shape.Axis(op, a, x.Rank()))
	}
	axes, at := windows(op, x, start, axes, size)
	for i, a := range axes {
		want[a] = size[i]
	}
	if !update.Shape().Equal(shape.Of(op, want...)) {
		fault.Throw(fault.Shape, op, "update %v does not fit the part %v of %v", update.Shape(), want, x.Shape())
	}
	// Outermost first: the part along the first axes is read, updated along the rest, and written back.
	parts := []*Node{x}
	for i := range max(0, len(axes)-1) {
		parts = append(parts, take(parts[i], at[i], axes[i]))
	}
	y := Cast(update, x.DType())
	for i := len(axes) - 1; i >= 0; i-- {
		y = put(parts[i], at[i], y, axes[i], attr.ReduceSet)
	}
	return y
}
