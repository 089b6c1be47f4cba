package nn

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// AdaptiveLogSoftmaxOptions: every further cluster of classes is projected to a size DivValue (0: 4) times smaller;
// HeadBias gives the head a bias.
type AdaptiveLogSoftmaxOptions struct {
	DivValue float64      // each further cluster is projected to a size this many times smaller; 0: 4
	HeadBias bool         // the head has a bias
	DType    lucid.DType  // of the parameters; zero: the default float
	Device   lucid.Device // of the parameters; zero: the default device
}

// AdaptiveLogSoftmaxWithLoss is a classifier for many classes, frequent ones first: the first are decided at once, the
// others in clusters of which the head chooses one (Grave et al.). Every cluster is computed for the whole batch and
// the right one selected, so that shapes do not depend on values.
type AdaptiveLogSoftmaxWithLoss struct {
	Base
	Head    *Linear
	Tail    []*Sequential
	cutoffs []int // first class behind the head and behind each cluster
}

// NewAdaptiveLogSoftmaxWithLoss returns it; cutoffs are rising numbers from 1 to classes-1, where clusters begin.
func NewAdaptiveLogSoftmaxWithLoss(in, classes int, cutoffs []int, opts ...AdaptiveLogSoftmaxOptions) *AdaptiveLogSoftmaxWithLoss {
	const op = "adaptive_log_softmax_with_loss"
	o := door.Option(op, opts)
	last := 0
	for _, c := range cutoffs {
		if c <= last || c > classes-1 {
			refuse(lucid.ErrValue, op, "cutoffs are %v; want rising numbers from 1 to %d", cutoffs, classes-1)
		}
		last = c
	}
	if len(cutoffs) == 0 {
		refuse(lucid.ErrValue, op, "there are no cutoffs; use a Linear and LogSoftmax")
	}
	linear := func(in, out int, bias bool) *Linear {
		return NewLinear(in, out, LinearOptions{NoBias: !bias, DType: o.DType, Device: o.Device})
	}
	m := &AdaptiveLogSoftmaxWithLoss{Head: linear(in, cutoffs[0]+len(cutoffs), o.HeadBias),
		cutoffs: append(append([]int{}, cutoffs...), classes)}
	for i := range cutoffs {
		size := int(math.Floor(float64(in) / math.Pow(door.Count(o.DivValue, 4), float64(i+1))))
		m.Tail = append(m.Tail, NewSequential(linear(in, size, false), linear(size, m.cutoffs[i+1]-m.cutoffs[i], false)))
	}
	return m
}

// Forward returns the logarithms of the probabilities of the target classes, and the negative of their mean. x is
// (B, in) with targets of (B), or (in) with one target. A target that is no class gives NaN.
func (m *AdaptiveLogSoftmaxWithLoss) Forward(x, target *lucid.Tensor) (output, loss *lucid.Tensor) {
	in := EnterN(m, x, target)
	x, target = in[0], in[1]
	alone := x.Dim() == 1
	if alone {
		x, target = x.Unsqueeze(0), target.Unsqueeze(0)
	}
	if x.Dim() != 2 || target.Dim() != 1 || x.Size(0) != target.Size(0) {
		refuse(lucid.ErrShapeMismatch, "adaptive_log_softmax_with_loss", "x has shape %v and targets %v; want (B, in) and (B)",
			x.Shape(), target.Shape())
	}
	pick := func(logp, at *lucid.Tensor, n int) *lucid.Tensor {
		return logp.Gather(1, at.Clamp(0, n-1).Unsqueeze(1)).Squeeze(1)
	}
	first, classes := m.cutoffs[0], m.cutoffs[len(m.cutoffs)-1]
	known := target.Ge(0).LogicalAnd(target.Lt(classes))
	at := target // where the head decides
	for i := range m.Tail {
		at = lucid.Where(target.Ge(m.cutoffs[i]), first+i, at)
	}
	y := pick(m.Head.Forward(x).LogSoftmax(1), at, first+len(m.Tail))
	for i, t := range m.Tail {
		low, high := m.cutoffs[i], m.cutoffs[i+1]
		inside := target.Ge(low).LogicalAnd(target.Lt(high))
		y = lucid.Where(inside, y.Add(pick(t.Forward(x).LogSoftmax(1), target.Sub(low), high-low)), y)
	}
	y = lucid.Where(known, y, math.NaN())
	loss = y.Mean().Neg()
	if alone {
		y = owned(y.Squeeze(0))
	}
	out := LeaveN(m, in, y, loss)
	return out[0], out[1]
}

// LogProb returns the logarithms of the probabilities of all classes for x of (B, in).
func (m *AdaptiveLogSoftmaxWithLoss) LogProb(x *lucid.Tensor) *lucid.Tensor {
	head := m.Head.Forward(x).LogSoftmax(1)
	first := m.cutoffs[0]
	parts := []*lucid.Tensor{head.At(lucid.Colon, lucid.Range{Stop: first})}
	for i, t := range m.Tail {
		parts = append(parts, t.Forward(x).LogSoftmax(1).Add(head.At(lucid.Colon, lucid.Range{Start: first + i, Stop: first + i + 1})))
	}
	return lucid.Cat(parts, 1)
}

// Predict returns the most probable class of every row of x.
func (m *AdaptiveLogSoftmaxWithLoss) Predict(x *lucid.Tensor) *lucid.Tensor {
	return m.LogProb(x).ArgMax(1)
}
