package nn

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
	nninit "github.com/lucid-go/lucid/nn/init"
)

// MultiheadAttentionOptions say how an attention is made; the zero value is PyTorch's default.
type MultiheadAttentionOptions struct {
	Dropout     float64      // share of the weights that are dropped in training
	NoBias      bool         // no bias
	AddBiasKV   bool         // have a learned key and value at the end
	AddZeroAttn bool         // have a key and value of zeros at the end
	KDim, VDim  int          // sizes of keys and values; 0: as embed
	QDim        int          // size of queries; 0: as embed
	ValueDim    int          // size of projected values, which the heads share; 0: as embed
	OutDim      int          // size of the result; 0: as embed
	NumKVHeads  int          // heads of keys and values, shared by groups of query heads; 0: as the queries
	BatchFirst  bool         // tensors are (B, L, E) instead of (L, B, E)
	DType       lucid.DType  // of the parameters; zero: the default float
	Device      lucid.Device // of the parameters; zero: the default device
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

	o     MultiheadAttentionOptions
	heads int
}

// NewMultiheadAttention returns it for a size that the heads divide.
func NewMultiheadAttention(embed, heads int, opts ...MultiheadAttentionOptions) *MultiheadAttention {
	const op = "multihead_attention"
	o := door.Option(op, opts)
	if heads <= 0 || embed <= 0 || embed%heads != 0 {
		refuse(lucid.ErrValue, op, "%d heads do not divide a size of %d", heads, embed)
	}
	for _, p := range []*int{&o.KDim, &o.VDim, &o.QDim, &o.ValueDim, &o.OutDim} {
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
	m := &MultiheadAttention{o: o, heads: heads}
	w := lucid.With{DType: o.DType, Device: o.Device}
	if o.ValueDim%heads != 0 || min(o.KDim, o.VDim, o.QDim, o.ValueDim, o.OutDim) < 0 {
		refuse(lucid.ErrValue, op, "KDim %d, VDim %d, QDim %d, OutDim %d and ValueDim %d; want sizes, the last one a multiple of %d heads",
			o.KDim, o.VDim, o.QDim, o.OutDim, o.ValueDim, heads)
	}
	kv, values := o.NumKVHeads*(embed/heads), o.NumKVHeads*(o.ValueDim/heads)
	if o.KDim == embed && o.VDim == embed && o.QDim == embed && kv == embed && values == embed {
		m.InProjWeight = nninit.XavierUniform_(parameter(w, 3*embed, embed))
	} else {
		m.QProjWeight = nninit.XavierUniform_(parameter(w, embed, o.QDim))
		m.KProjWeight = nninit.XavierUniform_(parameter(w, kv, o.KDim))
		m.VProjWeight = nninit.XavierUniform_(parameter(w, values, o.VDim))
	}
	if !o.NoBias {
		m.InProjBias = parameter(w, embed+kv+values)
	}
	m.OutProj = NewLinear(o.ValueDim, o.OutDim, LinearOptions{NoBias: o.NoBias, DType: o.DType, Device: o.Device})
	if m.OutProj.Bias != nil {
		nninit.Zeros_(m.OutProj.Bias)
	}
	if o.AddBiasKV {
		m.BiasK, m.BiasV = nninit.XavierNormal_(parameter(w, 1, 1, kv)), nninit.XavierNormal_(parameter(w, 1, 1, values))
	}
	return m
}

// NewGroupedQueryAttention returns an attention whose groups of query heads share keys and values.
func NewGroupedQueryAttention(embed, heads, kvHeads int, opts ...MultiheadAttentionOptions) *MultiheadAttention {
	o := door.Option("grouped_query_attention", opts)
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
	o := door.Option("multihead_attention", opts)
	in := EnterN(m, query, key, value)
	y, weights = F.MultiheadAttentionForward(in[0], in[1], in[2], m.heads, F.MultiheadAttentionOptions{
		InProjWeight: Use(m, m.InProjWeight), InProjBias: Use(m, m.InProjBias),
		QProjWeight: Use(m, m.QProjWeight), KProjWeight: Use(m, m.KProjWeight), VProjWeight: Use(m, m.VProjWeight),
		BiasK: Use(m, m.BiasK), BiasV: Use(m, m.BiasV),
		OutProjWeight: Use(m.OutProj, m.OutProj.Weight), OutProjBias: Use(m.OutProj, m.OutProj.Bias),
		KeyPaddingMask: o.KeyPaddingMask, AttnMask: o.AttnMask, AddZeroAttn: m.o.AddZeroAttn, DropoutP: m.o.Dropout, Eval: !m.Training(),
		NoWeights: o.NoWeights, HeadWeights: o.HeadWeights, IsCausal: o.IsCausal, NumKVHeads: m.o.NumKVHeads, BatchFirst: m.o.BatchFirst,
	})
	out := LeaveN(m, in, y)
	return out[0], weights
}
