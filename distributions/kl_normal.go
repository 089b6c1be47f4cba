package distributions

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/linalg"
)

// Divergences of normal distributions of vectors, of full and of low rank.

// gaussian is a normal distribution of vectors with covariance S·Sᵀ.
type gaussian interface {
	Distribution
	halfLogDet() *lucid.Tensor
	root() *lucid.Tensor                      // S
	norm(columns *lucid.Tensor) *lucid.Tensor // the trace of Xᵀ·(S·Sᵀ)⁻¹·X for the columns X
}

func (d *MultivariateNormal) halfLogDet() *lucid.Tensor { return halfLogDet(d.ScaleTril) }
func (d *MultivariateNormal) root() *lucid.Tensor       { return d.ScaleTril }
func (d *MultivariateNormal) norm(x *lucid.Tensor) *lucid.Tensor {
	return squares(solveLower(d.ScaleTril, x))
}

func (d *LowRankMultivariateNormal) root() *lucid.Tensor {
	return lucid.Cat([]*lucid.Tensor{d.CovFactor, lucid.DiagEmbed(d.CovDiag.Sqrt())}, -1)
}

func (d *LowRankMultivariateNormal) norm(x *lucid.Tensor) *lucid.Tensor {
	low := solveLower(d.capacity, d.scaled().MT().MatMul(x))
	return squares(x.Div(d.CovDiag.Sqrt().Unsqueeze(-1))).Sub(squares(low))
}

// squares is the sum of squares of matrices.
func squares(x *lucid.Tensor) *lucid.Tensor { return x.Square().Sum(-2, -1) }

// solveLower is L⁻¹·x over batches that broadcast.
func solveLower(l, x *lucid.Tensor) *lucid.Tensor {
	batch := lucid.BroadcastShapes(batchOf(l, 2), batchOf(x, 2))
	return linalg.SolveTriangular(expanded(l, batch, 2), expanded(x, batch, 2), false)
}

func gaussianKL(p, q gaussian) *lucid.Tensor {
	away := p.Mean().Sub(q.Mean()).Unsqueeze(-1)
	n := float64(p.EventShape()[0])
	return q.halfLogDet().Sub(p.halfLogDet()).Add(q.norm(p.root()).Add(q.norm(away)).Sub(n).Mul(0.5))
}

func init() {
	RegisterKL(func(p, q *MultivariateNormal) *lucid.Tensor { return gaussianKL(p, q) })
	RegisterKL(func(p, q *LowRankMultivariateNormal) *lucid.Tensor { return gaussianKL(p, q) })
	RegisterKL(func(p *MultivariateNormal, q *LowRankMultivariateNormal) *lucid.Tensor { return gaussianKL(p, q) })
	RegisterKL(func(p *LowRankMultivariateNormal, q *MultivariateNormal) *lucid.Tensor { return gaussianKL(p, q) })
}
