"""Compares the speed of lucid with llama.cpp on a GGUF file: prefill of 512 tokens and decoding of 64, interleaved.

    go build -o lucid ./cmd/lucid
    python3 scripts/assets/speed.py MODEL.gguf LUCID LLAMA_BENCH [ROUNDS] [THREADS]

LLAMA_BENCH is llama-bench, built of the sdist of llama-cpp-python 0.3.36 with GGML_NATIVE. Each round runs both after a probe of the
memory (a copy of 256 MB); the best of all rounds counts. With one thread the figures are CPU time, so that other work on the machine
matters little; with more they are wall time.
"""

import json
import os
import re
import resource
import subprocess
import sys
import time


def probe():
    """Bytes read and written a second by a copy."""
    src = bytearray(256 << 20)
    begun = time.perf_counter()
    bytes(src)
    return 2 * len(src) / (time.perf_counter() - begun)


def cpu(command, env):
    """CPU seconds of a command, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out


def llama(bench, model, threads):
    """Seconds of a token, prefill and decode."""
    def run(p, n):
        used, out = cpu([bench, "-m", model, "-t", str(threads), "-p", str(p), "-n", str(n), "-r", "1", "-o", "json", "--no-warmup"],
                        os.environ)
        return used if threads == 1 else json.loads(out)[0]["avg_ns"] / 1e9
    if threads == 1:
        return (run(512, 0) - run(128, 0)) / 384, (run(0, 72) - run(0, 8)) / 64
    return run(512, 0) / 512, run(0, 64) / 64


def lucid(command, model, threads, prompt):
    """The same of lucid."""
    env = dict(os.environ, GOMAXPROCS=str(threads))
    def run(text, n):
        used, out = cpu([command, "run", model, text, "--raw", "--max-tokens", str(n)], env)
        return used, out
    if threads == 1:
        words = prompt.split()
        few, out = run(" ".join(words[: len(words) // 4]), 1)
        many, more = run(prompt, 1)
        tokens = [int(re.findall(r"prompt: (\d+) tokens", o)[-1]) for o in (out, more)]
        short, long = run("The", 8)[0], run("The", 72)[0]
        return (many - few) / (tokens[1] - tokens[0]), (long - short) / 64
    out = run(prompt, 64)[1]
    p, d = re.findall(r"prompt: \d+ tokens, ([\d.]+) tokens/s; text: \d+ tokens, ([\d.]+) tokens/s", out)[-1]
    return 1 / float(p), 1 / float(d)


def main(model, command, bench, rounds="3", threads="1"):
    prompt = " ".join(["The quick brown fox jumps over the lazy dog."] * 51)
    best = {}
    for _ in range(int(rounds)):
        speed = probe()
        for name, (p, d) in {"llama.cpp": llama(bench, model, int(threads)), "lucid": lucid(command, model, int(threads), prompt)}.items():
            print(f"{name}: prefill {1 / p:.0f}, decode {1 / d:.1f} tokens/s; probe {speed / 1e9:.1f} GB/s", flush=True)
            old = best.get(name, (p, d))
            best[name] = min(old[0], p), min(old[1], d)
    for name, (p, d) in best.items():
        print(f"best of {name}: prefill {1 / p:.0f}, decode {1 / d:.1f} tokens/s")


main(*sys.argv[1:])
