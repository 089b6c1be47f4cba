package exec

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// A kernel that converts as it loads or stores takes over the casts before and behind it: the elements move once, in the smaller dtype.
// A device that prefers rows which begin at aligned addresses gets such rows for values that are not stored.

// foldCasts finds the casts that kernels do themselves.
func (p *planner) foldCasts() {
	any := false
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		d := p.device(n)
		if f.class != classKernel || d.CastFolder == nil {
			continue
		}
		for k := range min(n.NumIn(), 32) {
			if m := n.In(k); p.canFoldInputCast(d, n, k, m) {
				f.foldedInputs |= 1 << k
				p.info[p.idx.Get(m)].foldedBy++
				any = true
			}
		}
	}
	for i := range p.info {
		if f := &p.info[i]; any && f.class == classElementwise && f.foldedBy > 0 && f.foldedBy == f.users && !f.root {
			f.class = classFoldedCast
		}
	}
	if !p.replay { // outside a trace a handle may still ask for the value before the cast
		return
	}
	for i, n := range p.idx.Nodes {
		if f := &p.info[i]; f.class == classElementwise && n.Op().Role == graph.RoleCast {
			j := p.idx.Get(n.In(0))
			if g := &p.info[j]; p.canFoldOutputCast(n, n.In(0), g) {
				f.class, g.outputCast = classOutputCast, int32(i)+1
			}
		}
	}
}

// canFoldInputCast reports whether kernel n reads what its input m is cast from.
func (p *planner) canFoldInputCast(d *backend.Device, n *graph.Node, k int, m *graph.Node) bool {
	if p.info[p.idx.Get(m)].class != classElementwise || m.Op().Role != graph.RoleCast || p.device(m) != d {
		return false
	}
	of := m.In(0)
	return p.info[p.idx.Get(of)].class != classConst && p.device(of) == d && d.CanFoldCast(n.Op().Name, k, m.DType(), of.DType())
}

// canFoldOutputCast reports whether kernel m writes what cast n, its only reader, makes of it.
func (p *planner) canFoldOutputCast(n, m *graph.Node, g *info) bool {
	d := p.device(m)
	return g.class == classKernel && !g.root && g.users == 1 && m.NumOut() == 1 && d == p.device(n) && d.CastFolder != nil &&
		d.CanFoldCast(m.Op().Name, -1, m.DType(), n.DType())
}

// source is input k of a node as its launch reads it.
func (p *planner) source(n *graph.Node, f *info, k int) *graph.Node {
	if m := n.In(k); f.class != classKernel || f.foldedInputs>>k&1 == 0 {
		return m
	}
	return n.In(k).In(0)
}

// pitchedLayout gives the only result of a kernel a row pitch larger than the row, where its device prefers one and the value is not
// stored. It returns the layout and the bytes; nil: row-major order.
func (p *planner) pitchedLayout(d *backend.Device, n *graph.Node, f *info, o *operand) (lay *shape.Layout, bytes int) {
	if d.Pitcher == nil || n.NumOut() != 1 || n.Rank() < 2 || f.store || f.outputCast > 0 && p.info[f.outputCast-1].store {
		return nil, 0
	}
	long := d.Pitch(n.Op().Name, n.Attr(), o.dtype, n.Shape())
	cols := n.Shape().Dim(n.Rank() - 1)
	if long <= cols {
		return nil, 0
	}
	lay = &shape.Layout{Strides: make([]int, n.Rank())}
	step := 1
	for i := n.Rank() - 1; i >= 0; i-- {
		lay.Strides[i] = step
		if i == n.Rank()-1 {
			step = long
		} else {
			step *= n.Shape().Dim(i)
		}
	}
	return lay, n.Shape().Numel() / cols * long * o.dtype.Size()
}
