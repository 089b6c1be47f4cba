package functional

import (
	"math"
	"slices"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/graph"
)

// MultiheadAttentionOptions are the parameters and masks of MultiheadAttentionForward; the zero value of what is no
// parameter is PyTorch's default. The projections are InProjWeight, (3E, E), or QProjWeight, KProjWeight and
// VProjWeight, whose sizes may differ: queries and keys are compared in as many elements as QProjWeight has rows, and the heads of values
// have their own size. Where a bool mask is true nothing is seen; a mask of numbers is added to the scores.
type MultiheadAttentionOptions struct {
	InProjWeight     *lucid.Tensor // projection of queries, keys and values, (3E, E)
	InProjBias       *lucid.Tensor // of the three projections; nil: none
	QProjWeight      *lucid.Tensor // of queries, in place of InProjWeight
	KProjWeight      *lucid.Tensor // of keys, in place of InProjWeight
	VProjWeight      *lucid.Tensor // of values, in place of InProjWeight
	BiasK, BiasV     *lucid.Tensor // (1, 1, E): a learned key and value at the end
	OutProjWeight    *lucid.Tensor // projection of the result, required
	OutProjBias      *lucid.Tensor // nil: none
	StaticK, StaticV *lucid.Tensor // (B·heads, S, D): used in place of projected keys and values
	KeyPaddingMask   *lucid.Tensor // (B, S)
	AttnMask         *lucid.Tensor // (L, S) or (B·heads, L, S)
	AddZeroAttn      bool          // a key and value of zeros at the end
	DropoutP         float64       // share of the weights that are dropped in training
	Eval             bool          // PyTorch's training=False
	NoWeights        bool          // PyTorch's need_weights=False
	HeadWeights      bool          // PyTorch's average_attn_weights=False
	IsCausal         bool          // see no later element, unless AttnMask says what is seen
	NumKVHeads       int           // heads of keys and values, shared by groups of query heads; 0: as the queries
	BatchFirst       bool          // tensors are (B, L, E) instead of (L, B, E)
}

// heads is one call of MultiheadAttentionForward.
type heads struct {
	MultiheadAttentionOptions
	n, kv     int
	embed     int // elements of projected queries
	d, valueD int // elements of a head, of a head of values
	B, L      int
}

const mha = "multi_head_attention_forward"

// MultiheadAttentionForward returns what queries of (L, B, E) gather from keys and values of (S, B, ·), each head by a
// part of its own, and the weights, (B, L, S), nil with NoWeights. Without a batch there is no B.
func MultiheadAttentionForward(query, key, value *lucid.Tensor, numHeads int, o MultiheadAttentionOptions) (y, weights *lucid.Tensor) {
	q, k, v := query, key, value
	self := q == k && k == v
	alone := q.Dim() == 2
	switch {
	case alone:
		q, k, v = q.Unsqueeze(0), k.Unsqueeze(0), v.Unsqueeze(0)
		if o.KeyPaddingMask != nil && o.KeyPaddingMask.Dim() == 1 {
			o.KeyPaddingMask = o.KeyPaddingMask.Unsqueeze(0)
		}
	case q.Dim() != 3:
		refuse(lucid.ErrShapeMismatch, mha, "query has shape %v; want 2 or 3 dimensions", q.Shape())
	case !o.BatchFirst:
		q, k, v = q.Transpose(0, 1), k.Transpose(0, 1), v.Transpose(0, 1)
	}
	if self {
		k, v = q, q
	}
	h := &heads{MultiheadAttentionOptions: o, n: numHeads, kv: o.NumKVHeads, embed: q.Size(-1), B: q.Size(0), L: q.Size(1)}
	if o.InProjWeight == nil && o.QProjWeight != nil {
		h.embed = o.QProjWeight.Size(0)
	}
	h.check(q, k, v)
	y, weights = h.attend(q, k, v)
	switch {
	case alone:
		y = own(y.Squeeze(0))
		if weights != nil {
			weights = own(weights.Squeeze(0))
		}
	case !o.BatchFirst:
		y = own(y.Transpose(0, 1))
	}
	return y, weights
}

