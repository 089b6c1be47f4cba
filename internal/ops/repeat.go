package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// repeat repeats the whole of x along each dimension; repeats has an entry for each.
func repeat(op string, x *Node, repeats []int) *Node {
	r := len(repeats)
	d := slices.Concat(ones(r-x.Rank()), x.Shape().Dims())
	same := true
	in, big, out := make([]int, 0, 2*r), make([]int, 0, 2*r), make([]int, r)
	for i, n := range repeats {
		if n < 0 {
			fault.Throw(fault.Value, op, "negative count in %v", repeats)
		}
		same = same && n == 1
		out[i] = n * d[i]
		if n != 1 {
			in, big = append(in, 1), append(big, n)
		}
		in, big = append(in, d[i]), append(big, d[i])
	}
	if same {
		return Reshape(x, out...)
	}
	return Reshape(broadcastTo(Reshape(x, in...), shape.Of(op, big...)), out...)
}

// Repeat repeats the whole of x along each dimension; more counts than dimensions add dimensions in front.
//
//lucid:method
func Repeat(x *Node, repeats ...int) *Node {
	if len(repeats) < x.Rank() {
		fault.Throw(fault.Shape, "repeat", "%v has fewer entries than %v has dims", repeats, x.Shape())
	}
	return repeat("repeat", x, repeats)
}

// Tile repeats the whole of x along each dimension; where there are fewer counts than dimensions, they hold for the last.
//
//lucid:func
//lucid:method
func Tile(x *Node, dims ...int) *Node {
	return repeat("tile", x, slices.Concat(ones(max(0, x.Rank()-len(dims))), dims))
}

// RepeatInterleaveOptions says along which dimension; nil means over the flattened tensor. OutputSize is the sum of
// the counts, for a tensor of counts that cannot be looked at, as in a compiled function.
type RepeatInterleaveOptions struct {
	Dim        *int // nil: over the flattened tensor
	OutputSize *int // sum of the counts, for a tensor of counts in a compiled function; nil: it is read
}

// RepeatInterleave repeats every element along a dimension, all as often, or each as a tensor of counts says. Such a
// tensor is evaluated, unless OutputSize is given.
//
//lucid:func
//lucid:method
func RepeatInterleave(x *Node, repeats Operand, o RepeatInterleaveOptions) *Node {
	const op = "repeat_interleave"
	if o.Dim == nil {
		x = Ravel(x)
	} else if x.Rank() == 0 {
		x = Reshape(x, 1)
	}
	axis := dimOr(op, o.Dim, x, 0)
	counts, isTensor := repeats.(*Node)
	if !isTensor {
		n, ok := repeats.(int)
		if !ok || n < 0 {
			fault.Throw(fault.Value, op, "repeats is %v; want an integer of 0 or more, or a tensor of them", repeats)
		}
		return repeatEach(x, n, axis)
	}
	if !counts.DType().IsInteger() || counts.Rank() > 1 {
		fault.Throw(fault.DType, op, "repeats is %v of shape %v; want integers in one dim", counts.DType(), counts.Shape())
	}
	counts = Reshape(Cast(counts, dtype.Int64), -1)
	n := x.Dim(axis)
	if counts.Dim(0) != n {
		if counts.Dim(0) != 1 {
			fault.Throw(fault.Shape, op, "%d counts for dim %d of %v", counts.Dim(0), axis, x.Shape())
		}
		counts = Expand(counts, n)
	}
	total := 0
	if o.OutputSize != nil {
		total = *o.OutputSize
	} else {
		defer hold(x, counts)()
		for _, c := range ReadInts(op, counts) {
			if c < 0 || c > shape.MaxElements-total {
				fault.Throw(fault.Value, op, "a count is %d; want 0 or more, and a sum of at most 2⁵⁷", c)
			}
			total += c
		}
	}
	// Element i ends where the counts up to it do; a running count of the ends passed is the element at a position.
	ends := put(zerosOf(dtype.Int64, total+1), wrapIndex(op, Cumsum(counts, 0, CumulativeOptions{}), total+1), OnesLike(counts),
		0, attr.ReduceAdd)
	at := SliceDim(Cumsum(ends, 0, CumulativeOptions{}), 0, 0, total, 1)
	return take(x, wrapIndex(op, at, n), axis)
}

func zerosOf(d dtype.DType, dims ...int) *Node {
	return broadcastTo(Number(d, 0), shape.Of("zeros", dims...))
}

