package model

import (
	"slices"
	"strings"

	"github.com/lucid-go/lucid"
)

// Parts of names in a layer: of checkpoints, and of GGUF files.
var layerNames = [][2]string{
	{"self_attn.q_proj", "attn_q"}, {"self_attn.k_proj", "attn_k"}, {"self_attn.v_proj", "attn_v"}, {"self_attn.o_proj", "attn_output"},
	{"self_attn.q_norm", "attn_q_norm"}, {"self_attn.k_norm", "attn_k_norm"},
	{"self_attn.q_a_proj", "attn_q_a"}, {"self_attn.q_a_layernorm", "attn_q_a_norm"}, {"self_attn.q_b_proj", "attn_q_b"},
	{"self_attn.kv_a_proj_with_mqa", "attn_kv_a_mqa"}, {"self_attn.kv_a_layernorm", "attn_kv_a_norm"},
	{"self_attn.kv_b_proj", "attn_kv_b"},
	{"mlp.gate_proj", "ffn_gate"}, {"mlp.up_proj", "ffn_up"}, {"mlp.down_proj", "ffn_down"}, {"input_layernorm", "attn_norm"},
	{"mlp.gate", "ffn_gate_inp"}, {"mlp.shared_expert_gate", "ffn_gate_inp_shexp"},
	{"mlp.experts.gate_proj", "ffn_gate_exps"}, {"mlp.experts.up_proj", "ffn_up_exps"}, {"mlp.experts.down_proj", "ffn_down_exps"},
	{"mlp.shared_experts.gate_proj", "ffn_gate_shexp"}, {"mlp.shared_experts.up_proj", "ffn_up_shexp"},
	{"mlp.shared_experts.down_proj", "ffn_down_shexp"},
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
	in := "blk." + layer + "."
	part, kind := rest[:dot], rest[dot:]
	switch {
	case rest == "self_attn.sinks":
		return in + "attn_sinks.weight"
	case rest == "mlp.gate.e_score_correction_bias":
		return in + "exp_probs_b.bias"
	case part == "post_attention_layernorm" && (c.PostNorms || c.Family == "gpt_oss"):
		return in + "post_attention_norm" + kind
	case part == "post_attention_layernorm":
		return in + "ffn_norm" + kind
	}
	for _, n := range layerNames {
		if n[0] == part {
			return in + n[1] + kind
		}
	}
	return ""
}

// Interleaved reports of how many heads the rows of a weight are, if GGUF files store rows of each head in another order: those
// that rotate together next to each other. 0: they do not.
func (c *Config) Interleaved(name string) int {
	f := familyNamed(c.Family)
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

// Fused is the tensor of a GGUF file that a weight is some rows of: from which row, and how many it has. "": the weight is a tensor of
// its own.
func (c *Config) Fused(name string) (stored string, from, of int) {
	f := familyNamed(c.Family)
	if f == nil || !f.fused {
		return "", 0, 0
	}
	rest, _ := strings.CutPrefix(name, "model.layers.")
	layer, rest, _ := strings.Cut(rest, ".")
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		return "", 0, 0
	}
	q, kv := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	in, kind := "blk."+layer+".", rest[dot:]
	switch rest[:dot] {
	case "self_attn.q_proj":
		return in + "attn_qkv" + kind, 0, q + 2*kv
	case "self_attn.k_proj":
		return in + "attn_qkv" + kind, q, q + 2*kv
	case "self_attn.v_proj":
		return in + "attn_qkv" + kind, q + kv, q + 2*kv
	case "mlp.gate_proj": // with the other one behind it
		return in + "ffn_up" + kind, 0, 2 * c.Intermediate
	case "mlp.up_proj":
		if !c.PlainMLP {
			return in + "ffn_up" + kind, c.Intermediate, 2 * c.Intermediate
		}
	}
	return "", 0, 0
}

// GGUFTensors gives the tensors of a GGUF file by their names there.
type GGUFTensors interface {
	Stored(name string) bool
	Floats(name string, shape ...int) *lucid.Tensor
}

// FromGGUF returns a weight of a GGUF file by its name in a checkpoint. It is for packages of this module.
func (c *Config) FromGGUF(f GGUFTensors, name string, shape ...int) *lucid.Tensor {
	if stored, from, of := c.Fused(name); stored != "" && f.Stored(stored) {
		whole := slices.Concat([]int{of}, shape[1:])
		return f.Floats(stored, whole...).Narrow(0, from, shape[0]).Contiguous()
	}
	stored := c.GGUFName(name)
	if base, ok := strings.CutSuffix(stored, "attn_kv_b.weight"); ok && !f.Stored(stored) {
		return c.latentFromGGUF(f, base)
	}
	t := f.Floats(stored, shape...)
	if heads := c.Interleaved(name); heads > 0 {
		t = Apart(t, heads)
	}
	return t
}

// latentFromGGUF joins the two matrices that newer files have: for keys, transposed in each head, and for values.
func (c *Config) latentFromGGUF(f GGUFTensors, base string) *lucid.Tensor {
	a := c.MLA
	k := f.Floats(base+"attn_k_b.weight", c.Heads, a.KVRank, a.Nope).Transpose(1, 2)
	v := f.Floats(base+"attn_v_b.weight", c.Heads, a.Value, a.KVRank)
	return lucid.Cat([]*lucid.Tensor{k, v}, 1).Reshape(c.Heads*(a.Nope+a.Value), a.KVRank)
}

// Apart moves rows of each head that are stored next to each other to where their pairs are half a head away.
func Apart(t *lucid.Tensor, heads int) *lucid.Tensor {
	shape := t.Shape()
	rest := slices.Concat([]int{heads, shape[0] / heads / 2, 2}, shape[1:])
	return t.Reshape(rest...).Transpose(1, 2).Contiguous().Reshape(shape...)
}

// Together is the inverse of Apart.
func Together(t *lucid.Tensor, heads int) *lucid.Tensor {
	shape := t.Shape()
	rest := slices.Concat([]int{heads, 2, shape[0] / heads / 2}, shape[1:])
	return t.Reshape(rest...).Transpose(1, 2).Contiguous().Reshape(shape...)
}

// Inspect takes from the names of a GGUF file's tensors what its metadata do not say. It is for packages of this module.
func (c *Config) Inspect(stored func(name string) bool) {
	c.Tied = !stored("output.weight")
	c.QKVBias = stored("blk.0.attn_q.bias") || stored("blk.0.attn_qkv.bias") || stored("blk.0.attn_q_a.bias")
	c.OutBias = stored("blk.0.attn_output.bias")
	c.MLPBias = stored("blk.0.ffn_up.bias")
	if c.Family == "stablelm" {
		if stored("blk.0.attn_q_norm.weight") {
			c.QKNorm = LayerQKNorm
		}
		c.OneNorm = c.Parallel && !stored("blk.0.ffn_norm.weight")
	}
	if c.MoE != nil && stored("blk."+c.firstSparse()+".exp_probs_b.bias") {
		c.MoE.Corrected = true
	}
}
