package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// positiveUnit returns numbers in (0, 1], computed in float32 for half types.
func positiveUnit(key *Node, s *shape.Shape, d dtype.DType) *Node {
	if d.IsHalf() {
		d = dtype.Float32
	}
	return Sub(1.0, unit(key, s, d))
}

// RandomExponential returns numbers of the exponential distribution: -log(u)/rate.
func RandomExponential(key *Node, s *shape.Shape, rate float64, d dtype.DType) *Node {
	requireFloat("exponential", d)
	positive("exponential", "rate", rate)
	return Cast(Mul(Log(positiveUnit(key, s, d)), -1/rate), d)
}

// RandomCauchy returns numbers of the Cauchy distribution: median + sigma·tan(π(u-½)).
func RandomCauchy(key *Node, s *shape.Shape, median, sigma float64, d dtype.DType) *Node {
	requireFloat("cauchy", d)
	positive("cauchy", "sigma", sigma)
	return Cast(Add(Mul(Tan(Mul(Sub(positiveUnit(key, s, d), 0.5), math.Pi)), sigma), median), d)
}

// RandomGeometric returns numbers of trials up to the first success of probability p: ⌈log(u)/log(1-p)⌉, at least 1.
func RandomGeometric(key *Node, s *shape.Shape, p float64, d dtype.DType) *Node {
	if !(p > 0 && p < 1) {
		fault.Throw(fault.Value, "geometric", "p is %v; want more than 0 and less than 1", p)
	}
	if d == dtype.Bool || d.IsComplex() {
		fault.Throw(fault.DType, "geometric", "dtype %v does not hold counts", d)
	}
	t := Mul(Log(positiveUnit(key, s, dtype.Float64)), 1/math.Log1p(-p))
	return Cast(Maximum(Ceil(t), 1.0), d)
}

// CheckStd refuses a negative standard deviation.
func CheckStd(std float64) float64 {
	if !(std >= 0) {
		fault.Throw(fault.Value, "normal", "the standard deviation is %v; want 0 or more", std)
	}
	return std
}

// DrawNormal returns normal numbers of means and standard deviations that are numbers or tensors, of the sizes given
// or of their common shape. The dtype, if not given, is that of the tensors.
func DrawNormal(key *Node, mean, std Operand, sizes []int, d dtype.DType) *Node {
	s := shape.Of("normal", sizes...)
	for i, x := range []Operand{mean, std} {
		n, ok := x.(*Node)
		switch {
		case !ok && i == 1:
			if v, num := dtype.ScalarOf(x); num {
				CheckStd(v.Float())
			}
		case !ok:
		case len(sizes) == 0:
			s = shape.Broadcast("normal", s, n.Shape())
			fallthrough
		default:
			if d == dtype.Invalid && n.DType().IsInexact() {
				d = n.DType()
			}
			if i == 1 && !n.DType().IsComplex() {
				std = require("normal", attr.NotNegative, n, n)
			}
		}
	}
	return RandomNormal(key, s, mean, std, floatOr(d))
}

// DrawBernoulli returns ones with the probabilities in x, in x's dtype.
func DrawBernoulli(key, x *Node) *Node { return Cast(RandomBernoulli(key, x.Shape(), x), x.DType()) }

// RandomMultinomial returns class numbers by the weights in the last of one or two dimensions. With replacement each
// sample is where a uniform number falls among the sums of weights; without, samples are the classes whose exponential clocks,
// running at the weights' rates, ring first.
func RandomMultinomial(key, x *Node, n int, replacement bool) *Node {
	requireFloat("multinomial", x.DType())
	if x.Rank() < 1 || x.Rank() > 2 {
		fault.Throw(fault.Shape, "multinomial", "weights have shape %v; want one or two dimensions", x.Shape())
	}
	if n <= 0 || !replacement && n > x.Dim(-1) {
		fault.Throw(fault.Value, "multinomial",
			"%d samples of %d classes; want at least one, and no more than there are without replacement", n, x.Dim(-1))
	}
	d := clockType(x.DType())
	w := Cast(x, d)
	w = require("multinomial", attr.Weight, w, w)
	top := Amax(w, ReduceOptions{Dim: []int{-1}, KeepDim: true})
	w = require("multinomial", attr.SomeWeight, w, top)
	if replacement {
		return drawBySums(key, Div(Cast(w, dtype.Float64), Cast(top, dtype.Float64)), n)
	}
	clock := Div(w, RandomExponential(key, x.Shape(), 1, d))
	values, at := Topk(clock, n, TopKOptions{})
	giveUp(values)
	return at
}

// drawBySums draws n classes of each row of weights, the largest of which is 1. What is searched for stays below the last of the
// sums, so that a class without weight is never met.
func drawBySums(key, w *Node, n int) *Node {
	last := w.Rank() - 1
	sums := Cumsum(w, last, CumulativeOptions{})
	total := SliceDim(sums, last, w.Dim(last)-1, 1, 1)
	d := w.Shape().Clone()
	d[last] = n
	u := RandomUniform(key, shape.Of("multinomial", d...), 0, 1, dtype.Float64)
	return Searchsorted(sums, Minimum(Mul(u, total), Mul(total, 1-0x1p-52)), nil, SearchOptions{Right: true})
}

func clockType(d dtype.DType) dtype.DType {
	if d == dtype.Float64 {
		return d
	}
	return dtype.Float32
}

// RandomRefill returns integers below one bound, between two, or over all from 0 on that the dtype holds exactly.
func RandomRefill(key *Node, s *shape.Shape, bounds []int, d dtype.DType) *Node {
	if len(bounds) > 2 {
		fault.Throw(fault.Value, "random", "got %d bounds; want at most two", len(bounds))
	}
	switch {
	case len(bounds) > 0:
	case d.IsSigned() && d.IsInteger():
		return RandomInt(key, s, 0, uint64(1)<<(8*d.Size()-1), d)
	case d.IsInteger():
		return RandomBits(key, s, d.Size())
	}
	low, high := 0, 0
	switch len(bounds) {
	case 0:
		high = map[dtype.DType]int{dtype.Bool: 2, dtype.Float16: 1<<11 + 1, dtype.BFloat16: 1<<8 + 1, dtype.Float32: 1<<24 + 1,
			dtype.Float64: 1<<53 + 1}[d]
	case 1:
		high = bounds[0]
	case 2:
		low, high = bounds[0], bounds[1]
	}
	if d.IsComplex() {
		fault.Throw(fault.DType, "random", "dtype %v; want a real one", d)
	}
	if d.IsFloat() {
		return Cast(RandomInt(key, s, low, high, dtype.Int64), d)
	}
	return RandomInt(key, s, low, high, d)
}
