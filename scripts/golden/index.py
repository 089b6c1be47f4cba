"""Gather, scatter, masks."""
import math

import torch
from lib import ALL, FLOATS, INTS, Family, dt

f = Family("index")
HALF = ("bfloat16", "float16")
MOST = ["float32", "float64", "bfloat16", "float16", "int64", "int32", "uint8", "bool", "complex64"]
bg = lambda d: True if d == "bfloat16" else None
g = lambda name: (lambda x, i, *rest, dim: getattr(torch, name)(x, dim, i, *rest))

for d in ALL:
    f.case("gather", d + "/dim1", lambda r, d=d: [r.t(d, (3, 4)), r.idx((3, 2), 4)], {"dim": 1}, fn=g("gather"), grad=bg(d))
    f.case("index_select", d + "/dim0", lambda r, d=d: [r.t(d, (4, 3)), r.idx((5,), 4)], {"dim": 0}, fn=g("index_select"), grad=bg(d))
    f.case("take", d + "/2d", lambda r, d=d: [r.t(d, (3, 4)), r.idx((2, 3), 12)], grad=bg(d))
    f.case("take_along_dim", d + "/dim1", lambda r, d=d: [r.t(d, (3, 4)), r.idx((3, 2), 4)], {"dim": 1}, grad=bg(d))
for d in ("float32", "float64", "int64"):
    f.case("gather", d + "/dim0", lambda r, d=d: [r.t(d, (3, 4)), r.idx((5, 2), 3)], {"dim": 0}, fn=g("gather"))
    f.case("gather", d + "/dim-1_3d", lambda r, d=d: [r.t(d, (2, 2, 3)), r.idx((2, 1, 4), 3)], {"dim": -1}, fn=g("gather"))
    f.case("gather", d + "/0d", lambda r, d=d: [r.t(d, ()), torch.tensor(0)], {"dim": 0}, fn=g("gather"))
    f.case("gather", d + "/1d_0d", lambda r, d=d: [r.t(d, (4,)), torch.tensor(2)], {"dim": 0}, fn=g("gather"))
    f.case("gather", d + "/empty", lambda r, d=d: [r.t(d, (3, 4)), torch.zeros(0, 2, dtype=torch.int64)], {"dim": 1}, fn=g("gather"))
    f.case("gather", d + "/int32_index", lambda r, d=d: [r.t(d, (4,)), r.idx((3,), 4, "int32")], {"dim": 0}, fn=g("gather"))
    f.case("index_select", d + "/dim-1", lambda r, d=d: [r.t(d, (2, 3, 4)), r.idx((2,), 4)], {"dim": -1}, fn=g("index_select"))
    f.case("index_select", d + "/int32", lambda r, d=d: [r.t(d, (4, 2)), r.idx((3,), 4, "int32")], {"dim": 0}, fn=g("index_select"))
    f.case("index_select", d + "/empty", lambda r, d=d: [r.t(d, (4, 2)), torch.zeros(0, dtype=torch.int64)], {"dim": 0}, fn=g("index_select"))
    f.case("index_select", d + "/0d_index", lambda r, d=d: [r.t(d, (4, 2)), torch.tensor(2)], {"dim": 0}, fn=g("index_select"))
    f.case("take", d + "/negative", lambda r, d=d: [r.t(d, (3, 4)), torch.tensor([-1, -12, 5])])
    f.case("take", d + "/0d", lambda r, d=d: [r.t(d, (3, 4)), torch.tensor(7)])
    f.case("take", d + "/repeat", lambda r, d=d: [r.t(d, (5,)), torch.tensor([[1, 1], [1, 0]])])
    f.case("take_along_dim", d + "/broadcast", lambda r, d=d: [r.t(d, (3, 4)), r.idx((1, 2), 4)], {"dim": 1})
    f.case("take_along_dim", d + "/flat", lambda r, d=d: [r.t(d, (3, 4)), r.idx((5,), 12)])

# Scatter. Targets are different from one another unless duplicates are the point: the winner is not defined.
cols = lambda r, rows, n, k: torch.stack([r.perm(n, k) for _ in range(rows)])
for d in ALL:
    f.case("scatter", d + "/dim1", lambda r, d=d: [r.t(d, (3, 5)), cols(r, 3, 5, 3), r.t(d, (3, 3))], {"dim": 1}, fn=g("scatter"), grad=bg(d))
    f.case("scatter_add", d + "/dim1", lambda r, d=d: [r.t(d, (3, 3)), r.idx((3, 5), 3), r.t(d, (3, 5))], {"dim": 1}, fn=g("scatter_add"), grad=bg(d), loose=d in HALF)
