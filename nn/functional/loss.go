package functional

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// CrossEntropyOptions: Weight weighs classes; targets of IgnoreIndex (nil: -100) do not count; Reduction is "mean"
// (default), "sum" or "none"; LabelSmoothing spreads that share of each target over all classes.
type CrossEntropyOptions struct {
	Weight         *lucid.Tensor
	IgnoreIndex    *int
	Reduction      string
	LabelSmoothing float64
}

// CrossEntropy returns the negative logarithm of the probability that softmax of x gives to the target: classes as
// integers, or probabilities shaped like x. x is (C), (B, C) or (B, C, ...).
func CrossEntropy(x, target *lucid.Tensor, opts ...CrossEntropyOptions) *lucid.Tensor {
	o := door.Option("cross_entropy", opts)
	return lucid.CrossEntropy(x, target, o.Weight, lucid.CrossEntropyOptions{
		IgnoreIndex: o.IgnoreIndex, Reduction: o.Reduction, LabelSmoothing: o.LabelSmoothing})
}

// NLLLossOptions: Weight weighs classes; targets of IgnoreIndex (nil: -100) do not count.
type NLLLossOptions struct {
	Weight      *lucid.Tensor
	IgnoreIndex *int
	Reduction   string
}

// NLLLoss returns the negative of x, logarithms of probabilities, at the target classes.
func NLLLoss(x, target *lucid.Tensor, opts ...NLLLossOptions) *lucid.Tensor {
	o := door.Option("nll_loss", opts)
	return lucid.NLLLoss(x, target, o.Weight, lucid.NllLossOptions{IgnoreIndex: o.IgnoreIndex, Reduction: o.Reduction})
}

// LossOptions: Reduction is "mean" (default), "sum" or "none".
type LossOptions = lucid.ReductionOptions

// paired refuses a prediction and a target that broadcast to more than either, such as (B, 1) and (B): the loss over all
// pairs would be learned from without a word. PyTorch computes it, with a warning; lucid.MSELoss and its kin do, without.
func paired(op string, x, target *lucid.Tensor) {
	if x == nil || target == nil || x.Dim() == target.Dim() && slices.Equal(x.Shape(), target.Shape()) {
		return
	}
	a, b := x.Shape(), target.Shape()
	both := make([]int, max(len(a), len(b)))
	for i := range both {
		m, n := 1, 1
		if j := i + len(a) - len(both); j >= 0 {
			m = a[j]
		}
		if j := i + len(b) - len(both); j >= 0 {
			n = b[j]
		}
		if m != n && m != 1 && n != 1 {
			return // the op says so
		}
		both[i] = m
		if m == 1 {
			both[i] = n
		}
	}
	if !slices.Equal(both, a) && !slices.Equal(both, b) {
		refuse(lucid.ErrShapeMismatch, op, "input %v and target %v would be compared in all pairs, %v; bring one to the shape of the other, as with Unsqueeze(1) or Squeeze(1)", a, b, both)
	}
}

// alike refuses a target of another shape, as PyTorch does.
func alike(op string, x, target *lucid.Tensor) {
	if x != nil && target != nil && !slices.Equal(x.Shape(), target.Shape()) {
		refuse(lucid.ErrShapeMismatch, op, "target has shape %v, input %v; want the same", target.Shape(), x.Shape())
	}
}

// MSELoss returns (x-target)².
func MSELoss(x, target *lucid.Tensor, opts ...LossOptions) *lucid.Tensor {
	paired("mse_loss", x, target)
	return lucid.MSELoss(x, target, opts...)
}

// L1Loss returns |x-target|.
func L1Loss(x, target *lucid.Tensor, opts ...LossOptions) *lucid.Tensor {
	paired("l1_loss", x, target)
	return lucid.L1Loss(x, target, opts...)
}

// SmoothL1Loss returns |x-target| - beta/2, and (x-target)²/(2·beta) where the difference is below beta.
func SmoothL1Loss(x, target *lucid.Tensor, opts ...lucid.SmoothL1LossOptions) *lucid.Tensor {
	paired("smooth_l1_loss", x, target)
	return lucid.SmoothL1Loss(x, target, opts...)
}

// HuberLoss returns (x-target)²/2, and delta·(|x-target| - delta/2) where the difference exceeds delta.
func HuberLoss(x, target *lucid.Tensor, opts ...lucid.HuberLossOptions) *lucid.Tensor {
	paired("huber_loss", x, target)
	return lucid.HuberLoss(x, target, nil, opts...)
}

