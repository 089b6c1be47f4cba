package functional

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
)

// Embedding returns the rows of weight at the indices of x. With MaxNorm, the rows that are read are first scaled down to
// that length in weight itself, which gradients do not see.
func Embedding(x, weight *lucid.Tensor, opts ...EmbeddingOptions) *lucid.Tensor {
	o := option("embedding", opts)
	renorm(x, weight, o.MaxNorm, o.NormType)
	o.MaxNorm, o.NormType = nil, nil
	return embedding(x, weight, o.op())
}

// renorm scales down rows of weight that are longer than a bound.
func renorm(x, weight *lucid.Tensor, bound, order *float64) {
	if bound == nil {
		return
	}
	lucid.NoGrad(func() {
		weight.Assign(embeddingRenorm(weight.Detach(), x, *bound, door.Or(order, 2)))
	})
}

// EmbeddingBag returns the sum, mean or maximum of the rows of weight in each bag. MaxNorm works as in Embedding.
func EmbeddingBag(x, weight *lucid.Tensor, opts ...EmbeddingBagOptions) *lucid.Tensor {
	o := option("embedding_bag", opts)
	renorm(x, weight, o.MaxNorm, o.NormType)
	o.MaxNorm, o.NormType = nil, nil
	return embeddingBag(x, weight, o.Offsets, o.PerSampleWeights, o.op())
}
