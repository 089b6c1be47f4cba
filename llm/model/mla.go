package model

import (
	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
)

// MLA says how DeepSeek's multi-head latent attention makes queries, keys and values: through vectors that are smaller than all heads
// together. Of keys and queries the last Rope elements rotate; that part of the keys is one for all heads.
type MLA struct {
	QRank  int // size of the vector that queries are made of; 0: they are a projection
	KVRank int // size of the vector that keys and values are made of
	Nope   int // elements of a head that do not rotate
	Rope   int // elements that do
	Value  int // elements of a head's values

	Interleaved bool // pairs that rotate together are neighbours
}

// latentEps is the epsilon of the norms of latent vectors, whatever that of the others is.
const latentEps = 1e-6

func (m *MLA) check(c *Config) {
	for _, n := range []struct {
		name  string
		value int
	}{{"kv_lora_rank", m.KVRank}, {"qk_nope_head_dim", m.Nope}, {"qk_rope_head_dim", m.Rope}, {"v_head_dim", m.Value}} {
		if n.value < 1 || n.value > maxWidth {
			refuse("%s is %d; want 1 to %d", n.name, n.value, maxWidth)
		}
	}
	switch {
	case m.QRank < 0 || m.QRank > maxWidth:
		refuse("q_lora_rank is %d; want 0 to %d", m.QRank, maxWidth)
	case m.Rope%2 != 0:
		refuse("qk_rope_head_dim is %d; rotary positions want an even number", m.Rope)
	case c.Heads*(m.Nope+m.Value) > 4*maxWidth:
		refuse("%d heads of %d elements; want at most %d elements", c.Heads, m.Nope+m.Value, 4*maxWidth)
	case c.HeadDim != m.Nope+m.Rope || c.rotaryDim() != m.Rope:
		refuse("heads have %d elements, of which %d rotate; want %d and %d", c.HeadDim, c.rotaryDim(), m.Nope+m.Rope, m.Rope)
	}
}

// LatentAttention is multi-head latent attention. What it remembers of a position is the latent vector and the rotated part of the key:
// with a cache, queries are brought to the space of latent vectors, so that all heads read the same few numbers.
type LatentAttention struct {
	nn.Base
	QProj          nn.Layer // nil: queries are made of a latent vector
	QAProj         nn.Layer `nn:"q_a_proj"`
	QALayernorm    *RMSNorm `nn:"q_a_layernorm"`
	QBProj         nn.Layer `nn:"q_b_proj"`
	KVAProjWithMQA nn.Layer `nn:"kv_a_proj_with_mqa"`
	KVALayernorm   *RMSNorm `nn:"kv_a_layernorm"`
	KVBProj        *Latent  `nn:"kv_b_proj"`
	OProj          nn.Layer
	c              *Config
	layer          int
}

// Latent is the matrix that takes a latent vector to the keys and values of all heads.
type Latent struct {
	nn.Base
	Weight *lucid.Tensor // (heads·(nope + value), rank)
}

// parts are the matrices for keys, (1, heads, nope, rank), and for values, (1, heads, value, rank).
func (m *Latent) parts(c *Config) (keys, values *lucid.Tensor) {
	a := c.MLA
	w := nn.Use(m, m.Weight).Reshape(1, c.Heads, a.Nope+a.Value, a.KVRank)
	return w.Narrow(2, 0, a.Nope), w.Narrow(2, a.Nope, a.Value)
}

