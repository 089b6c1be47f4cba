"""Prints the vectors of a folder with an encoder, as JSON: transformers' hidden states, pooled as the folder says, of length 1.

    echo '["a text", "another"]' | python3 scripts/assets/embed.py all-minilm-l6-v2

Needs torch and transformers.
"""

import json
import pathlib
import sys

import torch
from transformers import AutoModel, AutoTokenizer


def main():
    folder = pathlib.Path(sys.argv[1])
    torch.set_num_threads(1)
    tokenizer, m = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder, dtype=torch.float32).eval()
    pooling = json.loads((folder / "1_Pooling" / "config.json").read_text())
    out = []
    with torch.no_grad():
        for text in json.load(sys.stdin):
            h = m(**tokenizer(text, return_tensors="pt")).last_hidden_state[0]
            y = h[0] if pooling["pooling_mode_cls_token"] else h.mean(0)
            out.append(torch.nn.functional.normalize(y, dim=0).tolist())
    json.dump(out, sys.stdout)


main()
