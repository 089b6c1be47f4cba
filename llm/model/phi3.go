package model

import "strings"

// Phi-3 and Phi-4. Queries, keys and values are one matrix, and so are the gate and the other input of the MLP.
func init() {
	families = append(families, &family{name: "phi3", classes: []string{"Phi3ForCausalLM"}, hf: phi3HF, gguf: phi3GGUF,
		weights: phi3Weights, partial: true, fused: true})
}

func phi3HF(k *keys, c *Config) {
	k.window(c)
	k.must("attention_bias", false)
	k.must("mlp_bias", false)
	k.must("lm_head_bias", false)
	k.must("full_attn_mod", 1.0)
	k.must("interpolate_factor", 1.0)
	k.whole("original_max_position_embeddings", 0) // read with the scaling of rotary positions, which alone has a use for it
}

func phi3GGUF(k *metadata, c *Config) {
	k.window(c)
	// Tensors of the file have the divisors of longrope, if it is used: see SetRoPEFactors.
	c.RoPE.Original = k.whole("rope.scaling.original_context_length", c.Context)
	c.RoPE.Factor = float64(c.Context) / float64(max(c.RoPE.Original, 1))
	c.RoPE.Attention = k.number("rope.scaling.attn_factor", 1)
}

func phi3Weights(c *Config, w Source) Source {
	if !w.Has("model.layers.0.self_attn.qkv_proj.weight") {
		return w
	}
	q, kv := c.Heads*c.HeadDim, c.KVHeads*c.HeadDim
	return checkpoint{w, func(name string, shape []int) stored {
		for _, part := range []struct {
			ours, theirs string
			from, of     int
		}{
			{".self_attn.q_proj.", ".self_attn.qkv_proj.", 0, q + 2*kv},
			{".self_attn.k_proj.", ".self_attn.qkv_proj.", q, q + 2*kv},
			{".self_attn.v_proj.", ".self_attn.qkv_proj.", q + kv, q + 2*kv},
			{".mlp.gate_proj.", ".mlp.gate_up_proj.", 0, 2 * c.Intermediate},
			{".mlp.up_proj.", ".mlp.gate_up_proj.", c.Intermediate, 2 * c.Intermediate},
		} {
			if strings.Contains(name, part.ours) {
				return rows(renamed(name, part.ours, part.theirs), shape, part.from, part.of)
			}
		}
		return stored{name: name}
	}}
}

// SetRoPEFactors says that rotary positions are scaled by longrope with these divisors.
func (c *Config) SetRoPEFactors(short, long []float32) {
	c.RoPE.Kind, c.RoPE.Short, c.RoPE.Long = "longrope", short, long
}
