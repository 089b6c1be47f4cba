package distributions

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/linalg"
	"github.com/lucid-go/lucid/random"
	"github.com/lucid-go/lucid/special"
)

// Wishart is the distribution of sums of DF outer products of normal vectors.
type Wishart struct {
	Base
	DF        *lucid.Tensor
	ScaleTril *lucid.Tensor // Cholesky factor of the covariance of the vectors
}

// NewWishart makes a Wishart distribution of degrees of freedom above n-1, for matrices of size n, and one of the matrices of options.
func NewWishart(df any, o MultivariateNormalOptions) *Wishart {
	f := &family{name: "Wishart", noValidate: o.NoValidate}
	m := f.matrix(o)
	n := m.value.(*lucid.Tensor).Size(-1)
	p, batch := f.tensors(par("df", df, GreaterThan(float64(n-1))), m)
	d := &Wishart{DF: p[0], ScaleTril: m.factor(p[1])}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, EventShape: []int{n, n}, Support: PositiveDefinite, HasRSample: true, Draw: d.draw},
		func(batch []int) Distribution {
			return NewWishart(expanded(d.DF, batch, 0), MultivariateNormalOptions{ScaleTril: expanded(d.ScaleTril, batch, 2),
				NoValidate: true})
		})
	return d
}

// steps is DF less 0 … n-1, along a last dimension.
func (d *Wishart) steps() *lucid.Tensor {
	return d.DF.Unsqueeze(-1).Sub(lucid.With{DType: d.DF.DType(), Device: d.DF.Device()}.Arange(d.size()))
}

func (d *Wishart) size() int { return d.ScaleTril.Size(-1) }

// draw is Bartlett's: a triangle of normal numbers with the roots of χ² numbers on its diagonal.
func (d *Wishart) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	keys := keysFor(key, d.DF, 2)
	roots := gammas(keys[0], d.steps().Mul(0.5), shape[:len(shape)-1]).Mul(2.0).Sqrt()
	lower := lucid.Tril(normals(keys[1], d.DF, shape), lucid.TriOptions{Diagonal: -1})
	l := d.ScaleTril.MatMul(lower.Add(lucid.DiagEmbed(roots)))
	return l.MatMul(l.MT())
}

// CovarianceMatrix is ScaleTril·ScaleTrilᵀ.
func (d *Wishart) CovarianceMatrix() *lucid.Tensor { return d.ScaleTril.MatMul(d.ScaleTril.MT()) }

// PrecisionMatrix is its inverse.
func (d *Wishart) PrecisionMatrix() *lucid.Tensor { return linalg.CholeskyInverse(d.ScaleTril) }

// df is the degrees of freedom for products with matrices.
func (d *Wishart) df() *lucid.Tensor { return d.DF.Unsqueeze(-1).Unsqueeze(-1) }

// Mean is DF times the covariance.
func (d *Wishart) Mean() *lucid.Tensor { return d.CovarianceMatrix().Mul(d.df()) }

// Mode is (DF-n-1) times the covariance, NaN where that is not positive.
func (d *Wishart) Mode() *lucid.Tensor {
	factor := d.df().Sub(float64(d.size() + 1))
	return lucid.Where(lucid.Gt(factor, 0.0), factor.Mul(d.CovarianceMatrix()), nan(d.DF))
}

// Variance is that of each element: DF·(V² + diag·diagᵀ).
func (d *Wishart) Variance() *lucid.Tensor {
	v := d.CovarianceMatrix()
	diag := diagonal(v)
	return v.Square().Add(diag.Unsqueeze(-1).Mul(diag.Unsqueeze(-2))).Mul(d.df())
}

// LogProb is the log density.
func (d *Wishart) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.DF)
	n := float64(d.size())
	scaled := solveFactor(d.ScaleTril, x)
	trace := diagonal(scaled).Sum(-1)
	norm := d.DF.Mul(halfLogDet(d.ScaleTril).Add(0.5 * n * math.Ln2)).Add(special.Mvlgamma(d.DF.Mul(0.5), d.size()))
	return d.DF.Sub(n + 1).Mul(halfLogDet(cholesky(x))).Sub(trace.Mul(0.5)).Sub(norm)
}

// solveFactor is (L·Lᵀ)⁻¹·x.
func solveFactor(l, x *lucid.Tensor) *lucid.Tensor {
	batch := lucid.BroadcastShapes(batchOf(l, 2), batchOf(x, 2))
	n := l.Size(-1)
	s := append(append([]int{}, batch...), n, n)
	return linalg.CholeskySolve(x.BroadcastTo(s...), l.BroadcastTo(s...))
}

