package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// CdistOptions says which norm: nil is 2. ComputeMode is PyTorch's choice of when the euclidean distance is computed
// by a matrix product, which is faster and less precise for points close to each other.
type CdistOptions struct {
	P           *float64 // which norm; nil: 2
	ComputeMode string   // PyTorch's choice of when a matrix product computes the euclidean distance: faster, less precise for close points
}

// DistanceOptions says which norm; nil is 2.
type DistanceOptions struct {
	P *float64 // which norm; nil: 2
}

const productFrom = 25 // points from which the default computes euclidean distances by a product, as PyTorch's does

// Cdist returns the p-norm distances between all rows of x1 and all rows of x2; leading dimensions broadcast. The
// gradient at distance 0 is 0.
//
//lucid:func
//lucid:amp float32
func Cdist(x1, x2 *Node, o CdistOptions) *Node {
	p := norm("cdist", o.P)
	if x1.Rank() < 2 || x2.Rank() < 2 || x1.Dim(-1) != x2.Dim(-1) {
		fault.Throw(fault.Shape, "cdist", "%v and %v do not hold rows of the same size", x1.Shape(), x2.Shape())
	}
	a, b := floating(x1), floating(x2)
	ampFloat32(&a, &b)
	d := resultType("cdist", a, b)
	requireKind("cdist", a, d.IsFloat(), "a real floating dtype")
	wide := d
	if d.IsHalf() { // which soon do not hold the square of a distance
		wide = dtype.Float32
	}
	a, b = Cast(a, wide), Cast(b, wide)
	byProduct := false
	switch o.ComputeMode {
	case "", "use_mm_for_euclid_dist_if_necessary":
		byProduct = p == 2 && (a.Dim(-2) > productFrom || b.Dim(-2) > productFrom)
	case "use_mm_for_euclid_dist":
		byProduct = p == 2
	case "donot_use_mm_for_euclid_dist":
	default:
		fault.Throw(fault.Value, "cdist", "unknown compute_mode %q", o.ComputeMode)
	}
	if byProduct {
		return Cast(euclidByProduct(a, b), d)
	}
	return Cast(pNorm(Sub(Unsqueeze(a, -2), Unsqueeze(b, -3)), p), d)
}

func norm(op string, p *float64) float64 {
	if p == nil {
		return 2
	}
	if !(*p >= 0) {
		fault.Throw(fault.Value, op, "p is %v; want a number from 0 on", *p)
	}
	return *p
}

// euclidByProduct uses |a-b|² = |a|² - 2·a·b + |b|².
func euclidByProduct(a, b *Node) *Node {
	na, nb := sumKeep(Square(a), []int{a.Rank() - 1}, true), sumKeep(Square(b), []int{b.Rank() - 1}, true)
	return rootOf(Maximum(Add(Sub(na, Mul(Matmul(a, swapLast(b)), 2.0)), swapLast(nb)), 0.0), 2)
}

// rootOf is s^(1/p), with derivative 0 at 0.
func rootOf(s *Node, p float64) *Node {
	zero, nothing := Eq(s, 0.0), constLike(s, 0)
	safe := Where(zero, constLike(s, 1), s)
	if p == 2 {
		return Where(zero, nothing, Sqrt(safe))
	}
	return Where(zero, nothing, Pow(safe, 1/p))
}

// pNorm is the norm of the differences along the last dimension. Where a difference is 0 its derivative is.
func pNorm(d *Node, p float64) *Node {
	last := []int{d.Rank() - 1}
	switch {
	case p == 0:
		return sumKeep(flatGrad(Cast(Ne(d, 0.0), d.DType()), d), last, false)
	case p == 1:
		return sumKeep(Abs(d), last, false)
	case p == 2:
		return rootOf(sumKeep(Square(d), last, false), 2)
	case math.IsInf(p, 1):
		if d.Dim(-1) == 0 {
			return broadcastTo(constLike(d, 0), shape.Reduced("cdist", d.Shape(), last, false))
		}
		return largestOf(Abs(d), last)
	}
	size := Abs(d)
	zero := Eq(size, 0.0)
	powers := Where(zero, constLike(d, 0), Pow(Where(zero, constLike(d, 1), size), p))
	return rootOf(sumKeep(powers, last, false), p)
}

// largestOf is the maximum; unlike Amax it gives its whole gradient to every element that reaches it, as PyTorch does here.
func largestOf(size *Node, axes []int) *Node {
	m := StopGradient(reduce(opAmax, size, axes, true))
	hit := Where(Lt(m, math.Inf(1)), Eq(size, m), false)
	share := Where(hit, size, constLike(size, 0))
	change := sumKeep(Sub(share, StopGradient(share)), axes, true) // 0, with the gradient
	return reshapeTo(Add(m, change), shape.Reduced("cdist", size.Shape(), axes, false))
}

// Pdist returns the p-norm distances between all pairs of rows of a matrix: row 0 with 1, 2, …, then row 1 with 2, ….
//
//lucid:pkg nn/functional
//lucid:amp float32
func Pdist(x *Node, o DistanceOptions) *Node {
	p := norm("pdist", o.P)
	requireRank("pdist", "input", x, 2)
	x = floating(x)
	requireKind("pdist", x, x.DType().IsFloat(), "a real floating dtype")
	i, j := pairs(x.Dim(0))
	return pNorm(Sub(take(x, i, 0), take(x, j, 0)), p)
}

// pairs lists the positions i < j < n, row by row. Pair number k is found from the end, where the rows are
// triangular numbers: with r pairs behind it, it is t rows from the last, t·(t+1)/2 <= r.
func pairs(n int) (i, j *Node) {
	count := n * (n - 1) / 2
	k := Arange64(count)
	r := Sub(count-1, k)
	t := Cast(Div(Sub(Sqrt(Add(Mul(Cast(r, dtype.Float64), 8.0), 1.0)), 1.0), 2.0), dtype.Int64)
	before := Cast(Mul(Cast(Mul(t, Add(t, 1)), dtype.Float64), 0.5), dtype.Int64)
	inRow := Sub(r, before) // from the end of the row
	return Sub(n-2, t), Sub(n-1, inRow)
}
