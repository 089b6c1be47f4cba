package model

// OLMo 2 normalises results of attention and MLP, and queries and keys over all heads, but not what layers take.
func init() {
	families = append(families, &family{name: "olmo2", classes: []string{"Olmo2ForCausalLM"}, hf: olmo2HF, gguf: olmo2GGUF})
}

func (c *Config) olmo2() { c.PostNorms, c.NoInNorms, c.QKNorm = true, true, FlatQKNorm }

func olmo2HF(k *keys, c *Config) {
	c.olmo2()
	c.Eps = k.number("rms_norm_eps", 1e-5)
	c.QKVBias = k.flag("attention_bias", false)
	c.OutBias = c.QKVBias
}

func olmo2GGUF(_ *metadata, c *Config) { c.olmo2() }
