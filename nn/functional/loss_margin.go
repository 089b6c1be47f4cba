package functional

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// PoissonNLLLoss returns exp(x) - target·x, or x - target·log(x+eps) for raw input.
func PoissonNLLLoss(x, target *lucid.Tensor, opts ...lucid.PoissonNllLossOptions) *lucid.Tensor {
	return lucid.PoissonNLLLoss(x, target, opts...)
}

// GaussianNLLLoss returns (log(variance) + (x-target)²/variance)/2.
func GaussianNLLLoss(x, target, variance *lucid.Tensor, opts ...lucid.GaussianNllLossOptions) *lucid.Tensor {
	return lucid.GaussianNLLLoss(x, target, variance, opts...)
}

// CTCLoss returns -log of the probability that logProbs, (T, N, C) or (T, C), spells the targets.
func CTCLoss(logProbs, targets, inputLengths, targetLengths *lucid.Tensor, opts ...lucid.CtcLossOptions) *lucid.Tensor {
	return lucid.CTCLoss(logProbs, targets, inputLengths, targetLengths, opts...)
}

// HingeEmbeddingLoss returns x where target is 1, and max(0, margin-x) where it is -1.
func HingeEmbeddingLoss(x, target *lucid.Tensor, opts ...lucid.MarginLossOptions) *lucid.Tensor {
	return lucid.HingeEmbeddingLoss(x, target, opts...)
}

// MarginRankingLoss returns max(0, -target·(x1-x2) + margin).
func MarginRankingLoss(x1, x2, target *lucid.Tensor, opts ...lucid.MarginLossOptions) *lucid.Tensor {
	return lucid.MarginRankingLoss(x1, x2, target, opts...)
}

// CosineEmbeddingLoss returns 1 - cosine where target is 1, and max(0, cosine-margin) where it is -1.
func CosineEmbeddingLoss(x1, x2, target *lucid.Tensor, opts ...lucid.MarginLossOptions) *lucid.Tensor {
	return lucid.CosineEmbeddingLoss(x1, x2, target, opts...)
}

// TripletMarginLoss returns max(0, margin + distance to positive - distance to negative).
func TripletMarginLoss(anchor, positive, negative *lucid.Tensor, opts ...lucid.TripletMarginLossOptions) *lucid.Tensor {
	return lucid.TripletMarginLoss(anchor, positive, negative, opts...)
}

// SoftMarginLoss returns log(1 + exp(-target·x)).
func SoftMarginLoss(x, target *lucid.Tensor, opts ...LossOptions) *lucid.Tensor {
	return lucid.SoftMarginLoss(x, target, opts...)
}

// MultilabelMarginLoss returns the margins between the right classes, listed up to a -1, and the others.
func MultilabelMarginLoss(x, target *lucid.Tensor, opts ...LossOptions) *lucid.Tensor {
	return lucid.MultilabelMarginLoss(x, target, opts...)
}

// MultiMarginLossOptions are those of the op, with a weight by class.
type MultiMarginLossOptions struct {
	lucid.MultiMarginLossOptions
	Weight *lucid.Tensor
}

// MultiMarginLoss returns the mean over the other classes of max(0, margin - x[target] + x[j])^p.
func MultiMarginLoss(x, target *lucid.Tensor, opts ...MultiMarginLossOptions) *lucid.Tensor {
	o := door.Option("multi_margin_loss", opts)
	return lucid.MultiMarginLoss(x, target, o.Weight, o.MultiMarginLossOptions)
}

// WeightedLossOptions: Weight weighs classes.
type WeightedLossOptions struct {
	Weight    *lucid.Tensor
	Reduction string
}

// MultilabelSoftMarginLoss returns the mean binary cross entropy of sigmoid(x) over all classes.
func MultilabelSoftMarginLoss(x, target *lucid.Tensor, opts ...WeightedLossOptions) *lucid.Tensor {
	o := door.Option("multilabel_soft_margin_loss", opts)
	return lucid.MultilabelSoftMarginLoss(x, target, o.Weight, LossOptions{Reduction: o.Reduction})
}

// TripletDistanceOptions: Distance is nil for PairwiseDistance; Margin nil for 1.
type TripletDistanceOptions struct {
	Distance  func(a, b *lucid.Tensor) *lucid.Tensor
	Margin    *float64
	Swap      bool // use the distance between positive and negative where it is smaller
	Reduction string
}

// TripletMarginWithDistanceLoss is TripletMarginLoss with a distance of one's own.
func TripletMarginWithDistanceLoss(anchor, positive, negative *lucid.Tensor, opts ...TripletDistanceOptions) *lucid.Tensor {
	o := door.Option("triplet_margin_with_distance_loss", opts)
	d := o.Distance
	if d == nil {
		d = func(a, b *lucid.Tensor) *lucid.Tensor { return lucid.PairwiseDistance(a, b) }
	}
	near, far := d(anchor, positive), d(anchor, negative)
	if o.Swap {
		far = far.Minimum(d(positive, negative))
	}
	return reduce("triplet_margin_with_distance_loss", near.Sub(far).Add(door.Or(o.Margin, 1)).ClampMin(0), o.Reduction)
}

// reduce folds the losses of all elements.
func reduce(op string, l *lucid.Tensor, reduction string) *lucid.Tensor {
	switch reduction {
	case "", "mean":
		return l.Mean()
	case "sum":
		return l.Sum()
	case "none":
		return l
	}
	refuse(lucid.ErrValue, op, "reduction is %q; want mean, sum or none", reduction)
	return nil
}
