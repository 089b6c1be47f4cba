package functional

import (
	"math"

	"github.com/lucid-go/lucid"
)

// AdditiveMask returns a mask as numbers to be added to scores: of a bool mask, -inf where it is true and 0 elsewhere.
func AdditiveMask(mask *lucid.Tensor, d lucid.DType) *lucid.Tensor {
	if mask.DType() != lucid.Bool {
		return mask.To(d)
	}
	return lucid.Where(mask, lucid.With{DType: d, Device: mask.Device()}.Full([]int{}, math.Inf(-1)), 0)
}

// CausalMask returns (l, s) numbers that hide later elements: -inf above the diagonal, 0 elsewhere.
func CausalMask(l, s int, d lucid.DType) *lucid.Tensor {
	return AdditiveMask(lucid.Arange(s).Reshape(1, s).Gt(lucid.Arange(l).Reshape(l, 1)), d)
}

// RepeatKV repeats every head of (B, heads, S, D) n times, for query heads that share them.
func RepeatKV(x *lucid.Tensor, n int) *lucid.Tensor {
	if n == 1 {
		return x
	}
	B, H, S, D := x.Size(0), x.Size(1), x.Size(2), x.Size(3)
	return x.Unsqueeze(2).Expand(B, H, n, S, D).Reshape(B, H*n, S, D)
}
