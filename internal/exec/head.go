package exec

import (
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// findHeads puts products, or what else a device takes there, at the start of the groups that read them, one each, the latest: the group runs over parts of
// the product while they are in the cache. Nobody else may read the product in this plan, since it is made as late as
// the group is. A group may read it in another shape.
func (p *planner) findHeads() {
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		if f.class != fuse || p.info[f.group].tail != 0 && !p.device(n).EpilogueReduces {
			continue
		}
		lead := &p.info[f.group]
		for k := range n.NumIn() {
			if j := p.idx.Get(n.In(k)); int(lead.head) <= j && p.canLead(j, n) && p.onlyFor(j, f.group) {
				lead.head = int32(j) + 1
			}
		}
	}
	for i := range p.info {
		h := int(p.info[i].head) - 1
		if h < 0 {
			continue
		}
		if p.info[h].class == alias {
			p.info[h].class, p.info[h].group = shown, int32(i)
			h = p.idx.Get(p.idx.Nodes[h].In(0))
		}
		p.info[h].class, p.info[h].group = head, int32(i)
	}
}

// canLead reports whether node j, read by n, is a product that can be made together with n, or shows one whole.
func (p *planner) canLead(j int, n *graph.Node) bool {
	m, f := p.idx.Nodes[j], &p.info[j]
	if m.Shape() != n.Shape() || f.class != kernel && f.class != alias || f.through != 0 || f.recast != 0 {
		return false
	}
	if f.class == alias {
		if m.Op().Layout == nil || f.root || m.NumIn() != 1 {
			return false
		}
		of := m.In(0)
		g := &p.info[p.idx.Get(of)]
		if g.class != kernel || g.through != 0 || g.recast != 0 || g.users != 1 || of.Shape().Numel() != m.Shape().Numel() {
			return false
		}
		if l := m.Op().Layout(m.Attr(), of.Shape(), shape.Contiguous(of.Shape()), m.Shape()); l == nil || l.Offset != 0 || !l.IsContiguous(m.Shape()) {
			return false
		}
		m = of
	}
	d := p.device(m)
	return m.NumOut() == 1 && d.CanTakeEpilogue != nil && d == p.device(n) && d.CanTakeEpilogue(m.Op().Name, m.Attr(), m.DType())
}

// onlyFor reports whether all consumers of node j are members of a group. They lie behind it.
func (p *planner) onlyFor(j int, group int32) bool {
	left := p.info[j].users
	for i := j + 1; i < len(p.idx.Nodes) && left > 0; i++ {
		n := p.idx.Nodes[i]
		for k := range n.NumIn() {
			if n.In(k) != p.idx.Nodes[j] {
				continue
			}
			if p.info[i].class != fuse || p.info[i].group != group {
				return false
			}
			left--
		}
	}
	return left == 0
}
