package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/shape"
)

// capabilities is what the CPU can do beyond running kernels: a Fuser of reductions, epilogues and rows, and groups of products.
type capabilities struct{}

// CanFuse implements backend.Fuser.
func (capabilities) CanFuse(op string, out dtype.DType, in []dtype.DType) bool {
	return canFuse(op, out, in)
}

// Prepare implements backend.Fuser.
func (capabilities) Prepare(p *backend.Fused) { p.Prep = prepare(p) }

// PreparedFor implements backend.ShapeChecker.
func (capabilities) PreparedFor(p *backend.Fused) bool {
	return p.Producer == nil || p.Producer.Unwritten == staysApart(p)
}

// RunFused implements backend.Fuser.
func (capabilities) RunFused(c *backend.Ctx, p *backend.Fused, out, in []backend.View) error {
	return runFused(c, p, out, in)
}

// CanFuseReduction implements backend.ReductionFuser.
func (capabilities) CanFuseReduction(op string, a attr.Attr, in dtype.DType, s *shape.Shape) bool {
	return canFold(op, a, in, s)
}

// MaxFusedReductions implements backend.ReductionFuser.
func (capabilities) MaxFusedReductions() int { return maxTails }

// ReducesInputs implements backend.ReductionFuser.
func (capabilities) ReducesInputs() bool { return true }

// CanTakeEpilogue implements backend.EpilogueFuser.
func (capabilities) CanTakeEpilogue(op string, a attr.Attr, out dtype.DType) bool {
	return canLead(op, a, out)
}

// EpilogueReduces implements backend.EpilogueFuser.
func (capabilities) EpilogueReduces() bool { return false }

// CanReduceRows implements backend.RowFuser.
func (capabilities) CanReduceRows(op string, a attr.Attr, in dtype.DType, n int) bool {
	return foldsRows(op, a, in, n)
}

// CanRunAlongRows implements backend.RowFuser.
func (capabilities) CanRunAlongRows(string, dtype.DType, int) bool { return false }

// RunRowFusion implements backend.RowFuser.
func (capabilities) RunRowFusion(c *backend.Ctx, p *backend.RowFusion, out, in []backend.View) error {
	return runRows(c, p, out, in)
}
