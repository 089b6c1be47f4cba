package ops

import (
	"math"

	"github.com/lucid-go/lucid/internal/dtype"
	"github.com/lucid-go/lucid/internal/fault"
)

// ScaledDotProductAttentionWithWeights is ScaledDotProductAttention that returns the weights as well, (…, L, S), after
// dropout; it holds them all.
//
//lucid:pkg nn/functional
//lucid:optional attnMask sinks
//lucid:amp half
func ScaledDotProductAttentionWithWeights(query, key, value, attnMask, sinks *Node, o ScaledDotProductAttentionOptions) (output,
	weights *Node) {
	const op = "scaled_dot_product_attention_with_weights"
	query, key, value = attentionChecked(op, query, key, value, attnMask, sinks, o)
	attnMask, o = bottomRight(query, key, attnMask, o)
	if o.EnableGQA {
		key, value = repeatHeads(op, query, key), repeatHeads(op, query, value)
	}
	weights = attentionWeights(query, key, attnMask, sinks, attentionScale(query, o), o)
	return Matmul(weights, value), weights
}

// attentionChecked checks the operands and brings query, key and value to one dtype.
func attentionChecked(op string, query, key, value, attnMask, sinks *Node, o ScaledDotProductAttentionOptions) (q, k, v *Node) {
	switch {
	case !(o.DropoutP >= 0 && o.DropoutP <= 1):
		fault.Throw(fault.Value, op, "dropout_p is %v; want a number from 0 to 1", o.DropoutP)
	case query.Rank() < 2 || key.Rank() < 2 || value.Rank() < 2 || query.Dim(-1) != key.Dim(-1) || key.Dim(-2) != value.Dim(-2):
		fault.Throw(fault.Shape, op, "query %v, key %v and value %v do not fit; want (…, L, E), (…, S, E), (…, S, Ev)", query.Shape(),
			key.Shape(), value.Shape())
	case o.IsCausal && attnMask != nil:
		fault.Throw(fault.Value, op, "is_causal and attn_mask are both given; put the causal part into the mask")
	case o.BottomRight && !o.IsCausal:
		fault.Throw(fault.Value, op, "bottom_right says how is_causal is meant; set is_causal too")
	case sinks != nil && (query.Rank() < 3 || sinks.Rank() != 1 || sinks.Dim(0) != query.Dim(-3)):
		fault.Throw(fault.Shape, op, "sinks have shape %v for query %v; want one number for each head, query (…, heads, L, E)",
			sinks.Shape(), query.Shape())
	}
	realFloat(op, query)
	d := realFloat(op, Cast(query, resultType(op, query, key, value))).DType()
	return Cast(query, d), Cast(key, d), Cast(value, d)
}

func attentionScale(query *Node, o ScaledDotProductAttentionOptions) float64 {
	return orElse(o.Scale, 1/math.Sqrt(float64(query.Dim(-1))))
}

// attentionWeights are the shares of the keys, of which a part is set to zero where dropout is asked for.
func attentionWeights(query, key, mask, sinks *Node, scale float64, o ScaledDotProductAttentionOptions) *Node {
	s := Matmul(Mul(query, scale), swapLast(key))
	return inFloat32(s, func(s *Node) *Node {
		p := attendWithSinks(s, mask, sinks, o.IsCausal)
		switch o.DropoutP {
		case 0:
			return p
		case 1:
			return Mul(p, 0.0)
		}
		keep := Ge(RandomUniform(Default.Next(), p.Shape(), 0.0, 1.0, dtype.Float32), o.DropoutP)
		return Where(keep, Mul(p, 1/(1-o.DropoutP)), constLike(p, 0))
	})
}