// KLDiv returns target·(log(target) - x), x being logarithms. Reduction "batchmean" is the sum divided by the size of
// the first dimension.
func KLDiv(x, target *lucid.Tensor, opts ...lucid.KlDivOptions) *lucid.Tensor {
	return lucid.KLDiv(x, target, opts...)
}

// BinaryCrossEntropyOptions: Weight multiplies the losses; PosWeight weighs the targets that are 1, with logits only.
type BinaryCrossEntropyOptions struct {
	Weight, PosWeight *lucid.Tensor
	Reduction         string
}

// BinaryCrossEntropy compares probabilities with targets from 0 to 1. Logarithms are cut at -100.
func BinaryCrossEntropy(x, target *lucid.Tensor, opts ...BinaryCrossEntropyOptions) *lucid.Tensor {
	o := door.Option("binary_cross_entropy", opts)
	if o.PosWeight != nil {
		refuse(lucid.ErrValue, "binary_cross_entropy", "takes no PosWeight; use BinaryCrossEntropyWithLogits")
	}
	alike("binary_cross_entropy", x, target)
	return lucid.BinaryCrossEntropy(x, target, o.Weight, LossOptions{Reduction: o.Reduction})
}

// BinaryCrossEntropyWithLogits is BinaryCrossEntropy of sigmoid(x), without overflow.
func BinaryCrossEntropyWithLogits(x, target *lucid.Tensor, opts ...BinaryCrossEntropyOptions) *lucid.Tensor {
	o := door.Option("binary_cross_entropy_with_logits", opts)
	alike("binary_cross_entropy_with_logits", x, target)
	return lucid.BinaryCrossEntropyWithLogits(x, target, o.Weight, o.PosWeight, LossOptions{Reduction: o.Reduction})
}

// ClassOptions: Dim is the dimension of the classes, nil meaning the last.
type ClassOptions struct{ Dim *int }

// Accuracy returns the share of vectors of logits whose largest element is at the target class.
func Accuracy(logits, target *lucid.Tensor, opts ...ClassOptions) *lucid.Tensor {
	return correct("accuracy", logits, target, opts).To(lucid.Float32).Mean()
}

// CorrectCount returns how many vectors of logits have their largest element at the target class.
func CorrectCount(logits, target *lucid.Tensor, opts ...ClassOptions) *lucid.Tensor {
	return correct("correct_count", logits, target, opts).To(lucid.Int64).Sum()
}

func correct(op string, logits, target *lucid.Tensor, opts []ClassOptions) *lucid.Tensor {
	best := logits.ArgMax(door.Or(door.Option(op, opts).Dim, -1))
	if !slices.Equal(best.Shape(), target.Shape()) {
		refuse(lucid.ErrShapeMismatch, op, "targets have shape %v; want %v", target.Shape(), best.Shape())
	}
	return best.Eq(target)
}

// LinearCrossEntropyOptions: LinearBias is added to the logits; Weight, IgnoreIndex, Reduction and LabelSmoothing are those of
// CrossEntropyOptions; BatchChunkSize is how many rows of logits are made at once, 0 for as many as the sizes suggest.
type LinearCrossEntropyOptions struct {
	LinearBias     *lucid.Tensor
	Weight         *lucid.Tensor
	IgnoreIndex    *int // only for classes as integers
	Reduction      string
	LabelSmoothing float64
	BatchChunkSize int
}

// LinearCrossEntropy returns CrossEntropy of the linear layer x @ linearWeightᵀ + bias without ever holding all logits where that
// pays; see lucid.LinearCrossEntropy. x is (N, in) or (in), linearWeight (C, in) or (C, d1, …, in).
func LinearCrossEntropy(x, linearWeight, target *lucid.Tensor, opts ...LinearCrossEntropyOptions) *lucid.Tensor {
	o := door.Option("linear_cross_entropy", opts)
	return lucid.LinearCrossEntropy(x, linearWeight, target, o.LinearBias, o.Weight, lucid.LinearCrossEntropyOptions{
		IgnoreIndex: o.IgnoreIndex, Reduction: o.Reduction, LabelSmoothing: o.LabelSmoothing, BatchChunkSize: o.BatchChunkSize})
}