// own marks a result as a value of its own, though its last step showed elements of another: in-place forms may write it.
func own(x *lucid.Tensor) *lucid.Tensor {
	(*graph.Array)(x).UnmarkView()
	return x
}

// check refuses what does not fit and completes the sizes.
func (h *heads) check(q, k, v *lucid.Tensor) {
	if h.kv == 0 {
		h.kv = h.n
	}
	switch {
	case h.n <= 0 || h.embed%h.n != 0 || h.kv > 0 && h.VProjWeight != nil && h.VProjWeight.Size(0)%h.kv != 0:
		refuse(lucid.ErrValue, mha, "%d heads do not divide a size of %d", h.n, h.embed)
	case h.kv < 0 || h.n%h.kv != 0:
		refuse(lucid.ErrValue, mha, "%d heads of keys and values do not divide %d", h.kv, h.n)
	case h.InProjWeight == nil && (h.QProjWeight == nil || h.KProjWeight == nil || h.VProjWeight == nil):
		refuse(lucid.ErrValue, mha, "there is no InProjWeight; give it, or QProjWeight, KProjWeight and VProjWeight")
	case h.OutProjWeight == nil:
		refuse(lucid.ErrValue, mha, "there is no OutProjWeight")
	case k.Dim() != 3 || v.Dim() != 3 || k.Size(0) != h.B || v.Size(0) != h.B || k.Size(1) != v.Size(1):
		refuse(lucid.ErrShapeMismatch, mha,
			"query, key and value are %v, %v and %v with the batch first; want one batch, and as many keys as values",
			q.Shape(), k.Shape(), v.Shape())
	case !(h.DropoutP >= 0 && h.DropoutP <= 1):
		refuse(lucid.ErrValue, mha, "DropoutP is %v; want a number from 0 to 1", h.DropoutP)
	}
	h.d = h.embed / h.n
	if h.valueD = h.d; h.InProjWeight == nil {
		h.valueD = h.VProjWeight.Size(0) / h.kv
	}
}

// project takes queries, keys and values through their matrices.
func (h *heads) project(q, k, v *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor, *lucid.Tensor) {
	w := []*lucid.Tensor{h.QProjWeight, h.KProjWeight, h.VProjWeight}
	b := make([]*lucid.Tensor, 3)
	if h.InProjWeight != nil {
		if q == k && k == v { // one product
			p := lucid.Split(Linear(q, h.InProjWeight, LinearOptions{Bias: h.InProjBias}), h.embed, -1)
			return p[0], p[1], p[2]
		}
		w = lucid.Split(h.InProjWeight, h.embed, 0)
	}
	if h.InProjBias != nil {
		b = lucid.Split(h.InProjBias, []int{h.embed, h.kv * h.d, h.kv * h.valueD}, 0)
	}
	linear := func(x *lucid.Tensor, i int) *lucid.Tensor { return Linear(x, w[i], LinearOptions{Bias: b[i]}) }
	return linear(q, 0), linear(k, 1), linear(v, 2)
}

// split brings (B, L, heads·D) to (B, heads, L, D).
func (h *heads) split(x *lucid.Tensor, n int) *lucid.Tensor {
	return x.Reshape(h.B, x.Size(1), n, x.Size(2)/n).Permute(0, 2, 1, 3)
}

