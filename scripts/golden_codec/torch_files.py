"""Writes files of torch.save, and what is in them, for the tests of internal/codec/torch.

    python3 scripts/golden_codec/torch_files.py internal/codec/torch/testdata

Needs torch (requirements.txt of golden_llm).
"""

import collections
import json
import pathlib
import sys

import torch


def value():
    base = torch.arange(24, dtype=torch.float32) * 0.5 - 3
    dtypes = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8,
              torch.bool, torch.complex64, torch.complex128, torch.uint16, torch.uint32, torch.uint64]
    tied = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    linear = torch.nn.Linear(3, 2)
    with torch.no_grad():
        linear.weight.copy_(tied * 0.25)
        linear.bias.copy_(torch.tensor([1.5, -2.5]))
    return {
        "types": {str(d).removeprefix("torch."): (torch.arange(5) * 3 - 4).abs().to(d) for d in dtypes},
        "shapes": [torch.tensor(7.25), torch.zeros(0), torch.zeros(3, 0, 2), base.reshape(2, 3, 4), torch.zeros(4, 0, 2)[1:]],
        "views": {"transposed": base.reshape(4, 6).t(), "part": base[5:9], "step": base[1::3], "block": base.reshape(4, 6)[1:3, 2:5],
                  "expanded": base[3].expand(2, 3), "ones": base.reshape(24, 1, 1)[2:4]},
        "tied": {"a": tied, "b": tied},
        "module": linear.state_dict(),
        "parameter": torch.nn.Parameter(base[:3].clone(), requires_grad=True),
        "ordered": collections.OrderedDict(one=base[:2].clone()),
        "by_number": {0: base[:1].clone(), 12: (base[1:2].clone(), None)},
        "epoch": 3, "lr": 0.125, "name": "tést", "on": True, "large": 1 << 40, "negative": -7, "device": torch.device("cpu"),
        "size": torch.Size([2, 3]),
    }


def facts(name, v, out):
    inside = lambda k: f"{name}.{k}" if name else str(k)
    if isinstance(v, torch.Tensor):
        v = v.detach()
        w = torch.view_as_real(v) if v.is_complex() else v
        out[name] = {"dtype": str(v.dtype).removeprefix("torch."), "shape": list(v.shape),
                     "values": [float(x) for x in w.contiguous().flatten().tolist()]}
    elif isinstance(v, dict):
        for k in v:
            facts(inside(k), v[k], out)
    elif isinstance(v, (list, tuple)) and not isinstance(v, torch.Size):
        for i, x in enumerate(v):
            facts(inside(i), x, out)


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    v, want = value(), {}
    facts("", v, want)
    (out / "want.json").write_text(json.dumps(want, separators=(",", ":")) + "\n")
    torch.save(v, out / "archive.pt")
    torch.save(v, out / "archive4.pt", pickle_protocol=4)
    torch.save(v, out / "old.pt", _use_new_zipfile_serialization=False)
    torch.save(torch.arange(6).reshape(2, 3), out / "lone.pt")
    torch.save(torch.nn.Linear(2, 2), out / "module.pt")
    torch.save({"s": torch.eye(3).to_sparse()}, out / "sparse.pt")
    torch.jit.script(torch.nn.ReLU()).save(str(out / "script.pt"))


main()
