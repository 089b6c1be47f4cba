package nn

import (
	"math"

	"github.com/lucid-go/lucid"
	F "github.com/lucid-go/lucid/nn/functional"
	nninit "github.com/lucid-go/lucid/nn/init"
)

// MultiheadAttentionOptions say how an attention is made; the zero value is PyTorch's default.
type MultiheadAttentionOptions struct {
	Dropout     float64
	NoBias      bool
	AddBiasKV   bool // have a learned key and value at the end
	AddZeroAttn bool // have a key and value of zeros at the end
	KDim, VDim  int  // sizes of keys and values; 0: as the queries
	NumKVHeads  int  // heads of keys and values, shared by groups of query heads; 0: as the queries
	BatchFirst  bool // tensors are (B, L, E) instead of (L, B, E)
	DType       lucid.DType
	Device      lucid.Device
}

// MultiheadAttention lets each element of a sequence look at another sequence, in several ways at once (Vaswani et
// al.). If keys and values have the queries' size, the three projections are one matrix.
type MultiheadAttention struct {
	Base
	InProjWeight                          *lucid.Tensor // (3E, E)
	QProjWeight, KProjWeight, VProjWeight *lucid.Tensor // instead, if sizes differ
	InProjBias                            *lucid.Tensor
	BiasK, BiasV                          *lucid.Tensor // (1, 1, E)
	OutProj                               *Linear

	o               MultiheadAttentionOptions
	embed, heads, d int
}

// NewMultiheadAttention returns it for a size that the heads divide.
func NewMultiheadAttention(embed, heads int, opts ...MultiheadAttentionOptions) *MultiheadAttention {
	const op = "multihead_attention"
	o := option(op, opts)
	if heads <= 0 || embed <= 0 || embed%heads != 0 {
		refuse(lucid.ErrValue, op, "%d heads do not divide a size of %d", heads, embed)
	}
	for _, p := range []*int{&o.KDim, &o.VDim} {
		if *p == 0 {
			*p = embed
		}
	}
	if o.NumKVHeads == 0 {
		o.NumKVHeads = heads
	}
	if o.NumKVHeads < 0 || heads%o.NumKVHeads != 0 {
		refuse(lucid.ErrValue, op, "%d heads of keys and values do not divide %d", o.NumKVHeads, heads)
	}
	m := &MultiheadAttention{o: o, embed: embed, heads: heads, d: embed / heads}
	w := lucid.With{DType: o.DType, Device: o.Device}
	kv := o.NumKVHeads * m.d
	if o.KDim == embed && o.VDim == embed && kv == embed {
		m.InProjWeight = nninit.XavierUniform(parameter(w, 3*embed, embed))
	} else {
		m.QProjWeight = nninit.XavierUniform(parameter(w, embed, embed))
		m.KProjWeight = nninit.XavierUniform(parameter(w, kv, o.KDim))
		m.VProjWeight = nninit.XavierUniform(parameter(w, kv, o.VDim))
	}
	if !o.NoBias {
		m.InProjBias = parameter(w, embed+2*kv)
	}
	m.OutProj = NewLinear(embed, embed, LinearOptions{NoBias: o.NoBias, DType: o.DType, Device: o.Device})
	if m.OutProj.Bias != nil {
		nninit.Zeros(m.OutProj.Bias)
	}
	if o.AddBiasKV {
		m.BiasK, m.BiasV = nninit.XavierNormal(parameter(w, 1, 1, kv)), nninit.XavierNormal(parameter(w, 1, 1, kv))
	}
	return m
}

// NewGroupedQueryAttention returns an attention whose groups of query heads share keys and values.
func NewGroupedQueryAttention(embed, heads, kvHeads int, opts ...MultiheadAttentionOptions) *MultiheadAttention {
	o := option("grouped_query_attention", opts)
	o.NumKVHeads = kvHeads
	return NewMultiheadAttention(embed, heads, o)
}

// NewMultiQueryAttention returns an attention whose query heads all share keys and values.
func NewMultiQueryAttention(embed, heads int, opts ...MultiheadAttentionOptions) *MultiheadAttention {
	return NewGroupedQueryAttention(embed, heads, 1, opts...)
}

// AttentionOptions say what an attention sees and returns; the zero value is PyTorch's default. Where a bool mask is
// true nothing is seen; a mask of numbers is added to the scores.
type AttentionOptions struct {
	KeyPaddingMask *lucid.Tensor // (B, S)
	AttnMask       *lucid.Tensor // (L, S) or (B·heads, L, S)
	IsCausal       bool          // see no later element
	NoWeights      bool          // return no weights, which is faster
	HeadWeights    bool          // return the weights of each head, not their mean
}

// Forward returns what queries of (L, B, E) gather from keys and values of (S, B, ·), and the weights, (B, L, S), nil
// with NoWeights. Without a batch there is no B.
func (m *MultiheadAttention) Forward(query, key, value *lucid.Tensor, opts ...AttentionOptions) (y, weights *lucid.Tensor) {
	o := option("multihead_attention", opts)
	in := EnterN(m, query, key, value)
	q, k, v := in[0], in[1], in[2]
	self := q == k && k == v
	alone := q.Dim() == 2
	switch {
	case alone:
		q, k, v = q.Unsqueeze(0), k.Unsqueeze(0), v.Unsqueeze(0)
		if o.KeyPaddingMask != nil {
			o.KeyPaddingMask = o.KeyPaddingMask.Unsqueeze(0)
		}
	case q.Dim() != 3:
		refuse(lucid.ErrShapeMismatch, "multihead_attention", "query has shape %v; want 2 or 3 dimensions", q.Shape())
	case !m.o.BatchFirst:
		q, k, v = swapFirst(q), swapFirst(k), swapFirst(v)
	}
	if self {
		k, v = q, q
	}
	y, weights = m.attend(q, k, v, o)
	switch {
	case alone:
		y = y.Squeeze(0)
		if weights != nil {
			weights = weights.Squeeze(0)
		}
	case !m.o.BatchFirst:
		y = swapFirst(y)
	}
	out := LeaveN(m, in, y)
	return out[0], weights
}

