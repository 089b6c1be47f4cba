"""Comparison, logic, bit operations and predicates."""
import math

import torch
from lib import ALL, FLOATS, INTS, Family, dt, edges, special, special_small

f = Family("compare")

MIXED = [("float32", "float64"), ("float32", "int64"), ("int32", "int64"), ("uint8", "int8"), ("bool", "int32"),
         ("bool", "float32"), ("bfloat16", "float32"), ("float16", "bfloat16"), ("int64", "bfloat16"), ("float32", "complex64")]

for op in ("eq", "ne", "lt", "le", "gt", "ge"):
    for d in ALL:
        f.case(op, d + "/2d", lambda r, d=d: [r.t(d, (3, 4), -2, 2, 1), r.t(d, (3, 4), -2, 2, 1)])
    for nm, sa, sb in [("broadcast", (2, 1, 3), (4, 1)), ("0d_0d", (), ()), ("0d_2d", (), (2, 3)), ("empty", (0, 3), (1, 3))]:
        f.case(op, "float32/" + nm, lambda r, sa=sa, sb=sb: [r.t("float32", sa, -2, 2, 1), r.t("float32", sb, -2, 2, 1)])
    for a, b in MIXED:
        f.case(op, "mixed/%s_%s" % (a, b), lambda r, a=a, b=b: [r.t(a, (8,), -2, 2, 1), r.t(b, (8,), -2, 2, 1)])
    for d in FLOATS:
        s = special_small(d)
        f.case(op, d + "/special", [s.reshape(-1, 1), s])
    for d in INTS:
        e = edges(d)
        f.case(op, d + "/edges", [e.reshape(-1, 1), e])
    for d in ("float32", "bfloat16", "int64", "int8", "uint8", "bool"):
        for v in (1, 0.5, -1, True):
            f.case(op, "%s/number_%s" % (d, v), lambda r, d=d: [r.t(d, (8,), -2, 2, 0.5)], {"other": v})
    f.case(op, "float32/number_nan", [special_small("float32")], {"other": math.nan})
    f.case(op, "float32/number_inf", [special_small("float32")], {"other": math.inf})
    # 2^53+1 tells whether an int64 is compared as an integer; 0.1 whether the number is rounded to the tensor's type.
    f.case(op, "int64/big", [torch.tensor([(1 << 53) + 1, (1 << 53)]), torch.tensor([1 << 53, (1 << 53) + 1])])
    f.case(op, "float32/number_0.1", [torch.tensor([0.1, 0.2])], {"other": 0.1})
    f.case(op, "mixed/float32_0dfloat64", [torch.tensor([0.1, 0.2]), torch.tensor(0.1, dtype=torch.float64)])
    f.case(op, "mixed/float32_1dfloat64", [torch.tensor([0.1, 0.2]), torch.tensor([0.1, 0.2], dtype=torch.float64)])

for op in ("logical_and", "logical_or", "logical_xor"):
    for d in ALL:
        f.case(op, d + "/2d", lambda r, d=d: [r.t(d, (3, 4), -1, 1, 1), r.t(d, (3, 4), -1, 1, 1)])
    for a, b in MIXED:
        f.case(op, "mixed/%s_%s" % (a, b), lambda r, a=a, b=b: [r.t(a, (8,), -1, 1, 1), r.t(b, (8,), -1, 1, 1)])
    f.case(op, "bool/broadcast", lambda r: [r.t("bool", (2, 1, 3)), r.t("bool", (4, 1))])
    f.case(op, "bool/empty", lambda r: [r.t("bool", (0, 3)), r.t("bool", (1, 3))])
    f.case(op, "float32/special", [special_small("float32").reshape(-1, 1), special_small("float32")])
for d in ALL:
    f.case("logical_not", d + "/2d", lambda r, d=d: [r.t(d, (3, 4), -1, 1, 1)])
f.case("logical_not", "float32/special", [special("float32")])
f.case("logical_not", "bool/0d", [torch.tensor(True)])

for op in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    for d in INTS + ["bool"]:
        f.case(op, d + "/2d", lambda r, d=d: [r.t(d, (3, 4), -120, 120), r.t(d, (4,), -120, 120)])
        if d != "bool":
            f.case(op, d + "/edges", [edges(d).reshape(-1, 1), edges(d)])
        f.case(op, d + "/number", lambda r, d=d: [r.t(d, (6,), -120, 120)], {"other": True if d == "bool" else 6})
    f.case(op, "bool/number_int", [torch.tensor([True, False])], {"other": 3})
    for a, b in [("int32", "int64"), ("uint8", "int8"), ("bool", "int32"), ("int16", "uint8")]:
        f.case(op, "mixed/%s_%s" % (a, b), lambda r, a=a, b=b: [r.t(a, (6,), -100, 100), r.t(b, (6,), -100, 100)])
