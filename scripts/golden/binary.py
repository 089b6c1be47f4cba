"""Elementwise arithmetic of two (or three) tensors, or of a tensor and a number."""
import math

import torch
from lib import ALL, FLOATS, Family, dt, edges, special_small

f = Family("binary")

# op -> (range of the first operand, range of the second, second away from zero)
OPS = {
    "add": ((-3, 3), (-3, 3), False), "sub": ((-3, 3), (-3, 3), False), "mul": ((-3, 3), (-3, 3), False),
    "div": ((-3, 3), (0.5, 3), True), "floor_divide": ((-9, 9), (0.5, 4), True),
    "remainder": ((-9, 9), (0.5, 4), True), "fmod": ((-9, 9), (0.5, 4), True),
    "pow": ((0.25, 3), (-2, 3), False), "float_power": ((0.25, 3), (-2, 3), False),
    "atan2": ((-3, 3), (-3, 3), False), "hypot": ((-3, 3), (-3, 3), False),
    "logaddexp": ((-3, 3), (-3, 3), False), "logaddexp2": ((-3, 3), (-3, 3), False),
    "nextafter": ((-3, 3), (-3, 3), False),
    "maximum": ((-3, 3), (-3, 3), False), "minimum": ((-3, 3), (-3, 3), False),
    "fmax": ((-3, 3), (-3, 3), False), "fmin": ((-3, 3), (-3, 3), False),
    "copysign": ((-3, 3), (0.5, 3), True), "ldexp": ((-3, 3), (-3, 3), False),
    "gcd": ((-30, 30), (-30, 30), False), "lcm": ((-9, 9), (-9, 9), False),
    "xlogy": ((-3, 3), (0.25, 3), False), "special_xlog1py": ((-3, 3), (-0.5, 3), False),
    "special_zeta": ((1.5, 4), (0.5, 4), False),
    "heaviside": ((-3, 3), (-3, 3), False), "rsub": ((-3, 3), (-3, 3), False),
}
MIXED = [
    ("float32", "float64"), ("float32", "int64"), ("int64", "float32"), ("int32", "int64"), ("uint8", "int8"),
    ("bool", "int32"), ("bool", "float32"), ("bool", "uint8"), ("bfloat16", "float32"), ("float16", "bfloat16"),
    ("int64", "bfloat16"), ("float32", "complex64"), ("float64", "complex64"), ("int32", "complex64"), ("int16", "uint8"),
]
DIVIDES = {"div", "floor_divide", "remainder", "fmod"}
BF16_GRAD = {"add", "sub", "mul", "div", "pow", "maximum", "minimum"}


def second(r, op, d, shape):
    (_, (lo, hi), nz) = OPS[op]
    if op == "pow" and not (dt(d).is_floating_point or dt(d).is_complex):
        lo = 0  # a negative integer exponent of an integer base is refused
    if nz:
        return r.nz(d, shape, lo, hi)
    return r.t(d, shape, lo, hi)


for op, ((lo, hi), _, _) in OPS.items():
    def pair(a, b, sa, sb, op=op, lo=lo, hi=hi):
        return lambda r: [r.t(a, sa, lo, hi), second(r, op, b, sb)]

    for d in ALL:
        f.case(op, d + "/2d", pair(d, d, (2, 3), (2, 3)), grad=True if d == "bfloat16" and op in BF16_GRAD else None)
    for nm, sa, sb in [("broadcast", (2, 1, 3), (4, 1)), ("0d_0d", (), ()), ("0d_2d", (), (2, 3)), ("2d_0d", (2, 3), ()),
                       ("empty", (0, 3), (1, 3)), ("row_col", (3,), (2, 1))]:
        d = "int64" if op in ("gcd", "lcm") else ("float64" if nm == "row_col" else "float32")
        f.case(op, d + "/" + nm, pair(d, d, sa, sb))
    for a, b in MIXED:
        # false to a negative power is infinite
        f.case(op, "mixed/%s_%s" % (a, b), pair(a, b, (5,), (5,)), grad=False if op == "float_power" and a == "bool" else None)
    # A 0-d tensor joins promotion only if its kind is above the other's.
    for a, b in [("float32", "float64"), ("int64", "float64"), ("int8", "int64"), ("bfloat16", "float64"), ("bool", "int64"), ("float32", "complex128")]:
        f.case(op, "mixed/%s_0d%s" % (a, b), pair(a, b, (4,), ()))
        if (a, b) != ("bool", "int64") or op not in DIVIDES:
            f.case(op, "mixed/0d%s_%s" % (b, a), pair(b, a, (), (4,)))
    if op not in ("gcd", "lcm"):
        for d in ("float32", "float64", "bfloat16"):
            s = special_small(d)
            f.case(op, d + "/special", [s.reshape(-1, 1), s], grad=False)

