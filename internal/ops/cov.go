package ops

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/shape"
)

// CovOptions says what to subtract from the number of observations; nil means 1.
type CovOptions struct {
	Correction *int // subtracted from the number of observations; nil: 1
}

// Cov returns the covariances of variables, one a row of x, observations in columns; of a vector, its variance.
// fweights are how often each observation was made, aweights how much it counts; both may be nil.
//
//lucid:func
//lucid:optional fweights aweights
//lucid:amp half
func Cov(x, fweights, aweights *Node, o CovOptions) *Node {
	if x.Rank() > 2 {
		fault.Throw(fault.Shape, "cov", "x has shape %v; want at most two dims: variables and observations", x.Shape())
	}
	vector := x.Rank() < 2
	if vector {
		x = Reshape(x, 1, x.Shape().Numel())
	}
	x = floating(x)
	if aweights != nil {
		x = as("cov", x, resultType("cov", x, aweights))
	}
	n := x.Dim(1)
	correction := 1.0
	if o.Correction != nil {
		correction = float64(*o.Correction)
	}
	weight := func(w *Node, what string) {
		if w.Rank() > 1 || w.Shape().Numel() != n {
			fault.Throw(fault.Shape, "cov", "%s have shape %v; want one for each of the %d observations", what, w.Shape(), n)
		}
	}
	real := x.DType().Real()
	var w *Node
	if fweights != nil {
		if !fweights.DType().IsInteger() {
			fault.Throw(fault.DType, "cov", "fweights are %v; want integers", fweights.DType())
		}
		weight(fweights, "fweights")
		w = Cast(require("cov", attr.NotNegative, fweights, fweights), real)
	}
	if aweights != nil {
		weight(aweights, "aweights")
		if !aweights.DType().IsComplex() {
			aweights = require("cov", attr.NotNegative, aweights, aweights)
		}
		a := Cast(aweights, real)
		if w == nil {
			w = a
		} else {
			w = Mul(w, a)
		}
	}
	var mean, norm *Node
	if w == nil {
		mean, norm = Mean(x, ReduceOptions{Dim: []int{1}, KeepDim: true}), Number(real, max(0, float64(n)-correction))
	} else {
		total := Sum(w, ReduceOptions{})
		mean = Div(Sum(Mul(x, w), ReduceOptions{Dim: []int{1}, KeepDim: true}), total)
		norm = Sub(total, correction)
		if aweights != nil {
			norm = Sub(total, Div(Mul(Sum(Mul(w, Cast(aweights, real)), ReduceOptions{}), correction), total))
		}
		norm = Maximum(norm, 0)
	}
	x = Sub(x, mean)
	y := x
	if w != nil {
		y = Mul(x, w)
	}
	c := Div(Matmul(y, conj(swapLast(x))), Cast(norm, x.DType()))
	if vector || x.Dim(0) == 1 {
		return reshapeTo(c, shape.Scalar)
	}
	return c
}

// Corrcoef returns the correlation of variables, one a row of x; of a vector it is 1.
//
//lucid:func
//lucid:amp half
func Corrcoef(x *Node) *Node {
	c := Cov(x, nil, nil, CovOptions{})
	if c.Rank() == 0 {
		return Div(c, c)
	}
	n := c.Dim(0)
	s := Sqrt(Real(SliceDim(Reshape(c, n*n), 0, 0, n, n+1)))
	c = Div(Div(c, Unsqueeze(s, 1)), Unsqueeze(s, 0))
	cut := func(x *Node) *Node { return Maximum(Minimum(x, 1), -1) }
	if c.DType().IsComplex() {
		return Complex(cut(Real(c)), cut(Imag(c)))
	}
	return cut(c)
}
