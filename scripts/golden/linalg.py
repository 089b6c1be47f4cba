"""Linear algebra: factorisations, solvers, functions of matrices; and a few functions like them."""
import torch
from lib import Family

f = Family("linalg")
L = torch.linalg
REAL = ["float32", "float64"]
CPLX = ["complex64", "complex128"]
DT = REAL + CPLX


def square(d, *lead, n=3, shift=3.0):
    """Matrices that are far from singular."""
    def make(r):
        x = r.t(d, lead + (n, n), -2, 2)
        return x + shift * torch.eye(n, dtype=x.dtype)
    return make


def definite(d, *lead, n=3):
    """Hermitian positive definite matrices."""
    def make(r):
        x = r.t(d, lead + (n, n), -2, 2)
        return x @ x.mH + torch.eye(n, dtype=x.dtype)
    return make


def some(d, *shape):
    return lambda r: r.t(d, shape, -2, 2)


def both(*makes):
    return lambda r: [m(r) for m in makes]


def case(op, d, name, makes, attrs=None, fn=None, grad=None):
    f.case(op, "%s/%s" % (d, name), both(*makes), attrs, fn=fn, grad=grad, loose=True)


for d in DT:
    for nm, m in [("plain", square(d)), ("batch", square(d, 2)), ("one", square(d, n=1)), ("empty", some(d, 0, 0)), ("no_batch", some(d, 0, 2, 2))]:
        case("linalg_inv", d, nm, [m])
        case("linalg_inv_ex", d, nm, [m])
        case("linalg_det", d, nm, [m])
        case("linalg_slogdet", d, nm, [m])
        case("logdet", d, nm, [m])
        if nm != "plain" and nm != "batch":  # several have no order
            case("linalg_eigvals", d, nm, [m])
        case("matrix_exp", d, nm, [m])
        case("linalg_lu_factor", d, nm, [m])
        case("linalg_lu_factor_ex", d, nm, [m])
        case("linalg_lu", d, nm, [m])
    case("linalg_det", d, "singular", [lambda r, d=d: torch.ones(3, 3, dtype=getattr(torch, d))])
    for nm, m in [("plain", definite(d)), ("batch", definite(d, 2)), ("empty", some(d, 0, 0))]:
        case("linalg_cholesky", d, nm, [m])
        case("linalg_cholesky", d, nm + "_upper", [m], {"upper": True})
        case("linalg_cholesky_ex", d, nm, [m])
        case("linalg_eigvalsh", d, nm, [m])
        case("linalg_eigvalsh", d, nm + "_upper", [m], {"UPLO": "U"})
    for nm, a, b in [("plain", square(d), some(d, 3, 2)), ("vector", square(d), some(d, 3)), ("batch", square(d, 2), some(d, 2, 3, 2)),
                     ("batch_vector", square(d, 2), some(d, 2, 3)), ("broadcast", square(d, 2, 1), some(d, 3, 3, 2))]:
        case("linalg_solve", d, nm, [a, b])
        case("linalg_solve_ex", d, nm, [a, b], fn=lambda a, b, **k: L.solve_ex(a, b, **k)[::1])
    case("linalg_solve", d, "right", [square(d), some(d, 2, 3)], {"left": False})
    for up in (False, True):
        for unit in (False, True):
            nm = ("upper" if up else "lower") + ("_unit" if unit else "")
            a = lambda r, d=d, up=up: (torch.triu if up else torch.tril)(square(d)(r))
            case("linalg_solve_triangular", d, nm, [a, some(d, 3, 2)], {"upper": up, "unitriangular": unit})
        case("linalg_solve_triangular", d, nm + "_right", [a, some(d, 2, 3)], {"upper": up, "left": False})
    for nm, s in [("tall", (4, 3)), ("wide", (3, 4)), ("batch", (2, 3, 3)), ("empty", (0, 2)), ("no_columns", (3, 0))]:
        case("linalg_qr", d, nm, [some(d, *s)])
        if s[-2] <= s[-1]:  # the others have no gradient
            case("linalg_qr", d, nm + "_complete", [some(d, *s)], {"mode": "complete"})
        case("linalg_qr", d, nm + "_r", [some(d, *s)], {"mode": "r"}, grad=False)
        case("linalg_svdvals", d, nm, [some(d, *s)])
        case("linalg_matrix_rank", d, nm, [some(d, *s)])
        case("linalg_pinv", d, nm, [some(d, *s)])
        case("geqrf", d, nm, [some(d, *s)], grad=False)
        case("linalg_lu_factor", d, nm + "_shape", [some(d, *s)])
    tall = lambda r, d=d: torch.geqrf(some(d, 4, 3)(r))
    case("linalg_householder_product", d, "plain", [lambda r, t=tall: t(r)[0], lambda r, d=d: some(d, 3)(r) / 4])
    case("ormqr", d, "plain", [lambda r, t=tall: t(r)[0], lambda r, d=d: some(d, 3)(r) / 4, some(d, 4, 2)])
    case("ormqr", d, "right", [lambda r, t=tall: t(r)[0], lambda r, d=d: some(d, 3)(r) / 4, some(d, 2, 4)], {"left": False, "transpose": True})
    case("linalg_pinv", d, "hermitian", [definite(d)], {"hermitian": True})
    case("linalg_pinv", d, "rtol", [some(d, 3, 3)], {"rtol": 0.4})
    case("linalg_matrix_rank", d, "hermitian", [definite(d)], {"hermitian": True})
    case("linalg_matrix_rank", d, "atol", [some(d, 3, 3)], {"atol": 2.0})
    for drv in ("gels", "gelsy", "gelsd", "gelss"):
        full = lambda a, b, driver=None: list(L.lstsq(a, b, driver=driver))
        case("linalg_lstsq", d, drv, [some(d, 5, 3), some(d, 5, 2)], {"driver": drv}, fn=full, grad=False)
        case("linalg_lstsq", d, drv + "_wide", [some(d, 3, 5), some(d, 3, 2)], {"driver": drv}, fn=full, grad=False)
    case("linalg_ldl_factor", d, "plain", [lambda r, d=d: definite(d)(r).real.to(getattr(torch, d))], grad=False)
    case("linalg_ldl_factor", d, "hermitian", [definite(d)], {"hermitian": True}, grad=False)
    case("linalg_ldl_factor_ex", d, "hermitian", [definite(d)], {"hermitian": True}, grad=False)
    for p in ("fro", "nuc", 1, -1, 2, -2, float("inf"), float("-inf")):
        case("linalg_matrix_norm", d, "ord_%s" % p, [some(d, 2, 3, 4)], {"ord": p})
        case("linalg_norm", d, "ord_%s" % p, [some(d, 3, 4)], {"ord": p})
        case("linalg_cond", d, "p_%s" % p, [square(d)], {"p": p})
    case("linalg_matrix_norm", d, "dim_keep", [some(d, 2, 3, 4)], {"ord": "nuc", "dim": [2, 0], "keepdim": True})
    case("linalg_norm", d, "none", [some(d, 2, 3, 2)])
    case("linalg_norm", d, "vector", [some(d, 2, 3)], {"ord": 3, "dim": 1})
    case("linalg_cond", d, "none", [some(d, 3, 4)])
    case("cholesky_solve", d, "plain", [some(d, 3, 2), lambda r, d=d: L.cholesky(definite(d)(r))])
    case("cholesky_inverse", d, "plain", [lambda r, d=d: L.cholesky(definite(d)(r))])
    case("cholesky_inverse", d, "upper", [lambda r, d=d: L.cholesky(definite(d)(r)).mH.contiguous()], {"upper": True})
    case("linalg_tensorinv", d, "plain", [lambda r, d=d: square(d, n=6)(r).reshape(2, 3, 6)])
    case("linalg_tensorsolve", d, "plain", [lambda r, d=d: square(d, n=6)(r).reshape(2, 3, 6), some(d, 2, 3)])
    case("matrix_power", d, "negative", [square(d)], {"n": -3})
    case("matrix_power", d, "minus_one", [square(d, 2)], {"n": -1})
    lu = L.lu_factor(square(d)(__import__("lib").Rng("linalg/lu/" + d)))
    for nm, at in [("plain", {}), ("adjoint", {"adjoint": True}), ("right", {"left": False})]:
        case("linalg_lu_solve", d, nm, [lambda r, lu=lu: lu[0], lambda r, lu=lu: lu[1], some(d, 2, 3) if "left" in at else some(d, 3, 2)], at)
    case("lu_unpack", d, "plain", [lambda r, lu=lu: lu[0], lambda r, lu=lu: lu[1]])
    ldl = L.ldl_factor(definite(d)(__import__("lib").Rng("linalg/ldl/" + d)), hermitian=True)
    case("linalg_ldl_solve", d, "plain", [lambda r, l=ldl: l[0], lambda r, l=ldl: l[1], some(d, 3, 2)], {"hermitian": True}, grad=False)
    case("gradient", d, "plain", [some(d, 4, 3)])
    case("gradient", d, "edge", [some(d, 4, 3)], {"spacing": [0.5], "dim": [0], "edge_order": 2}, fn=lambda x, spacing, dim, edge_order: torch.gradient(x, spacing=spacing, dim=dim, edge_order=edge_order))
    case("renorm", d, "plain", [some(d, 3, 4)], {"p": 2.0, "dim": 0, "maxnorm": 1.5})
    case("sum_to_size", d, "plain", [some(d, 2, 3, 4)], {"size": [3, 1]}, fn=lambda x, size: x.sum_to_size(*size))