# A plain number as the second operand.
for op in ["add", "sub", "mul", "div", "floor_divide", "remainder", "fmod", "pow", "float_power", "xlogy", "copysign", "rsub", "special_xlog1py"]:
    key = "exponent" if op in ("pow", "float_power") else "other"
    for d in ["float32", "float64", "bfloat16", "float16", "int64", "int32", "int8", "uint8", "bool", "complex64"]:
        lo, hi = OPS[op][0]
        for v in (2, 2.5, -3, True, 0.5, 2 + 1j):
            if isinstance(v, complex) and d not in ("float32", "int64", "complex64", "float64"):
                continue
            f.case(op, "%s/number_%s" % (d, v), lambda r, d=d: [r.t(d, (4,), lo, hi)], {key: v})
# A number as the first operand.
for op, key in [("pow", "input"), ("float_power", "input"), ("xlogy", "input"), ("remainder", "input")]:
    for d in ["float32", "bfloat16", "int64", "uint8"]:
        for v in (2, 2.5, 0):
            name = {"remainder": "input", "xlogy": "input"}.get(op, key)
            f.case(op, "%s/number_first_%s" % (d, v), lambda r, d=d: [r.nz(d, (4,), 1, 3).abs()], {name: v},
                   fn=lambda x, op=op, **kw: getattr(torch, op)(kw["input"], x))
for d in ["float32", "float64", "int64"]:
    for nm, v in [("0", 0), ("1", 1), ("3", 3), ("0.5", 0.5), ("-0.5", -0.5), ("-1", -1.0), ("-2", -2.0), ("inf", math.inf), ("nan", math.nan), ("0.0", 0.0)]:
        f.case("pow", "%s/special_exponent_%s" % (d, nm),
               [torch.tensor([0.0, -0.0, 1.0, -1.0, 2.0, -2.0] + ([math.inf, -math.inf, math.nan] if d != "int64" else [])).to(dt(d))], {"exponent": v})

# alpha
for op in ("add", "sub", "rsub"):
    for d, al in [("float32", 2.5), ("float32", -1), ("float64", 0.5), ("bfloat16", 2.0), ("int64", 3), ("int32", -2), ("uint8", 2), ("complex64", 1.5)]:
        f.case(op, "%s/alpha_%s" % (d, al), lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (3,))], {"alpha": al})
    f.case(op, "float32/number_alpha", lambda r: [r.t("float32", (3,))], {"other": 1.5, "alpha": 2})

# Rounding divisions.
for mode in ("floor", "trunc"):
    for d in FLOATS + ["int64", "int32", "int16", "int8", "uint8"]:
        f.case("div", "%s/%s" % (d, mode), lambda r, d=d: [r.t(d, (2, 4), -9, 9), r.nz(d, (4,), 1, 4)], {"rounding_mode": mode})
        f.case("div", "%s/%s_number" % (d, mode), lambda r, d=d: [r.t(d, (6,), -9, 9)], {"other": -2 if d != "uint8" else 3, "rounding_mode": mode})
        f.case("div", "%s/%s_float_number" % (d, mode), lambda r, d=d: [r.t(d, (6,), -9, 9)], {"other": 1.5, "rounding_mode": mode})
    for d in ("float32", "float64"):
        s = special_small(d)
        f.case("div", "%s/%s_special" % (d, mode), [s.reshape(-1, 1), s], {"rounding_mode": mode}, grad=False)
    f.case("div", "mixed/%s_int64_float32" % mode, lambda r: [r.t("int64", (5,)), r.nz("float32", (5,))], {"rounding_mode": mode})
    f.case("div", "bool/" + mode, [torch.tensor([True, False]), torch.tensor([True, True])], {"rounding_mode": mode})

