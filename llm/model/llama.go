package model

func init() {
	families = append(families,
		&family{name: "llama", classes: []string{"LlamaForCausalLM"}, hf: llamaHF, gguf: llamaGGUF, interleave: true},
		// GGUF files call Mistral llama.
		&family{name: "mistral", arch: "llama", classes: []string{"MistralForCausalLM"}, hf: mistralHF, gguf: llamaGGUF, interleave: true})
}

func llamaHF(k *keys, c *Config) {
	k.must("pretraining_tp", 1.0)
	c.QKVBias = k.flag("attention_bias", false)
	c.OutBias = c.QKVBias
	c.MLPBias = k.flag("mlp_bias", false)
	k.must("rope_interleaved", false)
}

func mistralHF(k *keys, c *Config) { k.window(c) }

// window reads a window that all layers have.
func (k *keys) window(c *Config) {
	if c.Window = k.whole("sliding_window", 0); c.Window > 0 {
		c.allWindowed()
	}
}

func llamaGGUF(k *metadata, c *Config) {
	k.must("attention.causal", true)
	k.window(c)
	if n := k.whole("expert_count", 0); n > 0 { // Mixtral, which has no name of its own
		c.Family = "mixtral"
		c.MoE = &MoE{Experts: n, PerToken: k.whole("expert_used_count", 0), Size: c.Intermediate, Routing: SoftmaxRouting, NormTopK: true}
	} else {
		k.whole("expert_used_count", 0) // 0 in some files
	}
}

// window reads a window that all layers have.
func (k *metadata) window(c *Config) {
	if c.Window = k.whole("attention.sliding_window", 0); c.Window > 0 {
		c.allWindowed()
	}
}
