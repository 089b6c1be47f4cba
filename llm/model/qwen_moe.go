package model

import "slices"

func init() {
	families = append(families,
		&family{name: "qwen2_moe", arch: "qwen2moe", classes: []string{"Qwen2MoeForCausalLM"}, hf: qwen2MoeHF, gguf: qwen2MoeGGUF,
			write: writeQwenExperts, weights: qwenMoeWeights},
		&family{name: "qwen3_moe", arch: "qwen3moe", classes: []string{"Qwen3MoeForCausalLM"}, hf: qwen3MoeHF, gguf: qwen3MoeGGUF,
			write: writeQwenExperts, weights: qwenMoeWeights})
}

func qwen2MoeHF(k *keys, c *Config) {
	c.QKVBias = k.flag("qkv_bias", true)
	qwenWindow(k, c, func(layer, from int) bool { return layer%2 == 0 && layer < from })
	qwenExperts(k, c, 60, 4)
	c.MoE.Shared, c.MoE.SharedGate = k.whole("shared_expert_intermediate_size", 5632), true
}

func qwen3MoeHF(k *keys, c *Config) {
	qwen3Attention(k, c)
	qwenWindow(k, c, func(int, int) bool { return true })
	qwenExperts(k, c, 128, 8)
}

func qwenExperts(k *keys, c *Config, experts, used int) {
	c.MoE = &MoE{Experts: k.whole("num_experts", k.whole("num_local_experts", experts)),
		PerToken: k.whole("num_experts_per_tok", used), Size: k.whole("moe_intermediate_size", 0),
		Routing: SoftmaxRouting, NormTopK: k.flag("norm_topk_prob", false)}
	k.get("num_local_experts")
	every := k.whole("decoder_sparse_step", 1)
	if every < 1 {
		k.wrong("decoder_sparse_step", every, "a positive number")
	}
	dense := k.wholes("mlp_only_layers")
	c.MoE.sparseFrom(c.Layers, func(layer int) bool { return (layer+1)%every == 0 && !slices.Contains(dense, layer) })
}

func qwenMoeWeights(c *Config, w Source) Source {
	if !w.Has("model.layers." + c.firstSparse() + ".mlp.experts.0.gate_proj.weight") {
		return w
	}
	return checkpoint{w, func(name string, _ []int) stored {
		return expertTensors(renamed(name, ".shared_experts.", ".shared_expert."), c.MoE.Experts)
	}}
}

func qwen2MoeGGUF(k *metadata, c *Config) {
	qwenExpertsGGUF(k, c)
	c.MoE.Shared, c.MoE.SharedGate = k.whole("expert_shared_feed_forward_length", c.Intermediate), true
}

func qwen3MoeGGUF(k *metadata, c *Config) {
	c.QKNorm = HeadQKNorm
	qwenExpertsGGUF(k, c)
	c.MoE.NormTopK = true
}

func qwenExpertsGGUF(k *metadata, c *Config) {
	c.MoE = &MoE{Experts: k.whole("expert_count", 0), PerToken: k.whole("expert_used_count", 0), Routing: SoftmaxRouting}
	c.MoE.Size = k.whole("expert_feed_forward_length", c.Intermediate/max(c.MoE.PerToken, 1))
}

func writeQwenExperts(k *writer, c *Config) {
	writeExperts(k, c)
	k.whole("expert_feed_forward_length", c.MoE.Size)
	if c.MoE.Shared > 0 {
		k.whole("expert_shared_feed_forward_length", c.MoE.Shared)
	}
}
