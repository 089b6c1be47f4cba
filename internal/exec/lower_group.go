package exec

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid/internal/backend"
	"github.com/lucid-go/lucid/internal/graph"
	"github.com/lucid-go/lucid/internal/shape"
)

// chainMembers links each group's nodes in order: groupFirst[leader], then groupNext.
func (p *planner) chainMembers() {
	p.groupNext, p.groupFirst = resize(p.groupNext, len(p.info)), resize(p.groupFirst, len(p.info))
	for i := range p.groupFirst {
		p.groupFirst[i] = -1
	}
	for i := len(p.info) - 1; i >= 0; i-- {
		if p.info[i].class == classElementwise {
			g := p.info[i].group
			p.groupNext[i], p.groupFirst[g] = p.groupFirst[g], i
		}
	}
}

// members lists a group's nodes in order.
func (p *planner) members(leader int) []int {
	p.list = p.list[:0]
	for i := p.groupFirst[leader]; i >= 0; i = p.groupNext[i] {
		p.list = append(p.list, i)
	}
	return p.list
}

// resize returns a zeroed slice of length n, in the space of s where that is enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	s = s[:n]
	clear(s)
	return s
}

// lowerGroup makes one step of a group of elementwise nodes.
func (p *planner) lowerGroup(list []int) {
	lead := p.idx.Nodes[list[len(list)-1]]
	d := p.device(lead)
	prog := &backend.Fused{Shape: lead.Shape()}
	s := step{op: "fused", fused: prog, dev: d, lead: int32(list[len(list)-1])}
	if h := int(p.info[list[len(list)-1]].producer) - 1; h >= 0 {
		p.lowerProducer(&s, h)
	}
	// First the inputs, so that their registers come first; reads lists the register of each read for the instructions.
	reads := p.reads[:0]
	s.in = slices.Grow(p.groupIn[:0], 4)
	tails := p.info[list[len(list)-1]].reduction
	back := inputLookback
	if prog.Producer != nil || tails > 0 { // their registers are looked up again at the end, and a producer's operand must have exactly one
		back = math.MaxInt
	}
	for _, i := range list {
		n := p.idx.Nodes[i]
		for k := range n.NumIn() {
			j := p.idx.Get(n.In(k))
			if p.info[j].class == classElementwise && p.info[j].group == p.info[i].group {
				continue
			}
			reads = append(reads, int32(p.groupInput(&s, p.operand(n.In(k)), back)))
		}
	}
	p.reads = reads
	for t := tails; t > 0; t = p.info[t-1].reduction {
		if m := p.idx.Nodes[t-1].In(0); !p.inGroup(m, lead) {
			p.groupInput(&s, p.operand(m), back)
		}
	}
	prog.In = len(s.in)
	prog.DTypes, prog.Instrs = slices.Grow(p.code.DTypes[:0], len(s.in)+len(list)), slices.Grow(p.code.Instrs[:0], len(list))
	prog.Out = p.code.Out[:0]
	if p.replay {
		s.nodes = make([]int32, 0, len(list)+1)
	}
	for _, o := range s.in {
		prog.DTypes = append(prog.DTypes, o.dtype)
	}
	for _, i := range list {
		n := p.idx.Nodes[i]
		ins := backend.Instr{Op: n.Op().Name, Attr: n.Attr(), Dst: len(prog.DTypes), Src: [3]int{-1, -1, -1}}
		for k := range n.NumIn() {
			j := p.idx.Get(n.In(k))
			if p.info[j].class == classElementwise && p.info[j].group == p.info[i].group {
				ins.Src[k] = int(p.info[j].reg)
			} else {
				ins.Src[k], reads = int(reads[0]), reads[1:]
			}
		}
		p.info[i].reg = int32(ins.Dst)
		prog.DTypes = append(prog.DTypes, n.DType())
		prog.Instrs = append(prog.Instrs, ins)
		if p.replay {
			s.nodes = append(s.nodes, int32(i))
		}
		if p.info[i].materialised {
			b := p.newBuf(d, n.Bytes())
			p.info[i].at = location{buf: b}
			prog.Out = append(prog.Out, ins.Dst)
			s.out = append(s.out, operand{buf: b, node: int32(i), dtype: n.DType(), how: asWritten, shape: n.Shape()})
		}
	}
	if prog.Producer != nil {
		h := p.idx.Nodes[p.info[list[len(list)-1]].producer-1]
		prog.Producer.Dst = p.groupInput(&s, p.operand(h), back)
		if p.info[p.idx.Get(h)].class == classProducerView {
			h = h.In(0)
		}
		for k := range h.NumIn() {
			s.in = append(s.in, p.operand(h.In(k)))
		}
	}
	to := &prog.Reduction
	for t := tails; t > 0; t = p.info[t-1].reduction {
		n, f := p.idx.Nodes[t-1], &p.info[t-1]
		b := p.newBuf(d, n.Bytes())
		f.at = location{buf: b}
		src := int(p.info[p.idx.Get(n.In(0))].reg)
		if !p.inGroup(n.In(0), lead) {
			src = p.groupInput(&s, p.operand(n.In(0)), back)
		}
		*to = &backend.Reduction{Op: n.Op().Name, Attr: n.Attr(), Src: src}
		to = &(*to).Next
		s.out = append(s.out, operand{buf: b, node: t - 1, dtype: n.DType(), how: asWritten, shape: n.Shape()})
		if p.replay {
			s.nodes = append(s.nodes, t-1)
		}
	}
	if prog.Producer != nil && p.replay {
		s.nodes = append(s.nodes, s.out[0].node)
	}
	p.prepareGroup(&s)
	if prog.Producer != nil && prog.Producer.Unwritten {
		p.prog.bufs[s.out[0].buf].size = 1
	}
	p.addStep(s)
}

