package model_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/lucid-go/lucid/llm/model"
)

// published are config.json files as models have them, with the keys of their time, and some of what they say.
var published = []struct {
	name, config string
	want         map[string]any
}{
	{"Mixtral-8x7B", `{"architectures":["MixtralForCausalLM"],"attention_dropout":0.0,"bos_token_id":1,"eos_token_id":2,
		"hidden_act":"silu","hidden_size":4096,"initializer_range":0.02,"intermediate_size":14336,"max_position_embeddings":32768,
		"model_type":"mixtral","num_attention_heads":32,"num_experts_per_tok":2,"num_hidden_layers":32,"num_key_value_heads":8,
		"num_local_experts":8,"output_router_logits":false,"rms_norm_eps":1e-05,"rope_theta":1000000.0,"router_aux_loss_coef":0.02,
		"sliding_window":null,"tie_word_embeddings":false,"torch_dtype":"bfloat16","use_cache":true,"vocab_size":32000}`,
		map[string]any{"MoE.Experts": 8, "MoE.PerToken": 2, "MoE.Size": 14336, "MoE.NormTopK": true, "HeadDim": 128, "Window": 0}},
	{"Qwen1.5-MoE-A2.7B", `{"architectures":["Qwen2MoeForCausalLM"],"attention_dropout":0.0,"bos_token_id":151643,
		"decoder_sparse_step":1,"eos_token_id":151643,"hidden_act":"silu","hidden_size":2048,"initializer_range":0.02,
		"intermediate_size":5632,"max_position_embeddings":8192,"max_window_layers":21,"model_type":"qwen2_moe",
		"moe_intermediate_size":1408,"norm_topk_prob":false,"num_attention_heads":16,"num_experts":60,"num_experts_per_tok":4,
		"num_hidden_layers":24,"num_key_value_heads":16,"output_router_logits":false,"rms_norm_eps":1e-06,"rope_theta":1000000.0,
		"router_aux_loss_coef":0.001,"shared_expert_intermediate_size":5632,"sliding_window":32768,"tie_word_embeddings":false,
		"torch_dtype":"bfloat16","use_cache":true,"use_sliding_window":false,"vocab_size":151936}`,
		map[string]any{"MoE.Experts": 60, "MoE.Shared": 5632, "MoE.SharedGate": true, "MoE.NormTopK": false, "QKVBias": true}},
	{"Qwen3-30B-A3B", `{"architectures":["Qwen3MoeForCausalLM"],"attention_bias":false,"attention_dropout":0.0,
		"bos_token_id":151643,"decoder_sparse_step":1,"eos_token_id":151645,"head_dim":128,"hidden_act":"silu","hidden_size":2048,
		"initializer_range":0.02,"intermediate_size":6144,"max_position_embeddings":40960,"max_window_layers":48,"mlp_only_layers":[],
		"model_type":"qwen3_moe","moe_intermediate_size":768,"norm_topk_prob":true,"num_attention_heads":32,"num_experts":128,
		"num_experts_per_tok":8,"num_hidden_layers":48,"num_key_value_heads":4,"output_router_logits":false,"rms_norm_eps":1e-06,
		"rope_scaling":null,"rope_theta":1000000.0,"router_aux_loss_coef":0.001,"sliding_window":null,"tie_word_embeddings":false,
		"torch_dtype":"bfloat16","use_cache":true,"use_sliding_window":false,"vocab_size":151936}`,
		map[string]any{"MoE.Experts": 128, "MoE.PerToken": 8, "MoE.Size": 768, "QKNorm": model.HeadQKNorm, "HeadDim": 128}},
	{"Phi-4-mini", `{"architectures":["Phi3ForCausalLM"],"attention_bias":false,"attention_dropout":0.0,"auto_map":{},
		"bos_token_id":199999,"embd_pdrop":0.0,"eos_token_id":199999,"full_attn_mod":1,"hidden_act":"silu","hidden_size":32,
		"initializer_range":0.02,"intermediate_size":8192,"interpolate_factor":1,"lm_head_bias":false,"max_position_embeddings":131072,
		"mlp_bias":false,"model_type":"phi3","num_attention_heads":4,"num_hidden_layers":32,"num_key_value_heads":2,
		"original_max_position_embeddings":4096,"pad_token_id":199999,"partial_rotary_factor":0.75,"resid_pdrop":0.0,
		"rms_norm_eps":1e-05,"rope_scaling":{"long_factor":[1,1.1,2],"short_factor":[1,1,1],"type":"longrope"},
		"rope_theta":10000.0,"sliding_window":262144,"tie_word_embeddings":true,"torch_dtype":"bfloat16","use_cache":true,
		"vocab_size":200064}`,
		map[string]any{"RotaryDim": 6, "RoPE.Kind": "longrope", "RoPE.Original": 4096, "RoPE.Factor": 32.0, "Tied": true}},
	{"SmolLM3-3B", `{"architectures":["SmolLM3ForCausalLM"],"attention_bias":false,"attention_dropout":0.0,"bos_token_id":null,
		"eos_token_id":128012,"hidden_act":"silu","hidden_size":2048,"initializer_range":0.02,"intermediate_size":11008,
		"max_position_embeddings":65536,"max_window_layers":28,"mlp_bias":false,"model_type":"smollm3","no_rope_layer_interval":4,
		"no_rope_layers":[1,1,1,0],"num_attention_heads":16,"num_hidden_layers":4,"num_key_value_heads":4,"pretraining_tp":2,
		"layer_types":["full_attention","full_attention","full_attention","full_attention"],"rms_norm_eps":1e-06,
		"rope_scaling":null,"rope_theta":5000000.0,"sliding_window":null,"use_cache":false,"use_sliding_window":false,
		"vocab_size":128256}`,
		map[string]any{"Unrotated": []bool{false, false, false, true}, "Tied": true, "Window": 0}},
	{"pythia-70m", `{"architectures":["GPTNeoXForCausalLM"],"bos_token_id":0,"eos_token_id":0,"hidden_act":"gelu","hidden_size":512,
		"initializer_range":0.02,"intermediate_size":2048,"layer_norm_eps":1e-05,"max_position_embeddings":2048,
		"model_type":"gpt_neox","num_attention_heads":8,"num_hidden_layers":6,"rotary_emb_base":10000,"rotary_pct":0.25,
		"tie_word_embeddings":false,"torch_dtype":"float16","use_cache":true,"use_parallel_residual":true,"vocab_size":50304}`,
		map[string]any{"RotaryDim": 16, "Parallel": true, "KVHeads": 8, "QKVBias": true, "Activation": "gelu", "RoPE.Base": 10000.0}},
	{"OLMo-2-7B", `{"architectures":["Olmo2ForCausalLM"],"attention_bias":false,"attention_dropout":0.0,"eos_token_id":100257,
		"hidden_act":"silu","hidden_size":4096,"initializer_range":0.02,"intermediate_size":11008,"max_position_embeddings":4096,
		"model_type":"olmo2","num_attention_heads":32,"num_hidden_layers":32,"num_key_value_heads":32,"pad_token_id":100277,
		"rms_norm_eps":1e-06,"rope_scaling":null,"rope_theta":500000,"tie_word_embeddings":false,"torch_dtype":"float32",
		"use_cache":false,"vocab_size":100352}`,
		map[string]any{"QKNorm": model.FlatQKNorm, "PostNorms": true, "NoInNorms": true, "Eps": 1e-6}},
	{"starcoder2-3b", `{"architectures":["Starcoder2ForCausalLM"],"attention_dropout":0.1,"residual_dropout":0.1,
		"embedding_dropout":0.1,"bos_token_id":0,"eos_token_id":0,"hidden_act":"gelu_pytorch_tanh","hidden_size":3072,
		"initializer_range":0.018,"intermediate_size":12288,"max_position_embeddings":16384,"mlp_type":"default",
		"model_type":"starcoder2","norm_epsilon":1e-05,"norm_type":"layer_norm","num_attention_heads":24,"num_hidden_layers":30,
		"num_key_value_heads":2,"rope_theta":999999.4420358813,"sliding_window":4096,"torch_dtype":"bfloat16","use_bias":true,
		"use_cache":true,"vocab_size":49152}`,
		map[string]any{"LayerNorms": true, "PlainMLP": true, "MLPBias": true, "Window": 4096, "Tied": true}},
	{"stablelm-2-12b", `{"architectures":["StableLmForCausalLM"],"bos_token_id":100257,"eos_token_id":100257,"hidden_act":"silu",
		"hidden_size":5120,"initializer_range":0.02,"intermediate_size":13824,"max_position_embeddings":4096,"model_type":"stablelm",
		"layer_norm_eps":1e-05,"num_attention_heads":32,"num_hidden_layers":40,"num_key_value_heads":8,"partial_rotary_factor":0.25,
		"qk_layernorm":true,"rope_theta":10000,"tie_word_embeddings":false,"torch_dtype":"bfloat16","use_cache":true,
		"use_parallel_residual":true,"use_qkv_bias":false,"vocab_size":100352}`,
		map[string]any{"RotaryDim": 40, "Parallel": true, "OneNorm": true, "QKNorm": model.LayerQKNorm}},
	{"DeepSeek-V2-Lite", `{"architectures":["DeepseekV2ForCausalLM"],"attention_bias":false,"attention_dropout":0.0,
		"auto_map":{},"aux_loss_alpha":0.001,"bos_token_id":100000,"eos_token_id":100001,"first_k_dense_replace":1,"hidden_act":"silu",
		"hidden_size":2048,"initializer_range":0.02,"intermediate_size":10944,"kv_lora_rank":512,"max_position_embeddings":163840,
		"model_type":"deepseek_v2","moe_intermediate_size":1408,"moe_layer_freq":1,"n_group":1,"n_routed_experts":64,
		"n_shared_experts":2,"norm_topk_prob":false,"num_attention_heads":16,"num_experts_per_tok":6,"num_hidden_layers":27,
		"num_key_value_heads":16,"pretraining_tp":1,"q_lora_rank":null,"qk_nope_head_dim":128,"qk_rope_head_dim":64,
		"rms_norm_eps":1e-06,"rope_scaling":{"beta_fast":32,"beta_slow":1,"factor":40,"mscale":0.707,"mscale_all_dim":0.707,
		"original_max_position_embeddings":4096,"type":"yarn"},"rope_theta":10000,"routed_scaling_factor":1.0,
		"scoring_func":"softmax","seq_aux":true,"tie_word_embeddings":false,"topk_group":1,"topk_method":"greedy",
		"torch_dtype":"bfloat16","use_cache":true,"v_head_dim":128,"vocab_size":102400}`,
		map[string]any{"MLA.KVRank": 512, "MLA.QRank": 0, "MoE.Shared": 2816, "MoE.Groups": 0, "HeadDim": 192, "RotaryDim": 64}},
	{"DeepSeek-V3", `{"architectures":["DeepseekV3ForCausalLM"],"attention_bias":false,"attention_dropout":0.0,"auto_map":{},
		"bos_token_id":0,"eos_token_id":1,"ep_size":1,"first_k_dense_replace":3,"hidden_act":"silu","hidden_size":7168,
		"initializer_range":0.02,"intermediate_size":18432,"kv_lora_rank":512,"max_position_embeddings":163840,
		"model_type":"deepseek_v3","moe_intermediate_size":2048,"moe_layer_freq":1,"n_group":8,"n_routed_experts":256,
		"n_shared_experts":1,"norm_topk_prob":true,"num_attention_heads":128,"num_experts_per_tok":8,"num_hidden_layers":61,
		"num_key_value_heads":128,"num_nextn_predict_layers":1,"q_lora_rank":1536,"qk_nope_head_dim":128,"qk_rope_head_dim":64,
		"rms_norm_eps":1e-06,"rope_scaling":{"beta_fast":32,"beta_slow":1,"factor":40,"mscale":1.0,"mscale_all_dim":1.0,
		"original_max_position_embeddings":4096,"type":"yarn"},"rope_theta":10000,"routed_scaling_factor":2.5,
		"scoring_func":"sigmoid","tie_word_embeddings":false,"topk_group":4,"topk_method":"noaux_tc","torch_dtype":"bfloat16",
		"use_cache":true,"v_head_dim":128,"vocab_size":129280}`,
		map[string]any{"MoE.Routing": model.SigmoidRouting, "MoE.Corrected": true, "MoE.Groups": 8, "MLA.QRank": 1536}},
	{"gpt-oss-20b", `{"architectures":["GptOssForCausalLM"],"attention_bias":true,"attention_dropout":0.0,"eos_token_id":200002,
		"experts_per_token":4,"head_dim":64,"hidden_act":"silu","hidden_size":2880,"initial_context_length":4096,
		"initializer_range":0.02,"intermediate_size":2880,"layer_types":["sliding_attention","full_attention"],
		"max_position_embeddings":131072,"model_type":"gpt_oss","num_attention_heads":64,"num_experts_per_tok":4,
		"num_hidden_layers":2,"num_key_value_heads":8,"num_local_experts":32,"output_router_logits":false,"pad_token_id":199999,
		"quantization_config":{"modules_to_not_convert":["model.layers.*.self_attn"],"quant_method":"mxfp4"},"rms_norm_eps":1e-05,
		"rope_scaling":{"beta_fast":32.0,"beta_slow":1.0,"factor":32.0,"original_max_position_embeddings":4096,"rope_type":"yarn",
		"truncate":false},"rope_theta":150000,"router_aux_loss_coef":0.9,"sliding_window":128,"swiglu_limit":7.0,
		"tie_word_embeddings":false,"use_cache":true,"vocab_size":201088}`,
		map[string]any{"Sinks": true, "MoE.Limit": 7.0, "MoE.Experts": 32, "RoPE.NoTruncate": true, "Windowed": []bool{true, false}}},
}

// TestPublishedConfigs asserts that the keys of published models are known.
func TestPublishedConfigs(t *testing.T) {
	for _, tt := range published {
		c, err := model.ParseConfig([]byte(tt.config))
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for path, want := range tt.want {
			v := reflect.ValueOf(c)
			for _, part := range strings.Split(path, ".") {
				v = reflect.Indirect(v).FieldByName(part)
			}
			if got := v.Interface(); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s is %v, want %v", tt.name, path, got, want)
			}
		}
	}
}
