package distributions

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/linalg"
)

// LowRankMultivariateNormal is the normal distribution of vectors with covariance W·Wᵀ + diag(D), W having few columns.
type LowRankMultivariateNormal struct {
	Base
	Loc       *lucid.Tensor
	CovFactor *lucid.Tensor // W, of shape (…, n, rank)
	CovDiag   *lucid.Tensor // D, positive, of shape (…, n)
	capacity  *lucid.Tensor // Cholesky factor of I + Wᵀ·D⁻¹·W
}

// NewLowRankMultivariateNormal makes a normal distribution of vectors along the last dimension of loc.
func NewLowRankMultivariateNormal(loc any, covFactor, covDiag *lucid.Tensor, opts ...Options) *LowRankMultivariateNormal {
	f := of("LowRankMultivariateNormal", opts)
	p, batch := f.tensors(parameter{"loc", loc, RealVector, 1}, parameter{"cov_factor", covFactor, IndependentConstraint(Real, 2), 2},
		parameter{"cov_diag", covDiag, IndependentConstraint(Positive, 1), 1})
	n := p[0].Size(-1)
	if p[1].Size(-2) != n || p[2].Size(-1) != n {
		fault.Throw(fault.Shape, f.op(), "loc has %d components, cov_factor %d rows, cov_diag %d elements; want equal sizes",
			n, p[1].Size(-2), p[2].Size(-1))
	}
	d := &LowRankMultivariateNormal{Loc: p[0], CovFactor: p[1], CovDiag: p[2]}
	w := d.scaled()
	eye := lucid.With{DType: w.DType(), Device: w.Device()}.Eye(w.Size(-1))
	d.capacity = cholesky(d.CovFactor.MT().MatMul(w).Add(eye))
	d.Base = f.base(Spec{Self: d, BatchShape: batch, EventShape: []int{n}, Support: RealVector, HasRSample: true, Draw: d.draw},
		func(batch []int) Distribution {
			return NewLowRankMultivariateNormal(expanded(d.Loc, batch, 1), expanded(d.CovFactor, batch, 2), expanded(d.CovDiag, batch,
				1), unchecked)
		})
	return d
}

// scaled is D⁻¹·W.
func (d *LowRankMultivariateNormal) scaled() *lucid.Tensor {
	return d.CovFactor.Div(d.CovDiag.Unsqueeze(-1))
}

func (d *LowRankMultivariateNormal) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	keys := keysFor(key, d.Loc, 2)
	outer := shape[:len(shape)-1]
	z := normals(keys[0], d.Loc, append(append([]int{}, outer...), d.CovFactor.Size(-1)))
	own := normals(keys[1], d.Loc, shape).Mul(d.CovDiag.Sqrt())
	return times(d.CovFactor, z).Add(own).Add(d.Loc)
}

// times multiplies vectors along the last dimension of x by matrices, with one product where there is one matrix.
func times(m, x *lucid.Tensor) *lucid.Tensor {
	if m.Dim() == 2 && x.Dim() > 1 {
		return x.MatMul(m.MT())
	}
	return m.MatMul(x.Unsqueeze(-1)).Squeeze(-1)
}

// ScaleTril is the Cholesky factor of the covariance.
func (d *LowRankMultivariateNormal) ScaleTril() *lucid.Tensor { return cholesky(d.CovarianceMatrix()) }

// CovarianceMatrix is W·Wᵀ + diag(D).
func (d *LowRankMultivariateNormal) CovarianceMatrix() *lucid.Tensor {
	return d.CovFactor.MatMul(d.CovFactor.MT()).Add(lucid.DiagEmbed(d.CovDiag))
}

// PrecisionMatrix is the inverse of the covariance, by the identity of Woodbury.
func (d *LowRankMultivariateNormal) PrecisionMatrix() *lucid.Tensor {
	a := linalg.SolveTriangular(d.capacity, d.scaled().MT(), false)
	return lucid.DiagEmbed(d.CovDiag.Reciprocal()).Sub(a.MT().MatMul(a))
}

// Mean is Loc.
func (d *LowRankMultivariateNormal) Mean() *lucid.Tensor { return d.Loc }

// Mode is Loc.
func (d *LowRankMultivariateNormal) Mode() *lucid.Tensor { return d.Loc }

// Variance is the diagonal of the covariance.
func (d *LowRankMultivariateNormal) Variance() *lucid.Tensor {
	return d.CovFactor.Square().Sum(-1).Add(d.CovDiag)
}

// halfLogDet is half the log determinant of the covariance.
func (d *LowRankMultivariateNormal) halfLogDet() *lucid.Tensor {
	return halfLogDet(d.capacity).Add(d.CovDiag.Log().Sum(-1).Mul(0.5))
}

// LogProb is the log density.
func (d *LowRankMultivariateNormal) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.Loc).Sub(d.Loc)
	m := x.Square().Div(d.CovDiag).Sum(-1).Sub(mahalanobis(d.capacity, times(d.scaled().MT(), x)))
	return m.Mul(-0.5).Sub(d.halfLogDet()).Sub(float64(d.Loc.Size(-1)) * halfLogTwoPi)
}

// Entropy is half the log determinant of the covariance and n/2·(1 + log 2π).
func (d *LowRankMultivariateNormal) Entropy() *lucid.Tensor {
	return d.halfLogDet().Add(float64(d.Loc.Size(-1)) * (0.5 + halfLogTwoPi))
}
