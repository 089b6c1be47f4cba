package model

import (
	"math"
	"strings"
)

// DeepSeek V2 and V3: latent attention, and experts of which some see every token.
func init() {
	families = append(families,
		&family{name: "deepseek_v2", arch: "deepseek2", classes: []string{"DeepseekV2ForCausalLM"}, hf: deepSeekV2HF, gguf: deepSeekGGUF,
			write: writeDeepSeek, weights: deepSeekWeights, partial: true},
		&family{name: "deepseek_v3", arch: "deepseek2", classes: []string{"DeepseekV3ForCausalLM"}, hf: deepSeekV3HF, gguf: deepSeekGGUF,
			write: writeDeepSeek, weights: deepSeekWeights, partial: true})
}

func deepSeekV2HF(k *keys, c *Config) {
	deepSeekHF(k, c)
	c.MLA.Interleaved = true
	c.MLPBias = k.flag("mlp_bias", false)
	switch method := k.text("topk_method", "greedy"); method {
	case "greedy":
		c.MoE.Groups, c.MoE.TopGroups = 0, 0
	case "group_limited_greedy":
	default:
		unsupported("%s: topk_method is %q; want greedy or group_limited_greedy", k.where, method)
	}
	k.must("scoring_func", "softmax")
	k.must("norm_topk_prob", false) // with it the weights would not be scaled
	c.MoE.NormTopK = false
}

func deepSeekV3HF(k *keys, c *Config) {
	deepSeekHF(k, c)
	c.MLA.Interleaved = k.flag("rope_interleave", true)
	c.MoE.Routing, c.MoE.Corrected = SigmoidRouting, true
	c.MoE.NormTopK = k.flag("norm_topk_prob", true)
	k.must("scoring_func", "sigmoid")
	k.must("topk_method", "noaux_tc")
	k.whole("num_nextn_predict_layers", 0) // they guess further tokens, and are not read
}

func deepSeekHF(k *keys, c *Config) {
	k.must("pretraining_tp", 1.0)
	k.must("ep_size", 1.0)
	k.must("moe_layer_freq", 1.0)
	k.get("aux_loss_alpha")
	k.get("seq_aux")
	c.MLA = &MLA{QRank: k.whole("q_lora_rank", 0), KVRank: k.whole("kv_lora_rank", 512), Nope: k.whole("qk_nope_head_dim", 128),
		Rope: k.whole("qk_rope_head_dim", 64), Value: k.whole("v_head_dim", 128)}
	k.whole("qk_head_dim", 0)
	c.deepSeek()
	if c.RoPE.queries != 0 {
		c.QueryScale *= c.RoPE.queries * c.RoPE.queries
	}
	c.QKVBias = k.flag("attention_bias", false)
	c.OutBias = c.QKVBias
	size := k.whole("moe_intermediate_size", 0)
	c.MoE = &MoE{Experts: k.whole("n_routed_experts", k.whole("num_local_experts", 0)), PerToken: k.whole("num_experts_per_tok", 0),
		Size: size, Shared: size * k.whole("n_shared_experts", 0), Routing: SoftmaxRouting, Scale: k.number("routed_scaling_factor", 1),
		Groups: k.whole("n_group", 0), TopGroups: k.whole("topk_group", 0)}
	if c.MoE.Groups == 1 {
		c.MoE.Groups, c.MoE.TopGroups = 0, 0
	}
	dense := k.whole("first_k_dense_replace", 0)
	c.MoE.sparseFrom(c.Layers, func(layer int) bool { return layer >= dense })
}

// deepSeek sets what follows from the sizes of latent attention. The cosines of yarn are of queries and keys alike, which have factors
// of their own here.
func (c *Config) deepSeek() {
	c.HeadDim, c.RotaryDim, c.KVHeads = c.MLA.Nope+c.MLA.Rope, c.MLA.Rope, c.Heads
	c.RoPE.partial = 0
	c.setQueryScale(float64(c.HeadDim))
}

func deepSeekWeights(c *Config, w Source) Source {
	if !w.Has("model.layers." + c.firstSparse() + ".mlp.experts.0.gate_proj.weight") {
		return w
	}
	return checkpoint{w, func(name string, _ []int) stored { return expertTensors(name, c.MoE.Experts) }}
}