// Entropy is the differential entropy.
func (d *Wishart) Entropy() *lucid.Tensor {
	n := float64(d.size())
	digammas := d.steps().Mul(0.5).Digamma().Sum(-1)
	return halfLogDet(d.ScaleTril).Add(0.5 * n * math.Ln2).Mul(n + 1).Add(special.Mvlgamma(d.DF.Mul(0.5), d.size())).
		Sub(d.DF.Sub(n + 1).Mul(0.5).Mul(digammas)).Add(d.DF.Mul(0.5 * n))
}

// LKJCholesky is the distribution of Cholesky factors of correlation matrices, whose density is a power of their determinant.
type LKJCholesky struct {
	Base
	Dim           int
	Concentration *lucid.Tensor
}

// NewLKJCholesky makes the distribution for matrices of a size; with concentration 1 all correlation matrices are as likely.
func NewLKJCholesky(dim int, concentration any, opts ...Options) *LKJCholesky {
	f := of("LKJCholesky", opts)
	if dim < 2 {
		fault.Throw(fault.Value, f.op(), "dim is %d; want at least 2", dim)
	}
	p, batch := f.tensors(par("concentration", concentration, Positive))
	d := &LKJCholesky{Dim: dim, Concentration: p[0]}
	d.Base = f.base(Spec{Self: d, BatchShape: batch, EventShape: []int{dim, dim}, Support: CorrCholesky, HasRSample: true, Draw: d.draw},
		func(batch []int) Distribution {
			return NewLKJCholesky(dim, expanded(d.Concentration, batch, 0), unchecked)
		})
	return d
}

// draw grows the matrix row by row (the onion method): the square of a row's length in front of the diagonal is a beta number, its
// direction is uniform.
func (d *LKJCholesky) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	keys := keysFor(key, d.Concentration, 2)
	c := d.Concentration
	n := d.Dim - 1 // rows below the first
	rows := lucid.With{DType: c.DType(), Device: c.Device()}.Arange(n)
	outer := shape[:len(shape)-2]
	first := rows.Mul(0.5).Add(0.5)
	second := c.Add(0.5 * float64(d.Dim-2)).Unsqueeze(-1).Sub(rows.Mul(0.5))
	y := random.Beta(keys[0], first, second, append(append([]int{}, outer...), n)).Unsqueeze(-1)
	z := lucid.Tril(normals(keys[1], c, append(append([]int{}, outer...), n, n)))
	w := z.Div(z.Square().SumKeep(-1).Sqrt()).Mul(y.Sqrt())
	diag := y.Squeeze(-1).Neg().Add(1.0).ClampMin(lucid.FInfo(c.DType()).SmallestNormal).Sqrt()
	// Rows below the first have w, and the diagonal behind it.
	zeros := full(c, append(append([]int{}, outer...), n, 1), 0)
	below := lucid.Cat([]*lucid.Tensor{w, zeros}, -1)
	top := full(c, append(append([]int{}, outer...), 1, d.Dim), 0)
	one := full(c, append(append([]int{}, outer...), 1), 1)
	return lucid.Cat([]*lucid.Tensor{top, below}, -2).Add(lucid.DiagEmbed(lucid.Cat([]*lucid.Tensor{one, diag}, -1)))
}

// LogProb is the log density.
func (d *LKJCholesky) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.Concentration)
	return d.density(diagonal(x).Narrow(-1, 1, d.Dim-1).Log())
}

// Entropy is in nats. The density is a function of the logarithms of the diagonal, and 1 minus the square of an element there is a beta
// number.
func (d *LKJCholesky) Entropy() *lucid.Tensor {
	c, n := d.Concentration, d.Dim-1
	rows := lucid.With{DType: c.DType(), Device: c.Device()}.Arange(n)
	rest := c.Unsqueeze(-1).Add(0.5 * float64(n-1)).Sub(rows.Mul(0.5))
	return d.density(rest.Digamma().Sub(rest.Add(rows.Add(1.0).Mul(0.5)).Digamma()).Mul(0.5)).Neg()
}

// density is the log density by the logarithms of the diagonal below its first element.
func (d *LKJCholesky) density(logs *lucid.Tensor) *lucid.Tensor {
	n := d.Dim - 1
	c := d.Concentration
	rows := lucid.With{DType: c.DType(), Device: c.Device()}.Arange(n).Add(2.0)
	order := c.Sub(1.0).Mul(2.0).Unsqueeze(-1).Add(float64(d.Dim)).Sub(rows)
	alpha := c.Add(0.5 * float64(n))
	norm := special.Mvlgamma(alpha.Sub(0.5), n).Sub(alpha.Lgamma().Mul(float64(n))).Add(0.5 * float64(n) * math.Log(math.Pi))
	return order.Mul(logs).Sum(-1).Sub(norm)
}
