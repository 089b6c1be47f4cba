"""Sorting, searching, counting."""
import math

import torch
from lib import FLOATS, INTS, REAL, Family, dt

f = Family("sort")
NAN = torch.tensor([[3.0, math.nan, -1.0, math.inf, -math.inf, 0.0], [2.0, 1.0, math.nan, math.nan, 5.0, -2.0]])
DUP = torch.tensor([[2, 1, 2, 0, 1, 1], [3, 3, 3, 0, 0, 3]])

for op in ("sort", "argsort"):
    for d in REAL:
        for nm, a in [("default", {}), ("descending", {"descending": True}), ("dim0", {"dim": 0}), ("dim0_desc", {"dim": 0, "descending": True})]:
            # bool has few values; only a stable sort has one answer then
            aa = dict(a, stable=True) if d == "bool" else a
            f.case(op, "%s/%s" % (d, nm), lambda r, d=d: [r.distinct(d, (3, 5))], aa, grad=True if d == "bfloat16" else None)
    for d in ("float32", "float64", "int64", "int32", "uint8", "bfloat16"):
        for desc in (False, True):
            f.case(op, "%s/stable_ties_%s" % (d, desc), [DUP.to(dt(d))], {"dim": 1, "stable": True, "descending": desc})
    for d in FLOATS:
        f.case(op, d + "/nan", [NAN.to(dt(d))], {"stable": True}, grad=False)
        f.case(op, d + "/nan_desc", [NAN.to(dt(d))], {"stable": True, "descending": True}, grad=False)
    f.case(op, "float32/zeros", [torch.tensor([0.0, -0.0, 0.0, -1.0])], {"stable": True})
    f.case(op, "float32/0d", [torch.tensor(2.0)])
    f.case(op, "float32/empty", [torch.zeros(0, 3)])
    f.case(op, "float32/empty_last", [torch.zeros(3, 0)])
    f.case(op, "float32/long", lambda r: [r.distinct("float32", (40,))])
for d in REAL:
    f.case("msort", d + "/2d", lambda r, d=d: [r.distinct(d, (4, 3))])

for d in REAL[:-1]:
    for nm, a in [("k2", {"k": 2}), ("k3_smallest", {"k": 3, "largest": False}), ("k2_dim0", {"k": 2, "dim": 0}), ("all", {"k": 5})]:
        f.case("topk", "%s/%s" % (d, nm), lambda r, d=d: [r.distinct(d, (3, 5))], a, grad=True if d == "bfloat16" else None)
f.case("topk", "float32/k0", lambda r: [r.distinct("float32", (3, 5))], {"k": 0})
f.case("topk", "float32/0d", [torch.tensor(2.0)], {"k": 1})
f.case("topk", "float32/nan", [torch.tensor([[3.0, math.nan, -1.0, math.inf]])], {"k": 3}, grad=False)
f.case("topk", "float32/nan_smallest", [torch.tensor([[3.0, math.nan, -1.0, math.inf]])], {"k": 4, "largest": False}, grad=False)
f.case("topk", "float32/long", lambda r: [r.distinct("float32", (50,))], {"k": 7})

for d in REAL[:-1]:
    f.case("kthvalue", d + "/k2", lambda r, d=d: [r.distinct(d, (3, 5))], {"k": 2})
    f.case("kthvalue", d + "/dim0_keepdim", lambda r, d=d: [r.distinct(d, (3, 5))], {"k": 3, "dim": 0, "keepdim": True})
f.case("kthvalue", "float32/nan", [torch.tensor([3.0, math.nan, -1.0])], {"k": 3}, grad=False)
f.case("kthvalue", "float32/0d", [torch.tensor(2.0)], {"k": 1})

for d in FLOATS + INTS:
    seq = torch.tensor([1, 3, 3, 5, 7]).to(dt(d))
    val = torch.tensor([[0, 1, 3], [4, 7, 8]]).to(dt(d))
    for nm, a in [("left", {}), ("right", {"right": True}), ("int32", {"out_int32": True})]:
        f.case("searchsorted", "%s/%s" % (d, nm), [seq, val], a, grad=False)
        f.case("bucketize", "%s/%s" % (d, nm), [val, seq], a, grad=False)
