package model

func init() {
	families = append(families, &family{name: "starcoder2", classes: []string{"Starcoder2ForCausalLM"}, hf: starCoder2HF,
		gguf: starCoder2GGUF, weights: starCoder2Weights})
}

func starCoder2HF(k *keys, c *Config) {
	c.LayerNorms, c.PlainMLP = true, true
	c.Eps = k.number("norm_epsilon", 1e-5)
	c.Activation = activation(k.text("hidden_act", "gelu_pytorch_tanh"))
	c.Tied = k.flag("tie_word_embeddings", true)
	c.QKVBias = k.flag("use_bias", true)
	c.OutBias, c.MLPBias = c.QKVBias, c.QKVBias
	k.window(c)
	k.must("mlp_type", "default")
	k.must("norm_type", "layer_norm")
	k.must("scale_attn_weights", true)
	k.get("activation_function") // hidden_act is what counts
	k.get("attention_softmax_in_fp32")
	k.get("scale_attention_softmax_in_fp32")
}

func starCoder2GGUF(k *metadata, c *Config) {
	c.LayerNorms, c.PlainMLP = true, true
	c.Eps = k.number("attention.layer_norm_epsilon", 1e-5)
	c.Activation = "gelu_pytorch_tanh"
	k.window(c)
}

func starCoder2Weights(_ *Config, w Source) Source {
	if !w.Has("model.layers.0.mlp.c_fc.weight") {
		return w
	}
	return checkpoint{w, func(name string, _ []int) stored {
		return stored{name: renamed(name, ".mlp.up_proj.", ".mlp.c_fc.", ".mlp.down_proj.", ".mlp.c_proj.")}
	}}
}
