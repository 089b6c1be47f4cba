package exec

import "github.com/lucid-go/lucid/internal/graph"

// assignLevels gives every computed node a level, inputs below consumers; elementwise ops of one shape that read each
// other share a level. Then levels move as late as their consumers allow, so that an optimizer's state update
// runs with the gradient it reads and not long before.
func (p *planner) assignLevels() {
	top := int32(0)
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		switch f.class {
		case classInput, classConst:
			continue
		case classAlias, classFoldedCast, classOutputCast:
			for k := range n.NumIn() {
				f.level = max(f.level, p.info[p.idx.Get(n.In(k))].level)
			}
			continue
		}
		l := int32(1)
		for k := range n.NumIn() {
			l = max(l, p.minLevel(n, f.class, n.In(k)))
		}
		f.level = l
		p.bound(n, f)
		l = f.level
		top = max(top, l)
	}
	for i := range p.info {
		p.info[i].latest = top + 1 // no consumer seen yet
	}
	for _, pair := range p.becomes {
		if i := p.idx.Get(pair[1]); i >= 0 {
			p.info[i].state = true
		}
	}
	for _, pair := range p.becomes {
		if p.dependsOnStateAlone(pair[0], pair[1]) {
			p.info[p.idx.Get(pair[0])].latest = top
		}
	}
	for i := len(p.idx.Nodes) - 1; i >= 0; i-- {
		n, f := p.idx.Nodes[i], &p.info[i]
		if f.class == classInput || f.class == classConst {
			continue
		}
		if f.latest > top {
			f.latest = f.level
		}
		for k := range n.NumIn() {
			m := n.In(k)
			g := &p.info[p.idx.Get(m)]
			bound := f.latest
			if f.cut || !f.class.follows() && !(f.class == classElementwise && g.class == classElementwise && m.Shape() == n.Shape() &&
				p.device(m) == p.device(n)) {
				bound--
			}
			g.latest = min(g.latest, bound)
		}
	}
}

// dependsOnStateAlone reports whether the next value of some state depends only on that state and on inputs that are not written over,
// as a step counter does. It is computed last then, which costs no memory: if a launch before it fails, the state is not a step ahead.
func (p *planner) dependsOnStateAlone(next, state *graph.Node) bool {
	if p.info[p.idx.Get(next)].level > 1 {
		return false
	}
	todo := []*graph.Node{next}
	for seen := 0; len(todo) > 0; seen++ {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch f := &p.info[p.idx.Get(n)]; {
		case f.class == classInput:
			if n != state && f.state {
				return false
			}
		case seen > maxRecomputeDepth, f.class != classConst && f.class != classElementwise && f.class != classAlias:
			return false
		default:
			for k := range n.NumIn() {
				todo = append(todo, n.In(k))
			}
		}
	}
	return true
}

// minLevel returns the lowest level node n may have above its input m.
func (p *planner) minLevel(n *graph.Node, c class, m *graph.Node) int32 {
	g := &p.info[p.idx.Get(m)]
	if g.level == 0 {
		return 1
	}
	if c == classElementwise && g.class == classElementwise && m.Shape() == n.Shape() && p.device(m) == p.device(n) {
		return g.level
	}
	return g.level + 1
}

// MaxCompiledDepth is the most elementwise ops in a row of one program on a device that compiles its programs: a compiler takes much
// more than twice as long for twice as many. A variable for tests.
var MaxCompiledDepth int32 = 128

// BoundHostDepth does the same on devices of the host, for tests.
var BoundHostDepth bool

// bound begins a new level where a chain of elementwise ops is long enough for the device.
func (p *planner) bound(n *graph.Node, f *info) {
	if f.class != classElementwise || p.device(n).Host && !BoundHostDepth {
		return
	}
	for k := range n.NumIn() {
		if g := &p.info[p.idx.Get(n.In(k))]; g.class == classElementwise && g.level == f.level {
			f.depth = max(f.depth, g.depth+1)
		}
	}
	if f.depth >= MaxCompiledDepth {
		f.level, f.depth, f.cut = f.level+1, 0, true
	}
}
