package model

func init() {
	families = append(families, &family{name: "smollm3", classes: []string{"SmolLM3ForCausalLM"}, hf: smolLM3HF, gguf: smolLM3GGUF,
		interleave: true})
}

func smolLM3HF(k *keys, c *Config) {
	k.get("pretraining_tp") // of training
	c.QKVBias = k.flag("attention_bias", false)
	c.OutBias = c.QKVBias
	c.MLPBias = k.flag("mlp_bias", false)
	c.Tied = k.flag("tie_word_embeddings", true)
	qwenWindow(k, c, lastLayers)
	every := k.whole("no_rope_layer_interval", 4)
	if every < 1 {
		k.wrong("no_rope_layer_interval", every, "a positive number")
	}
	c.unrotatedEvery(every)
	if list := k.wholes("no_rope_layers"); list != nil { // 1 for layers that rotate
		if len(list) != len(c.Unrotated) {
			k.wrong("no_rope_layers", list, "a number for each layer")
		}
		for i, rotates := range list {
			c.Unrotated[i] = rotates == 0
		}
	}
}

func smolLM3GGUF(k *metadata, c *Config) { c.unrotatedEvery(4) }

// unrotatedEvery says that the last of so many layers knows nothing of positions.
func (c *Config) unrotatedEvery(n int) {
	c.Unrotated = make([]bool, min(max(c.Layers, 0), maxLayers))
	for i := range c.Unrotated {
		c.Unrotated[i] = (i+1)%n == 0
	}
}
