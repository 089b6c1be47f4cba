"""Pooling. Inputs of max pooling hold no equal values, so the chosen index is certain."""
import torch
import torch.nn.functional as F
from lib import Family

f = Family("pool", functional=True)
SIZE = {1: (9,), 2: (5, 6), 3: (4, 4, 3)}
HALF = ("bfloat16", "float16")

for n in (1, 2, 3):
    S = SIZE[n]
    op = "max_pool%dd" % n
    forms = [("k2", {"kernel_size": 2}), ("k3_s1", {"kernel_size": 3, "stride": 1}), ("k3_s2_p1", {"kernel_size": 3, "stride": 2, "padding": 1}), ("k2_d2", {"kernel_size": 2, "stride": 1, "dilation": 2}),
             ("ceil", {"kernel_size": 2, "ceil_mode": True}), ("ceil_p1", {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True})]
    if n > 1:
        forms.append(("per_dim", {"kernel_size": [2, 3, 1][:n], "stride": [1, 2, 2][:n], "padding": [1, 0, 0][:n]}))
    for nm, a in forms:
        for d in ("float32", "float64") if n < 3 else ("float32",):
            f.case(op, "%s/%s" % (d, nm), lambda r, d=d: [r.distinct(d, (2, 1) + S)], a)
            f.case(op, "%s/%s_indices" % (d, nm), lambda r, d=d: [r.distinct(d, (2, 2) + S)], dict(a, return_indices=True))
    f.case(op, "bfloat16/k2", lambda r: [r.distinct("bfloat16", (1, 2) + S)], {"kernel_size": 2}, grad=True)
    f.case(op, "float32/unbatched", lambda r: [r.distinct("float32", (2,) + S)], {"kernel_size": 2})
    f.case(op, "float32/all_negative_padding", lambda r: [r.distinct("float32", (1, 1) + S) - 50], {"kernel_size": 2, "padding": 1})
    f.case(op, "float32/neg_inf", [torch.full((1, 1) + S, float("-inf"))], {"kernel_size": 2, "return_indices": True}, grad=False)
    x = torch.arange(1.0, 1 + torch.Size(S).numel()).reshape((1, 1) + S)
    x.view(-1)[3] = float("nan")
    f.case(op, "float32/nan", [x], {"kernel_size": 2, "return_indices": True}, grad=False)
    f.case(op, "float32/ties", [torch.ones((1, 1) + S)], {"kernel_size": 2, "return_indices": True})
    f.case(op, "int64/k2", lambda r: [r.distinct("int64", (1, 1) + S)], {"kernel_size": 2})

    op = "avg_pool%dd" % n
    forms = [("k2", {"kernel_size": 2}), ("k3_s1", {"kernel_size": 3, "stride": 1}), ("k3_s2_p1", {"kernel_size": 3, "stride": 2, "padding": 1}),
             ("no_count_pad", {"kernel_size": 3, "stride": 2, "padding": 1, "count_include_pad": False}), ("ceil", {"kernel_size": 2, "ceil_mode": True}),
             ("ceil_p1", {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}), ("ceil_p1_no_count", {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True, "count_include_pad": False})]
    if n > 1:
        forms += [("divisor", {"kernel_size": 2, "divisor_override": 3}), ("divisor_pad", {"kernel_size": 3, "stride": 2, "padding": 1, "divisor_override": 5}), ("per_dim", {"kernel_size": [2, 3, 1][:n], "stride": [1, 2, 2][:n], "padding": [1, 0, 0][:n]})]
    for nm, a in forms:
        for d in ("float32", "float64") if n < 3 else ("float32",):
            f.case(op, "%s/%s" % (d, nm), lambda r, d=d: [r.t(d, (2, 2) + S)], a)
    f.case(op, "bfloat16/k2", lambda r: [r.t("bfloat16", (1, 2) + S)], {"kernel_size": 2}, grad=True, loose=True)
    f.case(op, "float32/unbatched", lambda r: [r.t("float32", (2,) + S)], {"kernel_size": 2})

    for kind in ("avg", "max"):
        op = "adaptive_%s_pool%dd" % (kind, n)
        outs = [("1", 1), ("2", 2), ("3", 3), ("same", list(S) if n > 1 else S[0])] + ([("per_dim", [3, 2, 1][:n]), ("keep", [None, 2, 1][:n])] if n > 1 else [("5", 5)])
        outs.append(("larger", 7))
        for nm, o in outs:
            for d in ("float32", "float64") if n < 3 else ("float32",):
                if n == 3 and nm == "larger":
                    continue
                make = lambda r, d=d: [r.distinct(d, (2, 1) + S)]
                f.case(op, "%s/out_%s" % (d, nm), make, {"output_size": o})
                if kind == "max":
                    f.case(op, "%s/out_%s_indices" % (d, nm), make, {"output_size": o, "return_indices": True})
        f.case(op, "float32/unbatched", lambda r: [r.distinct("float32", (2,) + S)], {"output_size": 2})
        f.case(op, "bfloat16/out_2", lambda r: [r.distinct("bfloat16", (1, 2) + S)], {"output_size": 2}, grad=True, loose=kind == "avg")

    op = "lp_pool%dd" % n
    for p in (1.0, 2.0, 3.0):
        for nm, a in [("k2", {"kernel_size": 2}), ("k3_s2", {"kernel_size": 3, "stride": 2}), ("ceil", {"kernel_size": 2, "ceil_mode": True})]:
            f.case(op, "float32/p%g_%s" % (p, nm), lambda r: [r.t("float32", (1, 2) + S, 0.5, 3)], dict(norm_type=p, **a))
    f.case(op, "float32/p2_negative", lambda r: [r.t("float32", (1, 2) + S)], {"norm_type": 2.0, "kernel_size": 2})

    op = "max_unpool%dd" % n
    # All sizes but the first are even: an index of a cropped row would be outside the default output.
    S = {1: (9,), 2: (5, 6), 3: (3, 2, 4)}[n]

    def pooled(r, S=S, n=n):
        y, i = getattr(F, "max_pool%dd" % n)(r.distinct("float32", (2, 2) + S), 2, return_indices=True)
        return [y, i]
    f.case(op, "float32/k2", pooled, {"kernel_size": 2})
    f.case(op, "float32/k2_output_size", pooled, {"kernel_size": 2, "output_size": list(S)})
    f.case(op, "float32/k2_s2", pooled, {"kernel_size": 2, "stride": 2})

f.write()
