package model

import (
	"strings"

	"github.com/lucid-go/lucid"
)

func init() {
	families = append(families, &family{name: "gpt_neox", arch: "gptneox", classes: []string{"GPTNeoXForCausalLM"}, hf: gptNeoXHF,
		gguf: gptNeoXGGUF, write: writeParallel, weights: gptNeoXWeights, partial: true, fused: true})
}

func (c *Config) gptNeoX() {
	c.LayerNorms, c.PlainMLP, c.MLPBias = true, true, true
	c.KVHeads = c.Heads
}

func gptNeoXHF(k *keys, c *Config) {
	c.gptNeoX()
	c.Eps = k.number("layer_norm_eps", 1e-5)
	c.Activation = activation(k.text("hidden_act", "gelu"))
	c.Parallel = k.flag("use_parallel_residual", true)
	c.QKVBias = k.flag("attention_bias", true)
	c.OutBias = c.QKVBias
	part, base := k.number("rotary_pct", 0.25), k.number("rotary_emb_base", 10000)
	if k.values["rope_parameters"] == nil { // newer files have both there
		c.RoPE.Base = k.number("rope_theta", base)
	}
	if c.RoPE.partial == 0 {
		c.RoPE.partial = part
	}
}

func gptNeoXGGUF(k *metadata, c *Config) {
	c.gptNeoX()
	c.Eps = k.number("attention.layer_norm_epsilon", 1e-5)
	c.Activation = "gelu"
	c.Parallel = k.flag("use_parallel_residual", true)
}

func writeParallel(k *writer, c *Config) { k.flag("use_parallel_residual", c.Parallel) }

func gptNeoXWeights(c *Config, w Source) Source {
	if !w.Has("gpt_neox.embed_in.weight") {
		return w
	}
	return checkpoint{w, func(name string, shape []int) stored {
		switch name {
		case "model.embed_tokens.weight":
			return stored{name: "gpt_neox.embed_in.weight"}
		case "lm_head.weight":
			if w.Has(name) {
				return stored{name: name}
			}
			return stored{name: "embed_out.weight"}
		}
		name = renamed(name, "model.norm.", "gpt_neox.final_layer_norm.", "model.layers.", "gpt_neox.layers.")
		if before, after, found := strings.Cut(name, ".self_attn."); found && after[0] != 'o' {
			part := strings.IndexByte("qkv", after[0])
			_, kind, _ := strings.Cut(after, ".")
			return c.thirdOfHeads(before+".attention.query_key_value."+kind, shape, part)
		}
		return stored{name: renamed(name, ".self_attn.o_proj.", ".attention.dense.", ".mlp.up_proj.", ".mlp.dense_h_to_4h.",
			".mlp.down_proj.", ".mlp.dense_4h_to_h.")}
	}}
}

// thirdOfHeads takes queries, keys or values from a matrix that has all three of a head before those of the next one.
func (c *Config) thirdOfHeads(name string, shape []int, part int) stored {
	if shape == nil {
		return stored{name: name}
	}
	whole := append([]int{3 * shape[0]}, shape[1:]...)
	return stored{name: name, shape: whole, form: func(t *lucid.Tensor) *lucid.Tensor {
		t = t.Reshape(append([]int{c.Heads, 3, c.HeadDim}, shape[1:]...)...)
		return t.Narrow(1, part, 1).Reshape(shape...)
	}}
}
