"""Makes internal/ggml/grids.bin and internal/ggml/testdata/golden.bin with the gguf package.

golden.bin is a sequence of records, little-endian: type uint32, kind uint32 (0: blocks to float32, 1: float32 to blocks),
length of the input and of the output in bytes (uint32 each), input, output. Run from the root of the repository.
"""

import struct

import numpy as np
from gguf import GGMLQuantizationType as T
from gguf import quants
from gguf.constants import GGML_QUANT_SIZES

rng = np.random.default_rng(7)


def grids():
    out = b""
    for cls in (quants.IQ2_XXS, quants.IQ2_XS, quants.IQ2_S, quants.IQ1_S, quants.IQ3_XXS, quants.IQ3_S):
        out += bytes.fromhex(cls.grid_hex.decode())
    open("internal/ggml/grids.bin", "wb").write(out)


def record(f, t, kind, src, dst):
    f.write(struct.pack("<IIII", int(t), kind, len(src), len(dst)) + src + dst)


# Positions of float16 scales in a block: random bytes there are often infinite, so these are made finite.
SCALES = {T.Q4_0: [0], T.Q4_1: [0, 2], T.Q5_0: [0], T.Q5_1: [0, 2], T.Q8_0: [0], T.Q2_K: [80, 82], T.Q3_K: [108],
          T.Q4_K: [0, 2], T.Q5_K: [0, 2], T.Q6_K: [208], T.IQ4_NL: [0], T.IQ4_XS: [0], T.TQ1_0: [52], T.TQ2_0: [64],
          T.IQ2_XXS: [0], T.IQ2_XS: [0], T.IQ2_S: [0], T.IQ3_XXS: [0], T.IQ3_S: [0], T.IQ1_S: [0], T.IQ1_M: [], T.MXFP4: [],
          T.NVFP4: [], T.F16: [0], T.BF16: []}


def blocks(t, n):
    size = GGML_QUANT_SIZES[t][1]
    b = rng.integers(0, 256, (n, size), dtype=np.uint8)
    for at in SCALES[t]:
        for row in b:
            while not np.isfinite(row[at:at + 2].view(np.float16)[0]):
                row[at:at + 2] = rng.integers(0, 256, 2, dtype=np.uint8)
    if t == T.IQ1_M:
        b[:, 55] &= 0xBF  # the top bits of the scale's exponent
    return b


def values(n):
    kinds = [rng.normal(size=n), rng.normal(size=n) * 1e-3, rng.uniform(-1, 3, n), np.zeros(n), np.full(n, -2.5),
             rng.integers(-3, 4, n) * 0.5]
    return np.concatenate(kinds).astype(np.float32)


def main():
    grids()
    with open("internal/ggml/testdata/golden.bin", "wb") as f:
        for t in SCALES:
            block = GGML_QUANT_SIZES[t][0]
            b = blocks(t, max(3, 160 // block))
            with np.errstate(all="ignore"):
                record(f, t, 0, b.tobytes(), quants.dequantize(b, t).astype(np.float32).tobytes())
        for t in (T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1, T.Q8_0, T.TQ1_0, T.TQ2_0, T.BF16, T.F16):
            x = values(GGML_QUANT_SIZES[t][0] if GGML_QUANT_SIZES[t][0] > 1 else 8)
            with np.errstate(all="ignore"):
                record(f, t, 1, x.tobytes(), quants.quantize(x.reshape(6, -1), t).tobytes())


main()
