package functional

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// OneHot returns a tensor with one more dimension, 1 at the class and 0 elsewhere, as int64.
func OneHot(x *lucid.Tensor, o ...lucid.OneHotOptions) *lucid.Tensor { return lucid.OneHot(x, o...) }

// Embedding returns the rows of weight at the positions of x. With MaxNorm, the rows that are read are first cut to
// that length in weight itself, which gradients do not see.
func Embedding(x, weight *lucid.Tensor, opts ...lucid.EmbeddingOptions) *lucid.Tensor {
	o := door.Option("embedding", opts)
	renorm(x, weight, o.MaxNorm, o.NormType)
	o.MaxNorm, o.NormType = nil, nil
	return lucid.Embedding(x, weight, o)
}

// renorm cuts rows of weight that are longer than a bound.
func renorm(x, weight *lucid.Tensor, bound, order *float64) {
	if bound == nil {
		return
	}
	lucid.NoGrad(func() {
		weight.Assign(lucid.EmbeddingRenorm(weight.Detach(), x, *bound, door.Or(order, 2)))
	})
}

// EmbeddingBagOptions are those of lucid.EmbeddingBag, with the offsets of the bags in a flat x and a weight for each
// of its elements.
type EmbeddingBagOptions struct {
	lucid.EmbeddingBagOptions
	Offsets, PerSampleWeights *lucid.Tensor
}

// EmbeddingBag returns the sum, mean or maximum of the rows of weight in each bag. MaxNorm works as in Embedding.
func EmbeddingBag(x, weight *lucid.Tensor, opts ...EmbeddingBagOptions) *lucid.Tensor {
	o := door.Option("embedding_bag", opts)
	renorm(x, weight, o.MaxNorm, o.NormType)
	o.MaxNorm, o.NormType = nil, nil
	return lucid.EmbeddingBag(x, weight, o.Offsets, o.PerSampleWeights, o.EmbeddingBagOptions)
}

// Unfold returns the windows of images as columns.
func Unfold(x *lucid.Tensor, kernelSize []int, o ...lucid.FoldOptions) *lucid.Tensor {
	return lucid.UnfoldImage(x, kernelSize, o...)
}