case("unravel_index", "int64", "plain", [lambda r: r.idx((5,), 24)], {"shape": [2, 3, 4]})
for d in ("int64", "float32", "bool"):
    case("nonzero_static", d, "plain", [lambda r, d=d: torch.tensor([[0, 3, 0], [1, 0, 2]]).to(getattr(torch, d))], {"size": 5}, grad=False)
    case("nonzero_static", d, "short", [lambda r, d=d: torch.tensor([[0, 3, 0], [1, 0, 2]]).to(getattr(torch, d))], {"size": 2, "fill_value": 7}, grad=False)

# Batches that broadcast or are empty, matrices without rows or columns, drivers, and gradients of all of them.
for d in ("float32", "complex128"):
    case("linalg_vander", d, "batch", [some(d, 2, 3)], {"N": 4})
    case("linalg_vander", d, "plain", [some(d, 3)])
    case("linalg_vander", d, "empty", [some(d, 2, 0, 3)])
    real = "float64" if d.endswith("128") else d if d.startswith("float") else "float32"
    tol = lambda *v, real=real: (lambda r: torch.tensor(v, dtype=getattr(torch, real)))
    by = lambda f: (lambda x, *t, **k: f(x, **dict(zip(("atol", "rtol"), [v.detach() for v in t])), **k))
    case("linalg_matrix_rank", d, "tensors", [some(d, 2, 3, 3), tol(0.5, 2.5), tol(0.25)], fn=by(L.matrix_rank))
    case("linalg_matrix_rank", d, "tensor", [some(d, 2, 4, 3), tol(0.0, 3.5)], fn=by(L.matrix_rank))
    case("linalg_pinv", d, "tensors", [some(d, 2, 3, 4), tol(0.5, 2.5), tol(0.25)], fn=by(L.pinv))
    case("linalg_pinv", d, "tensor", [some(d, 2, 4, 3), tol(0.0, 3.5)], fn=by(L.pinv))
    case("linalg_pinv", d, "tensors_hermitian", [definite(d, 2), tol(0.5, 4.5), tol(0.25)], {"hermitian": True}, fn=by(L.pinv))
    case("linalg_pinv", d, "atol_rtol", [some(d, 3, 3)], {"atol": 1.0, "rtol": 0.1})
    at = lambda d=real: (lambda r: torch.cumsum(r.t(d, (4,), 0.25, 2), 0))
    spaced = lambda x, *p, **k: torch.gradient(x, spacing=p, **k)
    if d in REAL:
        case("gradient", d, "coordinates", [some(d, 4, 3), at(), lambda r, a=at(): a(r)[:3]], fn=spaced)
    case("gradient", d, "coordinates_edge", [some(d, 3, 4), at()], {"dim": [1], "edge_order": 2}, fn=spaced)
    for nm, a, b in [("broadcast_left", square(d), some(d, 2, 3, 2)), ("broadcast_right", square(d, 2), some(d, 3, 2)),
                     ("broadcast_both", square(d, 2, 1), some(d, 1, 3, 3, 2)), ("no_batch", some(d, 0, 3, 3), some(d, 0, 3, 2)),
                     ("no_columns", square(d, 2), some(d, 2, 3, 0)), ("no_rows", some(d, 2, 0, 0), some(d, 2, 0, 2)),
                     ("larger", square(d, 2, n=7, shift=9.0), some(d, 2, 7, 5)), ("many", square(d, 19, n=2), some(d, 19, 2, 1))]:
        case("linalg_solve", d, nm, [a, b])
        if nm != "many":
            case("linalg_solve", d, nm + "_right", [a, lambda r, b=b: b(r).mT.contiguous()], {"left": False})
            low = lambda r, a=a: torch.tril(a(r))
            case("linalg_solve_triangular", d, nm, [low, b], {"upper": False})
            case("linalg_solve_triangular", d, nm + "_right", [low, lambda r, b=b: b(r).mT.contiguous()], {"upper": False, "left": False})
            case("cholesky_solve", d, nm, [b, low], grad=False)
    case("linalg_solve", d, "one_vector", [square(d, 2), some(d, 3)])
    for nm, m in [("one", square(d, n=1)), ("two", square(d, 9, n=2)), ("larger", square(d, 2, n=7, shift=9.0)), ("batches", square(d, 2, 3, n=4, shift=6.0))]:
        for op in ("linalg_inv", "linalg_det", "linalg_slogdet", "matrix_exp"):
            if op != "matrix_exp" or nm != "larger":  # its numbers are too large for float32
                case(op, d, "more_" + nm, [m])
    for nm, m in [("one", definite(d, n=1)), ("batches", definite(d, 2, 3, n=4)), ("no_batch", some(d, 0, 3, 3))]:
        case("linalg_cholesky", d, nm, [m])
        case("linalg_eigvalsh", d, nm, [m])
        case("linalg_inv", d, nm + "_definite", [m])
        case("cholesky_inverse", d, nm, [lambda r, m=m: L.cholesky(m(r))], grad=False)
    for nm, s in [("tall", (4, 2)), ("wide", (2, 4)), ("batches", (2, 1, 3, 2)), ("no_rows", (0, 3)), ("no_columns", (3, 0)), ("no_batch", (0, 3, 2))]:
        case("linalg_qr", d, nm + "_more", [some(d, *s)])
        case("linalg_svdvals", d, nm + "_more", [some(d, *s)])
        case("linalg_pinv", d, nm + "_more", [some(d, *s)])
        case("linalg_matrix_rank", d, nm + "_more", [some(d, *s)])
        case("linalg_lu_factor", d, nm + "_more", [some(d, *s)])
        case("linalg_lu", d, nm + "_more", [some(d, *s)])
        if 0 not in s[-2:]:
            case("linalg_matrix_norm", d, nm + "_nuc", [some(d, *s)], {"ord": "nuc"})
            case("linalg_matrix_norm", d, nm + "_two", [some(d, *s)], {"ord": 2})
    for drv in ("gels", "gelsy", "gelsd", "gelss"):
        full = lambda a, b, driver=None, rcond=None: list(L.lstsq(a, b, driver=driver, rcond=rcond))
        case("linalg_lstsq", d, drv + "_batches", [some(d, 2, 5, 3), some(d, 2, 5, 2)], {"driver": drv}, fn=full, grad=False)
        case("linalg_lstsq", d, drv + "_vector", [some(d, 2, 5, 3), some(d, 2, 5)], {"driver": drv}, fn=full, grad=False)
        case("linalg_lstsq", d, drv + "_no_batch", [some(d, 0, 5, 3), some(d, 0, 5, 2)], {"driver": drv}, fn=full, grad=False)
        if drv != "gels":
            case("linalg_lstsq", d, drv + "_rcond", [lambda r, d=d: some(d, 5, 2)(r) @ some(d, 2, 3)(r), some(d, 5, 2)], {"driver": drv, "rcond": 0.01}, fn=full, grad=False)
    case("linalg_lstsq", d, "solution", [some(d, 2, 5, 3), some(d, 2, 5, 2)], fn=lambda a, b: [L.lstsq(a, b)[0]])
    case("linalg_lstsq", d, "solution_wide", [some(d, 3, 5), some(d, 3, 2)], fn=lambda a, b: [L.lstsq(a, b)[0]])
    case("matrix_power", d, "zero", [square(d, 2)], {"n": 0})
    case("matrix_power", d, "five", [square(d, 2)], {"n": 5})
    case("matrix_power", d, "no_batch", [some(d, 0, 2, 2)], {"n": -2})
    case("linalg_tensorinv", d, "one", [lambda r, d=d: square(d, n=4)(r).reshape(4, 2, 2)], {"ind": 1})
    case("linalg_tensorsolve", d, "dims", [lambda r, d=d: square(d, n=6)(r).reshape(2, 3, 6).movedim(1, 2).contiguous(), some(d, 2, 3)], {"dims": [1]})
    many = lambda r, d=d: torch.geqrf(some(d, 2, 4, 3)(r))[0]
    case("linalg_householder_product", d, "batch", [many, lambda r, d=d: some(d, 2, 3)(r) / 4])
    case("linalg_householder_product", d, "fewer", [many, lambda r, d=d: some(d, 2, 2)(r) / 4])
    case("ormqr", d, "batch", [many, lambda r, d=d: some(d, 2, 3)(r) / 4, some(d, 2, 4, 2)], {"transpose": True})
    lu = L.lu_factor(square(d, 2)(__import__("lib").Rng("linalg/lu2/" + d)))
    for nm, at in [("batch", {}), ("batch_adjoint", {"adjoint": True}), ("batch_right", {"left": False}), ("batch_both", {"adjoint": True, "left": False})]:
        case("linalg_lu_solve", d, nm, [lambda r, lu=lu: lu[0], lambda r, lu=lu: lu[1], some(d, 2, 3, 3)], at)
    case("lu_unpack", d, "batch", [lambda r, lu=lu: lu[0], lambda r, lu=lu: lu[1]])
    case("renorm", d, "inf", [some(d, 3, 4, 2)], {"p": float("inf"), "dim": 1, "maxnorm": 1.5})
    case("renorm", d, "one", [some(d, 3, 4, 2)], {"p": 1.0, "dim": -1, "maxnorm": 0.5})
    case("sum_to_size", d, "ones", [some(d, 2, 3)], {"size": [1]}, fn=lambda x, size: x.sum_to_size(*size))
    for p in (None, 1, float("inf"), "fro", "nuc", -2):
        case("linalg_cond", d, "batch_%s" % p, [square(d, 2)], {} if p is None else {"p": p}, grad=None if p in (None, -2, "nuc") else False)
    case("linalg_norm", d, "order_zero", [some(d, 4)], {"ord": 0}, grad=False)
    case("linalg_norm", d, "dims", [some(d, 2, 3, 4)], {"ord": 1, "dim": [0, 2], "keepdim": True})
case("linalg_vander", "int64", "batch", [lambda r: r.t("int64", (2, 2))])
f.write()