for d in INTS + ["bool"]:
    f.case("bitwise_not", d + "/2d", lambda r, d=d: [r.t(d, (3, 4), -120, 120)])
    if d != "bool":
        f.case("bitwise_not", d + "/edges", [edges(d)])
for op in ("bitwise_left_shift", "bitwise_right_shift"):
    for d in INTS:
        bits = torch.iinfo(dt(d)).bits
        f.case(op, d + "/2d", lambda r, d=d: [r.t(d, (3, 4), -100, 100), r.t(d, (4,), 0, 6)])
        f.case(op, d + "/number", lambda r, d=d: [r.t(d, (6,), -100, 100)], {"other": 2})
        # Counts outside 0..bits-1 have a defined answer since PyTorch 2.0.
        far = [bits - 1, bits, bits + 1] + ([-1] if d != "uint8" else [])
        f.case(op, d + "/far", [torch.tensor([1, 5, 0, 100] + ([-1, -100] if d != "uint8" else [255]), dtype=dt(d)).reshape(-1, 1), torch.tensor(far, dtype=dt(d))])
        f.case(op, d + "/edges", [edges(d).reshape(-1, 1), torch.tensor([0, 1, 3], dtype=dt(d))])
    f.case(op, "mixed/int32_int64", lambda r: [r.t("int32", (4,)), r.t("int64", (4,), 0, 5)])

near = lambda d: [torch.tensor([1.0, 1.0, 100.0, 0.0, math.nan, math.inf, math.inf, -math.inf, 1e-9], dtype=torch.float64).to(dt(d)),
                  torch.tensor([1.0, 1.00002, 100.0005, 1e-9, math.nan, math.inf, -math.inf, 3.0, 0.0], dtype=torch.float64).to(dt(d))]
for op in ("isclose", "allclose"):
    for d in ("float32", "float64", "bfloat16", "float16"):
        f.case(op, d + "/default", near(d))
        f.case(op, d + "/equal_nan", near(d), {"equal_nan": True})
        f.case(op, d + "/rtol_atol", near(d), {"rtol": 1e-3, "atol": 1e-6})
        f.case(op, d + "/atol0", near(d), {"rtol": 0.0, "atol": 0.0, "equal_nan": True})
    f.case(op, "int64/2d", lambda r: [r.t("int64", (2, 3), 0, 2), r.t("int64", (2, 3), 0, 2)])
    f.case(op, "int32/rtol", [torch.tensor([10, 20, 30], dtype=torch.int32), torch.tensor([11, 25, 30], dtype=torch.int32)], {"rtol": 0.1})
    f.case(op, "bool/1d", [torch.tensor([True, False]), torch.tensor([True, True])])
    f.case(op, "complex64/1d", [torch.tensor([1 + 1j, 2j]), torch.tensor([1 + 1j, 2.1j])])
    f.case(op, "float32/broadcast", [torch.tensor([[1.0], [2.0]]), torch.tensor([1.0, 2.0, 2.0])])
    f.case(op, "float32/empty", [torch.zeros(0, 2), torch.zeros(0, 2)])
    f.case(op, "float32/asymmetric", [torch.tensor([1.0, 1.1]), torch.tensor([1.1, 1.0])], {"rtol": 0.095, "atol": 0.0})
    f.case(op, "float32/same", [torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0])])

# torch.equal answers one bool for the whole tensors.
f.case("equal", "float32/same", [torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0])])
f.case("equal", "float32/differ", [torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0])])
f.case("equal", "float32/shape", [torch.tensor([1.0, 2.0]), torch.tensor([1.0])])
f.case("equal", "float32/nan", [torch.tensor([math.nan]), torch.tensor([math.nan])])
f.case("equal", "float32/zeros", [torch.tensor([0.0]), torch.tensor([-0.0])])
f.case("equal", "int64/empty", [torch.zeros(0, dtype=torch.int64), torch.zeros(0, dtype=torch.int64)])

for op in ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "isreal"):
    for d in FLOATS:
        f.case(op, d + "/special", [special(d)])
    for d in INTS + ["bool"]:
        f.case(op, d + "/1d", lambda r, d=d: [r.t(d, (4,))])
    f.case(op, "complex64/special", [torch.tensor([complex(1, 0), complex(0, 2), complex(math.nan, 1), complex(1, math.nan), complex(math.inf, 0), complex(0, -math.inf), complex(math.inf, math.nan)])])
    f.case(op, "float32/0d", [torch.tensor(1.0)])
    f.case(op, "float32/empty", [torch.zeros(0, 2)])

f.write()
