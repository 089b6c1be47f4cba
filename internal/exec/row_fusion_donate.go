package exec

// donateInRowFusion pairs outputs of a row-fusion group with inputs that die there. Every part sees its rows in the same order, so it
// is enough that no later part reads what is written over.
func (p *planner) donateInRowFusion(s *step, k int32, taken []bool) {
	at := 0 // first output of the part
	for i := range s.rows.Parts {
		part := &s.rows.Parts[i]
		for n := range part.Fused.Out {
			o := s.out[at+n]
			b := &p.prog.bufs[o.buf]
			if part.Out[n] >= 0 || b.donor >= 0 {
				continue
			}
			for _, in := range s.in {
				d := &p.prog.bufs[in.buf]
				if taken[in.buf] || d.keep || d.data != nil || d.last != k || d.first == k || d.size != b.size || d.dev != s.dev ||
					!p.overlaysInRowFusion(s, in.buf, i, o) {
					continue
				}
				taken[in.buf], b.donor = true, in.buf
				break
			}
		}
		at += len(part.Out)
	}
}

// overlaysInRowFusion reports whether all parts that read a buffer do so in the order in which part number last writes o, and none
// of them comes behind it.
func (p *planner) overlaysInRowFusion(s *step, buf int32, last int, o operand) bool {
	in := s.in
	for i := range s.rows.Parts {
		for _, x := range in[:len(s.rows.Parts[i].In)] {
			if x.buf != buf {
				continue
			}
			if i > last || x.shape.Numel() != o.shape.Numel() || x.dtype.Size() != o.dtype.Size() || !x.lay.IsContiguous(x.shape) ||
				x.lay != nil && x.lay.Offset != 0 {
				return false
			}
		}
		in = in[len(s.rows.Parts[i].In):]
	}
	return true
}
