package exec

import "github.com/lucid-go/lucid/internal/graph"

// findDonors pairs each new buffer with one it may be written over: read for the last time by the same step, of
// the same size, and walked in the same order.
func (p *planner) findDonors() {
	taken := make([]bool, len(p.prog.bufs))
	for k := range p.prog.steps {
		s := &p.prog.steps[k]
		inPlace := uint32(0)
		if s.fused == nil {
			op := graph.Lookup(s.op)
			if op == nil || op.InPlace == 0 {
				continue
			}
			inPlace = op.InPlace
		}
		outs := s.out
		if s.fused != nil && s.fused.Tail != nil {
			outs = outs[:len(outs)-1] // a reduction's result is not written in the order of what is read
		}
		for _, o := range outs {
			for j, in := range s.in {
				b := &p.prog.bufs[in.buf]
				if s.fused == nil && inPlace>>j&1 == 0 {
					continue
				}
				if taken[in.buf] || b.keep || b.data != nil || b.last != int32(k) || b.size != p.prog.bufs[o.buf].size || b.dev != s.dev {
					continue
				}
				if !in.lay.IsContiguous(in.shape) || in.lay != nil && in.lay.Offset != 0 || !in.shape.Equal(o.shape) || in.dtype.Size() != o.dtype.Size() {
					continue
				}
				if p.readTwice(s, j) {
					continue
				}
				taken[in.buf] = true
				p.prog.bufs[o.buf].donor = in.buf
				break
			}
		}
	}
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
