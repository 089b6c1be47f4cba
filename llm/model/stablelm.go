package model

import "strings"

func init() {
	families = append(families, &family{name: "stablelm", classes: []string{"StableLmForCausalLM"}, hf: stableLMHF, gguf: stableLMGGUF,
		write: writeParallel, weights: stableLMWeights, partial: true})
}

func stableLMHF(k *keys, c *Config) {
	c.LayerNorms = true
	c.Eps = k.number("layer_norm_eps", 1e-5)
	c.QKVBias = k.flag("use_qkv_bias", false)
	c.Parallel = k.flag("use_parallel_residual", false)
	c.OneNorm = c.Parallel
	if k.flag("qk_layernorm", false) {
		c.QKNorm = LayerQKNorm
	}
	if c.RoPE.partial == 0 {
		c.RoPE.partial = 0.25
	}
}

func stableLMGGUF(k *metadata, c *Config) {
	c.LayerNorms = true
	c.Eps = k.number("attention.layer_norm_epsilon", 1e-5)
	c.Parallel = k.flag("use_parallel_residual", false)
}

func stableLMWeights(c *Config, w Source) Source {
	if c.QKNorm != LayerQKNorm || !w.Has("model.layers.0.self_attn.q_layernorm.norms.0.weight") {
		return w
	}
	return checkpoint{w, func(name string, _ []int) stored {
		switch {
		case strings.Contains(name, ".q_norm."):
			return stored{name: renamed(name, ".q_norm.", ".q_layernorm.norms.%d."), experts: c.Heads}
		case strings.Contains(name, ".k_norm."):
			return stored{name: renamed(name, ".k_norm.", ".k_layernorm.norms.%d."), experts: c.KVHeads}
		}
		return stored{name: name}
	}}
}
