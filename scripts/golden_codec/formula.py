"""The content of the golden tensors: the same formula as internal/codec/codectest/golden.go."""

import ml_dtypes
import numpy as np

SHAPES = [(), (0,), (5,), (2, 3), (3, 0, 2), (2, 3, 4)]

DTYPES = {
    "bool": np.bool_,
    "uint8": np.uint8, "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
    "int8": np.int8, "int16": np.int16, "int32": np.int32, "int64": np.int64,
    "float16": np.float16, "bfloat16": ml_dtypes.bfloat16, "float32": np.float32, "float64": np.float64,
    "complex64": np.complex64, "complex128": np.complex128,
}


def tensor(name, shape):
    n = int(np.prod(shape))
    i = np.arange(n)
    if name == "bool":
        flat = i % 3 == 0
    elif "int" in name:
        flat = (i * 7 - 5).astype(DTYPES[name])  # wraps for unsigned
    else:
        flat = i * 0.5 - 1.25
        flat[2:3], flat[3:4] = np.inf, -0.0
        if "complex" in name:
            c = np.empty(n, np.complex128)
            c.real, c.imag = flat, 2 - i
            flat = c
        flat = flat.astype(DTYPES[name])
    return flat.reshape(shape)


def key(name, shape):
    return name + "_" + ("x".join(map(str, shape)) or "s")


def tensors(without=()):
    return {key(d, s): tensor(d, s) for d in DTYPES if d not in without for s in SHAPES}
