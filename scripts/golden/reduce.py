"""Reductions."""
import math

import torch
from lib import ALL, FLOATS, REAL, Family, dt

f = Family("reduce")
HALF = ("bfloat16", "float16")

DIMS = [("all", {}), ("dim0", {"dim": 0}), ("dim1_keepdim", {"dim": 1, "keepdim": True}), ("dim-1", {"dim": -1}),
        ("dims02", {"dim": [0, 2]}), ("dims-1_0_keepdim", {"dim": [-1, 0], "keepdim": True})]
ONE_DIM = [d for d in DIMS if not isinstance(d[1].get("dim"), list)]
# op -> (dim forms, how to draw the input, dtypes)
plain = lambda r, d, s: r.t(d, s, -3, 3)
near1 = lambda r, d, s: r.nz(d, s, 0.5, 1.5)
distinct = lambda r, d, s: r.distinct(d, s)
sparse = lambda r, d, s: r.t(d, s, -1, 1, 1)
OPS = {
    "sum": (DIMS, plain, ALL), "mean": (DIMS, plain, FLOATS + ["complex64", "int64"]), "prod": (ONE_DIM, near1, ALL),
    "amax": (DIMS, distinct, REAL), "amin": (DIMS, distinct, REAL),
    "argmax": (ONE_DIM, distinct, REAL), "argmin": (ONE_DIM, distinct, REAL),
    "any": (DIMS, sparse, ALL), "all": (DIMS, sparse, ALL),
    "std": (DIMS, plain, FLOATS + ["complex64", "int64"]), "var": (DIMS, plain, FLOATS + ["complex64", "int64"]),
    "std_mean": (DIMS, plain, FLOATS), "var_mean": (DIMS, plain, FLOATS),
    "logsumexp": (DIMS[1:], plain, REAL + ["complex64"]), "nansum": (DIMS, plain, REAL), "nanmean": (DIMS, plain, FLOATS),
    "median": (ONE_DIM, distinct, REAL), "nanmedian": (ONE_DIM, distinct, REAL),
    "max": (ONE_DIM, distinct, REAL), "min": (ONE_DIM, distinct, REAL), "mode": (ONE_DIM[1:], sparse, ["float32", "int64", "int32", "uint8"]),
    "aminmax": (ONE_DIM, distinct, REAL),
}
for op, (dims, draw, dtypes) in OPS.items():
    for d in dtypes:
        for nm, a in dims:
            if d not in ("float32", "float64", "int64", "bfloat16") and nm not in ("all", "dim1_keepdim", "dims02"):
                continue
            f.case(op, "%s/%s" % (d, nm), lambda r, d=d: [draw(r, d, (2, 3, 4))], a,
                   grad=True if d == "bfloat16" and op in ("sum", "mean", "amax", "logsumexp", "var") else None, loose=d in HALF and op not in ("amax", "amin", "max", "min"))
    f.case(op, "float32/1d", lambda r: [draw(r, "float32", (7,))], {"dim": 0})
    g = False if op[:3] in ("std", "var") else None  # of one element they are NaN, and so is the gradient
    f.case(op, "float32/0d_dim0", lambda r: [draw(r, "float32", ())], {"dim": 0}, grad=g)
    f.case(op, "float32/0d", lambda r: [draw(r, "float32", ())], grad=g)
    f.case(op, "float32/size1", lambda r: [draw(r, "float32", (2, 1, 3))], {"dim": 1}, grad=g)
    f.case(op, "float32/empty_dim0", [torch.zeros(0, 3)], {"dim": 0})
    f.case(op, "float32/empty_other", [torch.zeros(0, 3)], {"dim": 1})
    f.case(op, "float32/empty_all", [torch.zeros(0, 3)])
    f.case(op, "int64/empty_dim0", [torch.zeros(0, 3, dtype=torch.int64)], {"dim": 0})
    x = torch.tensor([[1.0, math.nan, -2.0], [math.inf, 3.0, -math.inf], [0.0, -0.0, 5.0], [math.nan, math.inf, math.nan], [math.inf, math.inf, 1.0]])
    if op in ("median", "nanmedian", "mode"):
        x = x[:-1]  # which of two equal infinities is the median is nowhere said
    for d in ("float32", "float64", "bfloat16"):
        f.case(op, d + "/special", [x.to(dt(d))], {"dim": 1}, grad=False)
    f.case(op, "float32/all_nan", [torch.full((2, 2), math.nan)], {"dim": 1}, grad=False)

# Dimension lists with nothing in them mean all dimensions.
for op in ("sum", "mean", "amax", "std", "var", "nansum", "logsumexp"):
    # std and var then divide by zero in their gradient, a fault of PyTorch's
    g = False if op in ("std", "var") else None
    f.case(op, "float32/dims_none_given", lambda r: [r.distinct("float32", (2, 3))], {"dim": []}, grad=g)
    f.case(op, "float32/dims_none_given_keepdim", lambda r: [r.distinct("float32", (2, 3))], {"dim": [], "keepdim": True}, grad=g)
