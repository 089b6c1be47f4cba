"""Writes llm/tune/testdata: losses of 50 steps of LoRA and DoRA by PyTorch and peft, and the adapters they end with.

    python3 scripts/golden_tune/make.py llm/tune/testdata

Needs what requirements.txt says. Weights are not stored: both sides compute them from their names, see weight().
"""

import json
import os
import sys
import zlib

import numpy as np
import torch
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM

TEXTS = ["the quick brown fox", "jumps over", "the lazy dog again and again", "0123456789"]
STEPS = 50
CONFIG = dict(vocab_size=256, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
              rms_norm_eps=1e-5, max_position_embeddings=128, tie_word_embeddings=False, bos_token_id=None, eos_token_id=None,
              pad_token_id=None, rope_theta=10000.0, attn_implementation="eager")
CASES = {
    "lora": dict(r=4, lora_alpha=8, target_modules=["q_proj", "v_proj", "down_proj"]),
    "dora": dict(r=4, lora_alpha=6, target_modules=["q_proj", "v_proj", "down_proj"], use_dora=True),
    "rslora": dict(r=4, lora_alpha=2, target_modules="all-linear", use_rslora=True),
}


def weight(name, shape):
    """Element i of a weight is a hash of its name and i, from -0.2 to 0.2; norms are around 1."""
    n = int(np.prod(shape))
    x = np.uint32(zlib.crc32(name.encode())) + np.arange(n, dtype=np.uint32) * np.uint32(2654435761)
    x = (x ^ x >> np.uint32(16)) * np.uint32(0x85EBCA6B)
    x = (x ^ x >> np.uint32(13)) * np.uint32(0xC2B2AE35)
    x ^= x >> np.uint32(16)
    v = ((x >> np.uint32(8)).astype(np.float32) / np.float32(1 << 24) - np.float32(0.5)) * np.float32(0.4)
    if name.endswith("norm.weight"):
        v += np.float32(1)
    return torch.from_numpy(v.reshape(shape))


def batch():
    longest = max(len(t) for t in TEXTS)
    ids = torch.zeros(len(TEXTS), longest, dtype=torch.long)
    labels = torch.full((len(TEXTS), longest), -100)
    for i, t in enumerate(TEXTS):
        ids[i, : len(t)] = torch.tensor(list(t.encode()))
        labels[i, : len(t)] = ids[i, : len(t)]
    return ids, labels


PAIRS = [("say", "yes", "no"), ("tell", "yes, sir", "never"), ("a", "b", "cdefg")]


def dpo():
    """Losses of direct preference optimization, written out; the reference is the model without its adapter."""
    model = LlamaForCausalLM(LlamaConfig(**CONFIG)).float()
    with torch.no_grad():
        for key, p in model.named_parameters():
            p.copy_(weight(key, p.shape))
    model = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", **CASES["lora"]))
    with torch.no_grad():
        for key, p in model.named_parameters():
            if "lora_A" in key:
                p.copy_(weight(key.removeprefix("base_model.model.").replace(".default", ""), p.shape))

    def margin():
        out = []
        for prompt, *answers in PAIRS:
            sums = []
            for answer in answers:
                head = "user: %s\nassistant: " % prompt
                ids = torch.tensor([list((head + answer + "\n").encode())])
                logp = torch.log_softmax(model(input_ids=ids).logits[0, :-1], -1).gather(1, ids[0, 1:, None])[:, 0]
                sums.append(logp[len(head) - 1:].sum())
            out.append(sums[0] - sums[1])
        return torch.stack(out)

    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=0.01, weight_decay=0)
    with torch.no_grad(), model.disable_adapter():
        reference = margin()
    losses = []
    for _ in range(20):
        opt.zero_grad()
        loss = -torch.nn.functional.logsigmoid(0.3 * (margin() - reference)).mean()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses


def main(folder):
    torch.set_num_threads(1)
    golden = {"texts": TEXTS, "cases": {}, "pairs": PAIRS, "dpo": dpo()}
    for name, options in CASES.items():
        model = LlamaForCausalLM(LlamaConfig(**CONFIG)).float()
        with torch.no_grad():
            for key, p in model.named_parameters():
                p.copy_(weight(key, p.shape))
        model = get_peft_model(model, LoraConfig(task_type="CAUSAL_LM", **options))
        with torch.no_grad():
            for key, p in model.named_parameters():
                if "lora_A" in key:
                    short = key.removeprefix("base_model.model.").replace(".default", "")
                    p.copy_(weight(short, p.shape))
        opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=0.01, weight_decay=0.01)
        ids, labels = batch()
        losses = []
        for _ in range(STEPS):
            opt.zero_grad()
            logits = model(input_ids=ids).logits
            loss = torch.nn.functional.cross_entropy(logits[:, :-1].reshape(-1, 256), labels[:, 1:].reshape(-1))
            loss.backward()
            opt.step()
            losses.append(loss.item())
        with torch.no_grad():
            logits = model(input_ids=ids[:1]).logits[0, -1]
        golden["cases"][name] = {"options": options, "losses": losses, "logits": [round(v, 5) for v in logits.tolist()]}
        model.save_pretrained(os.path.join(folder, "peft_" + name))
        readme = os.path.join(folder, "peft_" + name, "README.md")
        if os.path.exists(readme):
            os.remove(readme)
    with open(os.path.join(folder, "losses.json"), "w") as f:
        json.dump(golden, f)
        f.write("\n")


main(sys.argv[1])
