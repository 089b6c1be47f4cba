"""Matrix and vector products."""
import torch
from lib import ALL, FLOATS, Family

f = Family("matmul")
HALF = ("bfloat16", "float16")
NUM = [d for d in ALL if d != "bool"]
ts = lambda d, *shapes: (lambda r: [r.t(d, s, -2, 2) for s in shapes])
bg = lambda d: True if d == "bfloat16" else None


def case(op, d, nm, shapes, attrs=None, fn=None):
    f.case(op, "%s/%s" % (d, nm), ts(d, *shapes), attrs, fn=fn, grad=bg(d), loose=d in HALF)


FORMS = [("2d_2d", (2, 3), (3, 4)), ("1d_1d", (4,), (4,)), ("1d_2d", (3,), (3, 2)), ("2d_1d", (2, 3), (3,)), ("batch", (2, 2, 3), (2, 3, 2)),
         ("batch_broadcast", (2, 1, 2, 3), (3, 3, 2)), ("3d_2d", (2, 2, 3), (3, 4)), ("2d_3d", (2, 3), (2, 3, 2)), ("3d_1d", (2, 2, 3), (3,)), ("1d_3d", (3,), (2, 3, 2)),
         ("row_col", (1, 4), (4, 1)), ("col_row", (3, 1), (1, 3)), ("empty_rows", (0, 3), (3, 2)), ("empty_inner", (2, 0), (0, 3)), ("empty_batch", (0, 2, 3), (0, 3, 2))]
for d in NUM:
    for nm, a, b in FORMS:
        if d in ("float32", "float64", "int64", "bfloat16") or nm in ("2d_2d", "batch", "1d_1d"):
            case("matmul", d, nm, (a, b))
    case("mm", d, "2d", ((2, 3), (3, 2)))
    case("bmm", d, "3d", ((2, 2, 3), (2, 3, 2)))
    case("mv", d, "2d", ((2, 3), (3,)))
    case("dot", d, "1d", ((5,), (5,)))
    case("vdot", d, "1d", ((5,), (5,)))
    case("outer", d, "1d", ((2,), (3,)))
    case("inner", d, "2d", ((2, 3), (4, 3)))
    case("kron", d, "2d", ((2, 2), (1, 3)))
    case("trace", d, "2d", ((3, 4),))
f.case("matmul", "float32/larger", ts("float32", (7, 33), (33, 9)))
f.case("matmul", "bfloat16/larger", ts("bfloat16", (5, 40), (40, 6)), loose=True, grad=True)
f.case("matmul", "float32/nan_times_zero", [torch.tensor([[0.0, 1.0]]), torch.tensor([[float("nan")], [2.0]])], grad=False)
f.case("matmul", "float32/inf", [torch.tensor([[1.0, 1.0]]), torch.tensor([[float("inf")], [-2.0]])], grad=False)
f.case("matmul", "int32/wrap", [torch.full((1, 2), 1 << 30, dtype=torch.int32), torch.full((2, 1), 2, dtype=torch.int32)])
f.case("matmul", "uint8/wrap", [torch.full((1, 2), 200, dtype=torch.uint8), torch.full((2, 1), 2, dtype=torch.uint8)])
for d in ("float32", "float64"):
    case("inner", d, "1d", ((3,), (3,)))
    case("inner", d, "3d", ((2, 2, 3), (3,)))
    case("inner", d, "0d", ((), (2, 3)))
    case("kron", d, "mixed_dims", ((2,), (2, 1, 2)))
    case("kron", d, "0d", ((), (2, 2)))
    case("mm", d, "empty", ((0, 3), (3, 2)))
    case("dot", d, "empty", ((0,), (0,)))
    for nm, sa, sb, dims in [("1", (2, 3), (3, 4), 1), ("2", (2, 3, 4), (3, 4, 2), 2), ("0", (2,), (3,), 0), ("lists", (2, 3, 4), (4, 2, 3), [[0, 1], [1, 2]]), ("neg", (2, 3), (4, 3), [[-1], [-1]]), ("all", (2, 3), (2, 3), 2)]:
        case("tensordot", d, "dims_" + nm, (sa, sb), {"dims": dims})
    case("chain_matmul", d, "three", ((2, 3), (3, 4), (4, 2)), fn=lambda *xs: torch.linalg.multi_dot(xs))
    case("chain_matmul", d, "vectors", ((3,), (3, 4), (4,)), fn=lambda *xs: torch.linalg.multi_dot(xs))
    case("matrix_power", d, "3", ((3, 3),), {"n": 3})
    case("matrix_power", d, "0", ((2, 2),), {"n": 0})

ADDS = [("addmm", [(2, 4), (2, 3), (3, 4)]), ("addbmm", [(2, 4), (3, 2, 3), (3, 3, 4)]), ("baddbmm", [(2, 2, 4), (2, 2, 3), (2, 3, 4)]),
        ("addmv", [(2,), (2, 3), (3,)]), ("addr", [(2, 3), (2,), (3,)])]