for op in ("sum", "mean", "prod", "nansum", "nanmean"):
    for a, b in [("float32", "float64"), ("float64", "float32"), ("int32", "float32"), ("int64", "float64"), ("int32", "int32"), ("uint8", "uint8"),
                 ("bfloat16", "float32"), ("bool", "float32"), ("bool", "int32"), ("float32", "complex64"), ("int8", "int64"), ("float32", "bfloat16")]:
        f.case(op, "dtype/%s_%s" % (a, b), lambda r, a=a: [r.nz(a, (2, 4), 1, 2)], {"dim": 1, "dtype": b}, loose=b in HALF)
f.case("sum", "int64/overflow", [torch.tensor([(1 << 63) - 1, 1])])
f.case("sum", "int32/wide", [torch.tensor([(1 << 31) - 1, (1 << 31) - 1], dtype=torch.int32)])
f.case("sum", "uint8/wide", [torch.full((9,), 255, dtype=torch.uint8)])
f.case("prod", "int64/overflow", [torch.tensor([1 << 40, 1 << 40, 3])])
f.case("sum", "bfloat16/long", [torch.full((600,), 1.0, dtype=torch.bfloat16)], loose=True)
f.case("sum", "float16/to_inf", [torch.full((4,), 60000.0, dtype=torch.float16)])
f.case("mean", "float16/no_inf_inside", [torch.full((4,), 60000.0, dtype=torch.float16)])
f.case("sum", "float32/cancel", [torch.tensor([1e8, 1.0, -1e8, 1.0] * 4)], loose=True)

# The gradient of a product with zeros in it.
for d in ("float32", "float64"):
    f.case("prod", d + "/one_zero", [torch.tensor([[2.0, 0.0, 3.0], [1.0, 2.0, 4.0]], dtype=dt(d))], {"dim": 1})
    f.case("prod", d + "/two_zeros", [torch.tensor([[2.0, 0.0, 0.0], [1.0, 2.0, 4.0]], dtype=dt(d))], {"dim": 1})
    f.case("prod", d + "/all_one_zero", [torch.tensor([2.0, 0.0, 3.0], dtype=dt(d))])

# Ties: amax shares the gradient, max with a dim gives it to the index it reports, max of all shares.
tie = torch.tensor([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0], [0.0, -0.0, 0.0]])
for op in ("amax", "amin", "max", "min", "argmax", "argmin", "median", "nanmedian", "mode", "aminmax"):
    for d in ("float32", "float64", "int64"):
        f.case(op, d + "/ties_dim1", [tie.to(dt(d))], {"dim": 1})
        if op != "mode":
            f.case(op, d + "/ties_all", [tie.to(dt(d))])
        f.case(op, d + "/ties_dim0", [tie.to(dt(d))], {"dim": 0})
f.case("amax", "float32/ties_dims", [torch.tensor([[1.0, 3.0], [3.0, 3.0]])], {"dim": [0, 1]})
for op in ("max", "min", "argmax", "argmin"):
    f.case(op, "float32/two_nans", [torch.tensor([[1.0, math.nan, math.nan, 5.0]])], {"dim": 1}, grad=False)
    f.case(op, "float32/keepdim_neg", lambda r: [r.distinct("float32", (2, 3, 2))], {"dim": -2, "keepdim": True})

for op in ("std", "var", "std_mean", "var_mean"):
    for d in ("float32", "float64", "bfloat16"):
        for c in (0, 1, 2, 0.5):
            f.case(op, "%s/correction%s" % (d, c), lambda r, d=d: [r.t(d, (3, 5))], {"dim": 1, "correction": c}, loose=d == "bfloat16")
        f.case(op, d + "/correction0_all", lambda r, d=d: [r.t(d, (3, 5))], {"correction": 0}, loose=d == "bfloat16")
    f.case(op, "float32/correction_too_big", lambda r: [r.t("float32", (2, 3))], {"dim": 1, "correction": 5}, grad=False)
    f.case(op, "float32/one_element", lambda r: [r.t("float32", (2, 1))], {"dim": 1}, grad=False)
    f.case(op, "float32/constant", [torch.full((2, 3), 1.5)], {"dim": 1}, grad=False)
    f.case(op, "float32/big_offset", [torch.tensor([10000.0, 10001.0, 10002.0, 10003.0])])

f.case("logsumexp", "float32/large", [torch.tensor([[1000.0, 1001.0], [-1000.0, -1001.0]])], {"dim": 1})
f.case("logsumexp", "float32/all_neg_inf", [torch.full((2, 2), -math.inf)], {"dim": 1})
f.case("logsumexp", "float32/pos_inf_grad", [torch.tensor([[math.inf, 1.0]])], {"dim": 1})
f.case("nansum", "float32/nan_grad", [torch.tensor([[1.0, math.nan, 2.0], [math.nan, math.nan, math.nan]])], {"dim": 1})
f.case("nanmean", "float32/nan_grad", [torch.tensor([[1.0, math.nan, 2.0], [4.0, 5.0, math.nan]])], {"dim": 1})
f.case("median", "float32/even", [torch.tensor([4.0, 1.0, 3.0, 2.0])])
f.case("median", "float32/even_dim", [torch.tensor([[4.0, 1.0, 3.0, 2.0]])], {"dim": 1})
f.case("nanmedian", "float32/even_nan", [torch.tensor([[4.0, math.nan, 3.0, 2.0, 1.0]])], {"dim": 1})

