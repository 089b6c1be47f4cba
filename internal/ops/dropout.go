package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// DropoutOptions: P is the share of elements dropped, nil meaning one half; Eval passes x through.
type DropoutOptions struct {
	P    *float64 // share of elements that are dropped; nil: 0.5
	Eval bool     `lucid:"training,not"` // PyTorch's training=False
}

// share returns the checked probability; active is false where nothing is to be dropped.
func (o DropoutOptions) share(op string) (p float64, active bool) {
	p = orElse(o.P, 0.5)
	if !(p >= 0 && p <= 1) {
		fault.Throw(fault.Value, op, "p is %v; want a number from 0 to 1", p)
	}
	return p, !o.Eval && p > 0
}

// inexact refuses whole numbers and bools.
func inexact(op string, x *Node) *Node {
	requireKind(op, x, x.DType().IsInexact(), "a floating or complex dtype")
	return x
}

// uniformFor samples numbers uniform in [0, 1) from the default generator, on the device of x.
func uniformFor(op string, x *Node, sizes []int) *Node {
	u := RandomUniform(Default.Next(), shape.Of(op, sizes...), 0, 1, DefaultFloat())
	if dev := x.Device(); dev != nil && u.Device() != dev {
		u = ToDevice(u, dev)
	}
	return u
}

// drop sets what a mask of the given sizes hits to zero and scales the rest.
func drop(op string, x *Node, p float64, sizes []int) *Node {
	if p == 1 {
		return Mul(x, 0)
	}
	return Where(Ge(uniformFor(op, x, sizes), p), Mul(x, 1/(1-p)), constLike(x, 0))
}

// sameBehind returns the sizes of a mask that has the first n dimensions of x and is the same along the others.
func sameBehind(op string, x *Node, n int) []int {
	if x.Rank() < n {
		fault.Throw(fault.Shape, op, "the tensor has shape %v; want at least %d dimensions", x.Shape(), n)
	}
	s := ones(x.Rank())
	copy(s, x.Shape().Dims()[:n])
	return s
}

// Dropout sets elements to zero with probability P and divides the others by 1-P.
//
//lucid:pkg nn/functional
//lucid:alias dropout_stateful
//lucid:nondeterministic draws from the default generator
func Dropout(x *Node, o DropoutOptions) *Node {
	p, active := o.share("dropout")
	inexact("dropout", x)
	if !active {
		return x
	}
	return drop("dropout", x, p, x.Shape().Dims())
}

// FeatureDropout is Dropout of whole channels: x is (N, C, …).
//
//lucid:pkg nn/functional featureDropout
//lucid:alias dropoutnd dropout2d
//lucid:nondeterministic draws from the default generator
func FeatureDropout(x *Node, o DropoutOptions) *Node {
	p, active := o.share("feature_dropout")
	sizes := sameBehind("feature_dropout", inexact("feature_dropout", x), 2)
	if !active {
		return x
	}
	return drop("feature_dropout", x, p, sizes)
}

// AlphaDropout drops elements so that mean and variance of selu's results stay.
//
//lucid:pkg nn/functional
//lucid:nondeterministic draws from the default generator
func AlphaDropout(x *Node, o DropoutOptions) *Node {
	p, active := o.share("alpha_dropout")
	realFloat("alpha_dropout", x)
	if !active {
		return x
	}
	return alphaDrop("alpha_dropout", x, p, x.Shape().Dims())
}

// FeatureAlphaDropout is AlphaDropout of whole channels; x is (N, C, …).
//
//lucid:pkg nn/functional
//lucid:nondeterministic draws from the default generator
func FeatureAlphaDropout(x *Node, o DropoutOptions) *Node {
	const op = "feature_alpha_dropout"
	p, active := o.share(op)
	sizes := sameBehind(op, realFloat(op, x), 2)
	if !active {
		return x
	}
	return alphaDrop(op, x, p, sizes)
}

func alphaDrop(op string, x *Node, p float64, sizes []int) *Node {
	if p == 1 {
		return Mul(x, 0)
	}
	const low = -1.7580993408473766 // -scale·alpha of selu, what it gives far below 0
	a := 1 / math.Sqrt((low*low*p+1)*(1-p))
	b := -a * low * p
	return Add(Mul(Where(Ge(uniformFor(op, x, sizes), p), x, constLike(x, low)), a), b)
}

// DropPath sets whole examples (dim 0) of x to zero with probability P (nil: one half) and divides the others by 1-P:
// a residual branch is left out (Huang et al.).
//
//lucid:pkg nn/functional
//lucid:nondeterministic draws from the default generator
func DropPath(x *Node, o DropoutOptions) *Node {
	p, active := o.share("drop_path")
	sizes := sameBehind("drop_path", inexact("drop_path", x), 1)
	if !active {
		return x
	}
	return drop("drop_path", x, p, sizes)
}

// DropBlockOptions: squares of BlockSize (0 means 7) are set to zero so that a share P (nil: one tenth) of the elements
// is; Eval passes x through.
type DropBlockOptions struct {
	BlockSize int      // side of the squares; 0: 7
	P         *float64 // share of elements that are dropped; nil: 0.1
	Eval      bool     `lucid:"training,not"` // pass the input through, as in evaluation
}

// DropBlock sets squares of the planes of x, (N, C, H, W), to zero and scales the others so that the sum of the mask
// stays (Ghiasi et al.).
//
//lucid:pkg nn/functional
//lucid:nondeterministic draws from the default generator
func DropBlock(x *Node, o DropBlockOptions) *Node {
	const op = "drop_block"
	k, p := o.BlockSize, orElse(o.P, 0.1)
	if k == 0 {
		k = 7
	}
	realFloat(op, x)
	switch {
	case !(p >= 0 && p <= 1):
		fault.Throw(fault.Value, op, "p is %v; want a number from 0 to 1", p)
	case x.Rank() != 4:
		fault.Throw(fault.Shape, op, "the tensor has shape %v; want (N, C, H, W)", x.Shape())
	case k < 1 || k > x.Dim(2) || k > x.Dim(3):
		fault.Throw(fault.Value, op, "block_size is %d for planes of %d by %d", k, x.Dim(2), x.Dim(3))
	}
	if o.Eval || p == 0 {
		return x
	}
	h, w := x.Dim(2), x.Dim(3)
	// A block is seeded where all of it is inside the plane.
	gamma := p / float64(k*k) * float64(h*w) / float64((h-k+1)*(w-k+1))
	seed := Cast(Lt(uniformFor(op, x, []int{x.Dim(0), x.Dim(1), h - k + 1, w - k + 1}), gamma), dtype.Float32)
	seed = Pad(seed, []int{k - 1, k - 1, k - 1, k - 1}, PadOptions{})
	hit, _ := MaxPool2d(seed, []int{k}, MaxPoolOptions{Stride: []int{1}})
	// The scale is a ratio of counts, which half types could not hold.
	keep := Sub(1, StopGradient(hit))
	scale := Mul(Reciprocal(ClampMin(Sum(keep, ReduceOptions{}), 1)), float64(x.Shape().Numel()))
	return Mul(x, Cast(Mul(keep, scale), x.DType()))
}
