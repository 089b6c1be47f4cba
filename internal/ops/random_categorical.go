package ops

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// RandomCategorical returns classes by unnormalized log-probabilities along axis. The result has shape s, with which
// the other dimensions of the logits broadcast.
func RandomCategorical(key, logits *Node, axis int, s *shape.Shape) *Node {
	x, axis := classLogits(logits, axis)
	return drawClass(key, someLogit(x, axis), axis, s)
}

// someLogit is logits whose distributions each have a class that can be sampled.
func someLogit(x *Node, axis int) *Node {
	return require("categorical", attr.SomeLogit, x, Amax(x, ReduceOptions{Dim: []int{axis}, KeepDim: true}))
}

func drawClass(key, x *Node, axis int, s *shape.Shape) *Node {
	rest := shape.Reduced("categorical", x.Shape(), []int{axis}, false)
	if !shape.BroadcastsTo(rest, s) {
		fault.Throw(fault.Shape, "categorical", "the shape %v does not fit logits that are %v without their dim %d", s, rest, axis)
	}
	at := axis + s.Rank() - rest.Rank()
	noise := shape.Of("categorical", slices.Insert(s.Clone(), at, x.Dim(axis))...)
	return Argmax(Add(RandomGumbel(key, noise, x.DType()), x), ArgOptions{Dim: &at})
}

func classLogits(logits *Node, axis int) (*Node, int) {
	axis = shape.Axis("categorical", axis, logits.Rank())
	if logits.Rank() == 0 || logits.Dim(axis) == 0 {
		fault.Throw(fault.Shape, "categorical", "logits of shape %v hold no class along dim %d", logits.Shape(), axis)
	}
	if logits.DType().IsHalf() || !logits.DType().IsInexact() {
		return Cast(logits, dtype.Float32), axis
	}
	requireFloat("categorical", logits.DType())
	return logits, axis
}

// RandomCategoricalN returns n samples of each distribution, as a last dimension. One distribution alone is sampled by
// the inverse of its distribution function, in memory for its classes and the samples only.
func RandomCategoricalN(key, logits *Node, axis, n int) *Node {
	x, axis := classLogits(logits, axis)
	return drawClasses(key, someLogit(x, axis), axis, n)
}

func drawClasses(key, x *Node, axis, n int) *Node {
	d := x.Shape().Clone()
	if x.Shape().Numel() != d[axis] || n <= 1 {
		d = append(slices.Delete(d, axis, axis+1), n)
		return drawClass(key, Reshape(x, append(x.Shape().Clone(), 1)...), axis, shape.Of("categorical", d...))
	}
	s := shape.Of("categorical", append(slices.Delete(d, axis, axis+1), n)...)
	flat := Reshape(x, -1)
	e := Exp(Sub(flat, Amax(flat, ReduceOptions{})))
	cdf := Cumsum(e, 0, CumulativeOptions{})
	u := RandomUniform(key, s, 0, 1, x.DType())
	total := SliceDim(cdf, 0, cdf.Dim(0)-1, 1, 1)
	return pickByCDF(cdf, Mul(u, total))
}

// pickByCDF returns the class that u falls into: how many sums do not reach past it. A class of probability zero is
// never met, since u stays below the total.
func pickByCDF(cdf, u *Node) *Node {
	return Minimum(Searchsorted(cdf, u, nil, SearchOptions{Right: true}), cdf.Dim(0)-1)
}