# Signs of integer division.
for d in ("int64", "int32", "int16", "int8"):
    a = torch.tensor([7, -7, 7, -7, 6, -6, 0, 1, -1], dtype=dt(d))
    b = torch.tensor([2, 2, -2, -2, 3, -3, -5, 7, 7], dtype=dt(d))
    for op in ("div", "floor_divide", "remainder", "fmod"):
        f.case(op, d + "/signs", [a, b])
for d in ("float32", "float64", "bfloat16"):
    a = torch.tensor([7.5, -7.5, 7.5, -7.5, 6.0, -6.0, 0.0, -0.0, 1.0, 1e6, 5.0], dtype=dt(d))
    b = torch.tensor([2.0, 2.0, -2.0, -2.0, 3.0, 3.0, -5.0, 5.0, math.inf, 0.1, -math.inf], dtype=dt(d))
    for op in ("floor_divide", "remainder", "fmod"):
        f.case(op, d + "/signs", [a, b], grad=False, loose=d == "bfloat16")

# Integer wrap-around. Division by -1 is left out: the smallest number over -1 traps.
for d in ("int64", "int32", "int16", "int8", "uint8"):
    e = edges(d)
    for op in ("add", "sub", "mul", "maximum", "minimum"):
        f.case(op, d + "/edges", [e.reshape(-1, 1), e])
    p = e[e > 0]
    for op in ("floor_divide", "remainder", "fmod", "gcd"):
        f.case(op, d + "/edges", [e.reshape(-1, 1), p])
    f.case("pow", d + "/edges", [e.reshape(-1, 1), torch.tensor([0, 1, 2, 3, 7], dtype=e.dtype)])
    f.case("pow", d + "/number_edges", [e], {"exponent": 3})

# Where both are equal, the gradient is shared.
for op in ("maximum", "minimum", "fmax", "fmin"):
    f.case(op, "float32/ties", [torch.tensor([1.0, 2.0, -1.0]), torch.tensor([1.0, 2.0, 3.0])])
f.case("atan2", "float32/zeros", [torch.tensor([0.0, -0.0, 0.0, -0.0]), torch.tensor([0.0, 0.0, -1.0, -1.0])], grad=False)
f.case("pow", "float64/zero_base_grad", [torch.tensor([0.0, 0.0, 0.0], dtype=torch.float64), torch.tensor([2.0, 1.0, 0.0], dtype=torch.float64)])
f.case("xlogy", "float32/zeros", [torch.tensor([0.0, 0.0, 1.0]), torch.tensor([0.0, math.nan, 0.0])], grad=False)
f.case("heaviside", "float32/zeros", [torch.tensor([-1.0, 0.0, -0.0, 2.0]), torch.tensor(0.5)])
f.case("ldexp", "float32/int_exponent", lambda r: [r.t("float32", (2, 3)), torch.tensor([1, -2, 10])])
f.case("nextafter", "float32/steps", [torch.tensor([0.0, 1.0, 1.0, math.inf, -0.0]), torch.tensor([1.0, 2.0, 0.0, 0.0, -1.0])], grad=False)
f.case("logaddexp", "float32/far", [torch.tensor([1000.0, -1000.0, 0.0]), torch.tensor([1000.0, -1001.0, -200.0])])

for d in ["float32", "float64", "bfloat16", "float16", "complex64"]:
    f.case("lerp", d + "/weight_number", lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (2, 3))], {"weight": 0.25})
    f.case("lerp", d + "/weight_big", lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (3,))], {"weight": 1.75})
    f.case("lerp", d + "/weight_tensor", lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (2, 3)), r.t(d, (3,), 0, 1)])
for d in ["float32", "float64", "bfloat16", "float16", "int64", "int32", "complex64"]:
    for op in ("addcmul", "addcdiv"):
        make = lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (3,)), r.nz(d, (2, 1))]
        f.case(op, d + "/plain", make, loose="16" in d and "int" not in d)
        f.case(op, d + "/value", make, {"value": 2 if "int" in d else -0.5}, loose="16" in d and "int" not in d)
f.case("addcmul", "mixed/float32_int64", lambda r: [r.t("float32", (3,)), r.t("int64", (3,)), r.t("int64", (3,))])

f.write()
