package ops

import "github.com/lucid-go/lucid/internal/shape"

// lengthAlong is the p-norm along one dimension, which stays with size 1.
func lengthAlong(x *Node, p float64, axis int) *Node {
	return VectorNorm(x, VectorNormOptions{Ord: &p, Dim: []int{axis}, KeepDim: true})
}

// atLeast is x where it is not below the bound, and the bound, without a gradient, elsewhere.
func atLeast(x *Node, bound float64) *Node { return Where(Lt(x, bound), constLike(x, bound), x) }

// NormalizeOptions says which norm (nil: 2) along which dimension (nil: 1) becomes 1; a norm below Eps (nil: 1e-12)
// counts as Eps.
type NormalizeOptions struct {
	P   *float64 // which norm; nil: 2
	Dim *int     // nil: 1
	Eps *float64 // least norm to divide by; nil: 1e-12
}

// Normalize returns x divided by its norm along a dimension.
//
//lucid:pkg nn/functional
//lucid:alias lp_normalize
//lucid:amp float32
func Normalize(x *Node, o NormalizeOptions) *Node {
	dim := dimOr("normalize", o.Dim, inexact("normalize", x), 1)
	ampFloat32(&x)
	return inFloat32(x, func(x *Node) *Node {
		return Div(x, atLeast(lengthAlong(x, orElse(o.P, 2), dim), orElse(o.Eps, 1e-12)))
	})
}

// CosineSimilarityOptions names the dimension (nil: 1) and the least norm (nil: 1e-8).
type CosineSimilarityOptions struct {
	Dim *int     // nil: 1
	Eps *float64 // least product of the norms; nil: 1e-8
}

// CosineSimilarity returns the cosine of the angle between x1 and x2 along a dimension; the two broadcast.
//
//lucid:pkg nn/functional
//lucid:amp float32
func CosineSimilarity(x1, x2 *Node, o CosineSimilarityOptions) *Node {
	ampFloat32(&x1, &x2)
	a, b := promote("cosine_similarity", floating(x1), floating(x2))
	d, eps := a.DType(), orElse(o.Eps, 1e-8)
	a, b = Cast(a, statDType(d)), Cast(b, statDType(d))
	axis := dimOr("cosine_similarity", o.Dim, a, 1)
	// The bound changes the value of a norm but not, as in PyTorch, its derivative.
	unit := func(x *Node) *Node {
		n := lengthAlong(x, 2, axis)
		return Div(x, withGrad(atLeast(n, eps), n, 1.0))
	}
	return Cast(sumKeep(Mul(unit(a), unit(b)), []int{axis}, false), d)
}

// PairwiseDistanceOptions says which norm (nil: 2) and what is added to the differences (nil: 1e-6).
type PairwiseDistanceOptions struct {
	P       *float64 // which norm; nil: 2
	Eps     *float64 // added to the differences; nil: 1e-6
	KeepDim bool     // the last dimension stays, with size 1
}

// PairwiseDistance returns the norm of x1 - x2 + eps along the last dimension; the two broadcast.
//
//lucid:pkg nn/functional
func PairwiseDistance(x1, x2 *Node, o PairwiseDistanceOptions) *Node {
	a, b := promote("pairwise_distance", floating(x1), floating(x2))
	d := a.DType()
	diff := Add(Sub(Cast(a, statDType(d)), Cast(b, statDType(d))), orElse(o.Eps, 1e-6))
	axis := shape.Axis("pairwise_distance", -1, diff.Rank())
	y := Cast(lengthAlong(diff, orElse(o.P, 2), axis), d.Real())
	if !o.KeepDim {
		y = Reshape(y, y.Shape().Dims()[:axis]...)
	}
	return y
}
