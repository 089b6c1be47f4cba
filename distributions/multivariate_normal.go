package distributions

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/linalg"
)

func cholesky(x *lucid.Tensor) *lucid.Tensor { return linalg.Cholesky(x) }

// MultivariateNormalOptions say how the components vary together: exactly one of the matrices is given.
type MultivariateNormalOptions struct {
	CovarianceMatrix *lucid.Tensor // positive definite
	PrecisionMatrix  *lucid.Tensor // the inverse of the covariance, positive definite
	ScaleTril        *lucid.Tensor // lower triangular L with a positive diagonal; the covariance is L·Lᵀ
	NoValidate       bool          // do not check parameters and values
}

// MultivariateNormal is the normal distribution of vectors.
type MultivariateNormal struct {
	Base
	Loc       *lucid.Tensor // mean
	ScaleTril *lucid.Tensor // Cholesky factor of the covariance
}

// scaleTril is the Cholesky factor of the covariance that options name. It checks the matrix.
func (f *family) matrix(o MultivariateNormalOptions) parameter {
	all := []parameter{{"covariance_matrix", o.CovarianceMatrix, PositiveDefinite, 2}, {"precision_matrix", o.PrecisionMatrix,
		PositiveDefinite, 2},
		{"scale_tril", o.ScaleTril, LowerCholesky, 2}}
	var found []parameter
	for i, t := range []*lucid.Tensor{o.CovarianceMatrix, o.PrecisionMatrix, o.ScaleTril} {
		if t != nil {
			found = append(found, all[i])
		}
	}
	if len(found) != 1 {
		fault.Throw(fault.Value, f.op(), "%d matrices; give one of CovarianceMatrix, PrecisionMatrix and ScaleTril", len(found))
	}
	if m := found[0].value.(*lucid.Tensor); !isSquare(m) {
		fault.Throw(fault.Shape, f.op(), "%s has shape %v; want square matrices", found[0].name, m.Shape())
	}
	return found[0]
}

// factor is the Cholesky factor of the covariance, for a matrix that options named.
func (p parameter) factor(m *lucid.Tensor) *lucid.Tensor {
	switch p.name {
	case "covariance_matrix":
		return cholesky(m)
	case "precision_matrix":
		return precisionFactor(m)
	}
	return m
}

// precisionFactor is the Cholesky factor of the inverse of a matrix P. With the order of rows and columns reversed, P = U·Uᵀ for an
// upper triangular U, so the factor is the inverse of Uᵀ.
func precisionFactor(p *lucid.Tensor) *lucid.Tensor {
	u := cholesky(p.Flip(-2, -1)).Flip(-2, -1)
	n := p.Size(-1)
	eye := lucid.With{DType: p.DType(), Device: p.Device()}.Eye(n)
	return linalg.SolveTriangular(u.MT(), eye.BroadcastTo(p.Shape()...), false)
}

// NewMultivariateNormal makes a normal distribution of vectors along the last dimension of loc.
func NewMultivariateNormal(loc any, o MultivariateNormalOptions) *MultivariateNormal {
	f := &family{name: "MultivariateNormal", noValidate: o.NoValidate}
	m := f.matrix(o)
	p, batch := f.tensors(parameter{"loc", loc, RealVector, 1}, m)
	f.sameSize(p[0], p[1])
	d := &MultivariateNormal{Loc: p[0], ScaleTril: m.factor(p[1])}
	f.args["covariance_matrix"], f.args["precision_matrix"], f.args["scale_tril"] = PositiveDefinite, PositiveDefinite, LowerCholesky
	d.Base = f.base(Spec{Self: d, BatchShape: batch, EventShape: []int{d.Loc.Size(-1)}, Support: RealVector, HasRSample: true,
		Draw: d.draw},
		func(batch []int) Distribution {
			return NewMultivariateNormal(expanded(d.Loc, batch, 1), MultivariateNormalOptions{ScaleTril: expanded(d.ScaleTril, batch,
				2), NoValidate: true})
		})
	return d
}

func (f *family) sameSize(loc, m *lucid.Tensor) {
	if loc.Size(-1) != m.Size(-1) {
		fault.Throw(fault.Shape, f.op(), "loc has %d components and the matrices have size %d; want equal sizes", loc.Size(-1), m.Size(-1))
	}
}

func (d *MultivariateNormal) draw(key *lucid.Tensor, shape []int) *lucid.Tensor {
	z := normals(key, d.Loc, shape)
	if len(d.spec.BatchShape) == 0 && len(shape) > 1 { // one product for all samples
		return z.MatMul(d.ScaleTril.MT()).Add(d.Loc)
	}
	return d.ScaleTril.MatMul(z.Unsqueeze(-1)).Squeeze(-1).Add(d.Loc)
}

// CovarianceMatrix is ScaleTril·ScaleTrilᵀ.
func (d *MultivariateNormal) CovarianceMatrix() *lucid.Tensor {
	return d.ScaleTril.MatMul(d.ScaleTril.MT())
}

// PrecisionMatrix is the inverse of the covariance.
func (d *MultivariateNormal) PrecisionMatrix() *lucid.Tensor {
	return linalg.CholeskyInverse(d.ScaleTril)
}

// Mean is Loc.
func (d *MultivariateNormal) Mean() *lucid.Tensor { return d.Loc }

// Mode is Loc.
func (d *MultivariateNormal) Mode() *lucid.Tensor { return d.Loc }

// Variance is the diagonal of the covariance.
func (d *MultivariateNormal) Variance() *lucid.Tensor { return d.ScaleTril.Square().Sum(-1) }

// LogProb is the log density.
func (d *MultivariateNormal) LogProb(value any) *lucid.Tensor {
	x := d.supported("LogProb", value, d.Loc).Sub(d.Loc)
	n := float64(d.Loc.Size(-1))
	return mahalanobis(d.ScaleTril, x).Mul(-0.5).Sub(halfLogDet(d.ScaleTril)).Sub(n * halfLogTwoPi)
}

// halfLogDet is half the log determinant of L·Lᵀ.
func halfLogDet(l *lucid.Tensor) *lucid.Tensor { return diagonal(l).Log().Sum(-1) }

// mahalanobis is |L⁻¹x|² of vectors along the last dimension.
func mahalanobis(l, x *lucid.Tensor) *lucid.Tensor {
	if l.Dim() == 2 && x.Dim() > 1 { // one solve for all vectors
		s := x.Shape()
		n := s[len(s)-1]
		columns := x.Reshape(-1, n).T()
		return linalg.SolveTriangular(l, columns, false).Square().Sum(0).Reshape(s[:len(s)-1]...)
	}
	s := lucid.BroadcastShapes(l.Shape()[:l.Dim()-1], x.Shape())
	column := x.BroadcastTo(s...).Unsqueeze(-1)
	return linalg.SolveTriangular(l, column, false).Squeeze(-1).Square().Sum(-1)
}

// Entropy is half the log determinant of the covariance and n/2·(1 + log 2π).
func (d *MultivariateNormal) Entropy() *lucid.Tensor {
	n := float64(d.Loc.Size(-1))
	return halfLogDet(d.ScaleTril).Add(n * (0.5 + halfLogTwoPi))
}
