package random

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/shape"
)

// RandInt makes integers in [low, high), int32 unless a dtype is given. The bounds are numbers or tensors that
// broadcast. For numbers within ±2²⁴ the integers are MLX's, a float32 uniform cut to an integer; for others each
// integer of the range is equally likely, over all 64 bits.
func RandInt(key *lucid.Tensor, low, high any, sizes []int, opts ...Options) *lucid.Tensor {
	var o operands
	defer o.release()
	d := door.Option("randint", opts).DType
	if d == dtype.Invalid {
		d = lucid.Int32
	}
	return wrap(ops.RandomIntMLX(o.tensor("randint", key), shape.Of("randint", sizes...), o.number("randint", low, 0),
		o.number("randint", high, nil), d))
}

// Bernoulli makes bools that are true with probability p, a number or a tensor that broadcasts. Without sizes the
// shape is p's.
func Bernoulli(key *lucid.Tensor, p any, sizes []int) *lucid.Tensor {
	var o operands
	defer o.release()
	if t, ok := p.(*lucid.Tensor); ok && sizes == nil && t != nil {
		sizes = t.Shape()
	}
	return wrap(ops.RandomBernoulli(o.tensor("bernoulli", key), shape.Of("bernoulli", sizes...), o.number("bernoulli", p, 0.5)))
}

// CategoricalOptions says which dimension the classes are along (nil: the last), and what comes out: for NumSamples n
// a last dimension of n samples of each distribution, for Shape a result of that shape, with which the distributions
// broadcast, and one sample of each distribution by default.
type CategoricalOptions struct {
	Axis       *int  // dimension of the classes; nil: the last
	NumSamples int   // samples of each distribution, in a last dimension; 0: one, without it
	Shape      []int // of the result, with which the distributions broadcast; nil: theirs
}

// Categorical makes class numbers by unnormalized log-probabilities.
func Categorical(key, logits *lucid.Tensor, opts ...CategoricalOptions) *lucid.Tensor {
	var o operands
	defer o.release()
	p := door.Option("categorical", opts)
	k, x, axis := o.tensor("categorical", key), o.tensor("categorical", logits), -1
	if p.Axis != nil {
		axis = *p.Axis
	}
	switch {
	case p.Shape != nil && p.NumSamples != 0:
		fault.Throw(fault.Value, "categorical", "got both a shape %v and a number of samples %d; give one", p.Shape, p.NumSamples)
	case p.NumSamples != 0:
		return wrap(ops.RandomCategoricalN(k, x, axis, p.NumSamples))
	case p.Shape == nil && x.Rank() > 0:
		at := shape.Axis("categorical", axis, x.Rank())
		p.Shape = slices.Delete(x.Shape().Clone(), at, at+1)
	}
	return wrap(ops.RandomCategorical(k, x, axis, shape.Of("categorical", p.Shape...)))
}

// Permutation makes a random order: of 0 … x-1 as int64 for an int, of the slices along axis (0 if not given) for a
// tensor.
func Permutation(key *lucid.Tensor, x any, axis ...int) *lucid.Tensor {
	var o operands
	defer o.release()
	k := o.tensor("permutation", key)
	switch v := x.(type) {
	case int:
		return wrap(ops.RandomPermutation(k, v, 4))
	case *lucid.Tensor:
		return wrap(ops.RandomShuffle(k, o.tensor("permutation", v), door.Option("permutation", axis)))
	}
	fault.Throw(fault.Value, "permutation", "x is a %T; want an int or a tensor", x)
	return nil
}
