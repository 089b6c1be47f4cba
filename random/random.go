package random

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/shape"
)

// Options says what dtype the numbers have; zero: the default float.
type Options struct {
	DType lucid.DType // zero: the default float
}

// operands references the nodes of a call and lets them go at its end.
type operands []*graph.Node

func (o *operands) tensor(op string, t *lucid.Tensor) *graph.Node {
	if t == nil {
		fault.Throw(fault.Value, op, "a tensor is nil")
	}
	n := (*graph.Array)(t).Acquire()
	*o = append(*o, n)
	return n
}

// number is an operand that may be a tensor or a Go number, def if it is missing.
func (o *operands) number(op string, v, def any) any {
	switch v := v.(type) {
	case nil:
		return def
	case *lucid.Tensor:
		return o.tensor(op, v)
	}
	return v
}

func (o *operands) release() {
	for _, n := range *o {
		n.Unref()
	}
}

func wrap(n *graph.Node) *lucid.Tensor { return (*lucid.Tensor)(door.Wrap(n)) }

func floatOr(d lucid.DType) lucid.DType {
	if d == dtype.Invalid {
		return lucid.DefaultDType()
	}
	return d
}

// Key makes a key from a seed.
func Key(seed uint64) *lucid.Tensor { return wrap(ops.Key(seed)) }

// Split makes n fresh keys from one, the rows of a tensor of shape [n 2]. The old key should not be used again.
func Split(key *lucid.Tensor, n int) *lucid.Tensor {
	var o operands
	defer o.release()
	return wrap(ops.Split(o.tensor("split", key), n))
}

// Keys makes n fresh keys from one, as tensors of their own.
func Keys(key *lucid.Tensor, n int) []*lucid.Tensor {
	var o operands
	defer o.release()
	all := ops.Split(o.tensor("split", key), n)
	out := make([]*lucid.Tensor, n)
	for i := range out {
		out[i] = wrap(ops.KeyAt(all, i))
	}
	return out
}

// Bits makes random words of 1, 2, 4 or 8 bytes: uint8, uint16, uint32 or uint64.
func Bits(key *lucid.Tensor, sizes []int, width int) *lucid.Tensor {
	var o operands
	defer o.release()
	return wrap(ops.RandomBits(o.tensor("bits", key), shape.Of("bits", sizes...), width))
}

// UniformOptions says the interval of the numbers: from Low (nil: 0) to High (nil: 1), numbers or tensors that broadcast.
type UniformOptions struct {
	Low   any         // a number or a tensor; nil: 0
	High  any         // a number or a tensor; nil: 1
	DType lucid.DType // zero: the default float
}

// Uniform makes numbers uniform in [low, high).
func Uniform(key *lucid.Tensor, sizes []int, opts ...UniformOptions) *lucid.Tensor {
	var o operands
	defer o.release()
	p := door.Option("uniform", opts)
	return wrap(ops.RandomUniform(o.tensor("uniform", key), shape.Of("uniform", sizes...),
		o.number("uniform", p.Low, 0), o.number("uniform", p.High, 1), floatOr(p.DType)))
}

// NormalOptions says the mean (nil: 0) and the standard deviation (nil: 1), numbers or tensors that broadcast.
type NormalOptions struct {
	Loc   any         // the mean, a number or a tensor; nil: 0
	Scale any         // the standard deviation, a number or a tensor; nil: 1
	DType lucid.DType // zero: the default float
}

// Normal makes normal numbers, complex ones for a complex dtype.
func Normal(key *lucid.Tensor, sizes []int, opts ...NormalOptions) *lucid.Tensor {
	var o operands
	defer o.release()
	p := door.Option("normal", opts)
	return wrap(ops.RandomNormal(o.tensor("normal", key), shape.Of("normal", sizes...),
		o.number("normal", p.Loc, 0), o.number("normal", p.Scale, 1), floatOr(p.DType)))
}

// TruncatedNormal makes standard normal numbers truncated to lower and upper, numbers or tensors that broadcast.
func TruncatedNormal(key *lucid.Tensor, lower, upper any, sizes []int, opts ...Options) *lucid.Tensor {
	var o operands
	defer o.release()
	return wrap(ops.RandomTruncatedNormal(o.tensor("truncated_normal", key), shape.Of("truncated_normal", sizes...),
		o.number("truncated_normal", lower, nil), o.number("truncated_normal", upper, nil),
		floatOr(door.Option("truncated_normal", opts).DType)))
}

// Gumbel makes numbers of the standard Gumbel distribution.
func Gumbel(key *lucid.Tensor, sizes []int, opts ...Options) *lucid.Tensor {
	var o operands
	defer o.release()
	return wrap(ops.RandomGumbel(o.tensor("gumbel", key), shape.Of("gumbel", sizes...), floatOr(door.Option("gumbel", opts).DType)))
}

// LaplaceOptions says the mean (nil: 0) and the scale (nil: 1), numbers or tensors that broadcast.
type LaplaceOptions struct {
	Loc   any         // the mean, a number or a tensor; nil: 0
	Scale any         // a number or a tensor; nil: 1
	DType lucid.DType // zero: the default float
}

// Laplace makes numbers of the Laplace distribution.
func Laplace(key *lucid.Tensor, sizes []int, opts ...LaplaceOptions) *lucid.Tensor {
	var o operands
	defer o.release()
	p := door.Option("laplace", opts)
	return wrap(ops.RandomLaplace(o.tensor("laplace", key), shape.Of("laplace", sizes...),
		o.number("laplace", p.Loc, 0), o.number("laplace", p.Scale, 1), floatOr(p.DType)))
}

// MultivariateNormal makes vectors of normal distributions with means of (…, n) and covariances of (…, n, n), which are positive
// definite: a covariance that is not panics with ErrSingular. sizes are those of the batch of vectors, to which means and
// covariances broadcast; nil: theirs. It factors by Cholesky, so it gives other numbers than MLX, which factors by SVD.
func MultivariateNormal(key, mean, cov *lucid.Tensor, sizes []int, opts ...Options) *lucid.Tensor {
	const op = "multivariate_normal"
	var o operands
	defer o.release()
	return wrap(ops.RandomMultivariateNormal(o.tensor(op, key), o.tensor(op, mean), o.tensor(op, cov), sizes,
		floatOr(door.Option(op, opts).DType)))
}
