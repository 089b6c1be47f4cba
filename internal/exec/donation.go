package exec

import "github.com/lucid-go/lucid/internal/graph"

// findDonors pairs each new buffer with one it may be written over: read for the last time by the same step, of
// the same size, and walked in the same order.
func (p *planner) findDonors() {
	taken := make([]bool, len(p.prog.bufs))
	p.pairState(taken)
	for k := range p.prog.steps {
		s := &p.prog.steps[k]
		inPlace := uint32(0)
		if s.rows != nil {
			p.donateInRowFusion(s, int32(k), taken)
			continue
		}
		if s.fused == nil {
			op := graph.Lookup(s.op)
			if op == nil || op.InPlace == 0 {
				continue
			}
			inPlace = op.InPlace
		}
		for i, o := range s.out {
			if !s.elementwise(i) {
				continue
			}
			if p.prog.bufs[o.buf].donor >= 0 {
				continue
			}
			for j, in := range s.in {
				b := &p.prog.bufs[in.buf]
				if !s.together(i, j) || s.fused == nil && inPlace>>s.inSet(j)&1 == 0 {
					continue
				}
				if taken[in.buf] || b.keep || b.data != nil || b.last != int32(k) || b.size != p.prog.bufs[o.buf].size || b.dev != s.dev ||
					!p.overlays(s, j, o) {
					continue
				}
				taken[in.buf] = true
				p.prog.bufs[o.buf].donor = in.buf
				break
			}
		}
	}
}

// elementwise reports whether output i is written in the order in which inputs are read: a fused reduction is not, nor is a producer,
// nor any output of a program whose producer forbids overwriting inputs.
func (s *step) elementwise(i int) bool {
	return s.fused == nil || !(s.fused.Producer != nil && (i == 0 || s.fused.Producer.NoOverwrite)) &&
		!(s.fused.Reduction != nil && i >= len(s.out)-s.fused.NumReductions())
}

// together reports whether output i and input j are of the same set of a horizontal fusion: sets run concurrently.
func (s *step) together(i, j int) bool {
	return s.sets == 0 || i/(len(s.out)/s.sets) == j/(len(s.in)/s.sets)
}

// inSet is the number of input j in its set.
func (s *step) inSet(j int) int { return j % (len(s.in) / s.parts()) }

// overlays reports whether a step may write an output over its input j: both are walked in the same order, and the input is
// not read in another one too.
func (p *planner) overlays(s *step, j int, o operand) bool {
	in := s.in[j]
	if s.fused != nil && s.fused.Producer != nil && j >= s.fused.In {
		return false // an operand of the producer
	}
	inOrder := in.lay.IsContiguous(in.shape) && (in.lay == nil || in.lay.Offset == 0)
	if o.lay != nil {
		inOrder = sameLayout(in.lay, o.lay)
	}
	return inOrder && in.shape.Equal(o.shape) && in.dtype.Size() == o.dtype.Size() && !p.readTwice(s, j)
}

// pairState pairs state with its own next value, so that its address is the same from run to run.
func (p *planner) pairState(taken []bool) {
	for _, pair := range p.becomes {
		i := p.idx.Get(pair[1])
		if i < 0 {
			continue
		}
		next, old := p.info[p.idx.Get(pair[0])].at, p.info[i].at
		if next.buf < 0 || old.buf < 0 || next.lay != nil || taken[old.buf] {
			continue
		}
		b, d := &p.prog.bufs[next.buf], &p.prog.bufs[old.buf]
		if b.donor >= 0 || b.first < 0 || d.last > b.first || d.keep || b.size != d.size || d.dev != b.dev {
			continue
		}
		if d.last == b.first && !p.overlaysIn(&p.prog.steps[b.first], old.buf, next.buf) {
			continue
		}
		taken[old.buf], b.donor = true, old.buf
	}
}

// overlaysIn is overlays for buffers.
func (p *planner) overlaysIn(s *step, in, out int32) bool {
	op := graph.Lookup(s.op)
	for j, x := range s.in {
		if x.buf != in {
			continue
		}
		if s.fused == nil && (op == nil || op.InPlace>>s.inSet(j)&1 == 0) {
			return false
		}
		for k, o := range s.out {
			if o.buf == out {
				return s.elementwise(k) && s.together(k, j) && p.overlays(s, j, o)
			}
		}
	}
	return false
}

// readTwice reports whether the step reads the buffer of input j in another order too.
func (p *planner) readTwice(s *step, j int) bool {
	for k, in := range s.in {
		if k != j && in.buf == s.in[j].buf {
			return true
		}
	}
	return false
}
