package functional

import (
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// paired refuses a prediction and a target that broadcast to more than either, such as (B, 1) and (B): the loss over all
// pairs would be learned from without a word. PyTorch computes it, with a warning; the op called by name does, without.
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
		refuse(lucid.ErrShapeMismatch, op,
			"input %v and target %v would be compared in all pairs, %v; bring one to the shape of the other, as with Unsqueeze(1) "+
				"or Squeeze(1)", a, b, both)
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
	return mseLoss(x, target, option("mse_loss", opts).op())
}

// L1Loss returns |x-target|.
func L1Loss(x, target *lucid.Tensor, opts ...LossOptions) *lucid.Tensor {
	paired("l1_loss", x, target)
	return l1Loss(x, target, option("l1_loss", opts).op())
}

// SmoothL1Loss returns |x-target| - beta/2, and (x-target)²/(2·beta) where the difference is below beta.
func SmoothL1Loss(x, target *lucid.Tensor, opts ...SmoothL1LossOptions) *lucid.Tensor {
	paired("smooth_l1_loss", x, target)
	return smoothL1Loss(x, target, option("smooth_l1_loss", opts).op())
}

// HuberLoss returns (x-target)²/2, and delta·(|x-target| - delta/2) where the difference exceeds delta.
func HuberLoss(x, target *lucid.Tensor, opts ...HuberLossOptions) *lucid.Tensor {
	paired("huber_loss", x, target)
	o := option("huber_loss", opts)
	return huberLoss(x, target, o.Weight, o.op())
}

// BinaryCrossEntropy compares probabilities with targets from 0 to 1. Logarithms are cut at -100.
func BinaryCrossEntropy(x, target *lucid.Tensor, opts ...BinaryCrossEntropyOptions) *lucid.Tensor {
	alike("binary_cross_entropy", x, target)
	o := option("binary_cross_entropy", opts)
	return binaryCrossEntropy(x, target, o.Weight, o.op())
}

// BinaryCrossEntropyWithLogits is BinaryCrossEntropy of sigmoid(x), without overflow.
func BinaryCrossEntropyWithLogits(x, target *lucid.Tensor, opts ...BinaryCrossEntropyWithLogitsOptions) *lucid.Tensor {
	alike("binary_cross_entropy_with_logits", x, target)
	o := option("binary_cross_entropy_with_logits", opts)
	return binaryCrossEntropyWithLogits(x, target, o.Weight, o.PosWeight, o.op())
}

// ClassOptions are the options of Accuracy and CorrectCount.
type ClassOptions struct {
	Dim *int // dimension of the classes; nil: the last
}

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