for d in ("float32", "float64", "int64"):
    f.case("scatter", d + "/dim0", lambda r, d=d: [r.t(d, (5, 3)), cols(r, 3, 5, 2).T, r.t(d, (2, 3))], {"dim": 0}, fn=g("scatter"))
    f.case("scatter", d + "/src_larger", lambda r, d=d: [r.t(d, (3, 5)), cols(r, 2, 5, 2), r.t(d, (4, 4))], {"dim": -1}, fn=g("scatter"))
    f.case("scatter", d + "/value", lambda r, d=d: [r.t(d, (3, 5)), cols(r, 3, 5, 2)], {"dim": 1, "value": 7}, fn=lambda x, i, dim, value: torch.scatter(x, dim, i, value))
    f.case("scatter", d + "/value_float", lambda r, d=d: [r.t(d, (3, 5)), cols(r, 3, 5, 2)], {"dim": 1, "value": 2.5}, fn=lambda x, i, dim, value: torch.scatter(x, dim, i, value))
    f.case("scatter", d + "/empty", lambda r, d=d: [r.t(d, (3, 5)), torch.zeros(0, 2, dtype=torch.int64), r.t(d, (3, 2))], {"dim": 1}, fn=g("scatter"))
    f.case("scatter", d + "/0d", lambda r, d=d: [r.t(d, ()), torch.tensor(0), r.t(d, ())], {"dim": 0}, fn=g("scatter"))
    for red in ("add", "multiply"):
        f.case("scatter", d + "/reduce_" + red, lambda r, d=d: [r.t(d, (3, 3)), r.idx((3, 5), 3), r.nz(d, (3, 5), 1, 2)], {"dim": 1, "reduce": red},
               fn=lambda x, i, s, dim, reduce: torch.scatter(x, dim, i, s, reduce=reduce), grad=False)
        f.case("scatter", d + "/reduce_value_" + red, lambda r, d=d: [r.t(d, (3, 3)), r.idx((3, 5), 3)], {"dim": 1, "reduce": red, "value": 2},
               fn=lambda x, i, dim, reduce, value: torch.scatter(x, dim, i, value, reduce=reduce), grad=False)
    f.case("scatter_add", d + "/dim0", lambda r, d=d: [r.t(d, (3, 3)), r.idx((5, 2), 3), r.t(d, (5, 2))], {"dim": 0}, fn=g("scatter_add"))
    f.case("scatter_add", d + "/src_larger", lambda r, d=d: [r.t(d, (3, 4)), r.idx((2, 2), 4), r.t(d, (3, 3))], {"dim": -1}, fn=g("scatter_add"))
    f.case("scatter_add", d + "/1d", lambda r, d=d: [r.t(d, (3,)), r.idx((8,), 3), r.t(d, (8,))], {"dim": 0}, fn=g("scatter_add"))
sr = lambda x, i, s, dim, **kw: torch.scatter_reduce(x, dim, i, s, **kw)
for d in ["float32", "float64", "bfloat16", "float16", "int64", "int32", "uint8", "bool"]:
    for red in ("sum", "prod", "mean", "amax", "amin"):
        for inc in (True, False):
            # Values of src and self all differ (first half to self), so that extrema are single.
            def make(r, d=d, red=red):
                if red in ("amax", "amin") and d != "bool":
                    a = r.distinct(d, (24,))
                    return [a[:9].reshape(3, 3), r.idx((3, 5), 3), a[9:].reshape(3, 5)]
                return [r.nz(d, (3, 3), 0.5, 2), r.idx((3, 5), 3), r.nz(d, (3, 5), 0.5, 2)]
            f.case("scatter_reduce", "%s/%s_%s" % (d, red, "self" if inc else "noself"), make, {"dim": 1, "reduce": red, "include_self": inc}, fn=sr, loose=d in HALF)
tie = [torch.tensor([2.0, 5.0, 1.0]), torch.tensor([0, 0, 1, 2, 2]), torch.tensor([2.0, 2.0, 5.0, 3.0, 3.0])]
for red in ("amax", "amin"):
    f.case("scatter_reduce", "float32/ties_" + red, tie, {"dim": 0, "reduce": red}, fn=sr)
f.case("scatter_reduce", "float32/prod_zero", [torch.tensor([2.0, 3.0]), torch.tensor([0, 0, 1]), torch.tensor([0.0, 4.0, 5.0])], {"dim": 0, "reduce": "prod"}, fn=sr)
f.case("scatter_reduce", "float32/nan", [torch.tensor([2.0, 3.0]), torch.tensor([0, 1]), torch.tensor([math.nan, 4.0])], {"dim": 0, "reduce": "amax"}, fn=sr, grad=False)
f.case("scatter_reduce", "int64/mean_negative", [torch.tensor([0, 0]), torch.tensor([0, 0, 1, 1]), torch.tensor([-3, -4, 3, 4])], {"dim": 0, "reduce": "mean", "include_self": False}, fn=sr)

