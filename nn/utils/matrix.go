package utils

import (
	"math"

	"github.com/lucid-go/lucid"
)

// These functions are made of ops alone, so that they can be differentiated, mapped and compiled. They serve matrices
// for which no pivots are needed.

// identity returns the identity like the square matrices x.
func identity(x *lucid.Tensor) *lucid.Tensor {
	return lucid.With{DType: x.DType(), Device: x.Device()}.Eye(x.Size(-1))
}

// inverse returns the inverse of matrices whose symmetric part is positive definite, by blocks of half its size: such a matrix has an
// invertible upper left block, whose Schur complement is of the same kind, so nothing is ever swapped.
func inverse(m *lucid.Tensor) *lucid.Tensor {
	n := m.Size(-1)
	if n == 1 {
		return m.Reciprocal()
	}
	h := n / 2
	top, bottom := m.Narrow(-2, 0, h), m.Narrow(-2, h, n-h)
	b, c := top.Narrow(-1, h, n-h), bottom.Narrow(-1, 0, h)
	ai := inverse(top.Narrow(-1, 0, h))
	w := c.MatMul(ai)
	si := inverse(bottom.Narrow(-1, h, n-h).Sub(w.MatMul(b)))
	right := ai.MatMul(b).MatMul(si).Neg()
	return lucid.Cat([]*lucid.Tensor{
		lucid.Cat([]*lucid.Tensor{ai.Sub(right.MatMul(w)), right}, -1),
		lucid.Cat([]*lucid.Tensor{si.MatMul(w).Neg(), si}, -1),
	}, -2)
}

// reflections returns the first columns of the product of Householder's reflections whose vectors are the columns of
// a, with 1 on its diagonal and 0 above; a is strictly lower triangular. It is I - V·T·Vᵀ, where the inverse of T is the upper
// triangle of Vᵀ·V with half its diagonal.
func reflections(a *lucid.Tensor) *lucid.Tensor {
	n, k := a.Size(-2), a.Size(-1)
	eye := lucid.With{DType: a.DType(), Device: a.Device()}.Eye(n, k)
	v := a.Add(eye)
	g := v.Transpose(-2, -1).MatMul(v)
	half := lucid.Diagonal(g, lucid.DiagonalOptions{Dim1: new(-2), Dim2: new(-1)}).Mul(0.5)
	t := inverse(lucid.Triu(g, lucid.TriOptions{Diagonal: 1}).Add(lucid.DiagEmbed(half)))
	return eye.Sub(v.MatMul(t.MatMul(v.Narrow(-2, 0, k).Transpose(-2, -1))))
}

// Bounds of expOfSkew: a polynomial of degree 16 is exact to rounding for matrices of norm up to expNorm, others are
// halved at most expHalvings times.
const (
	expNorm     = 0.8
	expHalvings = 12
)

// expOfSkew returns e to the skew-symmetric matrices a, by scaling and squaring. How often to square depends on values,
// so all squarings are made, and those past the need are put aside. A norm above expNorm·2^expHalvings, 3,276,
// gives NaN.
func expOfSkew(a *lucid.Tensor) *lucid.Tensor {
	d := a.Detach()
	norm := lucid.Amax(d.Abs().Sum(-1), lucid.ReduceOptions{Dim: []int{-1}}).Unsqueeze(-1).Unsqueeze(-1)
	halvings := lucid.Clamp(norm.Div(expNorm).Log2().Ceil(), 0.0, nil) // of norm 0: -Inf becomes 0
	x := a.Mul(lucid.Clamp(halvings, nil, float64(expHalvings)).Neg().Exp2())
	x2 := x.MatMul(x)
	x3, x4 := x2.MatMul(x), x2.MatMul(x2)
	eye := identity(a)
	y := x4.Mul(1 / math.Gamma(17))
	for i := 3; i >= 0; i-- { // four powers at a time
		part := eye
		if i > 0 {
			part = eye.Mul(1 / math.Gamma(float64(4*i+1)))
		}
		for j, p := range []*lucid.Tensor{x, x2, x3} {
			part = part.Add(p.Mul(1 / math.Gamma(float64(4*i+j+2))))
		}
		y = y.Add(part)
		if i > 0 {
			y = y.MatMul(x4)
		}
	}
	for i := range expHalvings {
		y = lucid.Where(halvings.Gt(float64(i)), y.MatMul(y), y)
	}
	return lucid.Where(halvings.Le(float64(expHalvings)), y, math.NaN())
}

// factor returns Householder's vectors of the columns of tall matrices, below the signs of the diagonal, and the
// orthogonal factor of their QR decomposition for which the diagonal of R is positive. It reads values.
func factor(x *lucid.Tensor) (vectors, q *lucid.Tensor) {
	n, k := x.Size(-2), x.Size(-1)
	all := lucid.ToSlice[float64](x)
	for at := 0; at < len(all); at += n * k {
		factorOne(all[at:at+n*k], n, k)
	}
	vectors = lucid.With{DType: x.DType(), Device: x.Device()}.New(all, x.Shape()...)
	signs := lucid.Diagonal(vectors, lucid.DiagonalOptions{Dim1: new(-2), Dim2: new(-1)})
	q = reflections(lucid.Tril(vectors, lucid.TriOptions{Diagonal: -1})).Mul(signs.Unsqueeze(-2))
	return vectors, q
}

// factorOne works in place on n rows of k numbers.
func factorOne(a []float64, n, k int) {
	for c := range k {
		norm := 0.0
		for r := c; r < n; r++ {
			norm = math.Hypot(norm, a[r*k+c])
		}
		// The reflection takes the column to beta times the unit vector; its own vector is scaled to begin with 1.
		alpha := a[c*k+c]
		beta := -math.Copysign(norm, alpha)
		if norm == 0 {
			a[c*k+c] = -1 // any unit vector will do
			continue
		}
		tau := (beta - alpha) / beta
		for r := c + 1; r < n; r++ {
			a[r*k+c] /= alpha - beta
		}
		for j := c + 1; j < k; j++ {
			s := a[c*k+j]
			for r := c + 1; r < n; r++ {
				s += a[r*k+c] * a[r*k+j]
			}
			a[c*k+j] -= tau * s
			for r := c + 1; r < n; r++ {
				a[r*k+j] -= tau * s * a[r*k+c]
			}
		}
		a[c*k+c] = math.Copysign(1, beta)
	}
	for r := range n { // above the diagonal stood R
		for c := r + 1; c < k; c++ {
			a[r*k+c] = 0
		}
	}
}
