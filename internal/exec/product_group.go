package exec

import (
	"slices"

	"github.com/lucid-go/lucid/internal/attr"
	"github.com/lucid-go/lucid/internal/backend"
)

// Product groups: a language model's next token multiplies the same row by several matrices, queries, keys and values, or both matrices
// of a gated layer. Each product is short, and devices that compute asynchronously lose a microsecond or two between launches that wait
// for each other. So products of the same few rows become one launch, with the norm that makes the rows and the program that combines
// the results. A group runs where its first product was; others join it if what they read is there by then.

// productWindow is how many launches behind its first member a group looks at.
const productWindow = 32

// product gives the operands of a product that a device may group: the rows, and what they are multiplied by.
func (s *step) product() (x, w *operand, ok bool) {
	if s.dev.ProductGrouper == nil || s.rows != nil || s.sets > 0 || s.control != nil || s.again {
		return nil, nil, false
	}
	op, a, in := s.op, s.attr, s.in
	if s.fused != nil {
		if s.fused.Producer == nil || s.fused.Reduction != nil {
			return nil, nil, false
		}
		op, a, in = s.fused.Producer.Op, s.fused.Producer.Attr, s.in[s.fused.In:]
	}
	if len(in) != 2 || !s.dev.GroupsProduct(op, a, in[0].described(), in[1].described()) {
		return nil, nil, false
	}
	return &in[0], &in[1], true
}

func (o *operand) described() backend.Operand {
	return backend.Operand{DType: o.dtype, Shape: o.shape, Lay: o.lay}
}

// groupProducts finds the groups and replaces their members by one launch each.
func (p *planner) groupProducts() {
	if p.replay {
		p.products = groupable(p.lowered)
	}
	steps := p.prog.steps
	if groupable(steps) == nil {
		return
	}
	var groups [][]int
	taken := make([]bool, len(steps))
	for k := range steps {
		if taken[k] {
			continue
		}
		if x, w, ok := steps[k].product(); ok {
			g := p.growProducts(k, x, w, taken)
			if n := p.normOf(x, k); n >= 0 && !taken[n] {
				g = append([]int{n}, g...)
			}
			if len(g) < 2 {
				continue
			}
			for _, m := range g {
				taken[m] = true
			}
			groups = append(groups, g)
		}
	}
	if groups == nil {
		return
	}
	p.mergeGroups(groups)
}

// groupable says which launches can be members of a group; nil: none.
func groupable(steps []step) (list []bool) {
	for k := range steps {
		if _, _, ok := steps[k].product(); ok {
			if list == nil {
				list = make([]bool, len(steps))
			}
			list[k] = true
		}
	}
	return list
}

// growProducts lists the products that launch k can be one with, itself first.
func (p *planner) growProducts(k int, x, w *operand, taken []bool) []int {
	steps := p.prog.steps
	g := []int{k}
	made := map[int32]bool{}
	for _, o := range steps[k].out {
		made[o.buf] = true
	}
	for j := k + 1; j < min(len(steps), k+productWindow); j++ {
		s := &steps[j]
		xj, wj, ok := s.product()
		if !ok || taken[j] || s.dev != steps[k].dev || xj.buf != x.buf || !sameLayout(xj.lay, x.lay) || xj.shape != x.shape ||
			wj.dtype != w.dtype || !p.readyAt(s, k, made) {
			continue
		}
		g = append(g, j)
		for _, o := range s.out {
			made[o.buf] = true
		}
	}
	return g
}

// readyAt reports whether all that a launch reads is there before launch k, or made by its group.
func (p *planner) readyAt(s *step, k int, made map[int32]bool) bool {
	for _, o := range s.in {
		own := slices.ContainsFunc(s.out, func(out operand) bool { return out.buf == o.buf }) // an epilogue reads its product
		if !own && !made[o.buf] && p.prog.bufs[o.buf].first >= int32(k) {
			return false
		}
	}
	return true
}

// normOf finds the norm that makes x; -1 if there is none, or what it writes is read before launch k.
func (p *planner) normOf(x *operand, k int) int {
	n := int(p.prog.bufs[x.buf].first)
	if n < 0 || n >= k {
		return -1
	}
	s := &p.prog.steps[n]
	if s.fused != nil || s.rows != nil || s.sets > 0 || s.out[0].buf != x.buf || len(s.in) == 0 || s.dev != p.prog.steps[k].dev ||
		!s.dev.GroupsNorm(s.op, s.attr, s.in[0].described()) {
		return -1
	}
	for j := n + 1; j < k; j++ {
		for _, o := range p.prog.steps[j].in {
			if slices.ContainsFunc(s.out, func(out operand) bool { return out.buf == o.buf }) {
				return -1
			}
		}
	}
	return n
}

// mergeGroups replaces the first product of each group by one launch for all, and numbers launches anew.
func (p *planner) mergeGroups(groups [][]int) {
	first, gone := map[int][]int{}, make([]bool, len(p.prog.steps))
	for _, g := range groups {
		at := g[0]
		if _, _, ok := p.prog.steps[at].product(); !ok { // a norm
			at = g[1]
		}
		first[at] = g
		for _, m := range g {
			gone[m] = m != at
		}
	}
	readers := make([]int, len(p.prog.bufs))
	for k := range p.prog.steps {
		for _, o := range p.prog.steps[k].in {
			readers[o.buf]++
		}
	}
	var steps []step
	for k := range p.prog.steps {
		switch g := first[k]; {
		case gone[k]:
		case g == nil:
			steps = append(steps, p.prog.steps[k])
		default:
			list := make([]int32, len(g))
			for i, m := range g {
				list[i] = int32(m)
			}
			s := mergeProducts(p.prog.steps, list)
			p.markInside(&s, slices.Clone(readers))
			s.from = nil
			for _, m := range g {
				s.from = append(s.from, p.prog.steps[m].from...)
			}
			steps = append(steps, s)
		}
	}
	p.renumber(steps)
}

// markInside finds the results that only the group reads. readers counts how often each buffer is read.
func (p *planner) markInside(s *step, readers []int) {
	for _, o := range s.in {
		readers[o.buf]--
	}
	at := 0
	for i := range s.group.Members {
		m := &s.group.Members[i]
		for _, o := range s.out[at : at+m.Outs] {
			m.Inside = append(m.Inside, readers[o.buf] == 0 && !p.prog.bufs[o.buf].keep)
		}
		at += m.Outs
	}
}

// mergeProducts makes one launch of some.
func mergeProducts(steps []step, members []int32) (s step) {
	g := &backend.ProductGroup{}
	for _, k := range members {
		m := &steps[k]
		g.Members = append(g.Members, backend.GroupMember{Op: m.op, Attr: m.attr, Fused: m.fused, Outs: len(m.out), Ins: len(m.in)})
		s.out, s.in = append(s.out, m.out...), append(s.in, m.in...)
	}
	d := steps[members[0]].dev
	s.op, s.dev, s.group, s.from = "products", d, g, members
	s.kernel = func(c *backend.Ctx, _ attr.Attr, out, in []backend.View) error { return d.RunGroup(c, g, out, in) }
	return s
}

// sameProducts reports whether the launches that can be grouped are those of the plan.
func (b *binder) sameProducts(lowered []step) bool {
	if !slices.Equal(groupable(lowered), b.s.products) {
		return b.fail("products are grouped otherwise than in the plan")
	}
	return true
}
