"""Moments of PyTorch's starting values over many numbers, and the values of those that are not random."""
import json, os
import parity
import torch
import torch.nn as nn

OUT = os.path.join(parity.ROOT, "nn", "testdata", "inits.json")
I = nn.init
cases = []


def moments(op, shape, **kw):
    torch.manual_seed(1)
    t = torch.empty(shape, dtype=torch.float64)
    getattr(I, op + "_")(t, **kw)
    cases.append({"op": op, "shape": shape, "kwargs": kw, "mean": t.mean().item(), "std": t.std().item(), "min": t.min().item(), "max": t.max().item(), "kurtosis": ((t - t.mean()) ** 4).mean().item() / t.var().item() ** 2,
                  "zeros": (t == 0).double().mean().item()})


def values(op, shape, **kw):
    t = torch.empty(shape, dtype=torch.float64)
    getattr(I, op + "_")(t, **kw)
    cases.append({"op": op, "shape": shape, "kwargs": kw, "values": t.reshape(-1).tolist()})


BIG, CONV = [300, 400], [64, 32, 5, 5]
for s in (BIG, CONV):
    moments("uniform", s)
    moments("uniform", s, a=-2.0, b=0.5)
    moments("normal", s)
    moments("normal", s, mean=1.0, std=0.3)
    moments("trunc_normal", s)
    moments("trunc_normal", s, mean=0.5, std=2.0, a=-1.0, b=1.5)
    for gain in (1.0, 2.5):
        moments("xavier_uniform", s, gain=gain)
        moments("xavier_normal", s, gain=gain)
        moments("orthogonal", s, gain=gain)
    for kw in (dict(), dict(mode="fan_out"), dict(nonlinearity="relu"), dict(a=0.5), dict(nonlinearity="tanh"), dict(nonlinearity="selu", mode="fan_out"), dict(nonlinearity="linear"), dict(nonlinearity="sigmoid")):
        moments("kaiming_uniform", s, **kw)
        moments("kaiming_normal", s, **kw)
moments("sparse", BIG, sparsity=0.1)
moments("sparse", BIG, sparsity=0.55, std=2.0)
values("constant", [2, 3], val=1.5)
values("zeros", [2, 3])
values("ones", [2, 3])
values("eye", [2, 4])
values("eye", [3, 2])
for s in ([3, 2, 3], [4, 2, 3, 2], [2, 3, 2, 3, 2]):
    values("dirac", s)
    values("dirac", s, groups=s[0] // (2 if s[0] % 2 == 0 else 1))
gains = {n: I.calculate_gain(n) for n in ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "sigmoid", "tanh", "relu", "leaky_relu", "selu")}
gains["leaky_relu 0.2"] = I.calculate_gain("leaky_relu", 0.2)
with open(OUT, "w") as f:
    json.dump({"versions": {"torch": torch.__version__}, "cases": cases, "gains": gains}, f, sort_keys=True, separators=(",", ":"))
    f.write("\n")
print(OUT, len(cases), "cases", os.path.getsize(OUT), "bytes")
