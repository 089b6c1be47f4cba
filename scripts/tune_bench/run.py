"""Measures a step of LoRA in the shape of Qwen2.5-0.5B, 4 texts of 256 tokens, next to PyTorch with peft on the same CPU.

    go build ./cmd/lucid
    python3 scripts/tune_bench/run.py --lucid ./lucid --model qwen2.5-coder-0.5b.gguf [--only peft,lora,qlora,keep] [--more 3]

The model is a GGUF file of that shape (scripts/assets/fetch.py gets one); its weights are float32 for LoRA and stay in blocks for QLoRA.
PyTorch has random weights of the same shape in float32. Needs what requirements.txt says. Each program runs with few steps and with
--more; the difference is the time of a step, without loading. A run before that reads files into memory and is thrown away. Processor
time is given too: it says more where other programs run. Memory is the most that the longer run had resident, in MB: weights included,
those of mapped files too.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

BATCH, LENGTH, RANK, FEW = 4, 256, 8, 1


def peft_steps(steps):
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import Qwen2Config, Qwen2ForCausalLM

    torch.set_num_threads(int(os.environ["THREADS"]))
    torch.manual_seed(0)
    model = Qwen2ForCausalLM(Qwen2Config(vocab_size=151936, hidden_size=896, intermediate_size=4864, num_hidden_layers=24,
        num_attention_heads=14, num_key_value_heads=2, max_position_embeddings=32768, tie_word_embeddings=True, use_cache=False))
    model = get_peft_model(model.float(), LoraConfig(task_type="CAUSAL_LM", r=RANK, lora_alpha=RANK, target_modules=["q_proj", "v_proj"]))
    model.train()
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-4)
    for _ in range(steps):
        ids = torch.randint(0, 151936, (BATCH, LENGTH))
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        opt.step()
        opt.zero_grad()


def measured(command, environment):
    """Seconds, processor seconds and the most memory in MB of a program."""
    begun = time.perf_counter()
    child = subprocess.Popen(command, env=os.environ | environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read()
    _, status, use = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{command}: {status} {said.decode()[-2000:]}")
    return time.perf_counter() - begun, use.ru_utime + use.ru_stime, use.ru_maxrss / 1000


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--lucid")
    p.add_argument("--model")
    p.add_argument("--threads", default="2")
    p.add_argument("--only", default="peft,lora,qlora,keep")
    p.add_argument("--more", type=int, default=3, help="steps of the longer run")
    p.add_argument("--peft-steps", type=int)
    a = p.parse_args()
    if a.peft_steps is not None:
        peft_steps(a.peft_steps)
        return
    environment = {"THREADS": a.threads, "GOMAXPROCS": a.threads, "OMP_NUM_THREADS": a.threads}
    with tempfile.TemporaryDirectory() as d:
        data = pathlib.Path(d) / "texts.jsonl"
        # One long text, so that all windows but the last are full: peft has no padding either.
        data.write_text(json.dumps({"text": " ".join(f"word{i // 120 * 7919 + i % 120 * 31}" for i in range(120 * 64))}) + "\n")

        def tune(steps, *flags):
            return [a.lucid, "tune", a.model, "--data", str(data), "--steps", str(steps), "--batch", str(BATCH),
                    "--length", str(LENGTH), "--rank", str(RANK), "--every", "1000", "--adapter", d + "/adapter", *flags]

        forms = {"peft": lambda n: [sys.executable, __file__, "--peft-steps", str(n)], "lora": lambda n: tune(n),
                 "qlora": lambda n: tune(n, "--quantized"), "keep": lambda n: tune(n, "--quantized", "--keep-activations")}
        for name in a.only.split(","):
            _, few, more = (measured(forms[name](n), environment) for n in (FEW, FEW, a.more))
            print(json.dumps({"what": name, "step_s": round((more[0] - few[0]) / (a.more - FEW), 2),
                "step_cpu_s": round((more[1] - few[1]) / (a.more - FEW), 2), "most_mb": round(more[2])}), flush=True)


main()
