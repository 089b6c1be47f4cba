package exec

import "github.com/lucid-go/lucid/internal/graph"

const (
	maxRecomputeBuffers = 4
	maxRecomputeDepth   = 64
)

// decide says what the plan materialises and what it stores.
//
// Stored are: the roots; results of costly ops that somebody can still reach; values that a rule on an open tape
// reads; a value left unstored before that meets a new consumer; casts to a smaller dtype; and an elementwise
// value whose recomputation would be deep or pin much memory. All other elementwise values and views stay pending
// on their inputs, and are computed again inside whatever group asks for them.
func (p *planner) decide() {
	p.reach()
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		switch f.class {
		case given:
			f.mat, f.srcs = true, 1
			continue
		case konst:
			f.store = f.root
			continue
		case kernel:
			f.mat, f.srcs = true, 1
			f.store = f.root || f.alive
		case alias:
			f.store = f.root
			g := p.info[p.idx.Get(n.In(0))]
			f.srcs, f.deep = g.srcs, g.deep
		case fuse:
			f.store = f.root || f.alive && p.worthStoring(n, f)
			if f.store {
				f.srcs, f.deep = 1, 0
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

// reach finds the nodes somebody can still ask for after the plan: claimed from outside, or held by such a node.
func (p *planner) reach() {
	if p.replay {
		return
	}
	for i := len(p.idx.Nodes) - 1; i >= 0; i-- {
		n, f := p.idx.Nodes[i], &p.info[i]
		if n.Refs() > int(f.users) {
			f.alive = true
		}
		if f.class == given || !f.alive {
			continue
		}
		stored := f.root || f.class == kernel
		if stored && !n.KeepsInputs() {
			continue
		}
		for k := range n.NumIn() {
			p.info[p.idx.Get(n.In(k))].alive = true
		}
	}
}

func (p *planner) worthStoring(n *graph.Node, f *info) bool {
	srcs, deep := 0, 0
	for k := range n.NumIn() {
		g := &p.info[p.idx.Get(n.In(k))]
		srcs += int(g.srcs)
		deep = max(deep, int(g.deep)+1)
		if n.In(k).DType().Size() > n.DType().Size() && n.Op().Name == "cast" {
			return true
		}
	}
	f.srcs, f.deep = int8(min(srcs, 100)), int8(min(deep, 100))
	if srcs > maxRecomputeBuffers || deep > maxRecomputeDepth {
		return true
	}
	return n.Unstored() && f.newUser
}

// saveForTape stores what the rules of open tapes read, so that Backward recomputes nothing.
func (p *planner) saveForTape() {
	for i, n := range p.idx.Nodes {
		f := &p.info[i]
		if f.class == given || f.class == konst || !n.KeepsInputs() || !f.alive {
			continue
		}
		op := n.Op()
		if op.SavesOut && f.class != alias {
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
		if g.class != alias {
			if g.class == fuse || g.class == kernel {
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
		if f.class == fuse && f.store {
			f.mat = true
		}
		if f.class == given || f.class == konst {
			continue
		}
		for k := range n.NumIn() {
			g := &p.info[p.idx.Get(n.In(k))]
			if g.class == fuse && (f.class != fuse || f.group != g.group) {
				g.mat = true
			}
		}
	}
}
