"""The default of every keyword of PyTorch's modules, functions, optimizers and schedules, from their signatures."""
import inspect, json, os
import parity
import torch
import torch.nn as nn
import torch.nn.functional as F

OUT = os.path.join(parity.ROOT, "nn", "testdata", "defaults.json")


def value(v):
    if isinstance(v, (bool, int, str)) or v is None:
        return v
    if isinstance(v, float):
        return v
    if isinstance(v, (tuple, list)):
        return [value(x) for x in v]
    return v.__name__ if callable(v) else repr(v)


def of(f):
    """Keywords and defaults; functions written in C++ have them in their schema."""
    try:
        sig = inspect.signature(f)
        return {k: value(p.default) for k, p in sig.parameters.items() if k not in ("self", "args", "kwargs") and p.default is not inspect._empty}
    except ValueError:
        name = {"channel_shuffle": "channel_shuffle"}.get(f.__name__, f.__name__)
        for ns in (torch.ops.aten,):
            op = getattr(ns, name)
            s = getattr(op, op.overloads()[0])._schema
            return {a.name: value(a.default_value) for a in s.arguments if a.has_default_value()}


def members(files, field="op"):
    return sorted({c[field].split(".")[0] for f in files for c in f.cases})


import functional, losses, modules, sequences

mods = {n: of(getattr(nn, n)) for n in members([modules.f, sequences.f, losses.f]) if hasattr(nn, n)}
for n in ("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"):
    mods[n] = of(getattr(nn, n))
funs = {n: of(getattr(F, n)) for n in members([functional.f, losses.f]) if hasattr(F, n)}
for n in ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout", "gumbel_softmax"):
    funs[n] = of(getattr(F, n))
calls = {"MultiheadAttention": of(nn.MultiheadAttention.forward)}
doc = {"versions": {"torch": torch.__version__}, "nn": mods, "functional": funs, "forward": calls}
with open(OUT, "w") as f:
    json.dump(doc, f, indent=1, sort_keys=True)
    f.write("\n")
print(OUT, sum(len(v) for v in mods.values()), "of modules,", sum(len(v) for v in funs.values()), "of functions,", os.path.getsize(OUT), "bytes")
