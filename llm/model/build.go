package model

import (
	"strconv"

	"github.com/lucid-go/lucid"
	"github.com/lucid-go/lucid/internal/fault"
	"github.com/lucid-go/lucid/nn"
)

// Source gives the weights of a model by the names of Hugging Face's checkpoints. Has reports whether there is one; Tensor
// returns it and refuses one that is missing or has another shape.
type Source interface {
	Has(name string) bool
	Tensor(name string, shape ...int) *lucid.Tensor
}

// Build makes a model of weights.
func Build(c Config, weights Source) (m *Model, err error) {
	err = fault.Catch(func() {
		c.check()
		if c.Encoder {
			fault.Throw(fault.Value, op, "a model of family %s is an encoder; BuildEncoder makes it", c.Family)
		}
		m = &Model{config: c}
		if f := familyNamed(c.Family); f != nil && f.weights != nil {
			weights = f.weights(&m.config, weights)
		}
		m.build(weights)
	})
	if err != nil {
		return nil, err
	}
	return m, nil
}

func (m *Model) build(w Source) {
	c := &m.config
	m.Body = &Decoder{EmbedTokens: newEmbedding(w, "model.embed_tokens.weight", c.Vocab, c.Hidden)}
	if c.Learned {
		m.Body.EmbedPositions = &nn.Embedding{Weight: w.Tensor("model.embed_positions.weight", c.Context, c.Hidden)}
	}
	for i := range c.Layers {
		m.Body.Layers = append(m.Body.Layers, newLayer(c, i, w))
	}
	m.Body.Norm = newNorm(c, w, "model.norm", c.Hidden)
	if !c.Tied {
		m.LMHead = newLinear(w, "lm_head", c.Hidden, c.Vocab, false)
	}
	nn.Eval(m)
}

func newNorm(c *Config, w Source, name string, size int) nn.Layer {
	if c.LayerNorms {
		return &LayerNorm{Weight: w.Tensor(name+".weight", size), Bias: w.Tensor(name+".bias", size), Eps: c.Eps}
	}
	return newRMSNorm(c, w, name, size)
}

func newRMSNorm(c *Config, w Source, name string, size int) *RMSNorm {
	return &RMSNorm{Weight: w.Tensor(name+".weight", size), Offset: c.NormOffset, Eps: c.Eps}
}

func newEmbedding(w Source, name string, rows, size int) nn.Layer {
	if q, ok := w.(QuantSource); ok {
		if b, ok := q.Blocks(name, rows, size); ok {
			return &QuantEmbedding{Weight: b.Data, Type: b.Type, Fast: b.Fast}
		}
	}
	return &nn.Embedding{Weight: w.Tensor(name, rows, size)}
}

func newLinear(w Source, name string, in, out int, bias bool) nn.Layer {
	if q, ok := w.(QuantSource); ok {
		if b, ok := q.Blocks(name+".weight", out, in); ok {
			l := &QuantLinear{Weight: b.Data, Type: b.Type, Fast: b.Fast}
			if bias {
				l.Bias = w.Tensor(name+".bias", out)
			}
			return l
		}
	}
	l := &nn.Linear{Weight: w.Tensor(name+".weight", out, in)}
	if bias {
		l.Bias = w.Tensor(name+".bias", out)
	}
	return l
}

func newLayer(c *Config, i int, w Source) *Layer {
	p := "model.layers." + strconv.Itoa(i) + "."
	l := &Layer{parallel: c.Parallel}
	if c.MLA != nil {
		l.SelfAttn = newLatentAttention(c, i, w, p+"self_attn.")
	} else {
		l.SelfAttn = newAttention(c, i, w, p+"self_attn.")
	}
	if c.sparse(i) {
		l.MLP = newSparseMLP(c, w, p+"mlp.")
	} else {
		l.MLP = newMLP(c, w, p+"mlp.", c.Intermediate)
	}
	if !c.NoInNorms {
		l.InputLayernorm = newNorm(c, w, p+"input_layernorm", c.Hidden)
	}
	if !c.OneNorm {
		l.PostAttentionLayernorm = newNorm(c, w, p+"post_attention_layernorm", c.Hidden)
	}
	if c.PostNorms {
		if !c.NoInNorms {
			l.PreFeedforwardLayernorm = newNorm(c, w, p+"pre_feedforward_layernorm", c.Hidden)
		}
		l.PostFeedforwardLayernorm = newNorm(c, w, p+"post_feedforward_layernorm", c.Hidden)
	}
	return l
}