f.case("searchsorted", "float32/side", [torch.tensor([1.0, 3.0, 3.0]), torch.tensor([3.0])], {"side": "right"}, grad=False)
f.case("searchsorted", "float32/rows", [torch.tensor([[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]), torch.tensor([[3.0, 6.0], [3.0, 6.0]])], grad=False)
f.case("searchsorted", "float32/number", [torch.tensor([1.0, 3.0, 5.0])], {"input": 3.0}, fn=lambda s, input: torch.searchsorted(s, input), grad=False)
f.case("searchsorted", "float32/sorter", [torch.tensor([5.0, 1.0, 3.0]), torch.tensor([2.0, 5.0]), torch.tensor([1, 2, 0])], fn=lambda s, v, o: torch.searchsorted(s, v, sorter=o), grad=False)
f.case("searchsorted", "float32/nan_inf", [torch.tensor([1.0, 3.0, math.inf]), torch.tensor([math.nan, math.inf, -math.inf])], grad=False)
f.case("searchsorted", "float32/empty", [torch.tensor([1.0, 3.0]), torch.zeros(0)], grad=False)
f.case("searchsorted", "float32/empty_seq", [torch.zeros(0), torch.tensor([1.0])], grad=False)
f.case("bucketize", "float32/number", [torch.tensor([1.0, 3.0, 5.0])], {"input": 3.0}, fn=lambda s, input: torch.bucketize(input, s), grad=False)

for d in REAL:
    few = lambda r, d=d: [r.t(d, (3, 4), -2, 2, 1)]
    f.case("unique", d + "/values", few)
    f.case("unique", d + "/inverse", few, {"return_inverse": True})
    f.case("unique", d + "/both", few, {"return_inverse": True, "return_counts": True})
    f.case("unique", d + "/dim0", lambda r, d=d: [r.t(d, (5, 2), 0, 1, 1)], {"dim": 0, "return_inverse": True, "return_counts": True})
    f.case("unique_consecutive", d + "/both", lambda r, d=d: [r.t(d, (9,), 0, 1, 1)], {"return_inverse": True, "return_counts": True})
f.case("unique", "int64/dim1", lambda r: [r.t("int64", (2, 6), 0, 1)], {"dim": 1, "return_counts": True})
f.case("unique", "float32/nan", [torch.tensor([1.0, math.nan, 1.0, math.nan])], {"return_counts": True}, grad=False)
f.case("unique", "int64/empty", [torch.zeros(0, dtype=torch.int64)], {"return_inverse": True, "return_counts": True})
f.case("unique", "int64/0d", [torch.tensor(3)], {"return_counts": True})

for d in ("float32", "float64", "bfloat16", "float16"):
    f.case("histc", d + "/range", lambda r, d=d: [r.t(d, (20,), -3, 3)], {"bins": 6, "min": -2, "max": 2}, grad=False)
    f.case("histc", d + "/auto", lambda r, d=d: [r.t(d, (20,), -3, 3)], {"bins": 5}, grad=False)
f.case("histc", "float32/constant", [torch.full((4,), 2.0)], {"bins": 3}, grad=False)
f.case("histc", "float32/edges", [torch.tensor([0.0, 1.0, 2.0, 3.0, 4.0, 4.5, -0.5, 1.999])], {"bins": 4, "min": 0, "max": 4}, grad=False)
for d in ("float32", "float64"):
    f.case("histogram", d + "/range", lambda r, d=d: [r.t(d, (20,), -3, 3)], {"bins": 6, "range": [-2.0, 2.0]}, grad=False)
    f.case("histogram", d + "/auto", lambda r, d=d: [r.t(d, (20,), -3, 3)], {"bins": 5}, grad=False)
    f.case("histogram", d + "/density", lambda r, d=d: [r.t(d, (20,), -3, 3)], {"bins": 4, "density": True}, grad=False)
    f.case("histogram", d + "/weight", lambda r, d=d: [r.t(d, (10,), -3, 3), r.t(d, (10,), 0, 2)], {"bins": 4, "range": [-3.0, 3.0]},
           fn=lambda x, w, **kw: torch.histogram(x, weight=w, **kw), grad=False)
    f.case("histogram", d + "/bin_edges", lambda r, d=d: [r.t(d, (10,), -3, 3), None, torch.tensor([-2.0, -0.5, 0.0, 2.5], dtype=dt(d))],
           fn=lambda x, w, b: torch.histogram(x, b), grad=False)
    f.case("histogramdd", d + "/2d", lambda r, d=d: [r.t(d, (12, 2), -2, 2)], {"bins": [2, 3], "range": [-2.0, 2.0, -2.0, 2.0]}, grad=False)
for d in INTS:
    f.case("bincount", d + "/plain", lambda r, d=d: [r.t(d, (9,), 0, 5)])
    f.case("bincount", d + "/minlength", lambda r, d=d: [r.t(d, (9,), 0, 3)], {"minlength": 8})
for w in ("float32", "float64", "int64", "bfloat16"):
    f.case("bincount", "int64/weights_" + w, lambda r, w=w: [r.t("int64", (9,), 0, 4), r.t(w, (9,))], fn=lambda x, w: torch.bincount(x, w), grad=False)
f.case("bincount", "int64/empty", [torch.zeros(0, dtype=torch.int64)], {"minlength": 3})

for d in REAL:
    f.case("isin", d + "/plain", lambda r, d=d: [r.t(d, (3, 4), -4, 4, 1), r.t(d, (3,), -4, 4, 1)], grad=False)
f.case("isin", "int64/invert", lambda r: [r.t("int64", (3, 4), -2, 2), r.t("int64", (3,), -2, 2)], {"invert": True})
f.case("isin", "int64/many", lambda r: [r.t("int64", (3, 4), -30, 30), r.t("int64", (40,), -30, 30)])
f.case("isin", "int64/number_test", lambda r: [r.t("int64", (6,), 0, 2)], {"test_element": 1})
f.case("isin", "int64/number_element", lambda r: [r.t("int64", (6,), 0, 2)], {"element": 1}, fn=lambda t, element: torch.isin(element, t))
f.case("isin", "float32/nan", [torch.tensor([math.nan, 1.0]), torch.tensor([math.nan, 1.0])], grad=False)
f.case("isin", "mixed/int64_float32", [torch.tensor([1, 2, 3]), torch.tensor([1.0, 2.5])], grad=False)
f.case("isin", "int64/empty_test", [torch.tensor([1, 2, 3]), torch.zeros(0, dtype=torch.int64)])

f.write()