// Forward takes x of (B, T, hidden) to the same shape.
func (m *LatentAttention) Forward(x *lucid.Tensor, p *pass) *lucid.Tensor {
	c, a, b, t := m.c, m.c.MLA, x.Size(0), x.Size(1)
	q := m.queries(x).Reshape(b, t, c.Heads, c.HeadDim).Transpose(1, 2)
	pass, rotated := q.Narrow(3, 0, a.Nope), m.rotate(q.Narrow(3, a.Nope, a.Rope), p)
	kv := m.KVAProjWithMQA.Forward(x)
	latent := m.KVALayernorm.Forward(kv.Narrow(2, 0, a.KVRank)).Unsqueeze(1) // (B, 1, T, rank)
	rope := m.rotate(kv.Narrow(2, a.KVRank, a.Rope).Unsqueeze(1), p)
	wk, wv := m.KVBProj.parts(c)
	var y *lucid.Tensor
	if p.rows == nil && p.pages == nil {
		k := lucid.MatMul(latent, wk.Transpose(-1, -2)) // (B, heads, T, nope)
		k = lucid.Cat([]*lucid.Tensor{k, rope.Expand(b, c.Heads, t, a.Rope)}, -1)
		v := lucid.MatMul(latent, wv.Transpose(-1, -2))
		mask := p.masks[0]
		y = attend(lucid.Cat([]*lucid.Tensor{pass, rotated}, -1), k, v, mask, mask == nil, c.QueryScale)
	} else {
		q := lucid.Cat([]*lucid.Tensor{lucid.MatMul(pass, wk), rotated}, -1) // (1, heads, T, rank + rope)
		k := lucid.Cat([]*lucid.Tensor{latent, rope}, -1)
		if p.pages != nil {
			p.pages.store(m.layer, k)
			y = p.pages.attend(q, m.layer, m.layer, a.KVRank, 0, c, nil).Reshape(1, t, c.Heads, a.KVRank).Transpose(1, 2)
			y = lucid.MatMul(y, wv.Transpose(-1, -2))
			return m.OProj.Forward(y.Transpose(1, 2).Reshape(b, t, c.Heads*a.Value))
		}
		y = overCaches(p.rows, func(r *row, part func(*lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			keys := r.store(m.layer, part(k))
			return attend(part(q), keys, keys.Narrow(3, 0, a.KVRank), r.masks[0], false, c.QueryScale)
		})
		y = lucid.MatMul(y, wv.Transpose(-1, -2))
	}
	return m.OProj.Forward(y.Transpose(1, 2).Reshape(b, t, c.Heads*a.Value))
}

func (m *LatentAttention) queries(x *lucid.Tensor) *lucid.Tensor {
	if m.QProj != nil {
		return m.QProj.Forward(x)
	}
	return m.QBProj.Forward(m.QALayernorm.Forward(m.QAProj.Forward(x)))
}

// rotate rotates (B, heads, T, rope). Scores do not depend on the order of elements, as long as queries and keys have the same: pairs
// that are neighbours are moved half the elements apart.
func (m *LatentAttention) rotate(x *lucid.Tensor, p *pass) *lucid.Tensor {
	if m.c.MLA.Interleaved {
		b, h, t, n := x.Size(0), x.Size(1), x.Size(2), x.Size(3)
		x = x.Reshape(b, h, t, n/2, 2).Transpose(3, 4).Reshape(b, h, t, n)
	}
	return p.angles[0].rotate(x)
}

func newLatentAttention(c *Config, layer int, w Source, p string) *LatentAttention {
	a, q := c.MLA, c.Heads*c.HeadDim
	norm := func(name string, size int) *RMSNorm {
		return &RMSNorm{Weight: w.Tensor(p+name+".weight", size), Eps: latentEps}
	}
	m := &LatentAttention{c: c, layer: layer,
		KVAProjWithMQA: newLinear(w, p+"kv_a_proj_with_mqa", c.Hidden, a.KVRank+a.Rope, c.QKVBias),
		KVALayernorm:   norm("kv_a_layernorm", a.KVRank),
		KVBProj:        &Latent{Weight: w.Tensor(p+"kv_b_proj.weight", c.Heads*(a.Nope+a.Value), a.KVRank)},
		OProj:          newLinear(w, p+"o_proj", c.Heads*a.Value, c.Hidden, c.OutBias)}
	if a.QRank == 0 {
		m.QProj = newLinear(w, p+"q_proj", c.Hidden, q, false)
		return m
	}
	m.QAProj, m.QALayernorm = newLinear(w, p+"q_a_proj", c.Hidden, a.QRank, c.QKVBias), norm("q_a_layernorm", a.QRank)
	m.QBProj = newLinear(w, p+"q_b_proj", a.QRank, q, false)
	return m
}
