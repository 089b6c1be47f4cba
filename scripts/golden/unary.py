"""Elementwise ops of one tensor."""
import math

import torch
from lib import ALL, FLOATS, INTS, Family, edges, special

f = Family("unary")

# op -> (lo, hi) of ordinary inputs, inside the op's smooth domain.
OPS = {
    "abs": (-3, 3), "neg": (-3, 3), "positive": (-3, 3), "sign": (-3, 3), "sgn": (-3, 3),
    "signbit": (-3, 3), "exp": (-3, 3), "exp2": (-3, 3), "expm1": (-3, 3),
    "log": (0.25, 6), "log2": (0.25, 6), "log10": (0.25, 6), "log1p": (-0.75, 4),
    "sqrt": (0.25, 6), "rsqrt": (0.25, 6), "square": (-3, 3), "reciprocal": (0.25, 3),
    "floor": (-5, 5), "ceil": (-5, 5), "round": (-5, 5), "trunc": (-5, 5), "frac": (-5, 5),
    "sin": (-6, 6), "cos": (-6, 6), "tan": (-1.25, 1.25),
    "asin": (-0.9, 0.9), "acos": (-0.9, 0.9), "atan": (-5, 5),
    "sinh": (-3, 3), "cosh": (-3, 3), "tanh": (-3, 3),
    "asinh": (-5, 5), "acosh": (1.25, 6), "atanh": (-0.9, 0.9),
    "sigmoid": (-6, 6), "erf": (-2.5, 2.5), "erfc": (-2.5, 2.5), "erfinv": (-0.9, 0.9),
    "lgamma": (0.25, 6), "digamma": (0.25, 6), "i0": (-4, 4), "sinc": (-3, 3),
    "deg2rad": (-180, 180), "rad2deg": (-3, 3), "logit": (0.1, 0.9), "nan_to_num": (-3, 3),
    "frexp": (-9, 9),
}
# Only the half-precision gradients that models compute; the rest would add nothing.
BF16_GRAD = {"exp", "log", "sqrt", "rsqrt", "square", "reciprocal", "sin", "cos", "tanh", "sigmoid", "erf", "abs", "neg"}

for op, (lo, hi) in OPS.items():
    for d in ALL:
        f.case(op, d + "/2d", lambda r, d=d: [r.t(d, (2, 4), lo, hi)],
               grad=True if d == "bfloat16" and op in BF16_GRAD else None)
    f.case(op, "float32/0d", lambda r: [r.t("float32", (), lo, hi)])
    f.case(op, "float64/3d", lambda r: [r.t("float64", (2, 1, 3), lo, hi)])
    f.case(op, "float32/empty", lambda r: [r.t("float32", (0, 3), lo, hi)])
    for d in FLOATS:
        f.case(op, d + "/special", [special(d)], grad=False)
    if op not in ("lgamma", "digamma"):  # at the poles PyTorch's own answer differs by release
        f.case(op, "int64/negative", [torch.tensor([-3, -1, 0, 1, 2])])

# sgn, abs and sqrt have gradients at zero and infinity that a program may compute.
for op in ("abs", "sign", "sqrt", "rsqrt", "log", "square", "tanh", "sigmoid", "reciprocal", "exp"):
    f.case(op, "float32/grad_at_special",
           [torch.tensor([0.0, -0.0, math.inf, -math.inf, math.nan, 100.0, -100.0])])

for d in INTS:
    for op in ("abs", "neg", "sign", "square", "floor", "ceil", "round", "trunc", "positive", "signbit"):
        if d == "int64" or op in ("abs", "neg", "square"):
            f.case(op, d + "/edges", [edges(d)])

# Ties go to even.
f.case("round", "float32/halves", [torch.tensor([-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5])])
for dec in (1, 2, -1, -2, 0):
    f.case("round", "float32/decimals%d" % dec, [torch.tensor([1.005, 2.345, -17.55, 149.5, 250.0, -350.0])], {"decimals": dec})
    f.case("round", "float64/decimals%d" % dec, [torch.tensor([1.005, 2.345, -17.55, 149.5, 250.0, -350.0], dtype=torch.float64)], {"decimals": dec})

for e in (0.1, 0.25, None):
    a = {} if e is None else {"eps": e}
    f.case("logit", "float32/eps_%s" % e, [torch.tensor([-0.5, 0.0, 0.05, 0.3, 0.7, 0.99, 1.0, 1.5])], a, grad=False)
    f.case("logit", "float64/eps_grad_%s" % e, [torch.tensor([0.05, 0.3, 0.7, 0.99], dtype=torch.float64)], a)

sp = torch.tensor([math.nan, math.inf, -math.inf, 1.5, -0.0])
for nm, a in [("nan", {"nan": 2.0}), ("posinf", {"posinf": 7.0}), ("neginf", {"neginf": -7.0}),
              ("all", {"nan": -1.0, "posinf": 3.5, "neginf": -4.5})]:
    for d in FLOATS:
        f.case("nan_to_num", d + "/" + nm, [sp.to(getattr(torch, d))], a)

for d in ["float32", "float64", "bfloat16", "float16", "int64", "int32", "uint8", "int8"]:
    # 2.25 steps: no input is on a bound, where the gradient would be a choice.
    x = lambda r, d=d: [r.t(d, (2, 5), -4, 4, 1 / 4) + (0.0625 if "float" in d else 0)]
    f.case("clamp", d + "/both", x, {"min": -1, "max": 2})
    f.case("clamp", d + "/min", x, {"min": 0})
    f.case("clamp", d + "/max", x, {"max": 1})
    f.case("clamp", d + "/floats", x, {"min": -1.5, "max": 1.5})
    f.case("clamp", d + "/min_above_max", x, {"min": 2, "max": -1})
