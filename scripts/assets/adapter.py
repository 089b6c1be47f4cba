"""Computes logits of a real adapter with transformers and peft, two layers at a time, over a random base of the real widths.

    python3 scripts/assets/adapter.py ADAPTER OUT

ADAPTER is the folder of that name that fetch.py makes, for Qwen2.5-Coder-7B. OUT gets base, a model of two layers in the widths of that
one with 1,024 tokens (1.9 GB, float32), and layers-0, layers-2, …: the adapter's tensors of two layers as those of layers 0 and 1, with
its configuration unchanged. Standard output is JSON: prompts as ids, logits of the base, and those with the adapter of each folder, of
all positions. Needs torch, transformers, peft and safetensors.
"""

import json
import pathlib
import re
import shutil
import sys

import torch
from peft import PeftModel
from safetensors.torch import load_file, save_file
from transformers import Qwen2Config, Qwen2ForCausalLM

CONFIG = dict(vocab_size=1024, hidden_size=3584, intermediate_size=18944, num_hidden_layers=2, num_attention_heads=28,
              num_key_value_heads=4, rms_norm_eps=1e-6, rope_theta=1e6, max_position_embeddings=32768, tie_word_embeddings=False,
              bos_token_id=None, eos_token_id=None, pad_token_id=None, attn_implementation="eager")
PROMPTS = [[7], [1, 500, 1023, 2, 2], [(i * 389 + 11) % 1024 for i in range(12)]]


def base():
    """Random weights; biases and norms are no zeros and ones, so that they count."""
    torch.manual_seed(20)
    model = Qwen2ForCausalLM(Qwen2Config(**CONFIG)).float().eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.dim() == 1:
                p.add_(torch.randn_like(p) * 0.1)
    return model


def part(tensors, first):
    """The tensors of two layers as those of the first two."""
    out = {}
    for name, t in tensors.items():
        head, layer, tail = re.fullmatch(r"(.*\.layers\.)(\d+)(\..*)", name).groups()
        if first <= int(layer) < first + 2:
            out[f"{head}{int(layer) - first}{tail}"] = t.contiguous()
    return out


def main(adapter, out):
    adapter, out = pathlib.Path(adapter), pathlib.Path(out)
    torch.set_num_threads(2)
    tensors = load_file(adapter / "adapter_model.safetensors")
    layers = 1 + max(int(n) for name in tensors for n in re.findall(r"\.layers\.(\d+)\.", name))
    model = base()
    model.save_pretrained(out / "base")

    def logits():
        with torch.no_grad():
            return [model(input_ids=torch.tensor([ids])).logits[0].flatten().tolist() for ids in PROMPTS]

    result = {"prompts": PROMPTS, "base": logits(), "adapters": {}}
    for first in range(0, layers, 2):
        name = f"layers-{first}"
        folder = out / name
        folder.mkdir()
        save_file(part(tensors, first), folder / "adapter_model.safetensors", {"format": "pt"})
        shutil.copy(adapter / "adapter_config.json", folder)
        if first == 0:
            model = PeftModel.from_pretrained(model, folder, adapter_name=name)
        else:
            read = model.load_adapter(folder, name)
            lost = [k for k in read.missing_keys if f".{name}." in k]
            assert not read.unexpected_keys and not lost, (read.unexpected_keys, lost)
            model.set_adapter(name)
        model.eval()
        result["adapters"][name] = logits()
    json.dump(result, sys.stdout)


main(*sys.argv[1:])
