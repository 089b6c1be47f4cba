"""Compares the speed of lucid's encoders with PyTorch and onnxruntime: texts of 128 tokens in float32, one at a time and 32 together.

    python3 scripts/assets/embed_speed.py all-minilm-l6-v2 [ROUNDS] [THREADS] [TEST]

Programs run in turn; the best of all rounds counts, as other programs may be running. With one thread times are CPU time; that of lucid
is the time of a longer run less that of a shorter one. Needs torch, transformers, onnxruntime, onnx and
onnxscript (for the export), and Go. Without onnx only PyTorch is measured. TEST is the program that go test -c ./llm makes, if it is
there already: building it would disturb what is measured.
"""

import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

import torch
from transformers import AutoModel

LENGTH, BATCHES = 128, (1, 32)


def inputs(batch):
    """The ids that lucid's benchmark has."""
    ids = torch.tensor([[1000 + (i * 131 + j * 7) % 20000 for j in range(LENGTH)] for i in range(batch)])
    return ids, torch.ones_like(ids)


def exported(m, path, threads):
    """onnxruntime on the same model; None without onnx."""
    try:
        import onnx  # noqa: F401
        import onnxruntime
    except ImportError:
        return None
    ids, mask = inputs(2)
    free = {"input_ids": {0: "batch"}, "attention_mask": {0: "batch"}}
    torch.onnx.export(m, (ids, mask), path, input_names=list(free), output_names=["y"], dynamic_axes=dict(free, y={0: "batch"}),
                      dynamo=False, opset_version=17)
    o = onnxruntime.SessionOptions()
    o.intra_op_num_threads = threads
    s = onnxruntime.InferenceSession(path, o, providers=["CPUExecutionProvider"])
    return lambda ids, mask: s.run(None, {"input_ids": ids.numpy(), "attention_mask": mask.numpy()})


class Lucid:
    """The benchmark of llm, in a process of its own."""

    def __init__(self, test, folder, root, threads):
        self.test, self.cwd, self.threads, self.least = test, root / "llm", threads, {}
        self.env = dict(os.environ, GOMAXPROCS=str(threads), LUCID_EMBEDDER=str(folder))

    def run(self, batch, times):
        """CPU seconds of a run, the least so far, and texts/s by the clock."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        out = subprocess.run([self.test, "-test.run", "xxx", "-test.bench", f"^BenchmarkEmbedder$/^{batch}$", "-test.benchtime",
                              f"{times}x"], cwd=self.cwd, env=self.env, check=True, capture_output=True, text=True).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.least[batch, times] = min(self.least.get((batch, times), 1e9), used)
        return self.least[batch, times], float(re.findall(r"([\d.]+) texts/s", out)[0])

    def speed(self, batch):
        few, many = (1, 4) if batch > 1 else (4, 36)
        long, clock = self.run(batch, many)
        if self.threads > 1:
            return clock
        return (many - few) * batch / max(1e-9, long - self.run(batch, few)[0])


class Pooled(torch.nn.Module):
    """The mean over tokens, of length 1."""

    def __init__(self, m):
        super().__init__()
        self.m = m

    def forward(self, ids, mask):
        h = self.m(input_ids=ids, attention_mask=mask).last_hidden_state
        f = mask.unsqueeze(-1).to(h.dtype)
        return torch.nn.functional.normalize((h * f).sum(1) / f.sum(1), dim=1)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    root = pathlib.Path(__file__).resolve().parents[2]
    torch.set_num_threads(threads)
    m = Pooled(AutoModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="sdpa").eval())
    best = {}
    with tempfile.TemporaryDirectory() as tmp, torch.no_grad():
        test = os.path.join(tmp, "llm.test")
        if len(sys.argv) > 4:
            test = os.path.abspath(sys.argv[4])
        else:
            subprocess.run(["go", "test", "-c", "-o", test, "./llm"], cwd=root, check=True)
        plain = AutoModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
        peers = {"PyTorch": m, "onnxruntime": exported(Pooled(plain), os.path.join(tmp, "m.onnx"), threads)}
        ours, clock = Lucid(test, folder, root, threads), time.process_time if threads == 1 else time.perf_counter
        for _ in range(rounds):
            for batch in BATCHES:
                x = inputs(batch)
                for name, f in peers.items():
                    for _ in range(2 + 24 // batch if f else 0):
                        begun = clock()
                        f(*x)
                        best[name, batch] = max(best.get((name, batch), 0), batch / (clock() - begun))
                speed = ours.speed(batch)  # with one thread of the least times so far
                best["lucid", batch] = speed if threads == 1 else max(best.get(("lucid", batch), 0), speed)
    for (name, batch), v in sorted(best.items(), key=lambda kv: (kv[0][1], kv[0][0])):
        print(f"batch {batch}: {name} {v:.1f} texts/s")


main()
