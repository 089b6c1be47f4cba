package lucid

import (
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/ops"
	"github.com/lucid-go/lucid/internal/shape"
)

// draw makes a value from a key and a tensor.
func (w With) draw(x *Tensor, f func(key, x *graph.Node) *graph.Node) *Tensor {
	n := acquire(x)
	defer release(n)
	r := f(w.nextKey(), n)
	if w.DType.Valid() {
		r = ops.Cast(r, w.DType)
	}
	return w.done(r)
}

// Bernoulli makes ones with the probabilities in p and zeros otherwise, in p's dtype.
func Bernoulli(p *Tensor) *Tensor { return With{}.Bernoulli(p) }

// Bernoulli makes ones with the probabilities in p and zeros otherwise, in p's dtype where w names none.
func (w With) Bernoulli(p *Tensor) *Tensor { return w.draw(p, ops.DrawBernoulli) }

// Poisson makes numbers of events of the given rates, in the rates' dtype.
func Poisson(rate *Tensor) *Tensor { return With{}.Poisson(rate) }

// Poisson makes numbers of events of the given rates, in the rates' dtype where w names none.
func (w With) Poisson(rate *Tensor) *Tensor { return w.draw(rate, ops.RandomPoisson) }

// Binomial makes numbers of successes in count trials of probability prob.
func Binomial(count, prob *Tensor) *Tensor { return With{}.Binomial(count, prob) }

// Binomial makes numbers of successes in count trials of probability prob.
func (w With) Binomial(count, prob *Tensor) *Tensor {
	p := acquire(prob)
	defer release(p)
	return w.draw(count, func(k, n *graph.Node) *graph.Node { return ops.RandomBinomial(k, n, p) })
}

// MultinomialOptions are the options of Multinomial.
type MultinomialOptions struct {
	Replacement bool // a class may be sampled again
}

// Multinomial draws class numbers by weights that need not sum to 1, from each row of x, of one or two dimensions.
func Multinomial(x *Tensor, numSamples int, opts ...MultinomialOptions) *Tensor {
	return With{}.Multinomial(x, numSamples, opts...)
}

// Multinomial draws class numbers by weights; see the function.
func (w With) Multinomial(x *Tensor, numSamples int, opts ...MultinomialOptions) *Tensor {
	o := option("multinomial", opts)
	return w.draw(x, func(k, n *graph.Node) *graph.Node { return ops.RandomMultinomial(k, n, numSamples, o.Replacement) })
}

// Normal makes normal numbers of the given mean and standard deviation, numbers or tensors that broadcast. Without
// sizes the shape is theirs.
func Normal(mean, std any, sizes ...int) *Tensor { return With{}.Normal(mean, std, sizes...) }

// Normal makes normal numbers; see the function. Gradients pass to mean and std.
func (w With) Normal(mean, std any, sizes ...int) *Tensor {
	m, s := acquireAny(mean), acquireAny(std)
	defer releaseAny(m)
	defer releaseAny(s)
	return w.done(ops.DrawNormal(w.nextKey(), m, s, sizes, w.DType))
}

// Exponential makes numbers of the exponential distribution with the given rate.
func (w With) Exponential(rate float64, sizes ...int) *Tensor {
	return w.random("exponential", sizes, func(k *graph.Node, s *shape.Shape, d DType) *graph.Node {
		return ops.RandomExponential(k, s, rate, d)
	})
}

// refill makes the handle show fresh numbers of its shape and dtype.
func (t *Tensor) refill(op string, f func(k *graph.Node, s *shape.Shape, d DType) *graph.Node) *Tensor {
	n := acquire(t)
	defer release(n)
	return t.rebind(op, f(ops.Default.Next(), n.Shape(), n.DType()))
}

// Uniform_ fills the tensor with numbers uniform in [low, high).
func (t *Tensor) Uniform_(low, high float64) *Tensor {
	return t.refill("uniform", func(k *graph.Node, s *shape.Shape, d DType) *graph.Node {
		return ops.RandomUniform(k, s, low, high, d)
	})
}

// Normal_ fills the tensor with normal numbers.
func (t *Tensor) Normal_(mean, std float64) *Tensor {
	return t.refill("normal", func(k *graph.Node, s *shape.Shape, d DType) *graph.Node {
		return ops.RandomNormal(k, s, mean, ops.CheckStd(std), d)
	})
}

// Bernoulli_ fills the tensor with ones of probability p, and zeros.
func (t *Tensor) Bernoulli_(p float64) *Tensor {
	return t.refill("bernoulli", func(k *graph.Node, s *shape.Shape, d DType) *graph.Node {
		return ops.Cast(ops.RandomBernoulli(k, s, p), d)
	})
}

// Random_ fills the tensor with integers: from 0 to below high for one argument, from low to below high for two, and
// for none over all from 0 on that the dtype holds exactly.
func (t *Tensor) Random_(bounds ...int) *Tensor {
	return t.refill("random", func(k *graph.Node, s *shape.Shape, d DType) *graph.Node {
		return ops.RandomRefill(k, s, bounds, d)
	})
}
