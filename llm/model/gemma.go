package model

import "math"

func init() {
	families = append(families,
		&family{name: "gemma", classes: []string{"GemmaForCausalLM"}, hf: gemmaHF, gguf: gemmaGGUF},
		&family{name: "gemma2", classes: []string{"Gemma2ForCausalLM"}, hf: gemma2HF, gguf: gemma2GGUF},
		&family{name: "gemma3", classes: []string{"Gemma3ForCausalLM"}, hf: gemma3HF, gguf: gemma3GGUF})
}

func (c *Config) gemma() {
	c.Activation = "gelu_pytorch_tanh"
	// In float32, as it is in training.
	c.EmbedScale = float64(float32(math.Sqrt(float64(max(c.Hidden, 0)))))
}

func gemmaHF(k *keys, c *Config) {
	c.gemma()
	c.NormOffset = 1
	c.HeadDim = k.whole("head_dim", 256)
	c.setQueryScale(float64(c.HeadDim))
	c.Tied = k.flag("tie_word_embeddings", true)
	// Early files say gelu in hidden_act; the model was trained with the approximation.
	if name := activation(k.text("hidden_activation", c.Activation)); name != c.Activation {
		unsupported("config.json: hidden_activation is %q; only %q is supported", name, c.Activation)
	}
	k.must("attention_bias", false)
	k.must("use_bidirectional_attention", false)
}

func gemma2HF(k *keys, c *Config) {
	gemmaHF(k, c)
	c.PostNorms = true
	c.setQueryScale(k.number("query_pre_attn_scalar", 256))
	c.AttentionCap, c.LogitCap = k.number("attn_logit_softcapping", 0), k.number("final_logit_softcapping", 0)
	c.Window = k.whole("sliding_window", 4096)
	k.layerTypes(c, func(layer int) bool { return layer%2 == 0 })
}

func gemma3HF(k *keys, c *Config) {
	gemma2HF(k, c)
	c.QKNorm = HeadQKNorm
	every := k.whole("sliding_window_pattern", 6)
	if every < 1 {
		k.wrong("sliding_window_pattern", every, "a positive number")
	}
	k.layerTypes(c, func(layer int) bool { return (layer+1)%every != 0 })
	c.RoPE = k.rope(1e6)
	c.LocalRoPE = &RoPE{Base: k.number("rope_local_base_freq", 10000)}
	if both := k.object("rope_parameters"); both != nil {
		if r := both.object("full_attention"); r != nil {
			c.RoPE = r.scaled(c.RoPE, c.Context, 0)
		}
		if r := both.object("sliding_attention"); r != nil {
			*c.LocalRoPE = r.scaled(*c.LocalRoPE, c.Context, 0)
		}
	}
}

func gemmaGGUF(_ *metadata, c *Config) { c.gemma() } // the offset of norms is in the file's weights

func gemma2GGUF(k *metadata, c *Config) {
	c.gemma()
	c.PostNorms = true
	if c.Layers == 46 && c.Heads > 0 { // the 27B model, whose files do not say so
		c.setQueryScale(float64(c.Hidden / c.Heads))
	}
	c.AttentionCap, c.LogitCap = k.number("attn_logit_softcapping", 50), k.number("final_logit_softcapping", 30)
	c.Window = k.whole("attention.sliding_window", 4096)
	k.windowed(c, func(layer int) bool { return layer%2 == 0 })
}

func gemma3GGUF(k *metadata, c *Config) {
	c.gemma()
	c.PostNorms, c.QKNorm = true, HeadQKNorm
	if c.Layers == 62 && c.Heads > 0 { // the 27B model
		c.setQueryScale(float64(c.Hidden / c.Heads))
	}
	c.AttentionCap, c.LogitCap = k.number("attn_logit_softcapping", 0), k.number("final_logit_softcapping", 0)
	c.Window = k.whole("attention.sliding_window", 0)
	k.windowed(c, func(layer int) bool { return (layer+1)%6 != 0 })
	c.LocalRoPE = &RoPE{Base: k.number("rope.freq_base_swa", 10000)}
}
