"""Creation ops: no inputs, only attributes."""
import math

import torch
from lib import FLOATS, INTS, CPLX, Family

f = Family("create")


def case(op, name, **attrs):
    f.case(op, name, [], attrs)


# With integers only, arange is int64; with a float among them, the default float type.
for nm, a in [("end", {"end": 5}), ("start_end", {"start": 2, "end": 7}), ("step", {"start": 1, "end": 10, "step": 3}), ("down", {"start": 5, "end": 0, "step": -2}), ("float_end", {"end": 4.5}),
              ("float_step", {"start": 0, "end": 1, "step": 0.25}), ("float_step_inexact", {"start": 0.0, "end": 1.0, "step": 0.1}), ("float_down", {"start": 1.0, "end": -1.0, "step": -0.3}), ("empty", {"start": 3, "end": 3}), ("neg", {"start": -3, "end": 3}),
              ("one", {"start": 0, "end": 1, "step": 5}), ("big", {"start": (1 << 53), "end": (1 << 53) + 4})]:
    case("arange", "default/" + nm, **a)
    for d in FLOATS + INTS:
        if d == "uint8" and ("down" in nm or "neg" in nm) or nm == "big" and d not in ("int64", "float64"):
            continue
        if "int" in d and ("float" in nm):
            if nm != "float_end":
                continue
        case("arange", d + "/" + nm, dtype=d, **a)
for nm, a in [("0_1_5", (0.0, 1.0, 5)), ("neg", (-2.0, 3.0, 7)), ("down", (5.0, 1.0, 4)), ("one", (2.0, 9.0, 1)), ("none", (0.0, 1.0, 0)), ("two", (1.0, 4.0, 2)), ("thirds", (0.0, 1.0, 4)), ("ints", (0, 10, 6)), ("long", (0.0, 1.0, 20))]:
    at = dict(start=a[0], end=a[1], steps=a[2])
    case("linspace", "default/" + nm, **at)
    for d in FLOATS + CPLX + ["int64", "int32", "int8"]:
        case("linspace", d + "/" + nm, dtype=d, **at)
for nm, a in [("0_2_5", (0.0, 2.0, 5, None)), ("neg", (-2.0, 1.0, 4, None)), ("base2", (0.0, 5.0, 6, 2.0)), ("base_e", (0.0, 1.0, 3, math.e)), ("one", (2.0, 9.0, 1, None)), ("none", (0.0, 1.0, 0, None)), ("down", (3.0, 0.0, 4, 3.0))]:
    at = dict(start=a[0], end=a[1], steps=a[2], **({} if a[3] is None else {"base": a[3]}))
    case("logspace", "default/" + nm, **at)
    for d in ("float32", "float64", "bfloat16", "float16", "int64"):
        case("logspace", d + "/" + nm, dtype=d, **at)
for nm, a in [("3", {"n": 3}), ("2_4", {"n": 2, "m": 4}), ("4_2", {"n": 4, "m": 2}), ("0", {"n": 0}), ("3_0", {"n": 3, "m": 0}), ("1", {"n": 1})]:
    case("eye", "default/" + nm, **a)
    for d in ("float64", "bfloat16", "int64", "bool", "complex64", "uint8"):
        case("eye", d + "/" + nm, dtype=d, **a)
for nm, v in [("int", 3), ("float", 2.5), ("bool", True), ("nan", math.nan), ("inf", -math.inf), ("complex", 1 + 2j)]:
    case("full", "default/" + nm, size=[2, 2], fill_value=v)
for d in FLOATS + INTS + ["bool"] + CPLX:
    case("full", d + "/3", size=[2, 2], fill_value=3, dtype=d)
    case("full", d + "/0d", size=[], fill_value=1, dtype=d)
    case("full", d + "/empty", size=[0, 2], fill_value=1, dtype=d)
    case("zeros", d + "/2d", size=[2, 3], dtype=d)
    case("ones", d + "/2d", size=[2, 3], dtype=d)
case("full", "int64/float_value", size=[2], fill_value=2.7, dtype="int64")
case("full", "float32/big_int", size=[2], fill_value=16777217, dtype="float32")
case("zeros", "default/2d", size=[2, 3])
case("ones", "default/0d", size=[])
for op in ("tril_indices", "triu_indices"):
    for row, col, off in [(3, 3, 0), (3, 4, 0), (4, 3, 1), (3, 3, -1), (2, 5, 2), (3, 3, 9), (3, 3, -9), (0, 3, 0), (5, 2, -2)]:
        case(op, "int64/%d_%d_%d" % (row, col, off), row=row, col=col, **({"offset": off} if off else {}))
    case(op, "int32/3_3", row=3, col=3, dtype="int32")
for d, v in [("float32", 2.5), ("int64", 3), ("bool", 1), ("bfloat16", 0.1)]:
    f.case("full_like", d + "/2d", lambda r, d=d: [r.t(d, (2, 3))], {"fill_value": v}, grad=False)
f.case("full_like", "int64/to_float64", lambda r: [r.t("int64", (2,))], {"fill_value": 2.5, "dtype": "float64"}, grad=False)
for op in ("zeros_like", "ones_like"):
    for d in ("float32", "int64", "bool", "complex64"):
        f.case(op, d + "/2d", lambda r, d=d: [r.t(d, (2, 3))], grad=False)
    f.case(op, "float32/to_int32", lambda r: [r.t("float32", (2, 3))], {"dtype": "int32"}, grad=False)
# Windows of torch.signal.windows; symmetric unless sym is false.
W = torch.signal.windows
for nm, kws in [("bartlett", [{}]), ("blackman", [{}]), ("cosine", [{}]), ("exponential", [{}, {"tau": 2.5}]), ("gaussian", [{}, {"std": 0.5}]), ("general_cosine", [{"a": [0.5, 0.3, 0.2]}]), ("general_hamming", [{}, {"alpha": 0.6}]),
                ("hamming", [{}]), ("hann", [{}]), ("kaiser", [{}, {"beta": 5.0}]), ("nuttall", [{}])]:
    for kw in kws:
        for m in (0, 1, 2, 7, 8):
            for sym in (True, False):
                f.case("window_" + nm, "float64/%d_%s%s" % (m, "sym" if sym else "periodic", "_opt" if kw else ""), [], dict(M=m, sym=sym, dtype="float64", **kw), fn=lambda nm=nm, **kw: getattr(W, nm)(**kw))

f.write()
