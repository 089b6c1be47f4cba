package nn

import (
	"slices"

	"github.com/lucid-go/lucid"
)

// Padded sequences whose lengths are data. Packed sequences have a size for every sum of lengths; these have the size of the padded batch
// alone, so a compiled function is traced once for it, whatever the lengths are. Steps behind the end of a sequence are computed and do
// not count: a sequence that is taken from its end is reversed by its own length first, and the state at the end is that of its last step.

// padding is the lengths of sequences padded to the same one.
type padding struct {
	live     *lucid.Tensor // (T, B, 1): the step belongs to its sequence
	last     *lucid.Tensor // (1, B, 1): the last step of each
	reversed *lucid.Tensor // (T, B, 1): the step that comes at this position from the end; steps behind the end stay
}

// newPadding describes sequences of at most steps, of lengths (B).
func newPadding(name string, lengths *lucid.Tensor, steps, batch int) *padding {
	if lengths == nil || !slices.Equal(lengths.Shape(), []int{batch}) || !lengths.DType().IsInteger() {
		refuse(lucid.ErrShapeMismatch, name, "the lengths are %v; want %d whole numbers, one a sequence", lengths, batch)
	}
	n := lengths.To(lucid.Int64).Reshape(1, batch, 1)
	t := lucid.With{Device: lengths.Device()}.Arange(steps).Reshape(steps, 1, 1)
	live := t.Lt(n)
	return &padding{live: live, last: n.Sub(1), reversed: lucid.Where(live, n.Sub(1).Sub(t), t)}
}

// reorder takes steps of x in another order.
func reorder(x, steps *lucid.Tensor) *lucid.Tensor {
	return x.Gather(0, steps.Expand(steps.Size(0), x.Size(1), x.Size(2)))
}

// closed is what a gate is shut with: the logistic function of it is 0, and of its negative 1, in every dtype.
const closed = 1e4

// layer takes sequences through one layer in one direction. The memory of an LSTM stays behind the end of a sequence: one more input,
// which is 1 there, shuts the input gate and opens the forget gate.
func (p *padding) layer(r *recurrent, x, wi *lucid.Tensor, back bool,
	run func(x, wi *lucid.Tensor) (*lucid.Tensor, []*lucid.Tensor)) (*lucid.Tensor, []*lucid.Tensor) {
	if back {
		x = reorder(x, p.reversed)
	}
	if r.name == "lstm" {
		gate := make([]float64, 4*r.hid)
		for i := range r.hid {
			gate[i], gate[r.hid+i] = -closed, closed
		}
		w := lucid.With{DType: wi.DType(), Device: wi.Device()}
		column := lucid.New(gate, len(gate), 1).To(w.Device).To(w.DType)
		x = lucid.Cat([]*lucid.Tensor{x, p.live.LogicalNot().To(x.DType())}, -1)
		wi = lucid.Cat([]*lucid.Tensor{wi, column}, 1)
	}
	y, end := run(x, wi)
	end[0] = reorder(y, p.last).Reshape(y.Size(1), y.Size(2))
	if back {
		y = reorder(y, p.reversed)
	}
	return y, end
}

// padded runs a recurrent network over padded sequences.
func (r *recurrent) padded(m Module, x, lengths *lucid.Tensor, start []*lucid.Tensor, training bool) (*lucid.Tensor, []*lucid.Tensor) {
	in := EnterN(m, append([]*lucid.Tensor{x}, start...)...)
	if x, start = in[0], in[1:]; x.Dim() != 3 || x.Size(-1) != r.in {
		refuse(lucid.ErrShapeMismatch, r.name, "x has shape %v; want 3 dimensions, the last of size %d", x.Shape(), r.in)
	}
	if r.o.BatchFirst {
		x = x.Permute(1, 0, 2)
	}
	if x.Size(0) == 0 {
		refuse(lucid.ErrShapeMismatch, r.name, "x has shape %v: sequences without steps; want one or more", x.Shape())
	}
	for i, s := range start {
		r.state(s, i, x.Size(1))
	}
	pad := newPadding(r.name, lengths, x.Size(0), x.Size(1))
	y, end := r.run(m, x, start, nil, pad, training)
	if y = lucid.Where(pad.live, y, 0.0); r.o.BatchFirst {
		y = owned(y.Permute(1, 0, 2))
	}
	out := LeaveN(m, in, append([]*lucid.Tensor{y}, end...)...)
	return out[0], out[1:]
}

// ForwardPadded is Forward for sequences padded to the same length, of lengths (B) from 1 to T: the results are zeros behind the end of
// a sequence, and the states those of its last step. The lengths are data of a compiled function, which is traced once a size of x.
func (m *RNN) ForwardPadded(x, lengths, h *lucid.Tensor) (y, hn *lucid.Tensor) {
	y, end := m.padded(m, x, lengths, []*lucid.Tensor{h}, m.Training())
	return y, end[0]
}

// ForwardPadded is Forward for sequences padded to the same length, of lengths (B) from 1 to T: the results are zeros behind the end of
// a sequence, and the states those of its last step. The lengths are data of a compiled function, which is traced once a size of x.
func (m *GRU) ForwardPadded(x, lengths, h *lucid.Tensor) (y, hn *lucid.Tensor) {
	y, end := m.padded(m, x, lengths, []*lucid.Tensor{h}, m.Training())
	return y, end[0]
}

// ForwardPadded is Forward for sequences padded to the same length, of lengths (B) from 1 to T: the results are zeros behind the end of
// a sequence, and the states those of its last step. The lengths are data of a compiled function, which is traced once a size of x.
func (m *LSTM) ForwardPadded(x, lengths, h, c *lucid.Tensor) (y, hn, cn *lucid.Tensor) {
	y, end := m.padded(m, x, lengths, []*lucid.Tensor{h, c}, m.Training())
	return y, end[0], end[1]
}
