package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// DiffOptions says how often (nil: once) and along which dimension (nil: the last) to take differences.
type DiffOptions struct {
	N   *int // how often; nil: once
	Dim *int // nil: the last
}

// Diff returns the differences of neighbours along a dimension, n times over; of bools, whether they differ. prepend
// and append are joined to x first, and may be nil.
//
//lucid:func
//lucid:method Diff(n int)
//lucid:optional prepend append
func Diff(x, prepend, append *Node, o DiffOptions) *Node {
	if x.Rank() == 0 {
		fault.Throw(fault.Shape, "diff", "a 0-d tensor has no neighbours; want at least one dim")
	}
	axis, n := dimOr("diff", o.Dim, x, -1), 1
	if o.N != nil {
		n = *o.N
	}
	if n < 0 {
		fault.Throw(fault.Value, "diff", "n is %d; want 0 or more", n)
	}
	if n == 0 {
		return x
	}
	parts := []*Node{x}
	if prepend != nil {
		parts = []*Node{prepend, x}
	}
	if append != nil {
		parts = join(parts, append)
	}
	if len(parts) > 1 {
		x = Cat(parts, axis)
	}
	for range n {
		m := x.Dim(axis)
		if m == 0 {
			break
		}
		a, b := SliceDim(x, axis, 1, m-1, 1), SliceDim(x, axis, 0, m-1, 1)
		if x.DType() == dtype.Bool {
			x = LogicalXor(a, b)
		} else {
			x = Sub(a, b)
		}
	}
	return x
}

func join(a []*Node, b ...*Node) []*Node { return append(a, b...) }

// TrapezoidOptions says the distance of the points (nil: 1) and along which dimension (nil: the last) they run.
type TrapezoidOptions struct {
	Dx  *float64 // distance of the points; nil: 1
	Dim *int     // nil: the last
}

// trapezoids gives the area between neighbours: their mean times their distance.
func trapezoids(op string, y, x *Node, o TrapezoidOptions) (*Node, int) {
	axis := dimOr(op, o.Dim, y, -1)
	if y.Rank() == 0 {
		fault.Throw(fault.Shape, op, "y is 0-d; want at least one dim")
	}
	if x == nil {
		y = floating(y)
	} else {
		d := resultType(op, y, x)
		if !d.IsInexact() {
			d = DefaultFloat()
		}
		y, x = Cast(y, d), Cast(x, d)
	}
	m := y.Dim(axis)
	gaps := max(0, m-1) // nothing has none either
	both := Add(SliceDim(y, axis, m-gaps, gaps, 1), SliceDim(y, axis, 0, gaps, 1))
	if x == nil {
		dx := 1.0
		if o.Dx != nil {
			dx = *o.Dx
		}
		return Mul(both, dx/2), axis
	}
	if o.Dx != nil {
		fault.Throw(fault.Value, op, "got both x and dx; give one")
	}
	if x.Rank() == 1 {
		if x.Dim(0) != m {
			fault.Throw(fault.Shape, op, "x has %d points, dim %d of y %v has %d", x.Dim(0), axis, y.Shape(), m)
		}
		d := ones(y.Rank())
		d[axis] = m
		x = reshapeTo(x, shape.Of(op, d...))
	}
	at := axis - (y.Rank() - x.Rank())
	if at < 0 || x.Dim(at) != m {
		fault.Throw(fault.Shape, op, "x %v does not fit y %v along dim %d", x.Shape(), y.Shape(), axis)
	}
	dist := Sub(SliceDim(x, at, m-gaps, gaps, 1), SliceDim(x, at, 0, gaps, 1))
	return Mul(Mul(both, dist), 0.5), axis
}

// Trapezoid returns the integral along a dimension of values y by the trapezoid rule, at points x or Dx apart.
//
//lucid:func
//lucid:alias trapz
//lucid:optional x
//lucid:amp float32
func Trapezoid(y, x *Node, o TrapezoidOptions) *Node {
	a, axis := trapezoids("trapezoid", y, x, o)
	return Sum(a, ReduceOptions{Dim: []int{axis}})
}

// CumulativeTrapezoid returns running integrals along a dimension by the trapezoid rule, one fewer than there are points.
//
//lucid:func
//lucid:optional x
//lucid:amp float32
func CumulativeTrapezoid(y, x *Node, o TrapezoidOptions) *Node {
	a, axis := trapezoids("cumulative_trapezoid", y, x, o)
	return Cumsum(a, axis, CumulativeOptions{})
}
