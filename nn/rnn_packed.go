package nn

import "github.com/lucid-go/lucid"

// packed runs a recurrent network over packed sequences; states are in the sequences' own order.
func (r *recurrent) packed(m Module, p PackedSequence, start []*lucid.Tensor, training bool) (PackedSequence, []*lucid.Tensor) {
	p.check(r.name)
	in := EnterN(m, append([]*lucid.Tensor{p.Data}, start...)...)
	p.Data, start = in[0], in[1:]
	if p.Data.Dim() != 2 || p.Data.Size(-1) != r.in {
		refuse(lucid.ErrShapeMismatch, r.name, "the packed data has shape %v; want 2 dimensions, the last of size %d", p.Data.Shape(), r.in)
	}
	own := p.order(p.UnsortedIndices, p.SortedIndices)
	var sorted *lucid.Tensor
	st := make([]*lucid.Tensor, len(start))
	for i, s := range start {
		r.state(s, i, p.BatchSizes[0])
		if st[i] = s; s != nil && own != nil {
			if sorted == nil {
				sorted = p.order(p.SortedIndices, p.UnsortedIndices)
			}
			st[i] = s.IndexSelect(1, sorted)
		}
	}
	y, end := r.run(m, p.Data, st, p.BatchSizes, nil, training)
	for i, s := range end {
		if own != nil {
			end[i] = s.IndexSelect(1, own)
		}
	}
	out := LeaveN(m, in, append([]*lucid.Tensor{y}, end...)...)
	p.Data = out[0]
	return p, out[1:]
}

// order is a list of indices as a tensor, from the list or from the opposite one; nil if there is neither.
func (p PackedSequence) order(list, opposite []int) *lucid.Tensor {
	if len(list) == 0 && len(opposite) == 0 {
		return nil
	}
	at := make([]int64, p.BatchSizes[0])
	for i, k := range list {
		at[i] = int64(k)
	}
	for i, k := range opposite {
		at[k] = int64(i)
	}
	return lucid.With{Device: p.Data.Device()}.New(at, len(at))
}

// ForwardPacked is Forward for packed sequences.
func (m *RNN) ForwardPacked(p PackedSequence, h *lucid.Tensor) (PackedSequence, *lucid.Tensor) {
	y, end := m.packed(m, p, []*lucid.Tensor{h}, m.Training())
	return y, end[0]
}

// ForwardPacked is Forward for packed sequences.
func (m *GRU) ForwardPacked(p PackedSequence, h *lucid.Tensor) (PackedSequence, *lucid.Tensor) {
	y, end := m.packed(m, p, []*lucid.Tensor{h}, m.Training())
	return y, end[0]
}

// ForwardPacked is Forward for packed sequences.
func (m *LSTM) ForwardPacked(p PackedSequence, h, c *lucid.Tensor) (y PackedSequence, hn, cn *lucid.Tensor) {
	y, end := m.packed(m, p, []*lucid.Tensor{h, c}, m.Training())
	return y, end[0], end[1]
}
