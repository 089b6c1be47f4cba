// Package model holds decoder-only language models as modules: one set of blocks (RMS norms, rotary positions, grouped-query
// attention, gated MLPs), and a file for each family that says how a config.json or the metadata of a GGUF file describes it.
//
// Families: Llama 2 and 3 (with SmolLM2 and Mistral), Qwen2, Qwen3, Gemma 1 to 3, GPT-2. Names of modules are those of Hugging Face's
// checkpoints (model.layers.0.self_attn.q_proj.weight). Package llm loads files into these modules and generates text.
package model
