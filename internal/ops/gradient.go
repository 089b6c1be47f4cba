package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// GradientOptions has the distances between samples, the dimensions, and the order at the ends.
type GradientOptions struct {
	Spacing   []float64 // distance between samples: one, or one for each dimension; none: 1
	Dim       []int     // dimensions; none: all
	EdgeOrder int       // 1 (also if 0) or 2: the order of the differences at the first and the last sample
}

// Gradient returns estimates of the derivative of the samples x along each dimension: central differences, and at the ends one-sided ones.
// coordinates has one tensor for each dimension, or one for all: the positions of the samples, or a scalar, which is their distance.
//
//lucid:func
//lucid:optional coordinates
func Gradient(x *Node, coordinates []*Node, o GradientOptions) []*Node {
	const op = "gradient"
	x = floating(x)
	dims := o.Dim
	if len(dims) == 0 {
		for i := range x.Rank() {
			dims = append(dims, i)
		}
	}
	given := max(len(o.Spacing), len(coordinates))
	if len(o.Spacing) > 0 && len(coordinates) > 0 {
		fault.Throw(fault.Value, op, "there are spacings and coordinates; want one of them")
	}
	if given > 1 && given != len(dims) {
		fault.Throw(fault.Value, op, "%d spacings for %d dims; want one, or one for each", given, len(dims))
	}
	edge := max(o.EdgeOrder, 1)
	if edge > 2 || o.EdgeOrder < 0 {
		fault.Throw(fault.Value, op, "the edge order is %d; want 1 or 2", o.EdgeOrder)
	}
	out := make([]*Node, len(dims))
	seen := map[int]bool{}
	for i, d := range dims {
		axis := shape.Axis(op, d, x.Rank())
		if seen[axis] {
			fault.Throw(fault.Value, op, "dim %d comes twice in %v", d, dims)
		}
		seen[axis] = true
		if x.Dim(axis) < edge+1 {
			fault.Throw(fault.Shape, op, "dim %d of %v has %d samples; want at least %d", d, x.Shape(), x.Dim(axis), edge+1)
		}
		at := min(i, given-1)
		switch {
		case len(coordinates) > 0 && coordinates[at].Rank() > 0:
			out[i] = unevenDifferences(op, x, axis, coordinates[at], edge)
		case len(coordinates) > 0:
			out[i] = differences(x, axis, coordinates[at], edge)
		case given > 0:
			out[i] = differences(x, axis, o.Spacing[at], edge)
		default:
			out[i] = differences(x, axis, 1.0, edge)
		}
	}
	return out
}

// differences are central, and at the ends one-sided ones of order edge, of samples that are h apart.
func differences(x *Node, axis int, h Operand, edge int) *Node {
	n := x.Dim(axis)
	at := func(i, size int) *Node { return SliceDim(x, axis, i, size, 1) }
	first, last := Div(Sub(at(1, 1), at(0, 1)), h), Div(Sub(at(n-1, 1), at(n-2, 1)), h)
	if edge == 2 {
		sum := func(a, b, c *Node, sign float64) *Node {
			return Div(Add(Sub(Mul(a, -1.5*sign), Mul(b, -2*sign)), Mul(c, -0.5*sign)), h)
		}
		first, last = sum(at(0, 1), at(1, 1), at(2, 1), 1), sum(at(n-1, 1), at(n-2, 1), at(n-3, 1), -1)
	}
	parts := []*Node{first}
	if n > 2 {
		parts = append(parts, Div(Mul(Sub(at(2, n-2), at(0, n-2)), 0.5), h))
	}
	return concat(append(parts, last), axis)
}

// unevenDifferences are the slopes, at each sample, of the parabola through it and its neighbours; at the ends of the line through two
// samples, or for edge 2 of the parabola through three.
func unevenDifferences(op string, x *Node, axis int, positions *Node, edge int) *Node {
	n := x.Dim(axis)
	if positions.Rank() != 1 || positions.Dim(0) != n {
		fault.Throw(fault.Shape, op, "coordinates of dim %d have shape %v; want a scalar or (%d), one for each sample", axis,
			positions.Shape(), n)
	}
	d := ones(x.Rank())
	d[axis] = n - 1
	p := floating(positions)
	steps := Reshape(Sub(Narrow(p, 0, 1, n-1), Narrow(p, 0, 0, n-1)), d...)
	step := func(i, size int) *Node { return SliceDim(steps, axis, i, size, 1) }
	at := func(i, size int) *Node { return SliceDim(x, axis, i, size, 1) }
	first, last := Div(Sub(at(1, 1), at(0, 1)), step(0, 1)), Div(Sub(at(n-1, 1), at(n-2, 1)), step(n-2, 1))
	if edge == 2 {
		h, k := step(0, 1), step(1, 1)
		first = threePoint(at(0, 1), at(1, 1), at(2, 1), Neg(Div(Add(Mul(h, 2), k), Mul(h, Add(h, k)))), Div(Add(h, k), Mul(h, k)),
			Neg(Div(h, Mul(k, Add(h, k)))))
		h, k = step(n-3, 1), step(n-2, 1)
		last = threePoint(at(n-3, 1), at(n-2, 1), at(n-1, 1), Div(k, Mul(h, Add(h, k))), Neg(Div(Add(h, k), Mul(h, k))),
			Div(Add(h, Mul(k, 2)), Mul(k, Add(h, k))))
	}
	parts := []*Node{first}
	if n > 2 {
		h, k := step(0, n-2), step(1, n-2)
		parts = append(parts, threePoint(at(0, n-2), at(1, n-2), at(2, n-2), Neg(Div(k, Mul(h, Add(h, k)))), Div(Sub(k, h), Mul(h, k)),
			Div(h, Mul(k, Add(h, k)))))
	}
	return concat(append(parts, last), axis)
}

