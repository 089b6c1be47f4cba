"""The record a case is, and the dtypes cases range over."""

import dataclasses

import torch

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
SIGNED = [torch.int8, torch.int16, torch.int32, torch.int64]
UNSIGNED = [torch.uint8, torch.uint16, torch.uint32, torch.uint64]
COMPLEX = [torch.complex64, torch.complex128]
ALL = [torch.bool] + UNSIGNED + SIGNED + FLOATS + COMPLEX


@dataclasses.dataclass
class Case:
    name: str
    tensor: torch.Tensor
    options: dict = dataclasses.field(default_factory=dict)
    device: bool = False


def short(dtype):
    return str(dtype).removeprefix("torch.")


def bounds(dtype):
    info = torch.iinfo(dtype)
    return info.min, info.max


def ramp(dtype, *shape):
    """0, 1, 2, … wrapped to stay in range; a plain filler."""
    n = 1
    for s in shape:
        n *= s
    if dtype == torch.bool:
        vals = [i % 3 == 0 for i in range(n)]
    elif dtype in COMPLEX:
        vals = [complex(i % 100, -(i % 7)) for i in range(n)]
    else:
        vals = [i % 120 for i in range(n)]
    return torch.tensor(vals, dtype=dtype).reshape(shape)
