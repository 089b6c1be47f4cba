package functional

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// TripletDistanceOptions are the options of TripletMarginWithDistanceLoss.
type TripletDistanceOptions struct {
	Distance  func(a, b *lucid.Tensor) *lucid.Tensor // nil: PairwiseDistance
	Margin    *float64                               // nil: 1
	Swap      bool                                   // use the distance between positive and negative where it is smaller
	Reduction string                                 // "mean" (also by ""), "sum" or "none"
}

// TripletMarginWithDistanceLoss is TripletMarginLoss with a distance of one's own.
func TripletMarginWithDistanceLoss(anchor, positive, negative *lucid.Tensor, opts ...TripletDistanceOptions) *lucid.Tensor {
	o := door.Option("triplet_margin_with_distance_loss", opts)
	d := o.Distance
	if d == nil {
		d = func(a, b *lucid.Tensor) *lucid.Tensor { return PairwiseDistance(a, b) }
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