// project takes queries, keys and values through their matrices.
func (m *MultiheadAttention) project(q, k, v *lucid.Tensor) (*lucid.Tensor, *lucid.Tensor, *lucid.Tensor) {
	kv := m.o.NumKVHeads * m.d
	w := []*lucid.Tensor{m.QProjWeight, m.KProjWeight, m.VProjWeight}
	b := make([]*lucid.Tensor, 3)
	if m.InProjWeight != nil {
		if q == k && k == v { // one product
			p := lucid.Split(lucid.Linear(q, m.InProjWeight, m.InProjBias), m.embed, -1)
			return p[0], p[1], p[2]
		}
		w = lucid.Split(m.InProjWeight, m.embed, 0)
	}
	if m.InProjBias != nil {
		b = lucid.Split(m.InProjBias, []int{m.embed, kv, kv}, 0)
	}
	return lucid.Linear(q, w[0], b[0]), lucid.Linear(k, w[1], b[1]), lucid.Linear(v, w[2], b[2])
}

// attend works on (B, L, E).
func (m *MultiheadAttention) attend(q, k, v *lucid.Tensor, o AttentionOptions) (y, weights *lucid.Tensor) {
	B, L := q.Size(0), q.Size(1)
	q, k, v = m.project(q, k, v)
	// A causal mask alone is left to the attention, which then skips what is not seen.
	causal := o.IsCausal && o.NoWeights && o.AttnMask == nil && o.KeyPaddingMask == nil && m.BiasK == nil && !m.o.AddZeroAttn
	if causal {
		o.IsCausal = false
	}
	mask := m.mask(q, B, L, k.Size(1), o)
	if m.BiasK != nil {
		k, v = m.append(k, m.BiasK), m.append(v, m.BiasV)
	}
	if m.o.AddZeroAttn {
		z := k.Detach().NewZeros(1, 1, k.Size(-1))
		k, v = m.append(k, z), m.append(v, z)
	}
	if extra := k.Size(1) - seen(mask); mask != nil && extra > 0 {
		mask = lucid.Pad(mask, []int{0, extra})
	}
	split := func(x *lucid.Tensor, heads int) *lucid.Tensor {
		return x.Reshape(B, x.Size(1), heads, m.d).Permute(0, 2, 1, 3)
	}
	q, k, v = split(q, m.heads), split(k, m.o.NumKVHeads), split(v, m.o.NumKVHeads)
	p := 0.0
	if m.Training() {
		p = m.o.Dropout
	}
	join := func(x *lucid.Tensor) *lucid.Tensor {
		return m.OutProj.Forward(x.Permute(0, 2, 1, 3).Reshape(B, L, m.embed))
	}
	if o.NoWeights {
		return join(lucid.ScaledDotProductAttention(q, k, v, mask, lucid.ScaledDotProductAttentionOptions{DropoutP: p, IsCausal: causal, EnableGQA: m.o.NumKVHeads != m.heads})), nil
	}
	if n := m.heads / m.o.NumKVHeads; n > 1 {
		k, v = F.RepeatKV(k, n), F.RepeatKV(v, n)
	}
	score := q.Mul(1 / math.Sqrt(float64(m.d))).MatMul(k.Permute(0, 1, 3, 2))
	if mask != nil {
		score = score.Add(mask)
	}
	weights = F.Dropout(score.Softmax(-1), F.DropoutOptions{P: &p})
	y = join(weights.MatMul(v))
	if !o.HeadWeights {
		weights = weights.Mean(1)
	}
	return y, weights
}

func seen(mask *lucid.Tensor) int {
	if mask == nil {
		return 0
	}
	return mask.Size(-1)
}

// append puts one more element behind the sequences of x.
func (m *MultiheadAttention) append(x, last *lucid.Tensor) *lucid.Tensor {
	return lucid.Cat([]*lucid.Tensor{x, lucid.Expand(last, x.Size(0), 1, x.Size(2))}, 1)
}

// mask returns what is added to the scores, (B or 1, heads or 1, L or 1, S); nil if all is seen.
func (m *MultiheadAttention) mask(like *lucid.Tensor, B, L, S int, o AttentionOptions) (sum *lucid.Tensor) {
	add := func(t *lucid.Tensor) {
		if sum == nil {
			sum = t
		} else {
			sum = sum.Add(t)
		}
	}
	if t := o.AttnMask; t != nil {
		switch t.Dim() {
		case 2:
			t = t.Reshape(1, 1, L, S)
		case 3:
			t = t.Reshape(B, m.heads, L, S)
		default:
			refuse(lucid.ErrShapeMismatch, "multihead_attention", "AttnMask has shape %v; want (L, S) or (B·heads, L, S)", t.Shape())
		}
		add(F.AdditiveMask(t, like.DType()))
	}
	if o.IsCausal && o.AttnMask == nil {
		add(F.CausalMask(L, S, like.DType()).Reshape(1, 1, L, S))
	}
	if t := o.KeyPaddingMask; t != nil {
		add(F.AdditiveMask(t.Reshape(B, 1, 1, S), like.DType()))
	}
	return sum
}
