"""Writes internal/quantize/testdata/mlx.json.gz: matrices quantized, dequantized and multiplied by MLX on a CPU.

usage: quantize.py <file>
"""
import base64, gzip, json, sys

import mlx.core as mx
import numpy as np

mx.set_default_device(mx.cpu)


def tensor(a):
    dtype = str(a.dtype).split(".")[-1]
    raw = np.array(a.view(mx.uint16) if dtype in ("bfloat16", "float16") else a)
    return {"dtype": dtype, "shape": list(a.shape), "data": base64.b64encode(raw.tobytes()).decode()}


def weights(seed, rows, cols):
    g = np.random.default_rng(seed)
    w = np.round(g.normal(size=(rows, cols)) * 64) / 64
    w[0, : cols // 2] = 0
    w[1] = np.abs(w[1])
    w[2] *= 100
    w[-1] = -np.abs(w[-1]) / 1000
    return w.astype(np.float32)


def main(path):
    cases = []
    modes = [("affine", [32, 64, 128], [2, 3, 4, 5, 6, 8]), ("mxfp4", [32], [4]), ("mxfp8", [32], [8]), ("nvfp4", [16], [4])]
    for mode, groups, widths in modes:
        for group in groups:
            for bits in widths:
                for dtype in [mx.float32, mx.bfloat16, mx.float16]:
                    if dtype != mx.float32 and group == 128:
                        continue
                    w = mx.array(weights(bits * group, 5, 128)).astype(dtype)
                    kw = dict(group_size=group, bits=bits, mode=mode)
                    q = mx.quantize(w, **kw)
                    d = mx.dequantize(*q, **kw) if mode == "affine" else mx.dequantize(*q, dtype=dtype, **kw)
                    x = mx.array(weights(7, 4, 128)[:3] / 4).astype(dtype)
                    y = mx.quantized_matmul(x, *q, transpose=True, **kw)
                    cases.append({"mode": mode, "bits": bits, "group": group, "w": tensor(w), "quantized": [tensor(a) for a in q],
                                  "dequantized": tensor(d), "x": tensor(x), "y": tensor(y)})
    values = np.concatenate([np.linspace(-500, 500, 201), [0.001, -0.002, 2**-10, 3 * 2**-10, 1.0625, 1.1875, 464, np.inf, np.nan, -0.0]])
    values = mx.array(values.astype(np.float32))
    fp8 = {"values": tensor(values), "codes": tensor(mx.to_fp8(values)), "back": tensor(mx.from_fp8(mx.to_fp8(values), mx.float32))}
    with open(path, "wb") as f:
        with gzip.GzipFile(fileobj=f, mode="wb", mtime=0) as z:
            z.write(json.dumps({"mlx": mx.__version__, "cases": cases, "fp8": fp8}).encode())


main(sys.argv[1])
