package exec

import (
	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/graph"
)

// fuseReductions fuses reductions into the group they read, as many as the device takes: the group's values are reduced while they are
// in registers or in the cache. A reduction reads nothing else, so it can run as early as its group does.
func (p *planner) fuseReductions() {
	any := false
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		if f.class != classKernel || n.Op().Kind != graph.Reduce || n.NumIn() != 1 || n.NumOut() != 1 {
			continue
		}
		m := n.In(0)
		g := &p.info[p.idx.Get(m)]
		d := p.device(n)
		if g.class != classElementwise || d.ReductionFuser == nil || p.device(m) != d {
			continue
		}
		if at := p.reductionSlot(g.group, d, n); at != nil && p.canFuseReduction(d, i, n, m) {
			f.class, f.group = classFusedReduction, g.group
			*at = int32(i) + 1
			any = any || d.ReducesInputs()
		}
	}
	if any {
		p.fuseInputReductions()
	}
}

// canFuseReduction asks a device whether it takes reduction n, number i, of m; in the plan of a trace it notes the answer.
func (p *planner) canFuseReduction(d *backend.Device, i int, n, m *graph.Node) bool {
	fuses := d.CanFuseReduction(n.Op().Name, n.Attr(), m.DType(), m.Shape())
	if p.replay {
		p.reductions = append(p.reductions, fusableReduction{int32(i), fuses, d})
	}
	return fuses
}

// fuseInputReductions fuses reductions of a group's inputs into it too, if it has fused reductions over the same dimensions: its inputs
// are loaded anyway. Such a reduction must not be needed before the group runs.
func (p *planner) fuseInputReductions() {
	readers := map[int][]int32{} // by input: groups with fused reductions that read it
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		if f.class != classElementwise || p.info[f.group].reduction == 0 {
			continue
		}
		for k := range n.NumIn() {
			j := p.idx.Get(n.In(k))
			if g := &p.info[j]; n.In(k).Shape() == n.Shape() && g.class != classConst &&
				(g.class != classElementwise || g.group != f.group) {
				readers[j] = append(readers[j], f.group)
			}
		}
	}
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		if f.class != classKernel || n.Op().Kind != graph.Reduce || n.NumIn() != 1 || n.NumOut() != 1 {
			continue
		}
		m, d := n.In(0), p.device(n)
		if !p.rowMajor(m) {
			continue // its kernel reduces in the order of memory, which gives other bits
		}
		for _, g := range readers[p.idx.Get(m)] {
			if p.info[g].latest > f.latest || p.device(p.idx.Nodes[g]) != d || !d.ReducesInputs() || !p.canFuseReduction(d, i, n, m) {
				continue
			}
			if at := p.reductionSlot(g, d, n); at != nil {
				f.class, f.group = classFusedReduction, g
				*at = int32(i) + 1
				break
			}
		}
	}
}

// rowMajor reports whether a value is known to be stored in row-major order.
func (p *planner) rowMajor(n *graph.Node) bool {
	switch p.info[p.idx.Get(n)].class {
	case classInput:
		if n.IsPlaceholder() {
			return p.argLays[n] == nil
		}
		_, lay := n.Buffer()
		return lay.IsContiguous(n.Shape())
	case classElementwise, classKernel, classFusedReduction, classProducer:
		return true
	}
	return false
}

// reductionSlot is the field that links reduction n to a group; nil: the group cannot take it.
func (p *planner) reductionSlot(group int32, d *backend.Device, n *graph.Node) *int32 {
	at := &p.info[group].reduction
	for k := 0; *at != 0; k++ {
		m := p.idx.Nodes[*at-1]
		if k+1 >= d.MaxFusedReductions() || !sameAxes(m.Attr(), n.Attr()) {
			return nil
		}
		at = &p.info[*at-1].reduction
	}
	return at
}

// sameAxes reports whether reductions are over the same dimensions.
func sameAxes(a, b attr.Attr) bool {
	x, ok := a.(attr.Axes)
	y, too := b.(attr.Axes)
	return ok && too && x.Axes == y.Axes
}
