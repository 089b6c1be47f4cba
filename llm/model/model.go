package model

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

// Model is a decoder with a head that gives logits over the vocabulary.
type Model struct {
	nn.Base
	Body   *Decoder `nn:"model"`
	LMHead nn.Layer `nn:"lm_head"` // nil: the embeddings are the head
	config Config
}

// Decoder is embeddings, layers and a norm.
type Decoder struct {
	nn.Base
	EmbedTokens    nn.Layer      // an nn.Embedding, or a QuantEmbedding
	EmbedPositions *nn.Embedding // nil: positions are rotations
	Layers         []*Layer
	Norm           nn.Layer
}

// Config returns what the model is made of. The caller must not change its slices.
func (m *Model) Config() Config { return m.config }

// pass is what all layers of one evaluation share. Index 0 is for layers without a window, 1 for those with one.
type pass struct {
	at     *lucid.Tensor // positions, int64 of (T)
	angles [2]angles
	masks  [2]*lucid.Tensor // bool, true where a key is seen; nil: causal
	cache  []*lucid.Tensor  // keys and values of each layer in turn, (1, heads, capacity, size); nil: none
	start  *lucid.Tensor
}

// store writes new keys or values behind those of earlier positions and returns all.
func (p *pass) store(i int, x *lucid.Tensor) *lucid.Tensor {
	return p.cache[i].Assign(p.cache[i].DynamicSliceUpdate(x, p.start, []int{2}))
}

// angles are cosines and sines of (T, head size).
type angles struct{ cos, sin *lucid.Tensor }

func (a angles) rotate(x *lucid.Tensor) *lucid.Tensor {
	if a.cos == nil { // positions are embeddings
		return x
	}
	return F.ApplyRotaryEmb(x, a.cos, a.sin)
}

// anglesAt computes them for positions, float32 of (T, 1).
func anglesAt(r *RoPE, dim int, positions *lucid.Tensor) angles {
	freq, scale := r.frequencies(dim)
	f := lucid.With{Device: positions.Device()}.New(freq, 1, dim/2)
	a := positions.Mul(f)
	a = lucid.Cat([]*lucid.Tensor{a, a}, -1)
	cos, sin := a.Cos(), a.Sin()
	if scale != 1 {
		cos, sin = cos.Mul(scale), sin.Mul(scale)
	}
	return angles{cos, sin}
}

// newPass prepares the evaluation of positions, int64 of (T), over keys 0 to keys-1. plain: positions are 0 to T-1.
func (m *Model) newPass(positions *lucid.Tensor, keys int, plain bool) *pass {
	c, p := &m.config, &pass{at: positions}
	at := positions.To(lucid.Float32).Unsqueeze(1)
	if !c.Learned {
		p.angles[0] = anglesAt(&c.RoPE, c.HeadDim, at)
	}
	p.angles[1] = p.angles[0]
	if c.LocalRoPE != nil {
		p.angles[1] = anglesAt(c.LocalRoPE, c.HeadDim, at)
	}
	if plain && c.AttentionCap == 0 && (c.Window == 0 || keys <= c.Window) {
		return p
	}
	q := positions.Unsqueeze(1)
	k := lucid.With{DType: lucid.Int64, Device: positions.Device()}.Arange(keys).Unsqueeze(0)
	past := k.Le(q)
	if !plain || c.AttentionCap > 0 {
		p.masks[0] = past
	}
	p.masks[1] = past
	if c.Window > 0 {
		p.masks[1] = past.LogicalAnd(k.Gt(q.Sub(c.Window)))
	}
	return p
}

// hidden gives the normed result of the last layer, (B, T, hidden).
func (m *Model) hidden(ids *lucid.Tensor, p *pass) *lucid.Tensor {
	x := m.Body.EmbedTokens.Forward(ids)
	if s := m.config.EmbedScale; s != 0 {
		x = x.Mul(s)
	}
	if e := m.Body.EmbedPositions; e != nil {
		x = x.Add(e.Forward(p.at))
	}
	for _, l := range m.Body.Layers {
		x = l.Forward(x, p)
	}
	return m.Body.Norm.Forward(x)
}

// project multiplies with the embeddings.
func (m *Decoder) project(h *lucid.Tensor) *lucid.Tensor {
	if q, ok := m.EmbedTokens.(*QuantEmbedding); ok {
		return q.Project(h)
	}
	e := m.EmbedTokens.(*nn.Embedding)
	return project(h, nn.Use(e, e.Weight))
}

// Placement is the dtype of activations and caches, and their device.
func (m *Model) Placement() lucid.With {
	if q, ok := m.Body.EmbedTokens.(*QuantEmbedding); ok {
		return lucid.With{DType: lucid.Float32, Device: q.Weight.Device()}
	}
	w := m.Body.EmbedTokens.(*nn.Embedding).Weight
	return lucid.With{DType: w.DType(), Device: w.Device()}
}

// head gives logits.
func (m *Model) head(h *lucid.Tensor) *lucid.Tensor {
	if m.LMHead == nil {
		h = m.Body.project(h)
	} else {
		h = m.LMHead.Forward(h)
	}
	return capped(h, m.config.LogitCap)
}

// Forward takes ids, integers of (B, T), to logits of (B, T, vocabulary).
func (m *Model) Forward(ids *lucid.Tensor) *lucid.Tensor {
	if ids.Dim() != 2 || !ids.DType().IsInteger() {
		fault.Throw(fault.Shape, op, "ids are %v of shape %v; want integers of (batch, tokens)", ids.DType(), ids.Shape())
	}
	t := ids.Size(1)
	if t > m.config.Context {
		fault.Throw(fault.Value, op, "%d tokens; the model has a context of %d", t, m.config.Context)
	}
	positions := lucid.With{DType: lucid.Int64, Device: ids.Device()}.Arange(t)
	return m.head(m.hidden(ids, m.newPass(positions, t, true)))
}

// NewCache returns room for the keys and values of capacity positions: two tensors of (1, heads, capacity, size) for each
// layer.
func (m *Model) NewCache(capacity int) []*lucid.Tensor {
	c := &m.config
	cache, with := make([]*lucid.Tensor, 2*c.Layers), m.Placement()
	for i := range cache {
		// Memory of its own for each: tensors that share a constant would be copied at the first step.
		cache[i] = with.New(make([]float32, c.KVHeads*capacity*c.HeadDim),
			1, c.KVHeads, capacity, c.HeadDim)
	}
	return cache
}

// Step continues one sequence: ids, (1, T), are at the positions from start on, an int64 of (1); their keys and values are
// written into the cache, whose tensors are rebound. It returns the logits of the position last, an int64 of (1) counted
// within ids, as (vocabulary). Ids behind it may be padding: the next step writes over their keys.
func (m *Model) Step(ids, start, last *lucid.Tensor, cache []*lucid.Tensor) *lucid.Tensor {
	t, capacity := ids.Size(1), cache[0].Size(2)
	positions := start.Add(lucid.With{DType: lucid.Int64, Device: ids.Device()}.Arange(t))
	p := m.newPass(positions, capacity, false)
	p.cache, p.start = cache, start
	h := m.hidden(ids, p).IndexSelect(1, last)
	return m.head(h).Reshape(m.config.Vocab)
}