for d in ALL:
    f.case("count_nonzero", d + "/all", lambda r, d=d: [r.t(d, (3, 4), -1, 1, 1)])
    f.case("count_nonzero", d + "/dim1", lambda r, d=d: [r.t(d, (3, 4), -1, 1, 1)], {"dim": 1})
f.case("count_nonzero", "float32/dims", lambda r: [r.t("float32", (2, 3, 4), -1, 1, 1)], {"dim": [0, 2]})
f.case("count_nonzero", "float32/special", [torch.tensor([0.0, -0.0, math.nan, math.inf, 1e-45])])
f.case("count_nonzero", "float32/empty", [torch.zeros(0, 3)], {"dim": 0})

# q goes in as the second tensor, or as an attribute when it is a number.
for op in ("quantile", "nanquantile"):
    for d in ("float32", "float64"):
        for mode in ("linear", "lower", "higher", "midpoint", "nearest"):
            for q in (0.0, 0.3, 0.5, 1.0):
                f.case(op, "%s/%s_q%s" % (d, mode, q), lambda r, d=d: [r.distinct(d, (3, 4))], {"q": q, "dim": 1, "interpolation": mode})
        f.case(op, d + "/vector_q", lambda r, d=d: [r.distinct(d, (3, 5)), torch.tensor([0.1, 0.5, 0.9], dtype=dt(d))], {"dim": 0})
        f.case(op, d + "/vector_q_keepdim", lambda r, d=d: [r.distinct(d, (3, 5)), torch.tensor([0.1, 0.9], dtype=dt(d))], {"dim": -1, "keepdim": True})
        f.case(op, d + "/all", lambda r, d=d: [r.distinct(d, (3, 5))], {"q": 0.4})
        f.case(op, d + "/all_keepdim", lambda r, d=d: [r.distinct(d, (3, 5))], {"q": 0.4, "keepdim": True})
    f.case(op, "float32/nan", [torch.tensor([[1.0, math.nan, 3.0, 2.0], [4.0, 5.0, 6.0, 7.0]])], {"q": 0.5, "dim": 1}, grad=False)
    f.case(op, "float32/inf", [torch.tensor([[1.0, math.inf, 3.0, 2.0]])], {"q": 0.9, "dim": 1}, grad=False)

for p in (None, 1, 2, 3, 0, 0.5, math.inf, -math.inf):
    for d in ("float32", "float64", "bfloat16", "complex64"):
        for nm, a in [("all", {}), ("dim1", {"dim": 1}), ("dim0_keepdim", {"dim": 0, "keepdim": True})]:
            pa = dict(a, **({} if p is None else {"ord": p}))
            f.case("linalg_vector_norm", "%s/ord_%s_%s" % (d, p, nm), lambda r, d=d: [r.distinct(d, (2, 4)) if d != "complex64" else r.t(d, (2, 4))], pa, loose=d == "bfloat16")
    if p is not None:
        f.case("norm", "float32/p_%s" % p, lambda r: [r.distinct("float32", (2, 4))], {"p": float(p), "dim": 1})
        f.case("norm", "float64/p_%s_all" % p, lambda r: [r.distinct("float64", (2, 4))], {"p": float(p)})
f.case("linalg_vector_norm", "float32/zero_grad", [torch.zeros(2, 3)], {"dim": 1})
f.case("linalg_vector_norm", "float32/dtype", lambda r: [r.t("float32", (2, 3))], {"dtype": "float64"})
f.case("linalg_vector_norm", "float32/dims", lambda r: [r.t("float32", (2, 3, 2))], {"dim": [0, 2]})
f.case("linalg_vector_norm", "float32/empty", [torch.zeros(0, 3)], {"dim": 0})
for p in (1, 2, 3.0, math.inf):
    f.case("dist", "float32/p_%s" % p, lambda r: [r.distinct("float32", (2, 3)), r.t("float32", (3,), 5, 9)], {"p": p})

for d in ("float32", "float64"):
    f.case("cov", d + "/2d", lambda r, d=d: [r.t(d, (3, 5))])
    f.case("cov", d + "/1d", lambda r, d=d: [r.t(d, (5,))])
    f.case("cov", d + "/correction0", lambda r, d=d: [r.t(d, (3, 5))], {"correction": 0})
    f.case("corrcoef", d + "/2d", lambda r, d=d: [r.t(d, (3, 5))])
f.case("cov", "int64/2d", lambda r: [r.t("int64", (2, 4))])
f.case("cov", "float32/fweights", lambda r: [r.t("float32", (2, 4)), torch.tensor([1, 2, 3, 1])], fn=lambda x, w: torch.cov(x, fweights=w))
f.case("cov", "complex64/2d", lambda r: [r.t("complex64", (2, 4))])

f.write()
