package exec

import (
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/internal/graph"
)

// collect numbers the nodes behind the roots, inputs first, and classifies them.
func (p *planner) collect() {
	p.idx.PostOrder(p.roots, func(n *graph.Node) bool { return !n.Stored() && !n.IsPlaceholder() })
	p.info = resize(p.info, len(p.idx.Nodes))
	p.settleDevices()
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		f.at.buf = -1
		f.class = p.classify(n)
		if f.class == classInput || f.class == classConst {
			continue
		}
		for k := range n.NumIn() {
			g := &p.info[p.idx.Get(n.In(k))]
			g.users++
			g.newUser = g.newUser || !n.Unstored()
		}
	}
	for _, r := range p.roots {
		p.info[p.idx.Get(r)].root = true
	}
}

func (p *planner) classify(n *graph.Node) class {
	switch {
	case n.Stored():
		return classInput
	case n.IsPlaceholder():
		if !p.replay {
			n.MustLive()
			t := n.Trace()
			fault.Throw(fault.Trace, "eval",
				"a value inside %s has no numbers yet: it is being traced; return it and read it outside, or use lucid.Print", t.Name)
		}
		return classInput
	case n.IsConst():
		return classConst
	case n.Op().Kind == graph.View:
		return classAlias
	}
	if _, ok := n.IsTupleItem(); ok || n.Op().Transparent {
		return classAlias
	}
	if n.NumIn() == 0 && n.Op().Kind != graph.Source && n.Op().Kind != graph.Random {
		fault.Throw(fault.Freed, n.Op().Name, "a value of shape %v has neither its numbers nor its inputs: it was freed", n.Shape())
	}
	if n.Op().Kind == graph.Elementwise && p.canFuse(n) {
		return classElementwise
	}
	return classKernel
}

func (p *planner) device(n *graph.Node) *backend.Device {
	if d := n.Device(); d != nil {
		return d
	}
	if p.where != nil {
		if i := p.idx.Get(n); i >= 0 {
			return p.where[i]
		}
	}
	return p.dev
}

// settleDevices finds out where nodes that name no device are computed: on the device of their reader, else on the default
// device. It matters only if a device has memory the host cannot read.
func (p *planner) settleDevices() {
	if p.dev.Host && !slices.ContainsFunc(p.idx.Nodes, func(n *graph.Node) bool { return n.Device() != nil && !n.Device().Host }) {
		return
	}
	p.where = make([]*backend.Device, len(p.idx.Nodes))
	for i := len(p.idx.Nodes) - 1; i >= 0; i-- {
		n := p.idx.Nodes[i]
		d := n.Device()
		if d == nil {
			if d = p.where[i]; d == nil {
				d = p.dev
				p.where[i] = d
			}
		}
		if n.Stored() || n.Op().Role == graph.RoleTransfer {
			continue
		}
		for k := range n.NumIn() {
			if j := p.idx.Get(n.In(k)); j >= 0 && p.where[j] == nil {
				p.where[j] = d
			}
		}
	}
}

func (p *planner) canFuse(n *graph.Node) bool {
	d := p.device(n)
	if d.Fuser == nil || n.NumIn() > 3 || n.NumIn() == 0 {
		return false
	}
	in := p.dtypes[:n.NumIn()]
	for k := range in {
		in[k] = n.In(k).DType()
	}
	return d.CanFuse(n.Op().Name, n.DType(), in)
}
