"""Cases written by hand: each names the rule it pins."""

import torch

from case import ALL, COMPLEX, FLOATS, SIGNED, UNSIGNED, Case, bounds, ramp, short

NAN, INF = float("nan"), float("inf")

VALUES = {
    "tour": [1, 2.5, -3],
    "whole": [1, 2, 300],
    "whole_nan": [1, NAN, 2],
    "whole_inf": [1, INF, -INF],
    "nonfinite_only": [NAN, INF, -INF],
    "zeros": [0, 0],
    "minus_zero": [-0.0, 0.0],
    "minus_zero_whole": [-0.0, 7],
    "minus_zero_fraction": [0.5, -0.0, 0.25],
    "fraction_nan": [0.5, NAN, -INF],
    "ratio_1000": [0.5, 500],
    "ratio_over_1000": [0.5, 501],
    "ratio_whole": [1, 1001],
    "min_edge": [1e-4, 2e-4],
    "min_below": [0.99e-4, 2e-4],
    "tiny": [1e-7, 3e-6, 0],
    "sci_nan": [1e-7, NAN, INF, -INF, -0.0],
    "sci_mixed_sign": [-1e-7, 3e3],
    "max_edge": [6e4, 5e4],
    "half_even": [0.5, 1.5, 2.5, 0.125],
    "round_up": [0.99995, 0.99996, 9.99999],
    "pi": [3.14159265358979],
    "wide": [0.1 * i - 1 for i in range(41)],
}

WIDE_VALUES = {
    "max_1e8": [1e8, 1e7],
    "over_1e8": [1.1e8, 1e7],
    "huge": [1e20, 1e30],
    "huge_whole": [123456789.0, 1e9],
    "sub": [1e-40, 1e-42],
}

DOUBLE_VALUES = {
    "extremes": [1.7976931348623157e308, 5e-324],
    "three_digit_exponent": [1e100, -1e-100, 1e-5],
    "infinite_ratio": [1e308, 1e-308],
    "digits": [1.123456789012345, 2.987654321098765],
}

OPTIONS = {
    "precision0": dict(precision=0),
    "precision1": dict(precision=1),
    "precision10": dict(precision=10),
    "sci": dict(sci_mode=True),
    "plain": dict(sci_mode=False),
    "sci_precision2": dict(sci_mode=True, precision=2),
    "width40": dict(linewidth=40),
    "width0": dict(linewidth=0),
    "summary": dict(threshold=2, edgeitems=1),
    "edge0": dict(threshold=0, edgeitems=0),
    "short": dict(profile="short"),
    "full": dict(profile="full"),
}

SHAPES = [(), (1,), (1, 1), (3, 4), (2, 3, 4), (2, 1, 2, 3), (2, 2, 2, 1, 2), (1,) * 16, (30,), (2, 40)]
EMPTY = [(0,), (0, 3), (3, 0), (2, 0, 4), (0, 0, 0)]
LARGE = [(1001,), (40, 30), (1001, 2), (2, 600), (11, 10, 10), (7, 6, 5, 6), (1000,), (25, 40), (500, 3, 1)]


def values():
    out = []
    for table, dtypes in ((VALUES, FLOATS), (WIDE_VALUES, FLOATS[1:]), (DOUBLE_VALUES, FLOATS[3:])):
        for name, vals in table.items():
            out += [Case(f"value/{name}/{short(d)}", torch.tensor(vals, dtype=d)) for d in dtypes]
    for name, vals in (VALUES | WIDE_VALUES).items():
        # The same list backwards as imaginary part, so that the two columns differ.
        z = [complex(a, b) for a, b in zip(vals, reversed(vals))]
        out += [Case(f"value/{name}/{short(d)}", torch.tensor(z, dtype=d)) for d in COMPLEX]
    for d in SIGNED + UNSIGNED:
        lo, hi = bounds(d)
        out.append(Case(f"value/extremes/{short(d)}", torch.tensor([lo, hi, 0, 1], dtype=d)))
        out.append(Case(f"value/small/{short(d)}", torch.tensor([1, 2, 3], dtype=d)))
    return out