for d in MOST:
    f.case("index_fill", d + "/number", lambda r, d=d: [r.t(d, (4, 3)), torch.tensor([0, 2])], {"dim": 0, "value": True if d == "bool" else 3}, fn=lambda x, i, dim, value: torch.index_fill(x, dim, i, value), grad=bg(d))
    f.case("index_add", d + "/dim0", lambda r, d=d: [r.t(d, (4, 3)), torch.tensor([0, 2, 0]), r.t(d, (3, 3))], {"dim": 0}, fn=g("index_add"), grad=bg(d))
    f.case("index_copy", d + "/dim0", lambda r, d=d: [r.t(d, (4, 3)), torch.tensor([3, 1]), r.t(d, (2, 3))], {"dim": 0}, fn=g("index_copy"), grad=bg(d))
for d in ("float32", "float64", "int64"):
    f.case("index_fill", d + "/dim-1", lambda r, d=d: [r.t(d, (2, 4)), torch.tensor([1, -1])], {"dim": -1, "value": 2}, fn=lambda x, i, dim, value: torch.index_fill(x, dim, i, value))
    f.case("index_fill", d + "/tensor", lambda r, d=d: [r.t(d, (4, 2)), torch.tensor([1]), r.t(d, ())], {"dim": 0}, fn=g("index_fill"))
    f.case("index_add", d + "/alpha", lambda r, d=d: [r.t(d, (2, 4)), torch.tensor([1, 1, 3]), r.t(d, (2, 3))], {"dim": 1, "alpha": 2}, fn=lambda x, i, s, dim, alpha: torch.index_add(x, dim, i, s, alpha=alpha))
    f.case("index_add", d + "/int32", lambda r, d=d: [r.t(d, (4,)), torch.tensor([1, 1, 3], dtype=torch.int32), r.t(d, (3,))], {"dim": 0}, fn=g("index_add"))
    f.case("index_copy", d + "/dim-1", lambda r, d=d: [r.t(d, (2, 4)), torch.tensor([0, 3]), r.t(d, (2, 2))], {"dim": -1}, fn=g("index_copy"))
    for red in ("prod", "mean", "amax", "amin"):
        f.case("index_reduce", "%s/%s" % (d, red), lambda r, d=d: [r.distinct(d, (4, 2)), torch.tensor([0, 2, 0]), r.distinct(d, (3, 2)) * 3], {"dim": 0, "reduce": red},
               fn=lambda x, i, s, dim, reduce: torch.index_reduce(x, dim, i, s, reduce))

# index_put: inputs are input, values, then one index per leading dimension.
ip = lambda x, v, *idx, **kw: torch.index_put(x, idx, v, **kw)
for d in MOST:
    f.case("index_put", d + "/two", lambda r, d=d: [r.t(d, (3, 4)), r.t(d, (3,)), torch.tensor([0, 2, 1]), torch.tensor([1, 3, 0])], fn=ip, grad=bg(d))
    f.case("index_put", d + "/accumulate", lambda r, d=d: [r.t(d, (3, 4)), r.t(d, (4,)), torch.tensor([0, 2, 0, 0]), torch.tensor([1, 3, 1, 0])], {"accumulate": True}, fn=ip, grad=bg(d))
for d in ("float32", "float64"):
    f.case("index_put", d + "/rows", lambda r, d=d: [r.t(d, (3, 4)), r.t(d, (2, 4)), torch.tensor([2, 0])], fn=ip)
    f.case("index_put", d + "/broadcast", lambda r, d=d: [r.t(d, (3, 4)), r.t(d, ()), torch.tensor([[0], [2]]), torch.tensor([1, -1])], fn=ip)
    f.case("index_put", d + "/mask", lambda r, d=d: [r.t(d, (2, 2)), r.t(d, (2,)), torch.tensor([[True, False], [False, True]])], fn=ip)
    f.case("index_put", d + "/accumulate_rows", lambda r, d=d: [r.t(d, (3, 2)), r.t(d, (3, 2)), torch.tensor([1, 1, 0])], {"accumulate": True}, fn=ip)
for d in MOST:
    f.case("put", d + "/plain", lambda r, d=d: [r.t(d, (3, 4)), torch.tensor([[0, 5], [-1, 2]]), r.t(d, (2, 2))], fn=torch.put, grad=bg(d))
    f.case("put", d + "/accumulate", lambda r, d=d: [r.t(d, (3, 4)), torch.tensor([0, 5, 0, 5]), r.t(d, (4,))], {"accumulate": True}, fn=torch.put, grad=bg(d))

