package cpu

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/qmm"
	"github.com/lucid-go/lucid/internal/ggml"
)

// Product groups: products of the same rows with several matrices of blocks. The rows are rounded once, and the tiles of all matrices are
// one loop, so that threads meet once for all of them: for one row a product takes some microseconds.

// GroupsProduct implements backend.ProductGrouper. It does not depend on the number of rows, so that prompts of all lengths share a plan.
func (capabilities) GroupsProduct(op string, a attr.Attr, _, _ backend.Operand) bool {
	if op != "block_matmul" {
		return false
	}
	b := a.(attr.Block)
	return b.Fast && qmm.HasFast() && qmm.Supported(ggml.Type(b.Type))
}

// GroupsNorm implements backend.ProductGrouper.
func (capabilities) GroupsNorm(string, attr.Attr, backend.Operand) bool { return false }

// RunGroup implements backend.ProductGrouper.
func (capabilities) RunGroup(c *backend.Ctx, g *backend.ProductGroup, out, in []backend.View) error {
	x, err := denseF32(c, in[0])
	if err != nil {
		return err
	}
	m, list := in[0].Shape.Dim(0), make([]tileProduct, 0, len(g.Members))
	for i := range g.Members {
		w, err := blockRowsOf(c, ggml.Type(g.Members[i].Attr.(attr.Block).Type), in[2*i+1])
		if err != nil {
			return err
		}
		z := backend.Slice[float32](out[i])
		if w.elems == 0 {
			clear(z)
		}
		if w.elems == 0 || len(z) == 0 {
			continue
		}
		p := w.product(c, in[2*i+1], 2*i+1)
		p.z = z
		list = append(list, p)
	}
	if len(list) == 0 {
		return nil
	}
	return runProducts(c, x, m, list)
}
