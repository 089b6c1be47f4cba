package exec

import "github.com/lucid-go/lucid/internal/graph"

const (
	maxRecomputeBuffers = 4
	maxRecomputeDepth   = 64
)

// chooseStored says what the plan materialises and what it stores.
//
// Stored are: the roots; results of costly ops that are still reachable; values that a rule on an open tape reads, or that a
// Checkpoint is computed again from; a value left unstored before that has a new consumer; casts to a
// smaller dtype; and an elementwise value whose recomputation would be deep or pin much memory. All other elementwise values
// and views stay pending on their inputs, and are computed again inside whatever group asks for them; so does everything
// inside a Checkpoint.
func (p *planner) chooseStored() {
	p.markReachable()
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		switch f.class {
		case classInput:
			f.materialised = true
			f.startAt(i)
			continue
		case classConst:
			f.store = f.root
			continue
		case classKernel, classFusedReduction, classProducer:
			f.materialised = true
			f.startAt(i)
			f.store = f.root || f.alive && (!n.Recomputable() || n.Unstored() && f.newUser)
		case classAlias, classProducerView, classFoldedCast, classOutputCast:
			f.store = f.root
			g := p.info[p.idx.Get(n.In(0))]
			f.sources, f.manySources, f.recomputeDepth = g.sources, g.manySources, g.recomputeDepth
		case classElementwise:
			f.store = f.root || f.alive && p.worthStoring(n, f)
			if f.store {
				f.startAt(i)
			}
		}
		if p.replay {
			f.store = f.root
		}
	}
	if !p.replay {
		p.saveForTape()
	}
	p.materialise()
}

// markReachable finds the nodes that can be read after the plan: referenced from outside, or by such a node.
func (p *planner) markReachable() {
	if p.replay {
		return
	}
	for i := len(p.idx.Nodes) - 1; i >= 0; i-- {
		n, f := p.idx.Nodes[i], &p.info[i]
		if f.users > 0 {
			n.ReleaseDroppedHandle()
		}
		if n.Refs() > int(f.users) {
			f.alive = true
		}
		if f.class == classInput || !f.alive {
			continue
		}
		stored := f.root || f.class.launched() && !n.Recomputable()
		if stored && !n.RetainsInputs() {
			continue
		}
		for k := range n.NumIn() {
			p.info[p.idx.Get(n.In(k))].alive = true
		}
	}
}

// startAt says that a value has a buffer of its own: recomputing its readers starts there.
func (f *info) startAt(i int) {
	f.sources, f.manySources, f.recomputeDepth = [maxRecomputeBuffers]int32{int32(i) + 1}, false, 0
}

// addSources adds the buffers an input is recomputed from.
func (f *info) addSources(g *info) {
	f.manySources = f.manySources || g.manySources
	for _, s := range g.sources {
		if s == 0 {
			break
		}
		for k := range f.sources {
			if f.sources[k] == s {
				break
			}
			if f.sources[k] == 0 {
				f.sources[k] = s
				break
			}
			if k == len(f.sources)-1 {
				f.manySources = true
			}
		}
	}
}

func (p *planner) worthStoring(n *graph.Node, f *info) bool {
	deep := 0
	for k := range n.NumIn() {
		g := &p.info[p.idx.Get(n.In(k))]
		f.addSources(g)
		deep = max(deep, int(g.recomputeDepth)+1)
		if n.In(k).DType().Size() > n.DType().Size() && n.Op().Role == graph.RoleCast {
			return true
		}
	}
	f.recomputeDepth = int8(min(deep, 100))
	if (f.manySources || deep > maxRecomputeDepth) && !n.Recomputable() {
		return true
	}
	return n.Unstored() && f.newUser
}

// saveForTape stores what the rules of open tapes read, so that Backward recomputes nothing.
func (p *planner) saveForTape() {
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		if f.class == classInput || f.class == classConst || !f.alive {
			continue
		}
		if n.CheckpointBoundary() {
			p.storeBase(n)
		}
		if !n.RetainsInputs() {
			continue
		}
		op := n.Op()
		if op.SavesOut && !f.class.view() {
			f.store = true
		}
		for k := range min(n.NumIn(), 32) {
			if op.SavesIn>>k&1 == 0 {
				continue
			}
			p.storeBase(n.In(k))
		}
	}
}

// storeBase stores the node, or the one whose buffer it shows.
func (p *planner) storeBase(n *graph.Node) {
	for {
		g := &p.info[p.idx.Get(n)]
		if !g.class.view() {
			if g.class == classElementwise || g.class.launched() {
				g.store = true
			}
			return
		}
		n = n.In(0)
	}
}

// materialise gives a buffer to every elementwise node that is stored or read outside its group.
func (p *planner) materialise() {
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		if f.class == classElementwise && f.store {
			f.materialised = true
		}
		if f.class == classInput || f.class == classConst {
			continue
		}
		for k := range n.NumIn() {
			g := &p.info[p.idx.Get(p.source(n, f, k))]
			if g.class == classElementwise && (f.class != classElementwise && f.class != classFusedReduction || f.group != g.group) {
				g.materialised = true
			}
		}
	}
}