for d in ALL:
    f.case("masked_select", d + "/2d", lambda r, d=d: [r.t(d, (3, 4)), r.t("bool", (3, 4))], grad=bg(d))
    f.case("masked_fill", d + "/number", lambda r, d=d: [r.t(d, (3, 4)), r.t("bool", (3, 4))], {"value": True if d == "bool" else 2}, grad=bg(d))
    f.case("masked_scatter", d + "/2d", lambda r, d=d: [r.t(d, (3, 4)), r.t("bool", (3, 4)), r.t(d, (12,))], grad=bg(d))
    f.case("where", d + "/2d", lambda r, d=d: [r.t("bool", (3, 4)), r.t(d, (3, 4)), r.t(d, (3, 4))], grad=bg(d))
for d in ("float32", "float64", "int64"):
    f.case("masked_select", d + "/broadcast", lambda r, d=d: [r.t(d, (3, 1)), r.t("bool", (4,))])
    f.case("masked_select", d + "/none", lambda r, d=d: [r.t(d, (3,)), torch.zeros(3, dtype=torch.bool)])
    f.case("masked_select", d + "/0d", lambda r, d=d: [r.t(d, ()), torch.tensor(True)])
    f.case("masked_fill", d + "/broadcast", lambda r, d=d: [r.t(d, (2, 3)), r.t("bool", (3,))], {"value": -1})
    f.case("masked_fill", d + "/tensor", lambda r, d=d: [r.t(d, (2, 3)), r.t("bool", (2, 3)), r.t(d, ())])
    f.case("masked_fill", d + "/mask_larger", lambda r, d=d: [r.t(d, (3,)), r.t("bool", (2, 3))], {"value": 4})
    f.case("masked_scatter", d + "/broadcast", lambda r, d=d: [r.t(d, (2, 3)), r.t("bool", (3,)), r.t(d, (9,))])
    f.case("where", d + "/broadcast", lambda r, d=d: [r.t("bool", (2, 1, 1)), r.t(d, (3, 1)), r.t(d, (2,))])
    f.case("where", d + "/0d", lambda r, d=d: [torch.tensor(True), r.t(d, ()), r.t(d, ())])
    f.case("where", d + "/empty", lambda r, d=d: [r.t("bool", (0, 2)), r.t(d, (2,)), r.t(d, (0, 1))])
f.case("masked_fill", "float32/inf", lambda r: [r.t("float32", (2, 3)), r.t("bool", (2, 3))], {"value": -math.inf})
f.case("masked_fill", "float32/nan_under_mask", [torch.tensor([math.nan, 1.0]), torch.tensor([True, False])], {"value": 0.0})
for a, b in [("float32", "float64"), ("int64", "float32"), ("bool", "int32"), ("uint8", "int8"), ("float16", "bfloat16"), ("float32", "complex64"), ("int64", "bfloat16")]:
    f.case("where", "mixed/%s_%s" % (a, b), lambda r, a=a, b=b: [r.t("bool", (5,)), r.t(a, (5,)), r.t(b, (5,))])
    f.case("where", "mixed/%s_0d%s" % (a, b), lambda r, a=a, b=b: [r.t("bool", (5,)), r.t(a, (5,)), r.t(b, ())])
wo = lambda c, x, other: torch.where(c, x, other)
wi = lambda c, x, input: torch.where(c, input, x)
for d in ("float32", "int64", "bfloat16", "bool", "uint8"):
    for v in (1, 2.5, True):
        f.case("where", "%s/number_other_%s" % (d, v), lambda r, d=d: [r.t("bool", (4,)), r.t(d, (4,))], {"other": v}, fn=wo)
        f.case("where", "%s/number_input_%s" % (d, v), lambda r, d=d: [r.t("bool", (4,)), r.t(d, (4,))], {"input": v}, fn=wi)
for a, b in [(1, 2), (1.5, 2), (True, False), (1.0, 0.0)]:
    f.case("where", "numbers/%s_%s" % (a, b), lambda r: [r.t("bool", (4,))], {"input": a, "other": b}, fn=lambda c, input, other: torch.where(c, input, other))

for op in ("nonzero", "argwhere"):
    for d in ALL:
        f.case(op, d + "/2d", lambda r, d=d: [r.t(d, (3, 4), -1, 1, 1)])
    f.case(op, "float32/0d", [torch.tensor(2.0)])
    f.case(op, "float32/0d_zero", [torch.tensor(0.0)])
    f.case(op, "float32/special", [torch.tensor([0.0, -0.0, math.nan, math.inf])])
    f.case(op, "float32/empty", [torch.zeros(0, 3)])
    f.case(op, "float32/3d", lambda r: [r.t("float32", (2, 2, 3), -1, 1, 1)])

f.write()
