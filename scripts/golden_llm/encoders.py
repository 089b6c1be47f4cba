"""Writes llm/testdata/encoders.json: small encoders of each family with the vectors of transformers.

    python3 scripts/golden_llm/encoders.py llm/testdata/encoders.json

Needs torch and transformers (requirements.txt). Weights are not stored: both sides compute them from their names.
"""

import json
import sys
import zlib

import numpy as np
import torch
from transformers import AutoConfig, AutoModel

SMALL = dict(vocab_size=256, hidden_size=32, intermediate_size=48, num_hidden_layers=3, num_attention_heads=4,
             max_position_embeddings=66)

CASES = {
    "bert": dict(SMALL, model_type="bert", type_vocab_size=2, pad_token_id=0),
    "bert_tanh": dict(SMALL, model_type="bert", hidden_act="gelu_new", layer_norm_eps=1e-5),
    "roberta": dict(SMALL, model_type="roberta", type_vocab_size=1, pad_token_id=1),
    "xlm_roberta": dict(SMALL, model_type="xlm-roberta", type_vocab_size=1, pad_token_id=1),
    "mpnet": dict(SMALL, model_type="mpnet", pad_token_id=1),
}

# Lengths on both sides of the steps of padding; the third text has the id of RoBERTa's and MPNet's padding inside.
TEXTS = [[72, 101, 108, 108, 111], [65], [72, 105, 1, 33, 1, 10, 7, 9, 200], [(i * i * 7 + i + 3) % 250 + 2 for i in range(60)]]


def weight(name, shape):
    i = np.arange(int(np.prod(shape)), dtype=np.uint64)
    x = (np.uint64(zlib.crc32(name.encode())) + i * np.uint64(2654435761)) & np.uint64(0xFFFFFFFF)
    for shift, factor in [(16, 0x85EBCA6B), (13, 0xC2B2AE35)]:
        x = ((x ^ (x >> np.uint64(shift))) * np.uint64(factor)) & np.uint64(0xFFFFFFFF)
    x = x ^ (x >> np.uint64(16))
    v = (x >> np.uint64(8)).astype(np.float32) / np.float32(1 << 24)
    v = (v - np.float32(0.5)) * np.float32(0.4)
    if name.endswith("LayerNorm.weight"):
        v = v + np.float32(1)
    return v.reshape(shape)


def make(config):
    c = AutoConfig.for_model(**config)
    m = AutoModel.from_config(c, attn_implementation="eager").float().eval()
    shapes, rows = {}, []
    with torch.no_grad():
        for name, p in m.state_dict().items():
            if name.endswith("position_ids") or name.endswith("token_type_ids"):
                continue
            shapes[name] = list(p.shape)
            p.copy_(torch.from_numpy(weight(name, p.shape)))
        for ids in TEXTS:
            h = m(torch.tensor([ids]), attention_mask=torch.ones(1, len(ids))).last_hidden_state[0]
            rows.append({"mean": h.mean(0), "cls": h[0], "max": h.max(0).values, "last": h[-1],
                         "unit": torch.nn.functional.normalize(h.mean(0), dim=0)})
    saved = c.to_dict()
    saved["architectures"] = [type(m).__name__]
    return {"config": saved, "shapes": shapes,
            "vectors": [{k: [float(f"{x:.7g}") for x in v.tolist()] for k, v in row.items()} for row in rows]}


def main():
    with open(sys.argv[1], "w") as f:
        json.dump({"texts": TEXTS, "cases": {name: make(c) for name, c in CASES.items()}}, f, separators=(",", ":"))
        f.write("\n")


main()