for op, shapes in ADDS:
    for d in FLOATS + ["int64", "int32", "complex64"]:
        case(op, d, "plain", shapes)
        case(op, d, "beta_alpha", shapes, {"beta": 2, "alpha": 3} if "int" in d else {"beta": 0.5, "alpha": -1.5})
    case(op, "float32", "beta0", shapes, {"beta": 0})
    # beta = 0 ignores the input, even a NaN in it
    f.case(op, "float32/beta0_nan", lambda r, s=shapes: [torch.full(s[0], float("nan"))] + [r.t("float32", x) for x in s[1:]], {"beta": 0}, grad=False)
    bc = {"addmm": (4,), "addbmm": (4,), "baddbmm": (1, 4), "addmv": (1,), "addr": (3,)}[op]
    case(op, "float32", "broadcast", [bc] + shapes[1:])
    case(op, "float64", "broadcast_col", [(1, 1) if op != "addmv" else (1,)] + shapes[1:])

EIN = [("ij,jk->ik", [(2, 3), (3, 4)]), ("ij,jk", [(2, 3), (3, 2)]), ("bij,bjk->bik", [(2, 2, 3), (2, 3, 2)]), ("i,i->", [(4,), (4,)]), ("i,j->ij", [(2,), (3,)]),
       ("ij->ji", [(2, 3)]), ("ij->", [(2, 3)]), ("ij->j", [(2, 3)]), ("ii->i", [(3, 3)]), ("ii->", [(3, 3)]), ("ii", [(3, 3)]), ("...ij,...jk->...ik", [(2, 1, 2, 3), (2, 3, 2)]),
       ("bhqd,bhkd->bhqk", [(1, 2, 3, 2), (1, 2, 2, 2)]), ("ij,jk,kl->il", [(2, 3), (3, 2), (2, 2)]), ("ij,ij->ij", [(2, 3), (2, 3)]), ("ij,j->i", [(2, 3), (3,)]), ("abc,cd->abd", [(2, 1, 3), (3, 2)]),
       ("i...->...i", [(2, 3, 2)]), ("ba", [(2, 3)]), ("ij,kl->ijkl", [(2, 2), (1, 3)]), ("bii->bi", [(2, 3, 3)]), ("ij,ji->", [(2, 3), (3, 2)]), (" ij , jk -> ik ", [(2, 3), (3, 2)]), ("...,...->...", [(2, 3), (3,)]), (",->", [(), ()]), ("iij,jk->ik", [(2, 2, 3), (3, 2)]),
       ("aB,Bc->ac", [(2, 3), (3, 2)]), ("...i->...", [(2, 3, 2)]), ("ij,kj->ik", [(1, 3), (2, 1)])]
for n, (eq, shapes) in enumerate(EIN):
    for d in ("float32", "float64"):
        case("einsum", d, "%02d_%s" % (n, eq.replace(" ", "_")), shapes, {"equation": eq}, fn=lambda *xs, equation: torch.einsum(equation, *xs))
    if n in (0, 2, 12):
        for d in ("bfloat16", "int64", "complex64"):
            case("einsum", d, "%02d_%s" % (n, eq), shapes, {"equation": eq}, fn=lambda *xs, equation: torch.einsum(equation, *xs))

for d in ("float32", "float64"):
    for p in (2.0, 1.0, 3.0, float("inf"), 0.5, 0.0):
        f.case("cdist", "%s/p%s" % (d, p), lambda r, d=d: [r.distinct(d, (3, 2)), r.distinct(d, (4, 2)) + 0.0625], {"p": p})
    f.case("cdist", d + "/batch", ts(d, (2, 3, 2), (2, 2, 2)))
    f.case("cdist", d + "/batch_broadcast", ts(d, (1, 3, 2), (2, 2, 2)))
    f.case("cdist", d + "/empty", ts(d, (0, 2), (3, 2)))
    f.case("pdist", d + "/p2", lambda r, d=d: [r.distinct(d, (4, 3))])
    f.case("pdist", d + "/p1", lambda r, d=d: [r.distinct(d, (4, 3))], {"p": 1.0})
f.case("cdist", "float32/same_point_ties", [torch.tensor([[1.0, 2.0]]), torch.tensor([[1.0, 2.0], [0.0, 0.0]])])
for d in FLOATS + ["int64", "complex64"]:
    f.case("cross", d + "/last", ts(d, (2, 3), (2, 3)), {"dim": 1}, grad=bg(d), loose=d in HALF)
    f.case("cross", d + "/dim0", ts(d, (3, 2), (3, 2)), {"dim": 0}, grad=bg(d), loose=d in HALF)
f.case("linalg_cross", "float32/broadcast", ts("float32", (1, 3), (4, 3)))
for d in ("float32", "float64", "bfloat16", "int64"):
    f.case("linear", d + "/bias", ts(d, (2, 3), (4, 3), (4,)), grad=bg(d), loose=d in HALF)
    f.case("linear", d + "/no_bias", ts(d, (2, 2, 3), (4, 3)), grad=bg(d), loose=d in HALF)
    f.case("linear", d + "/1d", ts(d, (3,), (4, 3), (4,)), grad=bg(d), loose=d in HALF)
    f.case("bilinear", d + "/bias", ts(d, (2, 3), (2, 2), (4, 3, 2), (4,)), grad=bg(d), loose=d in HALF)
f.case("linear", "float32/empty", ts("float32", (0, 3), (4, 3), (4,)))

f.write()
