"""Running reductions along a dimension, and diff."""
import math

import torch
from lib import ALL, REAL, FLOATS, Family, dt

f = Family("scan")
OPS = {
    "cumsum": (ALL, lambda r, d, s: r.t(d, s, -3, 3)), "cumprod": (ALL, lambda r, d, s: r.nz(d, s, 0.5, 1.5)),
    "cummax": (REAL, lambda r, d, s: r.distinct(d, s)), "cummin": (REAL, lambda r, d, s: r.distinct(d, s)),
    "logcumsumexp": (FLOATS + ["complex64", "complex128"], lambda r, d, s: r.t(d, s, -3, 3)),
}
x = torch.tensor([[1.0, math.nan, -2.0, 4.0], [math.inf, 3.0, -math.inf, 1.0], [-math.inf, -math.inf, 5.0, 0.0]])
for op, (dtypes, draw) in OPS.items():
    for d in dtypes:
        for dim in (0, 1, -1):
            f.case(op, "%s/dim%d" % (d, dim), lambda r, d=d: [draw(r, d, (3, 4) if dim != -1 else (2, 2, 3))], {"dim": dim},
                   loose=d in ("bfloat16", "float16") and op not in ("cummax", "cummin"), grad=True if d == "bfloat16" and op == "cumsum" else None)
    f.case(op, "float32/0d", lambda r: [draw(r, "float32", ())], {"dim": 0})
    f.case(op, "float32/1d", lambda r: [draw(r, "float32", (9,))], {"dim": 0})
    f.case(op, "float32/size1", lambda r: [draw(r, "float32", (2, 1))], {"dim": 1})
    f.case(op, "float32/empty", [torch.zeros(0, 3)], {"dim": 0})
    f.case(op, "float32/empty_other", [torch.zeros(0, 3)], {"dim": 1})
    for d in ("float32", "float64", "bfloat16"):
        f.case(op, d + "/special", [x.to(dt(d))], {"dim": 1}, grad=False)
for op in ("cumsum", "cumprod"):
    for a, b in [("int32", "int32"), ("int32", "float32"), ("float32", "float64"), ("bool", "int32"), ("uint8", "uint8"), ("float64", "float32"), ("bfloat16", "float32")]:
        f.case(op, "dtype/%s_%s" % (a, b), lambda r, a=a: [r.nz(a, (5,), 1, 3)], {"dim": 0, "dtype": b})
f.case("cumsum", "int64/overflow", [torch.tensor([(1 << 63) - 1, 1, 1])], {"dim": 0})
f.case("cumsum", "uint8/overflow", [torch.tensor([200, 100, 1], dtype=torch.uint8)], {"dim": 0, "dtype": "uint8"})
for d in ("float32", "float64"):
    f.case("cumprod", d + "/one_zero", [torch.tensor([2.0, 0.0, 3.0, 4.0], dtype=dt(d))], {"dim": 0})
    f.case("cumprod", d + "/two_zeros", [torch.tensor([2.0, 0.0, 3.0, 0.0, 5.0], dtype=dt(d))], {"dim": 0})
for op in ("cummax", "cummin"):
    # Of equal values the later index is reported.
    f.case(op, "float32/ties", [torch.tensor([1.0, 3.0, 3.0, 1.0, 1.0, 4.0, -1.0, -1.0])], {"dim": 0})
    f.case(op, "int64/ties", [torch.tensor([1, 3, 3, 1, 1, 4, -1, -1])], {"dim": 0})
    f.case(op, "float32/nans", [torch.tensor([1.0, math.nan, 3.0, math.nan, 9.0])], {"dim": 0}, grad=False)
f.case("logcumsumexp", "float32/large", [torch.tensor([1000.0, 1001.0, -1000.0])], {"dim": 0})

for d in REAL + ["complex64"]:
    f.case("diff", d + "/n1", lambda r, d=d: [r.t(d, (2, 5))])
    f.case("diff", d + "/n2", lambda r, d=d: [r.t(d, (2, 5))], {"n": 2})
    f.case("diff", d + "/dim0", lambda r, d=d: [r.t(d, (4, 2))], {"dim": 0})
for n in (0, 3, 5, 6):
    f.case("diff", "float32/n%d" % n, lambda r: [r.t("float32", (2, 5))], {"n": n})
f.case("diff", "float32/prepend_append", lambda r: [r.t("float32", (2, 3)), r.t("float32", (2, 1)), r.t("float32", (2, 2))], fn=lambda x, a, b: torch.diff(x, prepend=a, append=b))
f.case("diff", "float32/prepend", lambda r: [r.t("float32", (2, 3)), r.t("float32", (2, 1))], fn=lambda x, a: torch.diff(x, prepend=a))
f.case("diff", "float32/append", lambda r: [r.t("float32", (2, 3)), None, r.t("float32", (2, 1))], fn=lambda x, a, b: torch.diff(x, append=b))

for d in ("float32", "float64"):
    f.case("trapezoid", d + "/dx", lambda r, d=d: [r.t(d, (2, 5))], {"dx": 0.5})
    f.case("trapezoid", d + "/x", lambda r, d=d: [r.t(d, (2, 5)), r.t(d, (5,))])
    f.case("cumulative_trapezoid", d + "/dx", lambda r, d=d: [r.t(d, (2, 5))], {"dx": 0.5})

f.write()
