"""Convolutions. inputs: input, weight, and bias where given."""
import torch
from lib import Family

f = Family("conv")
# Spatial sizes per rank; small, for every output element is one more number to store.
SIZE = {1: (9,), 2: (5, 6), 3: (3, 4, 3)}
KERN = {1: (3,), 2: (3, 2), 3: (2, 2, 2)}
HALF = ("bfloat16", "float16")


def case(op, d, nm, cin, cout, n, attrs, bias=True, groups=1, size=None, kern=None, batch=2, transpose=False):
    size, kern = size or SIZE[n], kern or KERN[n]
    w = (cin, cout // groups) + kern if transpose else (cout, cin // groups) + kern
    x = ((batch,) if batch else ()) + (cin,) + size

    def make(r):
        t = [r.t(d, x, -2, 2, 1 / 16), r.t(d, w, -1, 1, 1 / 16)]
        return t + [r.t(d, (cout,), -1, 1)] if bias else t
    f.case(op, "%s/%s" % (d, nm), make, dict(attrs, **({"groups": groups} if groups > 1 else {})), grad=True if d == "bfloat16" else None, loose=d in HALF)


for n in (1, 2, 3):
    op = "conv%dd" % n
    forms = [
        ("plain", 2, 3, {}, {}), ("no_bias", 2, 2, {}, {"bias": False}), ("stride2", 1, 2, {"stride": 2}, {}), ("padding1", 2, 2, {"padding": 1}, {}),
        ("dilation2", 1, 2, {"dilation": 2}, {"size": {1: (9,), 2: (6, 6), 3: (4, 4, 4)}[n]}), ("groups2", 4, 4, {}, {"groups": 2}), ("depthwise", 3, 6, {"padding": 1}, {"groups": 3}),
        ("stride_padding_dilation", 2, 2, {"stride": 2, "padding": 2, "dilation": 2}, {}), ("same", 1, 2, {"padding": "same"}, {}), ("valid", 1, 2, {"padding": "valid"}, {}),
        ("same_even_kernel", 1, 1, {"padding": "same"}, {"kern": {1: (4,), 2: (2, 4), 3: (2, 1, 2)}[n]}), ("same_dilation", 1, 1, {"padding": "same", "dilation": 2}, {}),
        ("unbatched", 2, 2, {}, {"batch": 0}), ("pointwise", 3, 2, {}, {"kern": (1,) * n}), ("one_output", 2, 2, {}, {"kern": SIZE[n]}),
    ]
    if n > 1:
        forms += [("per_dim", 1, 2, {"stride": [1, 2, 1][:n], "padding": [0, 1, 1][:n], "dilation": [2, 1, 1][:n]}, {}), ("padding_big", 1, 1, {"padding": [3, 2, 1][:n]}, {"kern": (2,) * n})]
    for nm, ci, co, a, kw in forms:
        for d in ("float32", "float64"):
            if d == "float64" and (n == 3 or nm in ("valid", "pointwise", "one_output", "no_bias", "per_dim")):
                continue
            case(op, d, nm, ci, co, n, a, **kw)
        if nm in ("plain", "stride_padding_dilation", "groups2") and n < 3:
            for d in ("bfloat16", "float16", "complex64"):
                case(op, d, nm, ci, co, n, a, **kw)
    case(op, "int64", "plain", 2, 2, n, {})
    f.case(op, "float32/empty_batch", lambda r: [r.t("float32", (0, 2) + SIZE[n]), r.t("float32", (2, 2) + KERN[n])])

    op = "conv_transpose%dd" % n
    tsize = {1: (5,), 2: (3, 4), 3: (2, 2, 3)}[n]
    forms = [
        ("plain", 2, 3, {}, {}), ("no_bias", 2, 2, {}, {"bias": False}), ("stride2", 1, 2, {"stride": 2}, {}), ("padding1", 2, 2, {"padding": 1}, {}),
        ("output_padding", 1, 2, {"stride": 2, "output_padding": 1}, {}), ("stride_padding_output_padding", 2, 2, {"stride": 2, "padding": 1, "output_padding": 1}, {}),
        ("dilation2", 1, 2, {"dilation": 2}, {}), ("groups2", 4, 4, {}, {"groups": 2}), ("depthwise", 2, 4, {"stride": 2}, {"groups": 2}),
        ("dilation_output_padding", 1, 1, {"dilation": 2, "output_padding": 1}, {}), ("stride3", 1, 1, {"stride": 3}, {}), ("unbatched", 2, 2, {}, {"batch": 0}), ("pointwise", 2, 2, {}, {"kern": (1,) * n}),
    ]
    if n > 1:
        forms += [("per_dim", 1, 2, {"stride": [1, 2, 2][:n], "padding": [0, 1, 0][:n], "output_padding": [0, 1, 1][:n]}, {})]
    for nm, ci, co, a, kw in forms:
        for d in ("float32", "float64"):
            if d == "float64" and (n == 3 or nm in ("no_bias", "pointwise", "per_dim", "stride3")):
                continue
            case(op, d, nm, ci, co, n, a, size=tsize, transpose=True, **kw)
        if nm in ("plain", "stride_padding_output_padding") and n < 3:
            for d in ("bfloat16", "complex64"):
                case(op, d, nm, ci, co, n, a, size=tsize, transpose=True, **kw)

f.write()
