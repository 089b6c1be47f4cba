// Package model holds decoder-only language models as modules: one set of blocks (RMS and layer norms, rotary positions, grouped-query
// and latent attention, gated MLPs, mixtures of experts), and a file for each family that says how a config.json or the metadata of a
// GGUF file describes it.
//
// Families: Llama 2 and 3 (with SmolLM2), Mistral, Mixtral, Qwen2 and Qwen3 with and without experts, Gemma 1 to 3, Phi-3 and Phi-4,
// SmolLM3, GPT-2, GPT-NeoX, OLMo 2, StarCoder2, StableLM, DeepSeek V2 and V3, gpt-oss. Names of modules are those of Llama's
// checkpoints (model.layers.0.self_attn.q_proj.weight). Package llm loads files into these modules and generates text.
package model