// attend works on (B, L, E).
func (h *heads) attend(q, k, v *lucid.Tensor) (y, weights *lucid.Tensor) {
	q, k, v = h.project(q, k, v)
	S := k.Size(1)
	behind := func(x, last *lucid.Tensor) *lucid.Tensor {
		return lucid.Cat([]*lucid.Tensor{x, last.Expand(x.Size(0), 1, x.Size(2))}, 1)
	}
	if h.BiasK != nil {
		k, v = behind(k, h.BiasK), behind(v, h.BiasV)
	}
	if h.AddZeroAttn {
		k, v = behind(k, k.Detach().NewZeros(1, 1, k.Size(-1))), behind(v, v.Detach().NewZeros(1, 1, v.Size(-1)))
	}
	q, k, v = h.split(q, h.n), h.static(h.split(k, h.kv), h.StaticK, h.d), h.static(h.split(v, h.kv), h.StaticV, h.valueD)
	if h.StaticK != nil {
		S = k.Size(2)
	}
	p := h.DropoutP
	if h.Eval {
		p = 0
	}
	causal := h.IsCausal && h.AttnMask == nil && h.KeyPaddingMask == nil && k.Size(2) == S
	var mask *lucid.Tensor
	if !causal || !h.NoWeights {
		if mask = h.mask(q, S); mask != nil && k.Size(2) > S {
			mask = Pad(mask, []int{0, k.Size(2) - S})
		}
	}
	if h.NoWeights {
		o := ScaledDotProductAttentionOptions{AttnMask: mask}
		o.DropoutP, o.IsCausal, o.EnableGQA = p, causal, h.kv != h.n
		return h.join(ScaledDotProductAttention(q, k, v, o)), nil
	}
	if n := h.n / h.kv; n > 1 {
		k, v = RepeatKV(k, n), RepeatKV(v, n)
	}
	score := q.Mul(1 / math.Sqrt(float64(h.d))).MatMul(k.Permute(0, 1, 3, 2))
	if mask != nil {
		score = score.Add(mask)
	}
	weights = Dropout(score.Softmax(-1), DropoutOptions{P: &p})
	y = h.join(weights.MatMul(v))
	if !h.HeadWeights {
		weights = weights.Mean(1)
	}
	return y, weights
}

// static returns given keys or values in place of x.
func (h *heads) static(x, given *lucid.Tensor, d int) *lucid.Tensor {
	if given == nil {
		return x
	}
	if s := given.Shape(); len(s) != 3 || s[0] != h.B*h.kv || s[2] != d {
		refuse(lucid.ErrShapeMismatch, mha, "static keys or values have shape %v; want (%d, S, %d)", s, h.B*h.kv, d)
	}
	return given.Reshape(h.B, h.kv, given.Size(1), d)
}

func (h *heads) join(x *lucid.Tensor) *lucid.Tensor {
	return Linear(x.Permute(0, 2, 1, 3).Reshape(h.B, h.L, h.n*h.valueD), h.OutProjWeight, LinearOptions{Bias: h.OutProjBias})
}

// mask returns what is added to the scores of S keys, (B or 1, heads or 1, L or 1, S); nil if all is seen.
func (h *heads) mask(like *lucid.Tensor, S int) (sum *lucid.Tensor) {
	add := func(t *lucid.Tensor) {
		if sum == nil {
			sum = t
		} else {
			sum = sum.Add(t)
		}
	}
	if t := h.AttnMask; t != nil {
		s := t.Shape()
		switch {
		case slices.Equal(s, []int{h.L, S}):
			t = t.Reshape(1, 1, h.L, S)
		case slices.Equal(s, []int{h.B * h.n, h.L, S}):
			t = t.Reshape(h.B, h.n, h.L, S)
		default:
			refuse(lucid.ErrShapeMismatch, mha, "AttnMask has shape %v; want [%d %d] or [%d %d %d]", s, h.L, S, h.B*h.n, h.L, S)
		}
		add(AdditiveMask(t, like.DType()))
	}
	if h.IsCausal && h.AttnMask == nil {
		add(CausalMask(h.L, S, like.DType()).To(like.Device()).Reshape(1, 1, h.L, S))
	}
	if t := h.KeyPaddingMask; t != nil {
		if s := t.Shape(); !slices.Equal(s, []int{h.B, S}) {
			refuse(lucid.ErrShapeMismatch, mha, "KeyPaddingMask has shape %v; want [%d %d]", s, h.B, S)
		}
		add(AdditiveMask(t.Reshape(h.B, 1, 1, S), like.DType()))
	}
	return sum
}
