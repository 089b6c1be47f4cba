"""Prints what transformers generates greedily from the dequantised float32 weights of a GGUF file, as JSON.

    echo '[[1, 2, 3], [4, 5]]' | python3 scripts/assets/greedy.py model.gguf 64

Lists of prompt ids come in on standard input; a list of generated ids goes out for each. Ends of texts are ignored. Needs torch,
transformers, gguf and accelerate.
"""

import json
import pathlib
import sys

import torch
from transformers import AutoModelForCausalLM


def main():
    path, count = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    torch.set_num_threads(1)
    m = AutoModelForCausalLM.from_pretrained(str(path.parent), gguf_file=path.name, dtype=torch.float32).eval()
    out = []
    with torch.no_grad():
        for ids in json.load(sys.stdin):
            x, cache, made = torch.tensor([ids]), None, []
            for _ in range(count):
                y = m(x, past_key_values=cache, use_cache=True)
                cache = y.past_key_values
                made.append(int(y.logits[0, -1].argmax()))
                x = torch.tensor([[made[-1]]])
            out.append(made)
    print(json.dumps(out))


main()
