package ops

import (
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// These are called by name and draw from the default generator.

// Rand returns numbers uniform in [0, 1).
//
//lucid:name rand
//lucid:nondeterministic draws from the default generator
func Rand(size []int, o FullOptions) *Node {
	return RandomUniform(Default.Next(), shape.Of("rand", size...), 0, 1, floatOr(o.DType))
}

// Randn returns standard normal numbers.
//
//lucid:name randn
//lucid:nondeterministic draws from the default generator
func Randn(size []int, o FullOptions) *Node {
	return RandomNormal(Default.Next(), shape.Of("randn", size...), 0, 1, floatOr(o.DType))
}

// RandIntOptions says where the integers begin (nil: 0) and their dtype; zero: int64.
type RandIntOptions struct {
	Low   any
	DType dtype.DType // zero: the default float
}

// Randint returns integers from low to below high, each equally likely; in a floating dtype they are rounded to it.
//
//lucid:name randint
//lucid:nondeterministic draws from the default generator
//lucid:nograd its result is whole numbers
func Randint(high any, size []int, o RandIntOptions) *Node {
	if o.Low == nil {
		o.Low = 0
	}
	if o.DType == dtype.Invalid {
		o.DType = dtype.Int64
	}
	if o.DType.IsFloat() {
		return Cast(RandomInt(Default.Next(), shape.Of("randint", size...), o.Low, high, dtype.Int64), o.DType)
	}
	return RandomInt(Default.Next(), shape.Of("randint", size...), o.Low, high, o.DType)
}

// Randperm returns 0 … n-1 in random order.
//
//lucid:name randperm
//lucid:nondeterministic draws from the default generator
//lucid:nograd its result is whole numbers
func Randperm(n int, o FullOptions) *Node {
	r := RandomPermutation(Default.Next(), n, 8)
	if o.DType == dtype.Invalid {
		return r
	}
	return Cast(r, o.DType)
}

// Bernoulli returns ones with the probabilities in x, and zeros.
//
//lucid:name bernoulli
//lucid:nondeterministic draws from the default generator
func Bernoulli(x *Node) *Node { return DrawBernoulli(Default.Next(), x) }

// Poisson returns numbers of events of the rates in x.
//
//lucid:name poisson
//lucid:nondeterministic draws from the default generator
func Poisson(x *Node) *Node { return RandomPoisson(Default.Next(), x) }

// Binomial returns numbers of successes in count trials of probability prob.
//
//lucid:name binomial
//lucid:nondeterministic draws from the default generator
func Binomial(count, prob *Node) *Node { return RandomBinomial(Default.Next(), count, prob) }

// MultinomialOptions says whether one class may be sampled several times.
type MultinomialOptions struct {
	Replacement bool
}

// Multinomial returns class numbers sampled by the weights in the last dimension of x.
//
//lucid:name multinomial
//lucid:nondeterministic draws from the default generator
//lucid:nograd its result is a position
func Multinomial(x *Node, numSamples int, o MultinomialOptions) *Node {
	return RandomMultinomial(Default.Next(), x, numSamples, o.Replacement)
}

// NormalOptions says the sizes of the result where mean and std are numbers.
type NormalOptions struct {
	Size  []int       // the new size of each spatial dimension; none: by ScaleFactor
	DType dtype.DType // zero: the default float
}

// Normal returns normal numbers of the means and standard deviations given.
//
//lucid:name normal
//lucid:nondeterministic draws from the default generator
func Normal(mean, std Operand, o NormalOptions) *Node {
	return DrawNormal(Default.Next(), mean, std, o.Size, o.DType)
}

// UniformOptions say between which numbers, nil meaning 0 and 1, and the dtype; zero: the default float.
type UniformOptions struct {
	Low   any
	High  any
	DType dtype.DType // zero: the default float
}

// Uniform returns numbers uniform in [low, high).
//
//lucid:name uniform
//lucid:nondeterministic draws from the default generator
func Uniform(size []int, o UniformOptions) *Node {
	if o.Low == nil {
		o.Low = 0.0
	}
	if o.High == nil {
		o.High = 1.0
	}
	return RandomUniform(Default.Next(), shape.Of("uniform", size...), o.Low, o.High, floatOr(o.DType))
}

// TruncatedNormal returns standard normal numbers between lower and upper.
//
//lucid:name truncated_normal
//lucid:nondeterministic draws from the default generator
func TruncatedNormal(lower, upper Operand, size []int, o FullOptions) *Node {
	return RandomTruncatedNormal(Default.Next(), shape.Of("truncated_normal", size...), lower, upper, floatOr(o.DType))
}

// Gumbel returns numbers of the standard Gumbel distribution.
//
//lucid:name gumbel
//lucid:nondeterministic draws from the default generator
func Gumbel(size []int, o FullOptions) *Node {
	return RandomGumbel(Default.Next(), shape.Of("gumbel", size...), floatOr(o.DType))
}

// LocScaleOptions say where the middle of a distribution is (nil: 0), how wide it is (nil: 1), and the dtype; zero: the default float.
type LocScaleOptions struct {
	Loc   *float64
	Scale *float64
	DType dtype.DType // zero: the default float
}

// Laplace returns numbers of the Laplace distribution.
//
//lucid:name laplace
//lucid:nondeterministic draws from the default generator
func Laplace(size []int, o LocScaleOptions) *Node {
	return RandomLaplace(Default.Next(), shape.Of("laplace", size...), orElse(o.Loc, 0), orElse(o.Scale, 1), floatOr(o.DType))
}

// CategoricalOptions say how many classes are sampled of each distribution (nil: one, without a dimension for it).
type CategoricalOptions struct {
	NumSamples *int
}

// Categorical returns class numbers sampled by logits along an axis.
//
//lucid:name categorical
//lucid:nondeterministic draws from the default generator
//lucid:default axis=-1
//lucid:nograd its result is a position
func Categorical(x *Node, axis int, o CategoricalOptions) *Node {
	if o.NumSamples != nil {
		return RandomCategoricalN(Default.Next(), x, axis, *o.NumSamples)
	}
	x, at := classLogits(x, axis)
	dims := x.Shape().Clone()
	return RandomCategorical(Default.Next(), x, at, shape.Of("categorical", append(dims[:at], dims[at+1:]...)...))
}

// Permutation returns x with its elements along an axis in random order.
//
//lucid:name permutation
//lucid:nondeterministic draws from the default generator
//lucid:default axis=0
func Permutation(x *Node, axis int) *Node {
	return RandomShuffle(Default.Next(), x, axis)
}

// LogNormalOptions say the mean (nil: 1) and the standard deviation (nil: 2) of the logarithms.
type LogNormalOptions struct {
	Mean *float64
	Std  *float64
}

// LogNormal returns exponentials of normal numbers, in the shape and dtype of x.
//
//lucid:name log_normal
//lucid:inplace LogNormal(mean float64, std float64)
//lucid:nondeterministic draws from the default generator
func LogNormal(x *Node, o LogNormalOptions) *Node {
	return Exp(RandomNormal(Default.Next(), x.Shape(), orElse(o.Mean, 1), CheckStd(orElse(o.Std, 2)), x.DType()))
}

// ExponentialOptions say the rate; nil: 1.
type ExponentialOptions struct {
	Lambd *float64
}

// Exponential returns numbers of the exponential distribution with a rate, in the shape and dtype of x.
//
//lucid:name exponential
//lucid:inplace Exponential(lambd float64)
//lucid:nondeterministic draws from the default generator
func Exponential(x *Node, o ExponentialOptions) *Node {
	return RandomExponential(Default.Next(), x.Shape(), orElse(o.Lambd, 1), x.DType())
}

// CauchyOptions say where the middle is (nil: 0) and how wide the distribution is (nil: 1).
type CauchyOptions struct {
	Median *float64
	Sigma  *float64
}

// Cauchy returns numbers of the Cauchy distribution, in the shape and dtype of x.
//
//lucid:name cauchy
//lucid:inplace Cauchy(median float64, sigma float64)
//lucid:nondeterministic draws from the default generator
func Cauchy(x *Node, o CauchyOptions) *Node {
	return RandomCauchy(Default.Next(), x.Shape(), orElse(o.Median, 0), orElse(o.Sigma, 1), x.DType())
}

// Geometric returns numbers of trials up to the first success of probability p, in the shape and dtype of x.
//
//lucid:name geometric
//lucid:inplace Geometric(p float64)
//lucid:nondeterministic draws from the default generator
//lucid:nograd its result is whole numbers
func Geometric(x *Node, p float64) *Node {
	return RandomGeometric(Default.Next(), x.Shape(), p, x.DType())
}
