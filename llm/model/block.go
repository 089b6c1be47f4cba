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

// Attention is grouped-query attention with rotary positions.
type Attention struct {
	nn.Base
	QProj nn.Layer
	KProj nn.Layer
	VProj nn.Layer
	OProj nn.Layer
	QNorm *RMSNorm // nil: none
	KNorm *RMSNorm
	c     *Config
	layer int
}

// Forward takes x of (B, T, hidden) to the same shape.
func (m *Attention) Forward(x *lucid.Tensor, p *pass) *lucid.Tensor {
	c, b, t := m.c, x.Size(0), x.Size(1)
	heads := func(x *lucid.Tensor, n int, norm *RMSNorm) *lucid.Tensor {
		x = x.Reshape(b, t, n, c.HeadDim)
		if norm != nil {
			x = norm.Forward(x)
		}
		return x.Transpose(1, 2)
	}
	angles := p.angles[m.kind()]
	q := angles.rotate(heads(m.QProj.Forward(x), c.Heads, m.QNorm))
	k := angles.rotate(heads(m.KProj.Forward(x), c.KVHeads, m.KNorm))
	v := heads(m.VProj.Forward(x), c.KVHeads, nil)
	var y *lucid.Tensor
	if p.rows == nil {
		y = m.attend(q, k, v, p.masks[m.kind()])
	} else {
		y = m.overCaches(q, k, v, p.rows)
	}
	return m.OProj.Forward(y.Transpose(1, 2).Reshape(b, t, c.Heads*c.HeadDim))
}

// overCaches lets the tokens of each row attend to their own sequence.
func (m *Attention) overCaches(q, k, v *lucid.Tensor, rows []row) *lucid.Tensor {
	ys, at := make([]*lucid.Tensor, len(rows)), 0
	for i := range rows {
		r := &rows[i]
		part := func(x *lucid.Tensor) *lucid.Tensor {
			if len(rows) == 1 {
				return x
			}
			return x.Narrow(2, at, r.tokens)
		}
		keys, values := r.store(2*m.layer, part(k)), r.store(2*m.layer+1, part(v))
		ys[i] = m.attend(part(q), keys, values, r.masks[m.kind()])
		at += r.tokens
	}
	if len(ys) == 1 {
		return ys[0]
	}
	return lucid.Cat(ys, 2)
}

// attend is attention with a mask, or with the causal one if it is nil.
func (m *Attention) attend(q, k, v, mask *lucid.Tensor) *lucid.Tensor {
	if m.c.AttentionCap > 0 {
		return cappedAttention(q, k, v, mask, m.c)
	}
	return attend(q, k, v, mask, mask == nil, m.c.QueryScale)
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

// Forward keeps the shape.
func (m *MLP) Forward(x *lucid.Tensor) *lucid.Tensor {
	if m.GateProj == nil {
		return m.DownProj.Forward(activate(m.Activation, m.UpProj.Forward(x)))
	}
	return m.DownProj.Forward(activate(m.Activation, m.GateProj.Forward(x)).Mul(m.UpProj.Forward(x)))
}

// Layer is one decoder layer. The last two norms are Gemma's, which normalises results too: there
// PostAttentionLayernorm belongs to the result of attention, elsewhere to the input of the MLP.
type Layer struct {
	nn.Base
	InputLayernorm           nn.Layer // an RMSNorm or a LayerNorm, as the others
	SelfAttn                 *Attention
	PostAttentionLayernorm   nn.Layer
	MLP                      *MLP `nn:"mlp"`
	PreFeedforwardLayernorm  nn.Layer
	PostFeedforwardLayernorm nn.Layer
}

// Forward takes (B, T, hidden) to the same shape.
func (m *Layer) Forward(x *lucid.Tensor, p *pass) *lucid.Tensor {
	y := m.SelfAttn.Forward(m.InputLayernorm.Forward(x), p)
	if m.PostFeedforwardLayernorm == nil {
		x = x.Add(y)
		return x.Add(m.MLP.Forward(m.PostAttentionLayernorm.Forward(x)))
	}
	x = x.Add(m.PostAttentionLayernorm.Forward(y))
	y = m.MLP.Forward(m.PreFeedforwardLayernorm.Forward(x))
	return x.Add(m.PostFeedforwardLayernorm.Forward(y))
}
