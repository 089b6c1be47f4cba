package tune

import (
	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
)

// crossEntropy is the sum over the tokens to learn, divided by the last tensor.
func (r *run) crossEntropy(in []*lucid.Tensor) *lucid.Tensor {
	net, targets, learned, rest := r.m.Module(), in[1], (*lucid.Tensor)(nil), in[2:len(in)-1]
	if targets.Dim() == 1 {
		learned, rest = rest[0], rest[1:]
	}
	var h *lucid.Tensor
	if len(rest) > 0 { // packed
		h = net.HiddenPacked(in[0], rest[0], rest[1])
	} else {
		h = net.Hidden(in[0])
	}
	if learned != nil {
		h = h.Reshape(-1, h.Size(-1)).IndexSelect(0, learned)
	}
	return net.Loss(h, targets).Div(in[len(in)-1]).Reshape()
}

// preference is the loss of direct preference optimization. Rows are chosen and rejected texts in turn; the reference is the model
// without its adapter.
func (r *run) preference(in []*lucid.Tensor) *lucid.Tensor {
	margin := func() *lucid.Tensor { // of log probabilities, (pairs)
		y := r.m.Module().Forward(in[0]).To(lucid.Float32)
		rows, tokens := y.Size(0), y.Size(1)
		none := F.CrossEntropyOptions{Reduction: "none"}
		nll := F.CrossEntropy(y.Reshape(-1, y.Size(-1)), in[1].Reshape(-1), none).Reshape(rows/2, 2, tokens).Sum(2)
		return nll.Select(1, 1).Sub(nll.Select(1, 0))
	}
	with := margin()
	var without *lucid.Tensor
	for _, l := range r.layers {
		l.off.Store(1)
	}
	lucid.NoGrad(func() { without = margin() })
	for _, l := range r.layers {
		l.off.Store(0)
	}
	return F.LogSigmoid(with.Sub(without).Mul(r.o.Beta)).Sum().Neg().Div(in[len(in)-1]).Reshape()
}
