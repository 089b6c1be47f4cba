package attr

import (
	"fmt"

	"github.com/lucid-go/lucid/internal/dtype"
)

// Softplus is log(1+exp(Beta·x))/Beta, and x itself where Beta·x exceeds Threshold.
type Softplus struct{ Beta, Threshold float64 }

// RowNorm normalises over the last Dims dimensions.
type RowNorm struct {
	Dims int
	Eps  float64
}

// Attention weighs values by keys: scores are multiplied by Scale, and Causal lets query i see keys 0 to i.
type Attention struct {
	Causal bool
	Scale  float64
	// Shifted says of a gradient that the logarithms had a cotangent too, which is one of its inputs.
	Shifted bool
}

// Paged is an attention over keys and values in blocks of so many rows; scores are multiplied by Scale.
type Paged struct {
	Scale float64
	Block int
}

// Table is a constant given by the bytes of its elements.
type Table struct {
	DType dtype.DType
	Dims  Ints
	Data  string
}

// String leaves the elements out.
func (t Table) String() string { return fmt.Sprintf("{%v %v, %d bytes}", t.DType, t.Dims, len(t.Data)) }

// Mix is about the dimension that has so many behind it.
type Mix struct{ Behind int }

// Count says by what a window's sum is divided.
type Count uint8

// The counts.
const (
	CountNone   Count = iota // nothing: a plain sum
	CountValid               // the elements of the window inside the input
	CountPadded              // those inside the padded input
)

// Pool is windows over the last dimensions: one entry per dimension. Output o sees the inputs
// o·Stride - Pad + k·Dilation for k below Kernel; Adaptive windows cut the input in Out parts instead.
type Pool struct {
	Kernel, Stride, Pad, Dilation Ints
	In, Out                       Ints
	Adaptive                      bool
	Count                         Count
	Divisor                       int // of the sum; 0: by Count
}

// Span is a window along one dimension: from Start below End by Step, Size elements for the divisor.
type Span struct{ Start, End, Step, Size int }

// Blind reports whether a window along dimension d sees no element: it is behind the input, ends before it, or steps over it.
func (w Pool) Blind(d int) bool {
	in, outs := w.In.At(d), w.Out.At(d)
	if w.Adaptive || outs == 0 {
		return false
	}
	k, pad, step, stride := w.Kernel.At(d), w.Pad.At(d), w.Dilation.At(d), w.Stride.At(d)
	if (outs-1)*stride-pad >= in || pad > (k-1)*step {
		return true
	}
	if step > in {
		for o := 0; o < outs && o*stride < pad; o++ {
			if at := (pad - o*stride) % step; at > 0 && step-at >= in {
				return true
			}
		}
	}
	return false
}

// Spans returns the windows along dimension d, cut to the input.
func (w Pool) Spans(d int) []Span {
	in, s := w.In.At(d), make([]Span, w.Out.At(d))
	for o := range s {
		if w.Adaptive {
			n := len(s)
			lo, hi := o*in/n, ((o+1)*in+n-1)/n
			s[o] = Span{lo, hi, 1, hi - lo}
			continue
		}
		k, pad, step := w.Kernel.At(d), w.Pad.At(d), w.Dilation.At(d)
		from := o*w.Stride.At(d) - pad
		lo, hi := from, from+(k-1)*step+1
		if lo < 0 {
			lo += (-lo + step - 1) / step * step
		}
		s[o] = Span{lo, min(hi, in), step, min(from+k, in+pad) - from}
		if w.Count == CountValid {
			s[o].Size = s[o].End - s[o].Start
		}
	}
	return s
}

// LossFold says what becomes of the losses of examples.
type LossFold uint8

// The folds.
const (
	LossMean LossFold = iota // by the weights of the targets that count
	LossSum
	LossNone // they stay as they are
)

// ClassLoss is a loss at target classes along one dimension: targets equal to Ignore count for nothing.
type ClassLoss struct {
	Axis, Ignore int
	Fold         LossFold
	Logits       bool // the loss is of log_softmax
}

// Op is the function that errors name.
func (a ClassLoss) Op() string {
	if a.Logits {
		return "cross_entropy"
	}
	return "nll_loss"
}
