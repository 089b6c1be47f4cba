package functional

import "github.com/lucid-go/lucid"

// Linear returns x @ weightᵀ + bias: weight is (out, in), x has size in as its last dimension. A weight of one
// dimension gives one number for each vector.
func Linear(x *lucid.Tensor, weight *lucid.Tensor, bias *lucid.Tensor) *lucid.Tensor {
	return lucid.Linear(x, weight, bias)
}

// Bilinear returns, for every output, input1ᵀ·weight[out]·input2 + bias: weight is (out, in1, in2).
func Bilinear(input1 *lucid.Tensor, input2 *lucid.Tensor, weight *lucid.Tensor, bias *lucid.Tensor) *lucid.Tensor {
	return lucid.Bilinear(input1, input2, weight, bias)
}

// Normalize returns x divided by its norm along a dimension.
func Normalize(x *lucid.Tensor, o ...lucid.NormalizeOptions) *lucid.Tensor {
	return lucid.Normalize(x, o...)
}

// CosineSimilarity returns the cosine of the angle between x1 and x2 along a dimension; the two broadcast.
func CosineSimilarity(x1 *lucid.Tensor, x2 *lucid.Tensor, o ...lucid.CosineSimilarityOptions) *lucid.Tensor {
	return lucid.CosineSimilarity(x1, x2, o...)
}

// PairwiseDistance returns the norm of x1 - x2 + eps along the last dimension; the two broadcast.
func PairwiseDistance(x1 *lucid.Tensor, x2 *lucid.Tensor, o ...lucid.PairwiseDistanceOptions) *lucid.Tensor {
	return lucid.PairwiseDistance(x1, x2, o...)
}

// Pdist returns the p-norm distances between all pairs of rows of a matrix: row 0 with 1, 2, …, then row 1 with 2, ….
func Pdist(x *lucid.Tensor, o ...lucid.DistanceOptions) *lucid.Tensor { return lucid.Pdist(x, o...) }