// prepareGroup prepares the program of a group, and takes it and its inputs out of the planner's space.
func (p *planner) prepareGroup(s *step) {
	f := s.fused
	p.code.DTypes, p.code.Instrs, p.code.Out, p.groupIn = f.DTypes, f.Instrs, f.Out, s.in
	prepare(s.dev, f)
	s.in = slices.Clone(s.in)
	clear(p.code.Instrs)
	clear(p.groupIn)
}

// inGroup reports whether a node is a member of the group that lead leads.
func (p *planner) inGroup(n, lead *graph.Node) bool {
	f := &p.info[p.idx.Get(n)]
	return f.class == classElementwise && f.group == p.info[p.idx.Get(lead)].group
}

// lowerProducer gives the producer of an epilogue its buffer.
func (p *planner) lowerProducer(s *step, i int) {
	n, f := p.idx.Nodes[i], &p.info[i]
	at, stored := location{buf: p.newBuf(s.dev, n.Bytes())}, f.store
	if f.at = at; f.class == classProducerView {
		n = n.In(0)
		g := &p.info[p.idx.Get(n)]
		g.at, stored = at, stored || g.store
	}
	s.fused.Producer = &backend.Producer{Op: n.Op().Name, Attr: n.Attr(), Stored: stored}
	s.out = append(s.out, operand{buf: at.buf, node: int32(p.idx.Get(n)), dtype: n.DType(), how: asWritten, shape: n.Shape()})
}

// inputLookback is how many of a group's last inputs are looked at for one that is the same: all of them would take long in large groups.
const inputLookback = 64

// groupInput returns the register of an input, the same for the same memory if it is one of the last so many. Immediates are
// shown with the group's shape.
func (p *planner) groupInput(s *step, o operand, back int) int {
	if o.shape != s.fused.Shape && o.shape.Rank() == 0 {
		o.lay = broadcastLayouts[s.fused.Shape.Rank()]
		o.shape, o.node, o.how = s.fused.Shape, s.lead, asScalar
	}
	for k := len(s.in) - 1; k >= max(0, len(s.in)-back); k-- {
		q := s.in[k]
		if q.buf == o.buf && q.dtype == o.dtype && sameLayout(q.lay, o.lay) {
			if q.node != o.node && p.replay {
				p.sameInputs = append(p.sameInputs, [2]int32{q.node, o.node})
			}
			return k
		}
	}
	s.in = append(s.in, o)
	return len(s.in) - 1
}

func sameLayout(a, b *shape.Layout) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Offset != b.Offset || len(a.Strides) != len(b.Strides) {
		return false
	}
	for i := range a.Strides {
		if a.Strides[i] != b.Strides[i] {
			return false
		}
	}
	return true
}