// repeatEach repeats every element of a dimension n times.
func repeatEach(x *Node, n, axis int) *Node {
	d := slices.Insert(x.Shape().Clone(), axis+1, n)
	y := broadcastTo(Unsqueeze(x, axis+1), shape.Of("repeat_interleave", d...))
	d[axis] *= n
	return Reshape(y, slices.Delete(d, axis+1, axis+2)...)
}

// Flip returns x with the order of elements along the given dimensions reversed.
//
//lucid:func
//lucid:method
func Flip(x *Node, dims ...int) *Node { return flip("flip", x, dims) }

func flip(op string, x *Node, dims []int) *Node {
	if len(dims) == 0 {
		return x
	}
	st, sp := make([]int, x.Rank()), ones(x.Rank())
	for _, a := range shape.Axes(op, dims, x.Rank()) {
		if x.Dim(a) > 1 {
			st[a], sp[a] = x.Dim(a)-1, -1
		}
	}
	return slice(x, attr.Slice{Start: attr.MakeInts(st...), Size: attr.MakeInts(x.Shape().Dims()...), Step: attr.MakeInts(sp...)})
}

// Fliplr reverses the columns.
//
//lucid:func FlipLR
//lucid:method FlipLR
func Fliplr(x *Node) *Node {
	matrices("fliplr", x)
	return flip("fliplr", x, []int{1})
}

// Flipud reverses the rows.
//
//lucid:func FlipUD
//lucid:method FlipUD
func Flipud(x *Node) *Node {
	if x.Rank() == 0 {
		fault.Throw(fault.Shape, "flipud", "a 0-d tensor has no rows")
	}
	return flip("flipud", x, []int{0})
}

// RollOptions says along which dimensions; none means over the flattened tensor.
type RollOptions struct {
	Dims []int // none: over the flattened tensor
}

// Roll shifts elements along dimensions; what leaves at one end enters at the other.
//
//lucid:func
//lucid:method Roll(shifts int, dims ...int)
func Roll(x *Node, shifts []int, o RollOptions) *Node {
	if len(o.Dims) == 0 {
		if len(shifts) != 1 {
			fault.Throw(fault.Value, "roll", "%d shifts without dims; want one, or dims", len(shifts))
		}
		return reshapeTo(rollDim(Ravel(x), shifts[0], 0), x.Shape())
	}
	if len(shifts) != len(o.Dims) {
		fault.Throw(fault.Value, "roll", "shifts %v and dims %v differ in length", shifts, o.Dims)
	}
	for i, d := range o.Dims {
		if a := shape.Axis("roll", d, x.Rank()); x.Rank() > 0 {
			x = rollDim(x, shifts[i], a)
		}
	}
	return x
}

func rollDim(x *Node, shift, axis int) *Node {
	n := x.Dim(axis)
	if n == 0 {
		return x
	}
	if shift = (shift%n + n) % n; shift == 0 {
		return x
	}
	return concat([]*Node{SliceDim(x, axis, n-shift, shift, 1), SliceDim(x, axis, 0, n-shift, 1)}, axis)
}

// Rot90Options says how many quarter rotations to make, from the first of two dimensions towards the second; nil is once, in the plane of
// the first two.
type Rot90Options struct {
	K    *int  // how often, from the first dimension towards the second; nil: once
	Dims []int // the plane; none: the first two dimensions
}

// Rot90 rotates x by multiples of 90 degrees in the plane of two dimensions.
//
//lucid:func
//lucid:method Rot90(k int)
//lucid:name rot90
func Rot90(x *Node, o Rot90Options) *Node {
	k, dims := 1, o.Dims
	if o.K != nil {
		k = *o.K
	}
	if len(dims) == 0 {
		dims = []int{0, 1}
	}
	if len(dims) != 2 || x.Rank() < 2 {
		fault.Throw(fault.Value, "rot90", "dims %v of %v; want two dims", dims, x.Shape())
	}
	a, b := shape.Axis("rot90", dims[0], x.Rank()), shape.Axis("rot90", dims[1], x.Rank())
	if a == b {
		fault.Throw(fault.Index, "rot90", "dims %v are the same", dims)
	}
	switch (k%4 + 4) % 4 {
	case 1:
		return swapDims("rot90", flip("rot90", x, []int{b}), a, b)
	case 2:
		return flip("rot90", x, []int{a, b})
	case 3:
		return flip("rot90", swapDims("rot90", x, a, b), []int{b})
	}
	return x
}