f.case("clamp", "float32/ties", [torch.tensor([-1.0, -0.5, 1.0, 2.0])], {"min": -1.0, "max": 1.0})
f.case("clamp", "float32/special", [special("float32")], {"min": -2.0, "max": 2.0}, grad=False)
f.case("clamp", "float32/nan_bound", [torch.tensor([-1.0, 0.5])], {"min": math.nan}, grad=False)
f.case("clamp", "float32/0d", [torch.tensor(5.0)], {"max": 2.0})
f.case("clamp", "float32/empty", [torch.zeros(0, 2)], {"max": 2.0})
for d in ("float32", "float64", "int64"):
    f.case("clamp", d + "/tensor_bounds", lambda r, d=d: [r.t(d, (2, 3), -4, 4), r.t(d, (3,), -2, -1), r.t(d, (2, 1), 1, 2)])
    f.case("clamp", d + "/tensor_min", lambda r, d=d: [r.t(d, (2, 3), -4, 4), r.t(d, (3,), -2, 2)])
    f.case("clamp", d + "/tensor_max", lambda r, d=d: [r.t(d, (2, 3), -4, 4), None, r.t(d, (3,), -2, 2)])
f.case("clamp", "mixed/int64_float32", lambda r: [r.t("int64", (4,)), torch.tensor(-1.5), torch.tensor(2.5)])

# Casts: only those whose result C leaves no doubt about.
for a in ALL:
    for b in ALL:
        lo, hi = (0, 9) if b == "uint8" else (-9, 9)
        f.case("to", "%s_to_%s" % (a, b), lambda r, a=a, lo=lo, hi=hi: [r.t(a, (6,), lo, hi)], {"dtype": b}, grad=True if a in FLOATS else None)
f.case("to", "wrap/int64_to_int8", [torch.tensor([127, 128, 255, 256, -128, -129, 1 << 40])], {"dtype": "int8"})
f.case("to", "wrap/int64_to_uint8", [torch.tensor([255, 256, -1, -256, 300])], {"dtype": "uint8"})
f.case("to", "wrap/int64_to_int32", [torch.tensor([1 << 31, -(1 << 31) - 1, 1 << 32])], {"dtype": "int32"})
f.case("to", "bool/nan_is_true", [torch.tensor([0.0, -0.0, math.nan, 1e-45, 0.25])], {"dtype": "bool"})
f.case("to", "bool/complex", [torch.tensor([0j, 1j, -0j, 1 + 0j])], {"dtype": "bool"})
f.case("to", "round/int64_to_float32", [torch.tensor([16777217, 16777219, (1 << 53) + 1, -(1 << 62) - 1])], {"dtype": "float32"})
f.case("to", "round/float64_to_float32", [torch.tensor([1 + 2 ** -24, 1 + 3 * 2 ** -24, 1e39, -1e39, 1e-46, math.nan], dtype=torch.float64)], {"dtype": "float32"}, grad=False)
for b in ("bfloat16", "float16"):
    f.case("to", "round/float32_to_" + b, [torch.tensor([1 + 2 ** -8, 1 + 3 * 2 ** -8, 1 + 2 ** -11, 1 + 3 * 2 ** -11, 65504.0, 65519.0, 65520.0, 3.4e38, 1e-7, 6e-8, 2.9e-8, 1e-40, math.inf, math.nan])], {"dtype": b}, grad=False)
    f.case("to", "round/float64_to_" + b, [torch.tensor([1 + 2 ** -8 + 2 ** -40, 1 + 2 ** -11 + 2 ** -40, 65519.999999999, 1e300], dtype=torch.float64)], {"dtype": b}, grad=False)

# Special functions; integers and half types follow the pattern of the ops above.
SPECIAL = {
    "special_entr": (0.1, 3), "special_erfcx": (-2, 4), "special_i0e": (-4, 4), "special_i1": (-4, 4),
    "special_i1e": (-4, 4), "special_ndtr": (-3, 3), "special_log_ndtr": (-6, 3), "special_ndtri": (0.1, 0.9),
    "special_bessel_j0": (0.1, 9), "special_bessel_j1": (0.1, 9), "special_bessel_y0": (0.5, 9), "special_bessel_y1": (0.5, 9),
    "special_modified_bessel_k0": (0.5, 5), "special_modified_bessel_k1": (0.5, 5), "special_spherical_bessel_j0": (0.5, 9),
}
for op, (lo, hi) in SPECIAL.items():
    for d in ("float32", "float64", "int64"):
        f.case(op, d + "/2d", lambda r, d=d: [r.t(d, (2, 4), lo, hi)])
    f.case(op, "float64/special", [special("float64")], grad=False)
for n in (0, 1, 2, 3):
    f.case("polygamma", "float64/n%d" % n, lambda r: [r.t("float64", (5,), 0.25, 5)], {"n": n}, fn=lambda x, n: torch.polygamma(n, x))
    f.case("polygamma", "float32/n%d" % n, lambda r: [r.t("float32", (5,), 0.25, 5)], {"n": n}, fn=lambda x, n: torch.polygamma(n, x))
for p in (1, 2, 3):
    f.case("mvlgamma", "float64/p%d" % p, lambda r: [r.t("float64", (5,), 2, 6)], {"p": p})

f.write()
