package model

import (
	"strconv"
	"strings"

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
		if c.Family == "gpt2" {
			weights = gpt2Weights(weights)
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
	q, kv := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	a := &Attention{c: c, layer: i,
		QProj: newLinear(w, p+"self_attn.q_proj", c.Hidden, q, c.QKVBias),
		KProj: newLinear(w, p+"self_attn.k_proj", c.Hidden, kv, c.QKVBias),
		VProj: newLinear(w, p+"self_attn.v_proj", c.Hidden, kv, c.QKVBias),
		OProj: newLinear(w, p+"self_attn.o_proj", q, c.Hidden, c.OutBias)}
	if c.QKNorm {
		a.QNorm = newRMSNorm(c, w, p+"self_attn.q_norm", c.HeadDim)
		a.KNorm = newRMSNorm(c, w, p+"self_attn.k_norm", c.HeadDim)
	}
	l := &Layer{SelfAttn: a,
		InputLayernorm:         newNorm(c, w, p+"input_layernorm", c.Hidden),
		PostAttentionLayernorm: newNorm(c, w, p+"post_attention_layernorm", c.Hidden),
		MLP: &MLP{Activation: c.Activation,
			UpProj:   newLinear(w, p+"mlp.up_proj", c.Hidden, c.Intermediate, c.MLPBias),
			DownProj: newLinear(w, p+"mlp.down_proj", c.Intermediate, c.Hidden, c.MLPBias)}}
	if !c.PlainMLP {
		l.MLP.GateProj = newLinear(w, p+"mlp.gate_proj", c.Hidden, c.Intermediate, c.MLPBias)
	}
	if c.PostNorms {
		l.PreFeedforwardLayernorm = newNorm(c, w, p+"pre_feedforward_layernorm", c.Hidden)
		l.PostFeedforwardLayernorm = newNorm(c, w, p+"post_feedforward_layernorm", c.Hidden)
	}
	return l
}

// Parts of names in a layer: of checkpoints, and of GGUF files.
var layerNames = [][2]string{
	{"self_attn.q_proj", "attn_q"}, {"self_attn.k_proj", "attn_k"}, {"self_attn.v_proj", "attn_v"}, {"self_attn.o_proj", "attn_output"},
	{"self_attn.q_norm", "attn_q_norm"}, {"self_attn.k_norm", "attn_k_norm"},
	{"mlp.gate_proj", "ffn_gate"}, {"mlp.up_proj", "ffn_up"}, {"mlp.down_proj", "ffn_down"}, {"input_layernorm", "attn_norm"},
	{"pre_feedforward_layernorm", "ffn_norm"}, {"post_feedforward_layernorm", "post_ffw_norm"},
}

// GGUFName is the name that GGUF files have for a weight, "" if they have none.
func (c *Config) GGUFName(name string) string {
	if c.Encoder {
		return c.encoderName(name, true)
	}
	switch name {
	case "model.embed_tokens.weight":
		return "token_embd.weight"
	case "model.embed_positions.weight":
		return "position_embd.weight"
	case "model.norm.weight", "model.norm.bias":
		return "output_" + strings.TrimPrefix(name, "model.")
	case "lm_head.weight":
		return "output.weight"
	}
	rest, ok := strings.CutPrefix(name, "model.layers.")
	layer, rest, found := strings.Cut(rest, ".")
	dot := strings.LastIndexByte(rest, '.')
	if !ok || !found || dot < 0 {
		return ""
	}
	part, kind := rest[:dot], rest[dot:]
	if part == "post_attention_layernorm" {
		if c.PostNorms {
			return "blk." + layer + ".post_attention_norm" + kind
		}
		return "blk." + layer + ".ffn_norm" + kind
	}
	for _, n := range layerNames {
		if n[0] == part {
			return "blk." + layer + "." + n[1] + kind
		}
	}
	return ""
}

// Interleaved reports of how many heads the rows of a weight are, if GGUF files store rows of each head in another order: those
// that rotate together next to each other. 0: they do not.
func (c *Config) Interleaved(name string) int {
	f := findFamily(func(f *family) bool { return f.name == c.Family })
	switch {
	case f == nil || !f.interleave:
		return 0
	case strings.Contains(name, ".self_attn.q_proj."):
		return c.Heads
	case strings.Contains(name, ".self_attn.k_proj."):
		return c.KVHeads
	}
	return 0
}
