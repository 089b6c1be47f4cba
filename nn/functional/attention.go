package functional

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
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
	return lucid.Expand(x.Unsqueeze(2), B, H, n, S, D).Reshape(B, H*n, S, D)
}

// ScaledDotProductAttentionOptions are those of the op, with a mask: bool, true where a key is seen, or numbers that
// are added to the scores.
type ScaledDotProductAttentionOptions struct {
	lucid.ScaledDotProductAttentionOptions
	AttnMask *lucid.Tensor
}

// ScaledDotProductAttention returns softmax(q·kᵀ·scale + mask)·v; q is (..., L, D), k (..., S, D), v (..., S, Dv).
// With DropoutP, that share of the weights is dropped, in training or not.
func ScaledDotProductAttention(query, key, value *lucid.Tensor, opts ...ScaledDotProductAttentionOptions) *lucid.Tensor {
	o := door.Option("scaled_dot_product_attention", opts)
	return lucid.ScaledDotProductAttention(query, key, value, o.AttnMask, o.ScaledDotProductAttentionOptions)
}

// ApplyRotaryEmbOptions: Interleaved turns neighbouring elements together; otherwise each element of the first half
// turns with one of the second. PositionIDs, integers of (L) or (B, L), say which rows of the angles are taken; nil
// means the first L.
type ApplyRotaryEmbOptions struct {
	PositionIDs *lucid.Tensor
	Interleaved bool
}

// ApplyRotaryEmb turns the vectors of x, (..., L, D), by the angles whose cosine and sine are (positions, D) (Su et
// al.).
func ApplyRotaryEmb(x, cos, sin *lucid.Tensor, opts ...ApplyRotaryEmbOptions) *lucid.Tensor {
	o := door.Option("apply_rotary_emb", opts)
	return lucid.RotaryPosEmbedding(x, cos, sin, o.PositionIDs, lucid.RotaryPosEmbeddingOptions{Interleaved: o.Interleaved})
}
