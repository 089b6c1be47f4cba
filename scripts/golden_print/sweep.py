"""Cases sampled at random from a fixed seed, to find what the cases by hand do not cover."""

import random

import torch

from case import ALL, COMPLEX, FLOATS, Case, bounds, short

SPECIAL = [0.0, -0.0, float("nan"), float("inf"), float("-inf"), 1.0, -1.0]


def real(r):
    """One float from a mix of scales, so that every notation comes up."""
    kind = r.randrange(6)
    if kind == 0:
        return r.choice(SPECIAL)
    if kind == 1:
        return float(r.randint(-1000, 1000))
    if kind == 2:
        return r.uniform(-1, 1) * 10 ** r.randint(-12, 12)
    return r.uniform(-10, 10)


def gentle(r):
    """One float that seldom forces scientific notation."""
    return r.choice(SPECIAL) if r.randrange(20) == 0 else r.uniform(0.1, 50) * r.choice([1, -1])


def fill(r, dtype, n):
    if dtype == torch.bool:
        return [r.random() < 0.5 for _ in range(n)]
    if dtype in FLOATS + COMPLEX:
        draw = r.choice([real, gentle, gentle, lambda r: float(r.randint(-99, 99))])
        if dtype in COMPLEX:
            return [complex(draw(r), draw(r)) for _ in range(n)]
        return [draw(r) for _ in range(n)]
    lo, hi = bounds(dtype)
    if r.random() < 0.5:
        lo, hi = max(lo, -50), min(hi, 99)
    return [r.randint(lo, hi) for _ in range(n)]


def options(r):
    kw = {}
    if r.random() < 0.3:
        kw["precision"] = r.randint(0, 8)
    if r.random() < 0.4:
        kw["threshold"] = r.randint(0, 40)
        kw["edgeitems"] = r.randint(0, 4)
    if r.random() < 0.3:
        kw["linewidth"] = r.randint(1, 160)
    if r.random() < 0.2:
        kw["sci_mode"] = r.random() < 0.5
    return kw


def all_cases():
    r = random.Random(20240607)
    out = []
    for i in range(700):
        dtype = ALL[i % len(ALL)]
        shape = [r.choice([1, 2, 3, 4, 5, 9]) for _ in range(r.choice([0, 1, 1, 2, 2, 3, 4, 5]))]
        while torch.Size(shape).numel() > 200:
            shape.pop()
        n = torch.Size(shape).numel()
        t = torch.tensor(fill(r, dtype, n), dtype=dtype).reshape(shape)
        if dtype in FLOATS + COMPLEX and r.random() < 0.2:
            t.requires_grad_()
        out.append(Case(f"sweep/{i}/{short(dtype)}", t, options(r), device=r.random() < 0.1))
    return out
