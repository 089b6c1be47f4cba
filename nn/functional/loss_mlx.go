package functional

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// Losses that MLX has and PyTorch lacks. Reduction is "mean" by default, as in all losses here.

// LogCoshLoss returns log(cosh(x-target)): quadratic near zero, linear far out.
func LogCoshLoss(x, target *lucid.Tensor, opts ...LossOptions) *lucid.Tensor {
	o := door.Option("log_cosh_loss", opts)
	d := x.Sub(target)
	return reduce("log_cosh_loss", lucid.Logaddexp(d, d.Neg()).Sub(lucid.With{DType: d.DType(), Device: d.Device()}.Full([]int{}, 2).Log()),
		o.Reduction)
}

// HingeLoss returns max(0, 1 - x·target) for targets of 1 and -1.
func HingeLoss(x, target *lucid.Tensor, opts ...LossOptions) *lucid.Tensor {
	o := door.Option("hinge_loss", opts)
	return reduce("hinge_loss", x.Mul(target).Rsub(1).ClampMin(0), o.Reduction)
}

// CosineSimilarityLossOptions are the options of CosineSimilarityLoss.
type CosineSimilarityLossOptions struct {
	Dim       *int     // nil: 1
	Eps       *float64 // least product of the norms; nil: 1e-8
	Reduction string   // "mean" (also by ""), "sum" or "none"
}

// CosineSimilarityLoss returns the cosine of the angle between x1 and x2, folded.
func CosineSimilarityLoss(x1, x2 *lucid.Tensor, opts ...CosineSimilarityLossOptions) *lucid.Tensor {
	o := door.Option("cosine_similarity_loss", opts)
	return reduce("cosine_similarity_loss", CosineSimilarity(x1, x2, CosineSimilarityOptions{Dim: o.Dim, Eps: o.Eps}), o.Reduction)
}
