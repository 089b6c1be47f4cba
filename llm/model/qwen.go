package model

import "slices"

func init() {
	families = append(families,
		&family{name: "qwen2", classes: []string{"Qwen2ForCausalLM"}, hf: qwen2HF, gguf: qwen2GGUF},
		&family{name: "qwen3", classes: []string{"Qwen3ForCausalLM"}, hf: qwen3HF, gguf: qwen3GGUF})
}

func qwen2HF(k *keys, c *Config) {
	c.QKVBias = true
	qwenWindow(k, c, lastLayers)
}

func qwen3HF(k *keys, c *Config) {
	qwen3Attention(k, c)
	qwenWindow(k, c, lastLayers)
}

func qwen3Attention(k *keys, c *Config) {
	c.QKNorm = HeadQKNorm
	c.QKVBias = k.flag("attention_bias", false)
	c.OutBias = c.QKVBias
	c.HeadDim = k.whole("head_dim", 128)
	c.setQueryScale(float64(c.HeadDim))
}

// qwenWindow reads a window, which files have and switch off. is says whether a layer has it, by its number and max_window_layers,
// unless the file lists the kinds of layers.
func qwenWindow(k *keys, c *Config, is func(layer, from int) bool) {
	from := k.whole("max_window_layers", 28)
	use, size := k.flag("use_sliding_window", false), k.whole("sliding_window", 4096)
	k.layerTypes(c, func(layer int) bool { return use && is(layer, from) })
	if use && slices.Contains(c.Windowed, true) {
		c.Window = size
	}
}

func lastLayers(layer, from int) bool { return layer >= from }

// qwen2GGUF has nothing to read: biases are known from the tensors, see Config.Inspect.
func qwen2GGUF(*metadata, *Config) {}

func qwen3GGUF(_ *metadata, c *Config) { c.QKNorm = HeadQKNorm }
