package nn

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/door"
	F "github.com/lucid-go/lucid/nn/functional"
	nninit "github.com/lucid-go/lucid/nn/init"
)

// TransformerOptions say how a transformer or its layers are made; the zero value is PyTorch's default.
type TransformerOptions struct {
	NumEncoderLayers int                               // 0: 6
	NumDecoderLayers int                               // 0: 6
	DimFeedforward   int                               // 0: 2048
	Dropout          *float64                          // nil: 0.1
	AttentionDropout *float64                          // nil: as Dropout
	Activation       string                            // "relu" (default) or "gelu"
	ActivationFn     func(*lucid.Tensor) *lucid.Tensor // instead of Activation
	LayerNormEps     *float64                          // nil: 1e-5
	BatchFirst       bool                              // tensors are (B, T, …) instead of (T, B, …)
	NormFirst        bool                              // normalise before attention and feed-forward, not after
	NoBias           bool                              // no bias
	DType            lucid.DType                       // of the parameters; zero: the default float
	Device           lucid.Device                      // of the parameters; zero: the default device
}

func (o TransformerOptions) activation(op string) func(*lucid.Tensor) *lucid.Tensor {
	if o.ActivationFn != nil {
		return o.ActivationFn
	}
	switch o.Activation {
	case "", "relu":
		return F.ReLU
	case "gelu":
		return func(x *lucid.Tensor) *lucid.Tensor { return F.GELU(x) }
	}
	refuse(lucid.ErrValue, op, "Activation is %q; want relu or gelu", o.Activation)
	return nil
}

func (o TransformerOptions) attention(size, heads int) *MultiheadAttention {
	p := door.Or(o.Dropout, 0.1)
	return NewMultiheadAttention(size, heads, MultiheadAttentionOptions{Dropout: door.Or(o.AttentionDropout, p), NoBias: o.NoBias,
		BatchFirst: o.BatchFirst, DType: o.DType, Device: o.Device})
}

func (o TransformerOptions) linear(in, out int) *Linear {
	return NewLinear(in, out, LinearOptions{NoBias: o.NoBias, DType: o.DType, Device: o.Device})
}

func (o TransformerOptions) norm(size int) *LayerNorm {
	return NewLayerNorm([]int{size}, LayerNormOptions{Eps: o.LayerNormEps, NoBias: o.NoBias, DType: o.DType, Device: o.Device})
}

func (o TransformerOptions) dropout() *Dropout { return NewDropout(door.Or(o.Dropout, 0.1)) }

func (o TransformerOptions) feedforward() int {
	if o.DimFeedforward == 0 {
		return 2048
	}
	return o.DimFeedforward
}

// TransformerEncoderLayer is self-attention and a feed-forward network.
type TransformerEncoderLayer struct {
	Base
	SelfAttn           *MultiheadAttention
	Linear1            *Linear
	Dropout            *Dropout
	Linear2            *Linear
	Norm1, Norm2       *LayerNorm
	Dropout1, Dropout2 *Dropout
	act                func(*lucid.Tensor) *lucid.Tensor
	normFirst          bool
}

// NewTransformerEncoderLayer returns it for a size that the heads divide.
func NewTransformerEncoderLayer(size, heads int, opts ...TransformerOptions) *TransformerEncoderLayer {
	const op = "transformer_encoder_layer"
	o := door.Option(op, opts)
	return &TransformerEncoderLayer{SelfAttn: o.attention(size, heads), Linear1: o.linear(size, o.feedforward()), Dropout: o.dropout(),
		Linear2: o.linear(o.feedforward(), size), Norm1: o.norm(size), Norm2: o.norm(size), Dropout1: o.dropout(), Dropout2: o.dropout(),
		act: o.activation(op), normFirst: o.NormFirst}
}

// TransformerMasks say what is seen: masks as in AttentionOptions.
type TransformerMasks struct {
	Src, Tgt, Memory                               *lucid.Tensor
	SrcKeyPadding, TgtKeyPadding, MemoryKeyPadding *lucid.Tensor
	SrcIsCausal, TgtIsCausal, MemoryIsCausal       bool
}