// threePoint is x·a + y·b + z·c.
func threePoint(x, y, z, a, b, c *Node) *Node { return Add(Add(Mul(x, a), Mul(y, b)), Mul(z, c)) }

// Renorm returns x with every slice along a dimension scaled down so that its p-norm is at most maxnorm.
//
//lucid:func
//lucid:method
//lucid:amp float32
func Renorm(x *Node, p float64, dim int, maxnorm float64) *Node {
	const op = "renorm"
	ampFloat32(&x)
	if !(p > 0) || !(maxnorm >= 0) {
		fault.Throw(fault.Value, op, "p is %v and maxnorm %v; want p above 0 and maxnorm 0 or more", p, maxnorm)
	}
	if x.Rank() < 2 {
		fault.Throw(fault.Shape, op, "%v has %d dims; want at least 2", x.Shape(), x.Rank())
	}
	axis := shape.Axis(op, dim, x.Rank())
	var over []int
	for i := range x.Rank() {
		if i != axis {
			over = append(over, i)
		}
	}
	n := vectorNorm(op, x, p, over, true)
	// As PyTorch: a little is added to the norm, so that the result is not above the limit.
	f := Where(Gt(n, maxnorm), Div(maxnorm, Add(n, 1e-7)), constLike(n, 1))
	return Mul(x, f)
}

// UnravelIndex returns for each dimension of a shape the coordinates of flat indices into it.
//
//lucid:func
func UnravelIndex(indices *Node, shape []int) []*Node {
	const op = "unravel_index"
	if !indices.DType().IsInteger() {
		fault.Throw(fault.DType, op, "indices are %v; want an integer dtype", indices.DType())
	}
	x := Cast(indices, dtype.Int64)
	out := make([]*Node, len(shape))
	size := 1
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] < 0 {
			fault.Throw(fault.Value, op, "the shape %v has a negative size", shape)
		}
		out[i] = Remainder(FloorDivide(x, size), max(shape[i], 1))
		size *= max(shape[i], 1)
	}
	return out
}

// SumToSize sums x over the dimensions along which a tensor of this size would be repeated to have x's shape.
//
//lucid:func
//lucid:amp float32
//lucid:method
func SumToSize(x *Node, size ...int) *Node {
	const op = "sum_to_size"
	s := shape.Of(op, size...)
	d := x.Shape().Dims()
	off := len(d) - len(size)
	fits := off >= 0
	for i := 0; fits && i < len(size); i++ {
		fits = size[i] == d[off+i] || size[i] == 1
	}
	if !fits {
		fault.Throw(fault.Shape, op, "a tensor of shape %v does not broadcast to %v", size, x.Shape())
	}
	if !x.DType().IsInexact() && !s.Equal(x.Shape()) {
		x = Cast(x, dtype.Int64) // as Sum: small integers would wrap
	}
	return SumTo(x, s)
}

// NonzeroStaticOptions has the value of the rows that are not used.
type NonzeroStaticOptions struct {
	FillValue *int `lucid:"fill_value"` // of the rows behind the last nonzero; nil: -1
}

// NonzeroStatic returns the positions of the first size elements that are not zero, one row each; what is left over holds a fill value.
//
//lucid:func
//lucid:method NonzeroStatic(size int)
func NonzeroStatic(x *Node, size int, o NonzeroStaticOptions) *Node {
	const op = "nonzero_static"
	if size < 0 {
		fault.Throw(fault.Value, op, "the size is %d; want 0 or more", size)
	}
	fill := -1
	if o.FillValue != nil {
		fill = *o.FillValue
	}
	d := x.Shape().Dims()
	n := product(d)
	if len(d) == 0 || size == 0 || n == 0 {
		return broadcastTo(Number(dtype.Int64, fill), shape.Of(op, size, len(d)))
	}
	hit := Ne(Ravel(StopGradient(x)), 0)
	zero := 0
	order := Argsort(Cast(LogicalNot(hit), dtype.Int32), SortOptions{Dim: &zero, Stable: true})
	k := min(size, n)
	first := SliceDim(order, 0, 0, k, 1)
	rows := Stack(UnravelIndex(first, slices.Clone(d)), 1)
	used := Lt(Arange64(k), Sum(Cast(hit, dtype.Int64), ReduceOptions{}))
	rows = Where(Unsqueeze(used, 1), rows, Number(dtype.Int64, fill))
	if k < size {
		rows = concat([]*Node{rows, broadcastTo(Number(dtype.Int64, fill), shape.Of(op, size-k, len(d)))}, 0)
	}
	return rows
}
