"""Reads with Python's packages what scripts/golden_codec/write made with ours. Run through run.sh."""

import json
import struct
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import safetensors
from safetensors.numpy import load_file

from formula import DTYPES, tensors

out = Path(sys.argv[1])


def same(got, want, what):
    assert got.dtype == want.dtype and got.shape == want.shape, (what, got.dtype, got.shape)
    assert got.tobytes() == want.tobytes(), what


st_names = {"BOOL": "bool", "BF16": "bfloat16", "C64": "complex64"}
st_names |= {p + str(b): w + str(b) for p, w in [("U", "uint"), ("I", "int"), ("F", "float")] for b in (8, 16, 32, 64)}
want = tensors(without=["complex128"])
for name in ["sorted.safetensors", "given.safetensors"]:
    # deserialize validates as the Rust library does, and knows bfloat16, which its NumPy door does not.
    got = dict(safetensors.deserialize((out / name).read_bytes()))
    assert got.keys() == want.keys()
    for k, v in got.items():
        x = np.frombuffer(bytes(v["data"]), DTYPES[st_names[v["dtype"]]]).reshape(v["shape"])
        same(x, want[k], (name, k))
    with safetensors.safe_open(out / name, "np") as f:
        assert f.metadata() == {"who": "lucid", "quote": "\"\\\n é"}, f.metadata()
assert load_file(out / "float.safetensors")["float32_2x3"].sum() == np.inf

want = tensors()
for name in ["stored.npz", "deflated.npz"]:
    with np.load(out / name) as z:
        assert set(z.files) == set(want) | {"__lucid__.json"}, z.files
        assert json.loads(z["__lucid__.json"])["metadata"] == {"who": "lucid"}
        for k, w in want.items():
            x = z[k]
            if w.dtype == ml_dtypes.bfloat16:
                assert x.dtype == np.dtype("V2"), x.dtype
                x = x.view(ml_dtypes.bfloat16)
            same(x, w, (name, k))
for k, w in tensors(without=["bfloat16"]).items():
    same(np.load(out / "npy" / f"{k}.npy", mmap_mode="r" if w.size and w.ndim else None), w, k)


def crc32c(b):
    table = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (0x82F63B78 if i & 1 else 0)
        table.append(i)
    c = 0xFFFFFFFF
    for x in b:
        c = c >> 8 ^ table[(c ^ x) & 255]
    return c ^ 0xFFFFFFFF


# A second reader of .lucid, from the layout comment alone.
b = (out / "all.lucid").read_bytes()
magic, version, zero, n, hcrc, pcrc = struct.unpack("<8sIIQII", b[:32])
assert (magic, version, zero, pcrc) == (b"\x89LUCID\r\n", 1, 0, crc32c(b[:28]))
length, whole, z1, end, z2, tcrc = struct.unpack("<QII8sII", b[-32:])
assert (length, end, z1, z2, tcrc) == (len(b), b"\x89LUCEND\n", 0, 0, crc32c(b[-32:-4]))
assert whole == crc32c(b[:-32]) and hcrc == crc32c(b[32:32 + n])
head, base = json.loads(b[32:32 + n]), (32 + n + 63) // 64 * 64
assert head["schema"] == {"model": 1}
for s in head["sections"]:
    d = b[base + s["offset"]:][:s["size"]]
    assert s["crc32c"] == crc32c(d) and (base + s["offset"]) % 64 == 0
    if s["kind"] == "tensor":
        same(np.frombuffer(d, DTYPES[s["dtype"]]).reshape(s["shape"]), want.pop(s["name"]), s["name"])
assert not want
print("all read back")
