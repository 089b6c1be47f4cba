package ops

import "github.com/lucid-go/lucid/internal/shape"

// Counts of floating-point operations, for the profiler: those of the products alone, two for a multiplication and its addition.

// productFLOPs are those of a product whose result has rows of sums over the last dimension of the first operand.
func productFLOPs(in, out []*shape.Shape) int64 {
	return 2 * int64(out[0].Numel()) * int64(in[0].Dim(-1))
}

// convFLOPs counts, for every output, the filter it is a product with.
func convFLOPs(in, out []*shape.Shape) int64 {
	return 2 * int64(out[0].Numel()) * int64(in[1].Numel()/max(in[1].Dim(0), 1))
}

// attentionFLOPs: q is (B, H, L, D), k (B, H, S, D), v (B, H, S, E): scores, and the sums of values.
func attentionFLOPs(in, _ []*shape.Shape) int64 {
	q, k, v := in[0], in[1], in[2]
	return 2 * int64(q.Dim(0)*q.Dim(1)*q.Dim(2)) * int64(k.Dim(2)) * int64(q.Dim(3)+v.Dim(3))
}

// attentionGradFLOPs: scores and weights are computed again, and each of q, k and v has its product.
func attentionGradFLOPs(in, _ []*shape.Shape) int64 {
	q, k, v := in[1], in[2], in[3]
	return 2 * int64(q.Dim(0)*q.Dim(1)*q.Dim(2)) * int64(k.Dim(2)) * int64(3*q.Dim(3)+2*v.Dim(3))
}

// recurrentFLOPs: a product of every row with the matrix of the state.
func recurrentFLOPs(in, _ []*shape.Shape) int64 {
	return 2 * int64(in[0].Dim(0)) * int64(in[1].Numel())
}
