"""A step of LoRA (rank 8, queries and values; 4 texts of 256 tokens) in the shape of Qwen2.5-0.5B with PyTorch on a GPU, for comparison
with `LUCID_MODELS=FOLDER go test -tags gpu ./cuda -run xxx -bench Tune`.

    python bench/tune_torch.py make FOLDER        writes a model of random weights with a tokenizer of bytes
    python bench/tune_torch.py bfloat16 | float32

Needs PyTorch and transformers (2.11 and 5.17 were used); peft where it is installed, else the same layers written out: adapters in
float32 over a frozen matrix, as peft makes them. Prints ms a step and the memory of the device by nvidia-smi.
"""
import json, math, os, subprocess, sys, time
import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

RANK, BATCH, LENGTH = 8, 4, 256


def model(dtype):
    torch.manual_seed(0)
    return Qwen2ForCausalLM(Qwen2Config(vocab_size=151936, hidden_size=896, intermediate_size=4864, num_hidden_layers=24,
        num_attention_heads=14, num_key_value_heads=2, max_position_embeddings=32768, tie_word_embeddings=True, use_cache=False)).to(dtype)


class LoRA(torch.nn.Module):
    def __init__(self, base):
        super().__init__()
        self.base = base
        self.a = torch.nn.Linear(base.in_features, RANK, bias=False, device="cuda")
        self.b = torch.nn.Linear(RANK, base.out_features, bias=False, device="cuda")
        torch.nn.init.kaiming_uniform_(self.a.weight, a=math.sqrt(5))
        torch.nn.init.zeros_(self.b.weight)

    def forward(self, x):
        y = self.base(x)
        return (y + self.b(self.a(x.to(self.a.weight.dtype)))).to(y.dtype)


def make(folder):
    os.makedirs(folder, exist_ok=True)
    model(torch.bfloat16).save_pretrained(folder)
    words, n = {}, 0
    for b in range(256):
        r = b
        if not (33 <= b <= 126 or 161 <= b <= 172 or b >= 174):
            r, n = 256 + n, n + 1
        words[chr(r)] = b
    with open(folder + "/tokenizer.json", "w") as f:
        json.dump({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False}, "decoder": {"type": "ByteLevel"},
                   "model": {"type": "BPE", "vocab": words, "merges": []}}, f)


def measure(dtype):
    m = model(dtype).cuda()
    for p in m.parameters():
        p.requires_grad_(False)
    try:
        from peft import LoraConfig, get_peft_model
        m = get_peft_model(m, LoraConfig(task_type="CAUSAL_LM", r=RANK, lora_alpha=RANK, target_modules=["q_proj", "v_proj"]))
    except ImportError:
        for layer in m.model.layers:
            layer.self_attn.q_proj, layer.self_attn.v_proj = LoRA(layer.self_attn.q_proj), LoRA(layer.self_attn.v_proj)
    m.train()
    opt = torch.optim.AdamW([p for p in m.parameters() if p.requires_grad], lr=1e-4)

    def step():
        ids = torch.randint(0, 256, (BATCH, LENGTH), device="cuda")
        loss = m(input_ids=ids, labels=ids).loss
        loss.backward()
        opt.step()
        opt.zero_grad()
        return loss.item()

    for _ in range(5):
        step()
    begin = time.perf_counter()
    for _ in range(20):
        step()
    each = (time.perf_counter() - begin) / 20
    used = subprocess.run(["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader"], capture_output=True, text=True).stdout
    print(f"{dtype}: {1e3 * each:.2f} ms a step, {used.strip()}, of tensors at most {torch.cuda.max_memory_allocated() >> 20} MiB", flush=True)


if sys.argv[1] == "make":
    make(sys.argv[2])
else:
    measure(getattr(torch, sys.argv[1]))
