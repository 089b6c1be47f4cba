package functional

import "github.com/lucid-go/lucid"

// OneHot returns a tensor with one more dimension, 1 at the class and 0 elsewhere, as int64.
func OneHot(x *lucid.Tensor, o ...lucid.OneHotOptions) *lucid.Tensor { return lucid.OneHot(x, o...) }

// Embedding returns the rows of weight at the positions of x.
func Embedding(x, weight *lucid.Tensor, o ...lucid.EmbeddingOptions) *lucid.Tensor {
	return lucid.Embedding(x, weight, o...)
}

// EmbeddingBagOptions are those of lucid.EmbeddingBag, with the offsets of the bags in a flat x and a weight for each
// of its elements.
type EmbeddingBagOptions struct {
	lucid.EmbeddingBagOptions
	Offsets, PerSampleWeights *lucid.Tensor
}

// EmbeddingBag returns the sum, mean or maximum of the rows of weight in each bag.
func EmbeddingBag(x, weight *lucid.Tensor, opts ...EmbeddingBagOptions) *lucid.Tensor {
	o := option("embedding_bag", opts)
	return lucid.EmbeddingBag(x, weight, o.Offsets, o.PerSampleWeights, o.EmbeddingBagOptions)
}

// ScaledDotProductAttentionOptions are those of the op, with a mask: bool, true where a key is seen, or numbers that
// are added to the scores.
type ScaledDotProductAttentionOptions struct {
	lucid.ScaledDotProductAttentionOptions
	AttnMask *lucid.Tensor
}

// ScaledDotProductAttention returns softmax(q·kᵀ·scale + mask)·v; q is (..., L, D), k (..., S, D), v (..., S, Dv).
func ScaledDotProductAttention(query, key, value *lucid.Tensor, opts ...ScaledDotProductAttentionOptions) *lucid.Tensor {
	o := option("scaled_dot_product_attention", opts)
	return lucid.ScaledDotProductAttention(query, key, value, o.AttnMask, o.ScaledDotProductAttentionOptions)
}

// Unfold returns the windows of images as columns.
func Unfold(x *lucid.Tensor, kernelSize []int, o ...lucid.FoldOptions) *lucid.Tensor {
	return lucid.UnfoldImage(x, kernelSize, o...)
}