def zero_dim():
    out = []
    for d in FLOATS:
        for v in (0, -0.0, 1, -2.5, 1e-5, 12345, 0.1, NAN, -INF):
            out.append(Case(f"zero_dim/{v!r}/{short(d)}", torch.tensor(v, dtype=d)))
    for d in COMPLEX:
        for v in (0j, 1 - 2j, complex(-0.0, -0.0), complex(NAN, -INF), 1e-6 + 3j):
            out.append(Case(f"zero_dim/{v!r}/{short(d)}", torch.tensor(v, dtype=d)))
    for d in (torch.bool, torch.int64, torch.uint8):
        out.append(Case(f"zero_dim/one/{short(d)}", torch.tensor(1, dtype=d)))
    out.append(Case("zero_dim/summarised", torch.tensor(2.5), dict(threshold=0)))
    return out


def shapes():
    out = [Case(f"shape/{s}/{short(d)}", ramp(d, *s)) for s in SHAPES for d in ALL]
    out += [Case(f"empty/{s}/{short(d)}", torch.empty(s, dtype=d)) for s in EMPTY for d in ALL]
    for s in LARGE:
        out += [Case(f"large/{s}/{short(d)}", ramp(d, *s)) for d in (torch.int64, torch.float32, torch.bool, torch.complex64)]
        out.append(Case(f"large_halves/{s}", ramp(torch.float64, *s) / 8))
    out.append(Case("large/rank11", ramp(torch.int64, *(2,) * 11)))
    # What is left out must not set the width or the notation.
    x = torch.zeros(2000)
    x[1000], x[0] = 1e-9, 1
    out.append(Case("large/hidden_tiny", x))
    for d in ALL:
        out.append(Case(f"large/(2000,)/{short(d)}", ramp(d, 2000)))
    return out


def options():
    tensors = {
        "fraction": torch.tensor([[0.5, -1.25, 100], [1e-5, 3, NAN]]),
        "tame": torch.tensor([[0.5, -1.25, 100], [0.33, 3, INF]]),
        "whole": torch.tensor([1.0, 2, 3000]),
        "zeros": torch.zeros(3),
        "double": torch.tensor([1.5, 2e10], dtype=torch.float64),
        "half": torch.tensor([0.1, 200, -3], dtype=torch.float16),
        "bfloat": torch.tensor([[0.1], [200], [-3]], dtype=torch.bfloat16),
        "ints": ramp(torch.int32, 5, 9),
        "bools": ramp(torch.bool, 2, 9),
        "complex": torch.tensor([0.5 - 1e-6j, 2 + 3j, complex(NAN, 1)]),
        "cube": ramp(torch.float32, 3, 4, 5) / 3,
        "scalar": torch.tensor(0.1),
        "long": ramp(torch.float64, 1100) / 7,
    }
    return [Case(f"option/{o}/{n}", t, kw) for o, kw in OPTIONS.items() for n, t in tensors.items()]


def suffix_wrapping():
    """Rows of every length near the line's end, with one to three parts after them."""
    out = []
    for n in range(1, 31):
        x = torch.full((n,), 1.0)
        leaf = x.clone().requires_grad_()
        out.append(Case(f"suffix/leaf/{n}", leaf))
        out.append(Case(f"suffix/grad_fn/{n}", leaf * 2, device=n % 2 == 0))
        out.append(Case(f"suffix/double/{n}", x.double().requires_grad_(), device=n % 3 == 0))
        out.append(Case(f"suffix/int32/{n}", torch.full((n,), 7, dtype=torch.int32), device=n % 4 == 0))
    for w in range(8, 80):
        x = torch.empty(2, 0, 3, dtype=torch.float16, requires_grad=True)
        out.append(Case(f"suffix/empty/{w}", x, dict(linewidth=w), device=True))
        m = torch.ones(2, 4, dtype=torch.bfloat16, requires_grad=True)
        out.append(Case(f"suffix/matrix/{w}", m, dict(linewidth=w), device=True))
    return out


def all_cases():
    return values() + zero_dim() + shapes() + options() + suffix_wrapping()
