package model

func init() {
	families = append(families,
		&family{name: "qwen2", classes: []string{"Qwen2ForCausalLM"}, hf: qwen2HF, gguf: qwen2GGUF},
		&family{name: "qwen3", classes: []string{"Qwen3ForCausalLM"}, hf: qwen3HF, gguf: qwen3GGUF})
}

func qwen2HF(k *keys, c *Config) {
	c.QKVBias = true
	qwenWindow(k, c)
}

func qwen3HF(k *keys, c *Config) {
	c.QKNorm = HeadQKNorm
	c.QKVBias = k.flag("attention_bias", false)
	c.OutBias = c.QKVBias
	c.HeadDim = k.whole("head_dim", 128)
	c.setQueryScale(float64(c.HeadDim))
	qwenWindow(k, c)
}

// qwenWindow reads the window of the layers from max_window_layers on, which files have and switch off.
func qwenWindow(k *keys, c *Config) {
	from := k.whole("max_window_layers", 28)
	use, size := k.flag("use_sliding_window", false), k.whole("sliding_window", 4096)
	k.layerTypes(c, func(layer int) bool { return use && layer >= from })
	if use {
		c.Window = size
	}
}

func qwen2GGUF(k *metadata, c *Config) { c.QKVBias = true }

func qwen3GGUF(k *metadata, c *Config) { c.QKNorm = HeadQKNorm }
