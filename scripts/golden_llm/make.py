"""Writes llm/testdata/families.json: small models of each family with the logits and greedy tokens of transformers.

    python3 scripts/golden_llm/make.py llm/testdata/families.json [case …]

Needs torch, transformers and safetensors. Weights are not stored: both sides compute them from their names in a checkpoint, see
weight(). With names of cases only those are made anew; the others stay as the file has them.
"""

import json
import os
import sys
import tempfile
import zlib

import numpy as np
import torch
from safetensors import safe_open
from safetensors.numpy import save_file
from transformers import AutoConfig, AutoModelForCausalLM

PROMPT = [72, 101, 108, 108, 111, 44, 32, 119, 111, 114, 108, 100, 33, 32, 49, 50, 51, 10, 200, 7]

SMALL = dict(vocab_size=256, hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2,
             max_position_embeddings=128, tie_word_embeddings=False, bos_token_id=None, eos_token_id=None, pad_token_id=None)

MLA = dict(num_key_value_heads=4, kv_lora_rank=16, qk_nope_head_dim=12, qk_rope_head_dim=8, v_head_dim=10, moe_intermediate_size=20,
           n_shared_experts=2, num_experts_per_tok=3, n_routed_experts=8, first_k_dense_replace=1)


def small(model_type, **more):
    return dict(SMALL, model_type=model_type, **more)


def yarn(factor, **more):
    return dict({"rope_type": "yarn", "factor": factor, "original_max_position_embeddings": 32}, **more)


CASES = {
    "llama": small("llama", rms_norm_eps=1e-5),
    "llama_bias": small("llama", attention_bias=True, mlp_bias=True, head_dim=16, tie_word_embeddings=True),
    "llama_linear": small("llama", rope_scaling={"rope_type": "linear", "factor": 4.0}),
    "llama_dynamic": small("llama", max_position_embeddings=16, rope_scaling={"rope_type": "dynamic", "factor": 4.0}),
    "llama_3": small("llama", rope_theta=500000.0, rope_scaling={
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}),
    "mistral": small("mistral", sliding_window=8),
    "mixtral": small("mixtral", num_hidden_layers=2, num_local_experts=4, sliding_window=8),
    "qwen2": small("qwen2"),
    "qwen2_yarn": small("qwen2", rope_scaling=yarn(4.0)),
    "qwen2_moe_window": small("qwen2_moe", num_experts=4, num_experts_per_tok=2, moe_intermediate_size=20,
                              shared_expert_intermediate_size=24, use_sliding_window=True, sliding_window=8, max_window_layers=2),
    "qwen2_moe": small("qwen2_moe", num_experts=6, num_experts_per_tok=3, moe_intermediate_size=20, shared_expert_intermediate_size=24,
                       num_hidden_layers=2),
    "qwen3": small("qwen3", head_dim=16, tie_word_embeddings=True),
    "qwen3_moe": small("qwen3_moe", head_dim=16, num_experts=6, num_experts_per_tok=2, moe_intermediate_size=20, norm_topk_prob=True,
                       num_hidden_layers=2),
    "qwen3_moe_window": small("qwen3_moe", head_dim=8, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=20,
                              norm_topk_prob=True, num_hidden_layers=2, use_sliding_window=True, sliding_window=8),
    "qwen3_moe_dense": small("qwen3_moe", head_dim=8, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=20, norm_topk_prob=False,
                             mlp_only_layers=[1]),
    "gemma": small("gemma", head_dim=16, tie_word_embeddings=True),
    "gemma2": small("gemma2", head_dim=16, sliding_window=8, query_pre_attn_scalar=24, tie_word_embeddings=True),
    "gemma3": small("gemma3_text", head_dim=16, sliding_window=8, query_pre_attn_scalar=16, num_hidden_layers=7, tie_word_embeddings=True),
    "gpt2": dict(model_type="gpt2", vocab_size=256, n_embd=32, n_layer=3, n_head=4, n_positions=128, tie_word_embeddings=True,
                 bos_token_id=None, eos_token_id=None, pad_token_id=None),
    "phi3": small("phi3", sliding_window=8, original_max_position_embeddings=128),
    "phi3_long": small("phi3", original_max_position_embeddings=16, rope_scaling={
        "type": "longrope", "short_factor": [1.0, 1.1, 1.3, 2.0], "long_factor": [1.5, 2.5, 4.0, 5.0]}),
    "phi4_mini": small("phi3", partial_rotary_factor=0.75, hidden_size=64, original_max_position_embeddings=128, rope_scaling={
        "type": "longrope", "short_factor": [1.0, 1.1, 1.2, 1.3, 1.5, 1.7], "long_factor": [1.5, 2.5, 4.0, 5.0, 6.0, 7.0]},
        tie_word_embeddings=True),
    "smollm3": small("smollm3", num_hidden_layers=5, tie_word_embeddings=True),
    "gpt_neox": small("gpt_neox", rotary_pct=0.25, hidden_size=64),
    "gpt_neox_serial": small("gpt_neox", rotary_pct=1.0, use_parallel_residual=False),
    "gpt_neox_plain": small("gpt_neox", rotary_pct=1.0, attention_bias=False, num_hidden_layers=2),
    "olmo2": small("olmo2"),
    "starcoder2": small("starcoder2", sliding_window=8, tie_word_embeddings=True),
    "stablelm": small("stablelm", partial_rotary_factor=0.25, use_qkv_bias=True, hidden_size=64),
    "stablelm_parallel": small("stablelm", partial_rotary_factor=0.5, use_parallel_residual=True, qk_layernorm=True),
    "deepseek_v2": small("deepseek_v2", q_lora_rank=None, topk_method="greedy", **MLA),
    "deepseek_v2_groups": small("deepseek_v2", q_lora_rank=24, topk_method="group_limited_greedy", n_group=4, topk_group=2,
                                routed_scaling_factor=16.0, rope_scaling=yarn(4.0, mscale=0.707, mscale_all_dim=0.707), **MLA),
    "deepseek_v3": small("deepseek_v3", q_lora_rank=24, n_group=4, topk_group=2, routed_scaling_factor=2.5, norm_topk_prob=True,
                         rope_scaling=yarn(4.0, mscale=1.0, mscale_all_dim=1.0), **MLA),
    "gpt_oss": small("gpt_oss", head_dim=16, sliding_window=8, num_local_experts=4, num_experts_per_tok=2, num_hidden_layers=2,
                     rope_scaling=yarn(32.0, beta_fast=32.0, beta_slow=1.0, truncate=False)),
    "gpt_oss_mxfp4": small("gpt_oss", head_dim=8, sliding_window=8, num_local_experts=3, num_experts_per_tok=2, num_hidden_layers=2,
                           hidden_size=64, intermediate_size=32, rope_scaling=yarn(4.0, truncate=False)),
}