func (t TransformerMasks) src() AttentionOptions {
	return AttentionOptions{AttnMask: t.Src, KeyPaddingMask: t.SrcKeyPadding, IsCausal: t.SrcIsCausal, NoWeights: true}
}

func (t TransformerMasks) tgt() AttentionOptions {
	return AttentionOptions{AttnMask: t.Tgt, KeyPaddingMask: t.TgtKeyPadding, IsCausal: t.TgtIsCausal, NoWeights: true}
}

func (t TransformerMasks) memory() AttentionOptions {
	return AttentionOptions{AttnMask: t.Memory, KeyPaddingMask: t.MemoryKeyPadding, IsCausal: t.MemoryIsCausal, NoWeights: true}
}

// Forward takes src of (S, B, E) to the same shape; of the masks those of src count.
func (m *TransformerEncoderLayer) Forward(src *lucid.Tensor, masks ...TransformerMasks) *lucid.Tensor {
	o := door.Option("transformer_encoder_layer", masks)
	src = Enter(m, src)
	self := func(x *lucid.Tensor) *lucid.Tensor {
		y, _ := m.SelfAttn.Forward(x, x, x, o.src())
		return m.Dropout1.Forward(y)
	}
	feed := func(x *lucid.Tensor) *lucid.Tensor {
		return m.Dropout2.Forward(m.Linear2.Forward(m.Dropout.Forward(m.act(m.Linear1.Forward(x)))))
	}
	x := residual(src, self, m.Norm1, m.normFirst)
	x = residual(x, feed, m.Norm2, m.normFirst)
	return Leave(m, src, x)
}

// residual adds a block's result to x, normalised before or after.
func residual(x *lucid.Tensor, block func(*lucid.Tensor) *lucid.Tensor, norm *LayerNorm, first bool) *lucid.Tensor {
	if first {
		return x.Add(block(norm.Forward(x)))
	}
	return norm.Forward(x.Add(block(x)))
}

// TransformerDecoderLayer is self-attention, attention to a memory and a feed-forward network.
type TransformerDecoderLayer struct {
	Base
	SelfAttn, MultiheadAttn      *MultiheadAttention
	Linear1                      *Linear
	Dropout                      *Dropout
	Linear2                      *Linear
	Norm1, Norm2, Norm3          *LayerNorm
	Dropout1, Dropout2, Dropout3 *Dropout
	act                          func(*lucid.Tensor) *lucid.Tensor
	normFirst                    bool
}

// NewTransformerDecoderLayer returns it for a size that the heads divide.
func NewTransformerDecoderLayer(size, heads int, opts ...TransformerOptions) *TransformerDecoderLayer {
	const op = "transformer_decoder_layer"
	o := door.Option(op, opts)
	return &TransformerDecoderLayer{SelfAttn: o.attention(size, heads), MultiheadAttn: o.attention(size, heads),
		Linear1: o.linear(size, o.feedforward()), Dropout: o.dropout(), Linear2: o.linear(o.feedforward(), size),
		Norm1: o.norm(size), Norm2: o.norm(size), Norm3: o.norm(size), Dropout1: o.dropout(), Dropout2: o.dropout(), Dropout3: o.dropout(),
		act: o.activation(op), normFirst: o.NormFirst}
}

// Forward takes tgt of (T, B, E) and a memory of (S, B, E) to the shape of tgt; of the masks those of tgt and memory
// count.
func (m *TransformerDecoderLayer) Forward(tgt, memory *lucid.Tensor, masks ...TransformerMasks) *lucid.Tensor {
	o := door.Option("transformer_decoder_layer", masks)
	in := EnterN(m, tgt, memory)
	self := func(x *lucid.Tensor) *lucid.Tensor {
		y, _ := m.SelfAttn.Forward(x, x, x, o.tgt())
		return m.Dropout1.Forward(y)
	}
	cross := func(x *lucid.Tensor) *lucid.Tensor {
		y, _ := m.MultiheadAttn.Forward(x, in[1], in[1], o.memory())
		return m.Dropout2.Forward(y)
	}
	feed := func(x *lucid.Tensor) *lucid.Tensor {
		return m.Dropout3.Forward(m.Linear2.Forward(m.Dropout.Forward(m.act(m.Linear1.Forward(x)))))
	}
	x := residual(in[0], self, m.Norm1, m.normFirst)
	x = residual(x, cross, m.Norm2, m.normFirst)
	x = residual(x, feed, m.Norm3, m.normFirst)
	return LeaveN(m, in, x)[0]
}

