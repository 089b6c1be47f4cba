package cpu

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/backend/cpu/qmm"
	"github.com/lucid-go/lucid/internal/ggml"
)

// Product groups: products of the same rows with several matrices of blocks. The rows are rounded once, and the tiles of all matrices are
// one loop, so that threads wait for each other once: for one row a product takes some microseconds. What follows products of a few rows,
// such as a bias or a gate, is done for columns that are in the cache, by the thread that made them.

// fastBlocks reports whether a product is with blocks, and of rows that are rounded to int8.
func fastBlocks(op string, a attr.Attr) bool {
	if op != "block_matmul" {
		return false
	}
	b := a.(attr.Block)
	return b.Fast && qmm.HasFast() && qmm.Supported(ggml.Type(b.Type))
}

// GroupsProduct implements backend.ProductGrouper. It does not depend on the number of rows, so that prompts of all lengths share a plan.
func (capabilities) GroupsProduct(op string, a attr.Attr, _, _ backend.Operand) bool {
	return fastBlocks(op, a)
}

// GroupsNorm implements backend.ProductGrouper.
func (capabilities) GroupsNorm(string, attr.Attr, backend.Operand) bool { return false }

// RunGroup implements backend.ProductGrouper.
func (capabilities) RunGroup(c *backend.Ctx, g *backend.ProductGroup, out, in []backend.View) error {
	return runGroup(c, g.Members, out, in)
}

// runGroup runs products of the same rows, which may have epilogues.
func runGroup(c *backend.Ctx, members []backend.GroupMember, out, in []backend.View) error {
	g := productGroup{made: out, equal: true}
	for i := range members {
		e := &members[i]
		g.equal = g.equal && out[0].Numel() == g.made[0].Numel()
		out = out[e.Outs:]
	}
	out = g.made
	defer g.end()
	for i := range members {
		e := &members[i]
		if err := g.add(c, e, out[:e.Outs], in[:e.Ins]); err != nil {
			return err
		}
		out, in = out[e.Outs:], in[e.Ins:]
	}
	if len(g.list) > 0 {
		if err := runProducts(c, g.x, g.m, g.list); err != nil {
			return err
		}
	}
	for _, r := range g.later {
		r.cut()
		if err := c.For(ceil(r.n, r.part), r.block); err != nil {
			return err
		}
	}
	return nil
}

// productGroup is what a group runs.
type productGroup struct {
	made  []backend.View // results of all members
	equal bool           // products have equal shapes, so that the same columns of all of them are a block of work
	ins   int            // operands of the members so far
	x     []float32
	m     int
	list  []tileProduct
	heads []*headRun
	later []*runState // programs that run over whole results
}

// add takes the next member, if it has elements.
func (g *productGroup) add(c *backend.Ctx, e *backend.GroupMember, out, in []backend.View) (err error) {
	a, operands := e.Attr, in
	if e.Fused != nil {
		a, operands = e.Fused.Producer.Attr, in[e.Fused.In:]
	}
	g.ins += len(in)
	z := backend.Slice[float32](out[0])
	if len(z) == 0 {
		return nil
	}
	if g.x == nil {
		if g.x, err = denseF32(c, operands[0]); err != nil {
			return err
		}
		g.m = operands[0].Shape.Dim(0)
	}
	w, err := blockRowsOf(c, ggml.Type(a.(attr.Block).Type), operands[1])
	if err != nil {
		return err
	}
	var then finished
	if e.Fused != nil {
		h := headRuns.Get().(*headRun)
		h.r, h.width, h.dst = programOf(e.Fused, out[1:], in[:e.Fused.In]), w.rows, e.Fused.Producer.Dst
		g.heads = append(g.heads, h)
		if w.elems > 0 && g.m <= qmm.FewRows && g.byColumns(out[0], in[:e.Fused.In]) {
			then = h.then
		} else {
			g.later = append(g.later, h.r)
		}
	}
	if w.elems == 0 {
		clear(z)
		return nil
	}
	p := w.product(c, operands[1], g.ins-1)
	p.z, p.then = z, then
	g.list = append(g.list, p)
	return nil
}

// byColumns reports whether all that the program behind a product reads is there when the block of work is done that made some columns.
func (g *productGroup) byColumns(own backend.View, in []backend.View) bool {
	for _, v := range in {
		other := v.Buf != own.Buf && slices.ContainsFunc(g.made, func(z backend.View) bool { return z.Buf == v.Buf })
		if other && !(g.equal && v.Contiguous() && v.Numel() == own.Numel()) {
			return false
		}
	}
	return true
}

func (g *productGroup) end() {
	for _, h := range g.heads {
		h.r.end()
		h.r = nil
		headRuns.Put(h)
	}
}

// programOf binds a program without its producer, until its end.
func programOf(p *backend.Fused, out, in []backend.View) *runState {
	q, n, r := p.Prep.(*prepared), out[0].Numel(), runStates.Get().(*runState)
	*r = runState{p: q, n: n, tile: q.tile, unit: min(q.length, (n+7)&^7) * q.widest,
		in: slices.Grow(r.in[:0], len(in))[:len(in)], out: slices.Grow(r.out[:0], len(p.Out))[:len(p.Out)]}
	r.bind(p, out, in)
	return r
}
