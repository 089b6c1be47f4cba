"""Edges: what PyTorch gives at NaN, infinities, ties, branch cuts, and for dtypes and options off the common way."""
import math

import torch
import torch.nn.functional as F
from lib import Family, dt

f = Family("edges")
inf, nan = math.inf, math.nan


def t(*v, d=torch.float64):
    return torch.tensor(v, dtype=d)


# Which input gets the gradient where two are equal, or one is NaN.
a, b = t(1, nan, 2, nan, 3, 3, inf, -inf), t(nan, 1, nan, nan, 3, 4, inf, -inf)
for op in ("maximum", "minimum", "fmax", "fmin"):
    f.case(op, "ties_nan", [a, b])
f.case("clamp_max", "ties_nan", [a, b], fn=lambda x, m: torch.clamp(x, max=m))
f.case("clamp_min", "ties_nan", [a, b], fn=lambda x, m: torch.clamp(x, min=m))
f.case("clamp", "tensors_ties", [t(0, 2, 1.5, 4, 1, 1), t(0, 0, 2, 5, 0, 3), t(1, 2, 1, 3, 1, 2)])
for d in ("float32", "bfloat16", "int64"):
    f.case("clamp_max", d + "/number", lambda r, d=d: [r.t(d, (2, 3))], {"max": 1}, grad=True)
    f.case("clamp_min", d + "/number", lambda r, d=d: [r.t(d, (2, 3))], {"min": 1}, grad=True)

# Singular points.
f.case("atan2", "origin", [t(0, 0, -0.0, 0, 1), t(0, -0.0, -0.0, 1, 0)])
f.case("logit", "outside", [t(0.25, 0, 1, -0.5, 1.5, inf, -inf, nan)])
for eps in (0.1, 0.6):
    f.case("logit", "eps%g" % eps, [t(0, 0.1, 0.3, 0.5, 0.9, 0.95, 1, 2)], {"eps": eps})
f.case("digamma", "far", [t(inf, 1e300, 40, 0.5)], loose=True)
for n in (1, 2, 3):
    f.case("polygamma", "negative_%d" % n, [t(-0.5, -3.25, -10.75, -100.5)], {"n": n}, fn=lambda x, n: torch.polygamma(n, x), grad=False, loose=True)

# Complex functions where the textbook formulas lose all digits, and at the cuts.
v = [0.0, -0.0, 1e-10, -0.7, 1.0, -1.0, 2.5, -7.0, 400.0, -1e5, 1e8]
z = torch.tensor([complex(x, y) for x in v for y in v], dtype=torch.complex128)
for op in ("exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"):
    keep = z
    if op == "expm1":  # PyTorch makes inf·0 of what overflows
        keep = z[(z.real < 700) | (z.imag != 0)]
    if op == "acos":  # close to 1 PyTorch's own has seven digits
        keep = z[(z - 1).abs() > 1e-5]
    if op in ("log2", "log10"):  # inf/i·0 is NaN there
        keep = z[z != 0]
    f.case(op, "complex128/far_near", [keep], grad=False)
w = [0.0, -0.0, 1.0, -2.0, inf, -inf, nan]
z = torch.tensor([complex(x, y) for x in w for y in w], dtype=torch.complex128)
for op in ("tan", "asin", "acos", "atan", "tanh", "asinh", "acosh", "atanh"):
    f.case(op, "complex128/nonfinite", [z], grad=False)
for op in ("acosh", "asin", "acos", "atan", "asinh", "atanh"):
    f.case(op, "complex128/quadrants", [torch.tensor([complex(x, y) for x in (-2.5, -0.5, 0.5, 2.5) for y in (-2, -0.25, 0.25, 2)])])

# Dtypes and options off the common way.
for d in ("int8", "int16"):
    f.case("lcm", d + "/overflow", [torch.tensor([100, -101, 127, -128, 0, 96], dtype=dt(d)), torch.tensor([101, 99, -126, 127, 5, 7], dtype=dt(d))])
f.case("squeeze", "no_dims", lambda r: [r.t("float32", (1, 2, 1))], {"dim": []}, fn=lambda x, dim: torch.squeeze(x, tuple(dim)))
f.case("cov", "bfloat16/float32_aweights", lambda r: [r.t("bfloat16", (2, 3)), None, r.t("float32", (3,), 1, 2)], fn=lambda x, fw, aw: torch.cov(x, fweights=fw, aweights=aw), loose=True)
for d in ("complex64", "complex128"):
    f.case("l1_loss", d, lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (2, 3))], fn=F.l1_loss)
    f.case("pairwise_distance", d, lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (2, 3))], fn=F.pairwise_distance)
    f.case("normalize", d, lambda r, d=d: [r.t(d, (2, 3))], fn=F.normalize)
for pad in ("zeros", "border", "reflection"):
    for corners in (False, True):
        f.case("grid_sample", "3d_bicubic_%s_%s" % (pad, corners), lambda r: [r.t("float64", (1, 2, 3, 4, 2)), r.t("float64", (1, 2, 2, 2, 3), -1.5, 1.5)], {"mode": "bicubic", "padding_mode": pad, "align_corners": corners}, fn=F.grid_sample, loose=True)
# Quotients and powers of infinities, NaN and signed zeros; a power of zero. Where PyTorch's vector code and its own scalar
# code differ there is no case.
w = [0.0, -0.0, 1.0, -2.0, inf, nan]
z = [complex(x, y) for x in w for y in w]
x, y = (torch.tensor([p[k] for p in [(a, b) for a in z for b in z]], dtype=torch.complex128) for k in (0, 1))
f.case("div", "complex128/extremes", [x, y], grad=False)
f.case("pow", "complex128/of_zero", [t(0, 0, d=torch.complex128), torch.tensor([2, 2 + 3j], dtype=torch.complex128)], grad=False)
f.case("atan2", "underflow", [t(-1e-300, 1e-300, -1e-300, 1e-300), t(-1e300, -1e300, 1e300, 1e300)], grad=False)
f.case("log", "complex128/underflow", [torch.tensor([-1e300 - 1e-300j, -1e300 + 1e-300j], dtype=torch.complex128)], grad=False)

# Histograms over a range of one point, of no data, and between equal bounds.
for name, v in (("one", [3.0]), ("same", [3.0, 3.0, 3.0]), ("none", []), ("some", [1.0, 2.0, 4.0])):
    f.case("histogram", name, [t(*v)], {"bins": 4}, grad=False)
    f.case("histogram", name + "_equal_bounds", [t(*v)], {"bins": 4, "range": [3.0, 3.0]}, grad=False)
    f.case("histc", name + "_equal_bounds", [t(*v)], {"bins": 4, "min": 3.0, "max": 3.0}, grad=False)
f.case("histogramdd", "one", [t(-0.5, 0.5).reshape(1, 2)], {"bins": [2, 3]}, grad=False, fn=lambda x, bins: (lambda h: [h.hist, *h.bin_edges])(torch.histogramdd(x, bins)))

# A dimension that keeps its size is not filtered.
f.case("interpolate", "antialias_kept", [torch.arange(6.0, dtype=torch.float64).reshape(1, 1, 2, 3) ** 2],
       {"mode": "bilinear", "scale_factor": [2.5, 1.3], "antialias": True, "align_corners": False}, grad=False)  # PyTorch's gradient filters it

for d in ("float32", "int64", "bool", "complex64"):
    f.case("fill", d, lambda r, d=d: [r.t(d, (2, 3))], {"value": True if d == "bool" else 2})
    f.case("fill", d + "/tensor", lambda r, d=d: [r.t(d, (2, 3)), r.t(d, ())])

f.write()