func newAttention(c *Config, layer int, w Source, p string) *Attention {
	q, kv := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	a := &Attention{c: c, layer: layer,
		QProj: newLinear(w, p+"q_proj", c.Hidden, q, c.QKVBias),
		KProj: newLinear(w, p+"k_proj", c.Hidden, kv, c.QKVBias),
		VProj: newLinear(w, p+"v_proj", c.Hidden, kv, c.QKVBias),
		OProj: newLinear(w, p+"o_proj", q, c.Hidden, c.OutBias)}
	switch c.QKNorm {
	case HeadQKNorm:
		a.QNorm, a.KNorm = newRMSNorm(c, w, p+"q_norm", c.HeadDim), newRMSNorm(c, w, p+"k_norm", c.HeadDim)
	case FlatQKNorm:
		a.QNorm, a.KNorm = newRMSNorm(c, w, p+"q_norm", q), newRMSNorm(c, w, p+"k_norm", kv)
	case LayerQKNorm:
		a.QNorm = &HeadNorm{Weight: w.Tensor(p+"q_norm.weight", c.Heads, c.HeadDim), Eps: c.Eps}
		a.KNorm = &HeadNorm{Weight: w.Tensor(p+"k_norm.weight", c.KVHeads, c.HeadDim), Eps: c.Eps}
	}
	if c.Sinks {
		a.Sinks = w.Tensor(p+"sinks", c.Heads)
	}
	return a
}

func newMLP(c *Config, w Source, p string, size int) *MLP {
	m := &MLP{Activation: c.Activation, UpProj: newLinear(w, p+"up_proj", c.Hidden, size, c.MLPBias),
		DownProj: newLinear(w, p+"down_proj", size, c.Hidden, c.MLPBias)}
	if !c.PlainMLP {
		m.GateProj = newLinear(w, p+"gate_proj", c.Hidden, size, c.MLPBias)
	}
	return m
}

func newSparseMLP(c *Config, w Source, p string) *SparseMLP {
	e := c.MoE
	m := &SparseMLP{Gate: &Router{c: e, Weight: w.Tensor(p+"gate.weight", e.Experts, c.Hidden)}}
	if e.RouterBias {
		m.Gate.Bias = w.Tensor(p+"gate.bias", e.Experts)
	}
	if e.Corrected {
		m.Gate.Correction = w.Tensor(p+"gate.e_score_correction_bias", e.Experts)
	}
	m.Experts = &ExpertMLPs{c: e, Activation: c.Activation,
		GateProj: newExperts(w, p+"experts.gate_proj", e.Experts, c.Hidden, e.Size, e.Bias),
		UpProj:   newExperts(w, p+"experts.up_proj", e.Experts, c.Hidden, e.Size, e.Bias),
		DownProj: newExperts(w, p+"experts.down_proj", e.Experts, e.Size, c.Hidden, e.Bias)}
	if e.Shared > 0 {
		m.SharedExperts = newMLP(c, w, p+"shared_experts.", e.Shared)
	}
	if e.SharedGate {
		m.SharedExpertGate = newLinear(w, p+"shared_expert_gate", c.Hidden, 1, false)
	}
	return m
}

func newExperts(w Source, name string, experts, in, out int, bias bool) selector {
	var biases *lucid.Tensor
	if bias {
		biases = w.Tensor(name+".bias", experts, out)
	}
	if q, ok := w.(QuantSource); ok {
		if b, ok := q.Blocks(name+".weight", experts, out, in); ok {
			return &QuantExperts{Weight: b.Data, Bias: biases, Type: b.Type, Fast: b.Fast}
		}
	}
	return &Experts{Weight: w.Tensor(name+".weight", experts, out, in), Bias: biases}
}
