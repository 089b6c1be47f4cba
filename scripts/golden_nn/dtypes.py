"""Golden values of modules, losses and functions in double precision and in the half types: a few cases of each op."""
import functional, losses, modules, sequences
import torch
from parity import File

f = File("nn/testdata/dtypes.json.gz")
refused = {}
for file in (modules, sequences, losses, functional):
    by = {}
    for call in file.f.calls:
        by.setdefault(call[0], []).append(call)
    for op, calls in by.items():
        for dtype, fractions in (("float64", (0, 0.5)), ("bfloat16", (0, 0.5)), ("float16", (0, 0.5))):
            for i in sorted({int(p * (len(calls) - 1)) for p in fractions}):
                try:
                    f.add(*calls[i], dtype=dtype)
                except (RuntimeError, NotImplementedError) as e:
                    if "not implemented for" not in str(e):
                        raise
                    refused.setdefault(dtype, []).append(op)
print("refused by PyTorch:", refused)
if __name__ == "__main__":
    f.write()
