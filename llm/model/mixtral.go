package model

func init() {
	families = append(families, &family{name: "mixtral", arch: "llama", classes: []string{"MixtralForCausalLM"}, hf: mixtralHF,
		gguf: llamaGGUF, write: writeExperts, weights: mixtralWeights, interleave: true})
}

func mixtralHF(k *keys, c *Config) {
	k.window(c)
	c.MoE = &MoE{Experts: k.whole("num_local_experts", 8), PerToken: k.whole("num_experts_per_tok", 2), Size: c.Intermediate,
		Routing: SoftmaxRouting, NormTopK: true}
}

func mixtralWeights(c *Config, w Source) Source {
	if !w.Has("model.layers.0.block_sparse_moe.gate.weight") {
		return w
	}
	return checkpoint{w, func(name string, _ []int) stored {
		name = renamed(name, ".mlp.", ".block_sparse_moe.")
		return expertTensors(renamed(name, "experts.gate_proj", "experts.w1", "experts.up_proj", "experts.w3",
			"experts.down_proj", "experts.w2"), c.MoE.Experts)
	}}
}

// writeExperts writes what all families with experts say of them.
func writeExperts(k *writer, c *Config) {
	k.whole("expert_count", c.MoE.Experts)
	k.whole("expert_used_count", c.MoE.PerToken)
}
