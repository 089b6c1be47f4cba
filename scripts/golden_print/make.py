"""Writes internal/format/testdata/print.json.gz: tensors and the text PyTorch prints for them.

    python -m venv /somewhere/outside/the/tree
    /somewhere/outside/the/tree/bin/pip install -r scripts/golden_print/requirements.txt
    /somewhere/outside/the/tree/bin/python scripts/golden_print/make.py

The inputs are in cases.py (written by hand) and sweep.py (sampled from a fixed seed), so two runs give the same file.
"""

import base64
import gzip
import json
import math
import pathlib
import sys

import torch

import cases
import sweep

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parents[1] / "internal" / "format" / "testdata" / "print.json.gz"
MAX_INT = 2**63 - 1


def raw(t):
    """The bytes of t, little-endian and row-major."""
    if t.numel() == 0:
        return b""
    assert sys.byteorder == "little"
    return t.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def show(t, device):
    """PyTorch's text. device=True makes it name the device, as it does off the CPU."""
    real = torch._C._get_default_device
    if device:
        torch._C._get_default_device = lambda: "cuda"
    try:
        return repr(t)
    finally:
        torch._C._get_default_device = real


def suffixes(t, device):
    """What the caller of Tensor would pass: in no order PyTorch has, so the printer must sort it out."""
    parts = []
    if t.grad_fn is not None:
        parts.append(f"grad_fn=<{t.grad_fn.name()}>")
    elif t.requires_grad:
        parts.append("requires_grad=True")
    if device:
        parts.append(f"device='{t.device}'")
    return parts


def record(case):
    t, device = case.tensor, case.device
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**case.options)
    opts = torch._tensor_str.get_printoptions()
    return {
        "name": case.name,
        "dtype": str(t.dtype).removeprefix("torch."),
        "shape": list(t.shape),
        "data": base64.b64encode(raw(t)).decode(),
        "precision": opts["precision"],
        "threshold": MAX_INT if math.isinf(opts["threshold"]) else opts["threshold"],
        "edge_items": opts["edgeitems"],
        "line_width": opts["linewidth"],
        "sci_mode": opts["sci_mode"],
        "profile": case.options.get("profile", "") if len(case.options) == 1 else "",
        "suffix": suffixes(t, device),
        "want": show(t, device).replace("torch.", ""),
    }


def main():
    records = [record(c) for c in cases.all_cases() + sweep.all_cases()]
    names = [r["name"] for r in records]
    assert len(set(names)) == len(names), "two cases share a name"
    doc = {"torch": torch.__version__.split("+")[0], "cases": records}
    text = "".join(["{\n", f'"torch": {json.dumps(doc["torch"])},\n"cases": [\n',
                    ",\n".join(json.dumps(r) for r in records), "\n]\n}\n"])
    OUT.parent.mkdir(parents=True, exist_ok=True)
    with open(OUT, "wb") as f, gzip.GzipFile("", "wb", 9, f, mtime=0) as z:
        z.write(text.encode())
    print(f"{len(records)} cases, {OUT.stat().st_size} bytes: {OUT}")


if __name__ == "__main__":
    main()
