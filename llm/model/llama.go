package model

func init() {
	families = append(families,
		&family{name: "llama", classes: []string{"LlamaForCausalLM"}, hf: llamaHF, gguf: llamaGGUF, interleave: true},
		// GGUF files call Mistral llama.
		&family{name: "mistral", classes: []string{"MistralForCausalLM"}, hf: mistralHF, gguf: llamaGGUF, interleave: true})
}

func llamaHF(k *keys, c *Config) {
	k.must("pretraining_tp", 1.0)
	c.QKVBias = k.flag("attention_bias", false)
	c.OutBias = c.QKVBias
	c.MLPBias = k.flag("mlp_bias", false)
	k.must("rope_interleaved", false)
}

func mistralHF(k *keys, c *Config) {
	if c.Window = k.whole("sliding_window", 0); c.Window > 0 {
		c.allWindowed()
	}
}

func llamaGGUF(k *metadata, c *Config) {
	k.must("attention.causal", true)
	if c.Window = k.whole("attention.sliding_window", 0); c.Window > 0 {
		c.allWindowed()
	}
}