// Extra reports whether a tensor of a checkpoint is of layers behind those of the model, which guess further tokens.
func (c *Config) Extra(name string) bool {
	rest, ok := strings.CutPrefix(name, "model.layers.")
	if !ok || c.Family != "deepseek_v3" {
		return false
	}
	n := 0
	for _, d := range rest[:max(0, strings.IndexByte(rest, '.'))] {
		if d < '0' || d > '9' || n > maxLayers {
			return false
		}
		n = 10*n + int(d-'0')
	}
	return n >= c.Layers
}

func deepSeekGGUF(k *metadata, c *Config) {
	rope := k.whole("rope.dimension_count", 64)
	// Newer files have the sizes of latent vectors where others have those of heads.
	key := k.whole("attention.key_length_mla", c.HeadDim)
	value := k.whole("attention.value_length_mla", k.whole("attention.value_length", 0))
	c.MLA = &MLA{QRank: k.whole("attention.q_lora_rank", 0), KVRank: k.whole("attention.kv_lora_rank", 0), Nope: key - rope, Rope: rope,
		Value: value, Interleaved: true}
	c.deepSeek()
	if c.RoPE.Kind == "yarn" {
		c.RoPE.Attention = 1
		all := 1 + k.number("rope.scaling.yarn_log_multiplier", 0)*math.Log(max(c.RoPE.Factor, 1))
		c.QueryScale *= all * all
	}
	size, scale := k.whole("expert_feed_forward_length", 0), k.number("expert_weights_scale", 1)
	c.MoE = &MoE{Experts: k.whole("expert_count", 0), PerToken: k.whole("expert_used_count", 0), Size: size, Scale: scale,
		Shared: size * k.whole("expert_shared_count", 0), NormTopK: k.flag("expert_weights_norm", false),
		Groups: k.whole("expert_group_count", 0), TopGroups: k.whole("expert_group_used_count", 0)}
	switch gating := k.whole("expert_gating_func", 1); gating {
	case 1:
		c.Family, c.MoE.Routing = "deepseek_v2", SoftmaxRouting
	case 2:
		c.Family, c.MoE.Routing, c.MoE.Corrected = "deepseek_v3", SigmoidRouting, true
	default:
		unsupported("expert_gating_func is %d; want 1 (softmax) or 2 (sigmoid)", gating)
	}
	if c.MoE.Groups == 1 {
		c.MoE.Groups, c.MoE.TopGroups = 0, 0
	}
	k.whole("nextn_predict_layers", 0)
	dense := k.whole("leading_dense_block_count", 0)
	c.MoE.sparseFrom(c.Layers, func(layer int) bool { return layer >= dense })
}

func writeDeepSeek(k *writer, c *Config) {
	a, e := c.MLA, c.MoE
	k.whole("attention.value_length", a.Value)
	k.whole("rope.dimension_count", a.Rope)
	if a.QRank > 0 {
		k.whole("attention.q_lora_rank", a.QRank)
	}
	k.whole("attention.kv_lora_rank", a.KVRank)
	if c.RoPE.Kind == "yarn" {
		all := math.Sqrt(c.QueryScale * math.Sqrt(float64(c.HeadDim)))
		k.number("rope.scaling.yarn_log_multiplier", (all-1)/math.Log(c.RoPE.Factor))
	}
	writeExperts(k, c)
	k.whole("expert_feed_forward_length", e.Size)
	k.whole("expert_shared_count", e.Shared/max(e.Size, 1))
	k.number("expert_weights_scale", e.Scale)
	k.flag("expert_weights_norm", e.NormTopK)
	gating := 1
	if e.Routing == SigmoidRouting {
		gating = 2
	}
	k.whole("expert_gating_func", gating)
	if e.Groups > 0 {
		k.whole("expert_group_count", e.Groups)
		k.whole("expert_group_used_count", e.TopGroups)
	}
	dense := 0
	for c.MoE.Sparse != nil && dense < c.Layers && !c.MoE.Sparse[dense] {
		dense++
	}
	k.whole("leading_dense_block_count", dense)
}
