package model

import (
	"math"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/nn"
	F "github.com/lucid-go/lucid/nn/functional"
)

// RMSNorm divides by the root mean square and multiplies by Weight plus an offset.
type RMSNorm struct {
	nn.Base
	Weight *lucid.Tensor
	Offset float64
	Eps    float64
}

// Forward normalises the last dimension.
func (m *RMSNorm) Forward(x *lucid.Tensor) *lucid.Tensor {
	w := nn.Use(m, m.Weight)
	if m.Offset != 0 {
		w = w.Add(m.Offset)
	}
	return rmsNorm(x, w, m.Eps)
}

// LayerNorm is GPT-2's norm: mean 0 and variance 1, then a factor and a bias.
type LayerNorm struct {
	nn.Base
	Weight *lucid.Tensor
	Bias   *lucid.Tensor
	Eps    float64
}

// Forward normalises the last dimension.
func (m *LayerNorm) Forward(x *lucid.Tensor) *lucid.Tensor {
	return layerNorm(x, nn.Use(m, m.Weight), nn.Use(m, m.Bias), m.Eps)
}

// HeadNorm is a layer norm in each head, with a factor for each element of each head and no bias.
type HeadNorm struct {
	nn.Base
	Weight *lucid.Tensor // (heads, size)
	Eps    float64
}

// Forward normalises the last dimension of (…, heads, size).
func (m *HeadNorm) Forward(x *lucid.Tensor) *lucid.Tensor {
	return layerNorm(x, nil, nil, m.Eps).Mul(nn.Use(m, m.Weight))
}

// mixer is what lets the tokens of a layer see each other.
type mixer interface {
	nn.Module
	Forward(x *lucid.Tensor, p *pass) *lucid.Tensor
	linears() []linear
}

// Attention is grouped-query attention with rotary positions.
type Attention struct {
	nn.Base
	QProj nn.Layer
	KProj nn.Layer
	VProj nn.Layer
	OProj nn.Layer
	QNorm nn.Layer // nil: none
	KNorm nn.Layer
	Sinks *lucid.Tensor // (heads): scores for no key; nil: none
	c     *Config
	layer int
}