def weight(name, shape, norm):
    """Numbers in [-0.2, 0.2), plus norm for the weights of norms, from the name and the index; bytes for tensors of blocks."""
    i = np.arange(int(np.prod(shape)), dtype=np.uint64)
    x = (np.uint64(zlib.crc32(name.encode())) + i * np.uint64(2654435761)) & np.uint64(0xFFFFFFFF)
    for shift, factor in [(16, 0x85EBCA6B), (13, 0xC2B2AE35)]:
        x = ((x ^ (x >> np.uint64(shift))) * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    x = x ^ (x >> np.uint64(16))
    if name.endswith("_blocks"):
        return (x >> np.uint64(24)).astype(np.uint8).reshape(shape)
    if name.endswith("_scales"):  # 2 to the powers -6 to -3
        return (121 + (x >> np.uint64(30))).astype(np.uint8).reshape(shape)
    v = (x >> np.uint64(8)).astype(np.float32) / np.float32(1 << 24)
    v = (v - np.float32(0.5)) * np.float32(0.4)
    if name.endswith("norm.weight") or (".ln_" in name or ".norms." in name) and name.endswith(".weight"):
        v = v + np.float32(norm)
    return v.reshape(shape)


def blocks_of(shapes):
    """Replaces the experts of gpt-oss by their blocks of 32 elements and scales."""
    out = {}
    for name, shape in shapes.items():
        if name.endswith("gate_up_proj") or name.endswith("experts.down_proj"):
            experts, width, rows = shape
            out[name + "_blocks"], out[name + "_scales"] = [experts, rows, width // 32, 16], [experts, rows, width // 32]
        else:
            out[name] = shape
    return out


def dequantized(weights):
    """The weights with experts instead of their blocks."""
    from transformers.integrations.mxfp4 import convert_moe_packed_tensors
    out = {}
    for name, w in weights.items():
        if name.endswith("_blocks"):
            scales = weights[name.removesuffix("_blocks") + "_scales"]
            w = convert_moe_packed_tensors(torch.from_numpy(w), torch.from_numpy(scales)).float().contiguous().numpy()
            out[name.removesuffix("_blocks")] = w
        elif not name.endswith("_scales"):
            out[name] = w
    return out


def make(config, mxfp4):
    model_type = config["model_type"]
    c = AutoConfig.for_model(**config)
    torch.manual_seed(0)
    shapes = {}
    with tempfile.TemporaryDirectory() as folder:  # the names of a checkpoint are not those of the module
        AutoModelForCausalLM.from_config(c).save_pretrained(folder)
        path = os.path.join(folder, "model.safetensors")
        with safe_open(path, "np") as f:
            for name in f.keys():
                shapes[name] = list(f.get_slice(name).get_shape())
        norm = 0 if model_type.startswith("gemma") else 1
        if mxfp4:
            shapes = blocks_of(shapes)
        weights = dequantized({name: weight(name, shape, norm) for name, shape in shapes.items()})
        save_file(weights, path, metadata={"format": "pt"})
        m, report = AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32,
                                                         output_loading_info=True)
        assert not report["missing_keys"] and not report["unexpected_keys"], report
        with open(os.path.join(folder, "config.json")) as f:
            saved = json.load(f)
        if mxfp4:
            saved["quantization_config"] = {"quant_method": "mxfp4", "modules_to_not_convert": ["model.layers.*.self_attn"]}
    m.eval()
    with torch.no_grad():
        logits = m(torch.tensor([PROMPT])).logits[0]
        ids = list(PROMPT)
        for _ in range(16):
            ids.append(int(m(torch.tensor([ids])).logits[0, -1].argmax()))
    return {"config": saved, "shapes": shapes, "greedy": ids[len(PROMPT):],
            "logits": [[float(f"{v:.7g}") for v in logits[i].tolist()] for i in (3, len(PROMPT) - 1)]}


def main():
    path, names = sys.argv[1], sys.argv[2:]
    out = {"prompt": PROMPT, "positions": [3, len(PROMPT) - 1], "cases": {}}
    if names:
        with open(path) as f:
            out["cases"] = json.load(f)["cases"]
    for name in names or CASES:
        print(name, flush=True)
        out["cases"][name] = make(CASES[name], name.endswith("_mxfp4"))
    with open(path, "w") as f:
        json.dump(out, f, separators=(",", ":"))
        f.write("\n")


main()
