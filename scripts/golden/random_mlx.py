"""Random numbers from MLX: the generator to reproduce bit for bit (see README.md)."""
import base64
import os
import subprocess
import tempfile

import numpy as np
import mlx.core as mx
from lib import versions, write_json

mx.set_default_device(mx.cpu)
cases = []
SEEDS = [0, 1, 42, 2 ** 32 + 7, 2 ** 64 - 1]
NAMES = {mx.float32: "float32", mx.float16: "float16", mx.bfloat16: "bfloat16", mx.int32: "int32", mx.int64: "int64", mx.uint32: "uint32", mx.uint8: "uint8", mx.uint16: "uint16", mx.int8: "int8", mx.int16: "int16", mx.uint64: "uint64", mx.bool_: "bool", mx.complex64: "complex64"}


def enc(a):
    mx.eval(a)
    raw = (np.array(a.view(mx.uint16)) if a.dtype == mx.bfloat16 else np.array(a)).tobytes()
    return {"dtype": NAMES[a.dtype], "shape": list(a.shape), "data": base64.b64encode(raw).decode()}


def arr(v):
    """A number or an array as an attribute."""
    return enc(v) if isinstance(v, mx.array) else v


def case(op, seed, out, **attrs):
    cases.append({"op": op, "seed": seed, "attrs": {k: arr(v) for k, v in attrs.items() if v is not None}, "output": enc(out)})


def bits(asks):
    """The raw bits for each (seed, width, shape), from the C++ library in the MLX wheel."""
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.dirname(mx.__file__)
    with tempfile.TemporaryDirectory() as tmp:
        exe = os.path.join(tmp, "mlx_bits")
        subprocess.run(["g++", "-std=c++20", "-O0", "-I", os.path.join(root, "include"), os.path.join(here, "mlx_bits.cc"), "-o", exe,
                        "-L", os.path.join(root, "lib"), "-lmlx", "-Wl,-rpath," + os.path.join(root, "lib")], check=True)
        text = "".join("%d %d %d %s\n" % (s, w, len(sh), " ".join(map(str, sh))) for s, w, sh in asks)
        out = subprocess.run([exe], input=text, capture_output=True, text=True, check=True).stdout
    return [bytes.fromhex(line) for line in out.split("\n")[:len(asks)]]


R = mx.random
for s in SEEDS:
    k = R.key(s)
    case("key", s, k)
    for num in (2, 3, 5):
        case("split", s, R.split(k, num), num=num)
asks = [(s, w, sh) for s in (0, 42, 2 ** 32 + 7) for w in (1, 2, 4) for sh in ([1], [2], [3], [7], [8], [3, 5], [], [0])]
for (s, w, sh), raw in zip(asks, bits(asks)):
    cases.append({"op": "bits", "seed": s, "attrs": {"shape": sh, "width": w},
                  "output": {"dtype": "uint%d" % (8 * w), "shape": sh, "data": base64.b64encode(raw).decode()}})
F32, F16, BF16 = mx.float32, mx.float16, mx.bfloat16
for s in (0, 42):
    k = R.key(s)
    for d in (F32, F16, BF16):
        n = NAMES[d]
        for shape in ([5], [2, 4]):
            case("uniform", s, R.uniform(shape=shape, dtype=d, key=k), shape=shape, dtype=n)
            case("normal", s, R.normal(shape, d, key=k), shape=shape, dtype=n)
            case("gumbel", s, R.gumbel(shape, d, key=k), shape=shape, dtype=n)
            case("laplace", s, R.laplace(shape, d, key=k), shape=shape, dtype=n)
            case("truncated_normal", s, R.truncated_normal(-1.0, 2.0, shape, d, key=k), shape=shape, dtype=n, lower=-1.0, upper=2.0)
        case("uniform", s, R.uniform(-2.0, 3.0, [6], d, k), shape=[6], dtype=n, low=-2.0, high=3.0)
        case("normal", s, R.normal([6], d, loc=1.0, scale=2.0, key=k), shape=[6], dtype=n, loc=1.0, scale=2.0)
        case("laplace", s, R.laplace([5], d, loc=1.0, scale=2.0, key=k), shape=[5], dtype=n, loc=1.0, scale=2.0)
    lo, hi = mx.array([0.0, -1.0, 10.0]), mx.array([1.0, 1.0, 20.0])
    case("uniform", s, R.uniform(lo, hi, [2, 3], F32, k), shape=[2, 3], dtype="float32", low=lo, high=hi)
    case("uniform", s, R.uniform(shape=[], key=k), shape=[], dtype="float32")
    case("normal", s, R.normal([4], mx.complex64, key=k), shape=[4], dtype="complex64")
    for d in (mx.int32, mx.int64, mx.uint8, mx.uint32, mx.int16):
        case("randint", s, R.randint(3, 50, [7], d, k), shape=[7], dtype=NAMES[d], low=3, high=50)
    case("randint", s, R.randint(-10, 10, [2, 4], mx.int32, k), shape=[2, 4], dtype="int32", low=-10, high=10)
    case("bernoulli", s, R.bernoulli(0.5, [9], k), shape=[9], p=0.5)
    case("bernoulli", s, R.bernoulli(0.2, [3, 4], k), shape=[3, 4], p=0.2)
    p = mx.array([0.0, 0.1, 0.5, 0.9, 1.0])
    case("bernoulli", s, R.bernoulli(p, key=k), p=p)
    lg = mx.array([[0.0, 1.0, 2.0, -1.0], [3.0, 0.0, 0.0, 0.5]])
    case("categorical", s, R.categorical(lg, key=k), logits=lg)
    case("categorical", s, R.categorical(lg, 0, key=k), logits=lg, axis=0)
    case("categorical", s, R.categorical(lg, -1, num_samples=5, key=k), logits=lg, axis=-1, num_samples=5)
    case("categorical", s, R.categorical(lg, -1, shape=[3, 2], key=k), logits=lg, axis=-1, shape=[3, 2])
    case("categorical", s, R.categorical(lg[0], key=k), logits=lg[0])
    # one distribution and several samples takes another path (inverse of the distribution function)
    case("categorical", s, R.categorical(lg[0], num_samples=8, key=k), logits=lg[0], num_samples=8)
    for n in (1, 2, 7, 8):
        case("permutation", s, R.permutation(n, key=k), x=n)
    a = mx.arange(12).reshape(4, 3)
    case("permutation", s, R.permutation(a, key=k), x=a)
    case("permutation", s, R.permutation(a, axis=1, key=k), x=a, axis=1)

v = versions()
size = write_json("random", {"versions": v, "cases": cases})
print("%-12s %5d cases %8d bytes" % ("random", len(cases), size))