// TransformerEncoder is encoder layers one after the other, and a norm, which may be nil.
type TransformerEncoder struct {
	Base
	Layers []*TransformerEncoderLayer
	Norm   *LayerNorm
}

// NewTransformerEncoder makes the layers by calling layer.
func NewTransformerEncoder(layer func() *TransformerEncoderLayer, numLayers int, norm *LayerNorm) *TransformerEncoder {
	if numLayers < 0 {
		refuse(lucid.ErrValue, "transformer_encoder", "%d layers; want 0 or more", numLayers)
	}
	m := &TransformerEncoder{Norm: norm}
	for range numLayers {
		m.Layers = append(m.Layers, layer())
	}
	return m
}

// Forward takes src through all layers.
func (m *TransformerEncoder) Forward(src *lucid.Tensor, masks ...TransformerMasks) *lucid.Tensor {
	src = Enter(m, src)
	x := src
	for _, l := range m.Layers {
		x = l.Forward(x, masks...)
	}
	if m.Norm != nil {
		x = m.Norm.Forward(x)
	}
	return Leave(m, src, x)
}

// TransformerDecoder is decoder layers one after the other, and a norm, which may be nil.
type TransformerDecoder struct {
	Base
	Layers []*TransformerDecoderLayer
	Norm   *LayerNorm
}

// NewTransformerDecoder makes the layers by calling layer.
func NewTransformerDecoder(layer func() *TransformerDecoderLayer, numLayers int, norm *LayerNorm) *TransformerDecoder {
	if numLayers < 0 {
		refuse(lucid.ErrValue, "transformer_decoder", "%d layers; want 0 or more", numLayers)
	}
	m := &TransformerDecoder{Norm: norm}
	for range numLayers {
		m.Layers = append(m.Layers, layer())
	}
	return m
}

// Forward takes tgt through all layers, each of which sees memory.
func (m *TransformerDecoder) Forward(tgt, memory *lucid.Tensor, masks ...TransformerMasks) *lucid.Tensor {
	in := EnterN(m, tgt, memory)
	x := in[0]
	for _, l := range m.Layers {
		x = l.Forward(x, in[1], masks...)
	}
	if m.Norm != nil {
		x = m.Norm.Forward(x)
	}
	return LeaveN(m, in, x)[0]
}

// Transformer is an encoder and a decoder (Vaswani et al.).
type Transformer struct {
	Base
	Encoder *TransformerEncoder
	Decoder *TransformerDecoder
}

// NewTransformer returns it for a size that the heads divide; PyTorch's defaults are 512 and 8.
func NewTransformer(size, heads int, opts ...TransformerOptions) *Transformer {
	o := door.Option("transformer", opts)
	m := &Transformer{
		Encoder: NewTransformerEncoder(func() *TransformerEncoderLayer { return NewTransformerEncoderLayer(size, heads, o) },
			door.Count(o.NumEncoderLayers, 6), o.norm(size)),
		Decoder: NewTransformerDecoder(func() *TransformerDecoderLayer { return NewTransformerDecoderLayer(size, heads, o) },
			door.Count(o.NumDecoderLayers, 6), o.norm(size)),
	}
	for _, p := range Parameters(m) {
		if p.Dim() > 1 {
			nninit.XavierUniform_(p)
		}
	}
	return m
}

// Forward takes src of (S, B, E) and tgt of (T, B, E) to the shape of tgt.
func (m *Transformer) Forward(src, tgt *lucid.Tensor, masks ...TransformerMasks) *lucid.Tensor {
	in := EnterN(m, src, tgt)
	return LeaveN(m, in, m.Decoder.Forward(in[1], m.Encoder.Forward(in[0], masks...), masks...))[0]
}
