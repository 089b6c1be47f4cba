package exec

import (
	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// fuseEpilogues makes a group the epilogue of a producer it reads: a matmul, a convolution, or another op that the device allows. A
// group has one producer, the latest; the epilogue runs over tiles of its result while they are in the cache. The producer must have
// no other reader in this plan, since it runs as late as the group does. The group may read it through a reshape.
func (p *planner) fuseEpilogues() {
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		if f.class != classElementwise || p.info[f.group].reduction != 0 && !epilogueReduces(p.device(n)) {
			continue
		}
		lead := &p.info[f.group]
		for k := range n.NumIn() {
			if j := p.idx.Get(n.In(k)); int(lead.producer) <= j && p.canTakeEpilogue(j, n) && p.onlyReadBy(j, f.group) {
				lead.producer = int32(j) + 1
			}
		}
	}
	for i := range p.info {
		h := int(p.info[i].producer) - 1
		if h < 0 {
			continue
		}
		if p.info[h].class == classAlias {
			p.info[h].class, p.info[h].group = classProducerView, int32(i)
			h = p.idx.Get(p.idx.Nodes[h].In(0))
		}
		p.info[h].class, p.info[h].group = classProducer, int32(i)
	}
}

// epilogueReduces reports whether a device takes an epilogue that ends with reductions.
func epilogueReduces(d *backend.Device) bool { return d.EpilogueFuser != nil && d.EpilogueReduces() }

// canTakeEpilogue reports whether node j, read by n, is a producer that n can be the epilogue of, or a view of all of one.
func (p *planner) canTakeEpilogue(j int, n *graph.Node) bool {
	m, f := p.idx.Nodes[j], &p.info[j]
	if m.Shape() != n.Shape() || f.class != classKernel && f.class != classAlias || f.foldedInputs != 0 || f.outputCast != 0 {
		return false
	}
	if f.class == classAlias {
		if m.Op().Layout == nil || f.root || m.NumIn() != 1 {
			return false
		}
		of := m.In(0)
		g := &p.info[p.idx.Get(of)]
		if g.class != classKernel || g.foldedInputs != 0 || g.outputCast != 0 || g.users != 1 || of.Shape().Numel() != m.Shape().Numel() {
			return false
		}
		if l := m.Op().Layout(m.Attr(), of.Shape(), shape.Contiguous(of.Shape()), m.Shape()); l == nil || l.Offset != 0 ||
			!l.IsContiguous(m.Shape()) {
			return false
		}
		m = of
	}
	d := p.device(m)
	return m.NumOut() == 1 && d.EpilogueFuser != nil && d == p.device(n) && d.CanTakeEpilogue(m.Op().Name, m.Attr(), m.DType())
}

// onlyReadBy reports whether all consumers of node j are members of a group. Consumers have larger numbers than j.
func (p *planner) onlyReadBy(j int, group int32) bool {
	left := p.info[j].users
	for i := j + 1; i < len(p.idx.Nodes) && left > 0; i++ {
		n := p.idx.Nodes[i]
		for k := range n.NumIn() {
			if n.In(k) != p.idx.Nodes[j] {
				continue
			}
			if p.info[i].class != classElementwise || p.info[i].group != group {
				return false
			}
			left--
		}
	}
	return left == 0
}
