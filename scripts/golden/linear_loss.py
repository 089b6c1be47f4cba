"""A loss that takes a linear layer with it; some rows at a time where the attribute says so."""
import torch
import torch.nn.functional as F
from lib import Family

f = Family("linear_loss", functional=True)
tgt = lambda r: torch.tensor([2, 0, 3, 1, 0, 4, 2])
prob = lambda r, d, s: r.t(d, s, 0.1, 0.9)


def loss(x, w, t, b=None, cw=None, batch_chunk_size=0, **kw):
    return F.linear_cross_entropy(x, w, t.detach(), linear_bias=b, weight=None if cw is None else cw.detach(), **kw)


for d in ("float32", "float64", "bfloat16"):
    lo, bg = d == "bfloat16", True if d == "bfloat16" else None
    for red in ("mean", "sum", "none"):
        for chunk in (0, 3, 1):
            kw = {"reduction": red, "batch_chunk_size": chunk} if chunk else {"reduction": red}
            name = "%s/%s%s" % (d, red, "_chunk%d" % chunk if chunk else "")
            loose = lo or chunk > 0
            two = lambda r, d=d: [r.t(d, (7, 4), -1, 1), r.t(d, (5, 4), -1, 1)]
            f.case("linear_cross_entropy", name, lambda r, two=two: two(r) + [tgt(r)], kw, fn=loss, grad=bg, loose=loose)
            f.case("linear_cross_entropy", name + "_bias", lambda r, two=two, d=d: two(r) + [tgt(r), r.t(d, (5,), -1, 1)], kw, fn=loss, grad=bg, loose=loose)
            f.case("linear_cross_entropy", name + "_weight_ignore_smooth", lambda r, two=two, d=d: two(r) + [tgt(r), r.t(d, (5,), -1, 1), r.t(d, (5,), 0.5, 2)],
                   dict(kw, ignore_index=0, label_smoothing=0.1), fn=loss, grad=bg, loose=loose)
            f.case("linear_cross_entropy", name + "_probabilities", lambda r, two=two, d=d: two(r) + [prob(r, d, (7, 5))], dict(kw, label_smoothing=0.2), fn=loss, grad=bg, loose=loose)
        f.case("linear_cross_entropy", "%s/%s_row" % (d, red), lambda r, d=d: [r.t(d, (4,), -1, 1), r.t(d, (5, 4), -1, 1), torch.tensor(3), r.t(d, (5,), -1, 1)], {"reduction": red}, fn=loss, grad=bg, loose=lo)
        f.case("linear_cross_entropy", "%s/%s_spatial" % (d, red), lambda r, d=d: [r.t(d, (3, 4), -1, 1), r.t(d, (5, 2, 4), -1, 1), r.idx((3, 2), 5), r.t(d, (5, 2), -1, 1)], {"reduction": red}, fn=loss, grad=bg, loose=lo)
f.write()