// Forward takes x of (B, T, hidden) to the same shape.
func (m *Attention) Forward(x *lucid.Tensor, p *pass) *lucid.Tensor {
	c, b, t := m.c, x.Size(0), x.Size(1)
	heads := func(x *lucid.Tensor, n int, norm nn.Layer) *lucid.Tensor {
		if norm != nil && c.QKNorm == FlatQKNorm {
			x = norm.Forward(x)
		}
		x = x.Reshape(b, t, n, c.HeadDim)
		if norm != nil && c.QKNorm != FlatQKNorm {
			x = norm.Forward(x)
		}
		return x.Transpose(1, 2)
	}
	q, k := heads(m.QProj.Forward(x), c.Heads, m.QNorm), heads(m.KProj.Forward(x), c.KVHeads, m.KNorm)
	if c.rotated(m.layer) {
		angles := p.angles[m.kind()]
		q, k = angles.rotate(q), angles.rotate(k)
	}
	v := heads(m.VProj.Forward(x), c.KVHeads, nil)
	var y *lucid.Tensor
	switch {
	case p.pages != nil:
		p.pages.store(2*m.layer, k)
		p.pages.store(2*m.layer+1, v)
		return m.OProj.Forward(p.pages.attend(q, 2*m.layer, 2*m.layer+1, c.HeadDim, m.kind(), c, m.sinksOf()))
	case p.rows == nil:
		y = m.attend(q, k, v, p.masks[m.kind()])
	default:
		y = overCaches(p.rows, func(r *row, part func(*lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
			keys, values := r.store(2*m.layer, part(k)), r.store(2*m.layer+1, part(v))
			return m.attend(part(q), keys, values, r.masks[m.kind()])
		})
	}
	return m.OProj.Forward(y.Transpose(1, 2).Reshape(b, t, c.Heads*c.HeadDim))
}

// overCaches lets the tokens of each row attend to their own sequence: part takes those of the row from a tensor of all.
func overCaches(rows []row, attend func(r *row, part func(*lucid.Tensor) *lucid.Tensor) *lucid.Tensor) *lucid.Tensor {
	ys, at := make([]*lucid.Tensor, len(rows)), 0
	for i := range rows {
		r := &rows[i]
		ys[i] = attend(r, func(x *lucid.Tensor) *lucid.Tensor {
			if len(rows) == 1 {
				return x
			}
			return x.Narrow(2, at, r.tokens)
		})
		at += r.tokens
	}
	if len(ys) == 1 {
		return ys[0]
	}
	return lucid.Cat(ys, 2)
}

// attend is attention with a mask, or with the causal one if it is nil.
func (m *Attention) attend(q, k, v, mask *lucid.Tensor) *lucid.Tensor {
	return attended(q, k, v, mask, m.c, m.sinksOf())
}

// kind is 1 for a layer with a window, 0 for one without.
func (m *Attention) kind() int {
	if m.c.windowed(m.layer) {
		return 1
	}
	return 0
}

// cappedAttention writes the scores out: the primitive has no cap. mask is never nil here.
func cappedAttention(q, k, v, mask *lucid.Tensor, c *Config) *lucid.Tensor {
	n := c.Heads / c.KVHeads
	k, v = F.RepeatKV(k, n), F.RepeatKV(v, n)
	s := capped(lucid.MatMul(q, k.Transpose(-1, -2)).Mul(c.QueryScale), c.AttentionCap)
	s = lucid.Where(mask, s, math.Inf(-1))
	return lucid.MatMul(s.Softmax(-1), v)
}

// MLP is down(act(gate(x))·up(x)), or down(act(up(x))) without a gate.
type MLP struct {
	nn.Base
	GateProj   nn.Layer // nil: none
	UpProj     nn.Layer
	DownProj   nn.Layer
	Activation string
}

// Forward leaves the shape as it is.
func (m *MLP) Forward(x *lucid.Tensor) *lucid.Tensor {
	if m.GateProj == nil {
		return m.DownProj.Forward(activate(m.Activation, m.UpProj.Forward(x)))
	}
	return m.DownProj.Forward(activate(m.Activation, m.GateProj.Forward(x)).Mul(m.UpProj.Forward(x)))
}

// Layer is one decoder layer. A layer without PostFeedforwardLayernorm normalises what attention and MLP take; a layer with it
// normalises their results, and if it has InputLayernorm and PreFeedforwardLayernorm what they take too. PostAttentionLayernorm
// belongs to the input of the MLP in the first kind, to the result of attention in the second.
type Layer struct {
	nn.Base
	InputLayernorm           nn.Layer // an RMSNorm or a LayerNorm, as the others; nil: none
	SelfAttn                 mixer    // an Attention or a LatentAttention
	PostAttentionLayernorm   nn.Layer
	MLP                      nn.Layer `nn:"mlp"` // an MLP or a SparseMLP
	PreFeedforwardLayernorm  nn.Layer
	PostFeedforwardLayernorm nn.Layer
	parallel                 bool
}

// Forward takes (B, T, hidden) to the same shape.
func (m *Layer) Forward(x *lucid.Tensor, p *pass) *lucid.Tensor {
	h := normed(m.InputLayernorm, x)
	y := m.SelfAttn.Forward(h, p)
	switch {
	case m.parallel:
		if m.PostAttentionLayernorm != nil {
			h = m.PostAttentionLayernorm.Forward(x)
		}
		return x.Add(y).Add(m.MLP.Forward(h))
	case m.PostFeedforwardLayernorm == nil:
		x = x.Add(y)
		return x.Add(m.MLP.Forward(m.PostAttentionLayernorm.Forward(x)))
	}
	x = x.Add(m.PostAttentionLayernorm.Forward(y))
	y = m.MLP.Forward(normed(m.PreFeedforwardLayernorm, x))
	return x.Add(m.PostFeedforwardLayernorm.Forward(y))
}

func normed(norm nn.Layer, x *lucid.Tensor) *lucid.Tensor {
	if norm == nil {
		return x
	}
	return norm.Forward(x)
}
