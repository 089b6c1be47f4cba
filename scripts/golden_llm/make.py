"""Writes llm/testdata/families.json: small models of each family with the logits and greedy tokens of transformers.

    python3 scripts/golden_llm/make.py llm/testdata/families.json

Needs torch and transformers. Weights are not stored: both sides compute them from their names, see weight().
"""

import json
import sys
import zlib

import numpy as np
import torch
from transformers import AutoConfig, AutoModelForCausalLM

PROMPT = [72, 101, 108, 108, 111, 44, 32, 119, 111, 114, 108, 100, 33, 32, 49, 50, 51, 10, 200, 7]

SMALL = dict(vocab_size=256, hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2,
             max_position_embeddings=128, tie_word_embeddings=False, bos_token_id=None, eos_token_id=None, pad_token_id=None)


def small(model_type, **more):
    return dict(SMALL, model_type=model_type, **more)


CASES = {
    "llama": small("llama", rms_norm_eps=1e-5),
    "llama_bias": small("llama", attention_bias=True, mlp_bias=True, head_dim=16, tie_word_embeddings=True),
    "llama_linear": small("llama", rope_scaling={"rope_type": "linear", "factor": 4.0}),
    "llama_3": small("llama", rope_theta=500000.0, rope_scaling={
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}),
    "mistral": small("mistral", sliding_window=8),
    "qwen2": small("qwen2"),
    "qwen2_yarn": small("qwen2", rope_scaling={"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}),
    "qwen3": small("qwen3", head_dim=16, tie_word_embeddings=True),
    "gemma": small("gemma", head_dim=16, tie_word_embeddings=True),
    "gemma2": small("gemma2", head_dim=16, sliding_window=8, query_pre_attn_scalar=24, tie_word_embeddings=True),
    "gemma3": small("gemma3_text", head_dim=16, sliding_window=8, query_pre_attn_scalar=16, num_hidden_layers=7, tie_word_embeddings=True),
    "gpt2": dict(model_type="gpt2", vocab_size=256, n_embd=32, n_layer=3, n_head=4, n_positions=128, tie_word_embeddings=True,
                 bos_token_id=None, eos_token_id=None, pad_token_id=None),
}


def weight(name, shape, norm):
    """Numbers in [-0.2, 0.2), plus norm for the weights of norms, from the name and the index."""
    i = np.arange(int(np.prod(shape)), dtype=np.uint64)
    x = (np.uint64(zlib.crc32(name.encode())) + i * np.uint64(2654435761)) & np.uint64(0xFFFFFFFF)
    for shift, factor in [(16, 0x85EBCA6B), (13, 0xC2B2AE35)]:
        x = ((x ^ (x >> np.uint64(shift))) * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    x = x ^ (x >> np.uint64(16))
    v = (x >> np.uint64(8)).astype(np.float32) / np.float32(1 << 24)
    v = (v - np.float32(0.5)) * np.float32(0.4)
    if name.endswith("norm.weight") or ".ln_" in name and name.endswith(".weight"):
        v = v + np.float32(norm)
    return v.reshape(shape)


def make(config):
    model_type = config["model_type"]
    c = AutoConfig.for_model(**config)
    torch.manual_seed(0)
    m = AutoModelForCausalLM.from_config(c, attn_implementation="eager").float().eval()
    shapes = {}
    with torch.no_grad():
        for name, p in m.state_dict().items():
            if name == "lm_head.weight" and config["tie_word_embeddings"]:
                continue
            shapes[name] = list(p.shape)
            p.copy_(torch.from_numpy(weight(name, p.shape, 0 if model_type.startswith("gemma") else 1)))
        logits = m(torch.tensor([PROMPT])).logits[0]
        ids = list(PROMPT)
        for _ in range(16):
            ids.append(int(m(torch.tensor([ids])).logits[0, -1].argmax()))
    saved = c.to_dict()
    saved["architectures"] = [type(m).__name__]
    return {"config": saved, "shapes": shapes, "greedy": ids[len(PROMPT):],
            "logits": [[float(f"{v:.7g}") for v in logits[i].tolist()] for i in (3, len(PROMPT) - 1)]}


def main():
    out = {"prompt": PROMPT, "positions": [3, len(PROMPT) - 1], "cases": {name: make(c) for name, c in CASES.items()}}
    with open(sys.argv[1], "w") as f:
        json.dump(out, f, separators=(",", ":"))
        f.write("\n")


main()
