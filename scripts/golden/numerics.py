"""More of linear algebra and of special functions: other sizes, batches, classes of matrices; values and gradients over whole domains."""
import scipy.special
import torch
from lib import Family, dt

f = Family("numerics")
L = torch.linalg
REAL, CPLX = ["float32", "float64"], ["complex64", "complex128"]


def square(d, *lead, n=3, shift=3.0):
    def make(r):
        x = r.t(d, lead + (n, n), -2, 2)
        return x + shift * torch.eye(n, dtype=x.dtype)
    return make


def definite(d, *lead, n=3):
    def make(r):
        x = r.t(d, lead + (n, n), -1, 1)
        return x @ x.mH + torch.eye(n, dtype=x.dtype)
    return make


def some(d, *shape):
    return lambda r: r.t(d, shape, -2, 2)


def case(op, name, makes, attrs=None, fn=None, grad=None):
    f.case(op, name, lambda r: [m(r) for m in makes], attrs, fn=fn, grad=grad, loose=True)


SIZES = [("n2", (), 2), ("n5", (), 5), ("b2x2", (2, 2), 2), ("b3x1", (3, 1), 3), ("b1_n4", (1,), 4)]
for d in REAL + CPLX:
    for nm, lead, n in SIZES:
        nm = d + "/" + nm
        a, s = square(d, *lead, n=n, shift=n), definite(d, *lead, n=n)
        case("matrix_exp", nm, [lambda r, a=a: a(r) / 4])
        for op in ("linalg_inv", "linalg_det", "linalg_slogdet", "logdet", "linalg_lu_factor", "linalg_lu"):
            if op == "logdet" and d in CPLX:
                continue
            case(op, nm, [a])
        case("linalg_solve", nm, [a, some(d, *lead, n, 2)])
        case("linalg_solve", nm + "_right", [a, some(d, *lead, 1, n)], {"left": False})
        case("linalg_cholesky", nm, [s])
        case("linalg_eigvalsh", nm, [s])
        case("linalg_svdvals", nm, [a])
        case("linalg_qr", nm, [a])
        case("linalg_pinv", nm, [some(d, *lead, n + 1, n)])
        case("linalg_matrix_norm", nm + "_nuc", [some(d, *lead, n, n + 1)], {"ord": "nuc"})
        case("linalg_matrix_norm", nm + "_2", [some(d, *lead, n, n + 1)], {"ord": 2})
        case("linalg_cond", nm, [a])
        case("matrix_power", nm, [a], {"n": 3})
        case("matrix_power", nm + "_inverse", [a], {"n": -2})
        low = lambda r, a=a: torch.tril(a(r))
        case("linalg_solve_triangular", nm, [low, some(d, *lead, n, 2)], {"upper": False})
        case("linalg_lstsq", nm, [some(d, *lead, n + 2, n), some(d, *lead, n + 2, 1)], {"driver": "gels"},
             fn=lambda a, b, driver: list(L.lstsq(a, b, driver=driver)), grad=False)


# Classes of matrices of LAPACK's tests: what has no sign or order to choose.
def scaled(d, values, n=4):
    """A symmetric matrix with the given eigenvalues; its vectors are a reflection's."""
    def make(r):
        v = r.t(d, (n, 1), 0.25, 2)
        v = v / L.vector_norm(v)
        q = torch.eye(n, dtype=v.dtype) - 2 * v @ v.mH
        return q @ torch.diag(torch.tensor(values, dtype=v.dtype)) @ q.mH
    return make


def wilkinson(d, n=5):
    return lambda r: (torch.diag(torch.tensor([abs(i - n // 2) for i in range(n)], dtype=dt(d))) +
                      torch.diag(torch.ones(n - 1, dtype=dt(d)), 1) + torch.diag(torch.ones(n - 1, dtype=dt(d)), -1))


CLASSES = {"graded": [1, 0.1, 0.01, 0.001], "clustered": [1, 1.25, 1.5, 4], "equal": [2, 2, 2, 2], "near_singular": [1, 1, 1, 2.0 ** -10],
           "zero": [0, 0, 0, 0], "rank2": [3, 1, 0, 0], "signs": [-2, -1, 1, 2]}
for d in REAL + CPLX:
    makes = {k: scaled(d, v) for k, v in CLASSES.items()}
    makes["wilkinson"] = wilkinson(d)
    for nm, m in makes.items():
        regular = nm not in ("zero", "rank2")
        # What the condition leaves of complex64 is too little to compare.
        exact = d != "complex64" or nm not in ("graded", "near_singular")
        case("linalg_eigvalsh", d + "/" + nm, [m], grad=False)
        case("linalg_svdvals", d + "/" + nm, [m], grad=False)
        case("linalg_matrix_norm", d + "/" + nm, [m], {"ord": "fro"})
        case("linalg_det", d + "/" + nm, [m], grad=False)
        case("linalg_matrix_rank", d + "/" + nm, [m], {"rtol": 1e-4})
        if exact:
            case("linalg_pinv", d + "/" + nm, [m], {"rtol": 1e-4}, grad=False)
        case("matrix_exp", d + "/" + nm, [m])
        if regular and exact and nm != "wilkinson":
            case("linalg_inv", d + "/" + nm, [m], grad=False)
            case("linalg_slogdet", d + "/" + nm, [m], grad=False)

# Functions of one argument: intervals of their domain, both types, with gradients where PyTorch has them.
NEAR, POS, UNIT, SIGNED, FAR = (-0.25, 0.25), (0.125, 4), (0.05, 0.95), (-3.9, 3.9), (4, 30)
UNARY = {"lgamma": [POS, FAR, (-3.9, -3.1)], "digamma": [POS, FAR, (-3.9, -3.1)], "erf": [NEAR, SIGNED], "erfc": [NEAR, SIGNED, (3, 6)],
         "erfinv": [NEAR, (-0.95, 0.95)], "special_erfcx": [NEAR, SIGNED, FAR], "i0": [NEAR, SIGNED, FAR], "special_i0e": [NEAR, SIGNED, FAR],
         "special_i1": [NEAR, SIGNED, FAR], "special_i1e": [NEAR, SIGNED, FAR], "special_ndtr": [NEAR, SIGNED],
         "special_ndtri": [UNIT], "special_log_ndtr": [NEAR, SIGNED, (-30, -4)], "special_entr": [POS], "logit": [UNIT],
         "sigmoid": [NEAR, SIGNED, FAR], "sinc": [NEAR, SIGNED], "expm1": [NEAR, SIGNED], "log1p": [NEAR, POS], "exp2": [SIGNED]}
PLAIN = {"special_bessel_j0": [NEAR, SIGNED, FAR], "special_bessel_j1": [NEAR, SIGNED, FAR], "special_bessel_y0": [POS, FAR],
         "special_bessel_y1": [POS, FAR], "special_modified_bessel_i0": [NEAR, SIGNED], "special_modified_bessel_i1": [NEAR, SIGNED],
         "special_modified_bessel_k0": [POS, FAR], "special_modified_bessel_k1": [POS, FAR],
         "special_scaled_modified_bessel_k0": [POS, FAR], "special_scaled_modified_bessel_k1": [POS, FAR],
         "special_spherical_bessel_j0": [NEAR, SIGNED, FAR], "special_airy_ai": [NEAR, SIGNED]}
# PyTorch's y0 has seven right digits for x between 5 and 8, so these are SciPy's.
SCIPY = {"special_bessel_y0": scipy.special.y0, "special_bessel_y1": scipy.special.y1}


def by_scipy(op):
    g = SCIPY.get(op)
    return g and (lambda x: torch.from_numpy(g(x.double().numpy())).to(x.dtype))


for table, grad in ((UNARY, None), (PLAIN, False)):
    for op, intervals in table.items():
        for lo, hi in intervals:
            for d in REAL:
                case(op, "%s/%g..%g" % (d, lo, hi), [lambda r, d=d, lo=lo, hi=hi: r.t(d, (7,), lo, hi)], grad=grad,
                     fn=by_scipy(op))
for n in (0, 1, 2, 3, 5):
    for lo, hi in (POS, FAR):
        for d in REAL:
            case("polygamma", "%s/n%d/%g" % (d, n, hi), [lambda r, d=d, lo=lo, hi=hi: r.t(d, (7,), lo, hi)], {"n": n},
                 fn=lambda x, n: torch.polygamma(n, x))
for p in (1, 2, 3, 4):
    for d in REAL:
        case("mvlgamma", "%s/p%d" % (d, p), [lambda r, d=d, p=p: r.t(d, (2, 3), p / 2, p / 2 + 4)], {"p": p})

# Functions of two: broadcast, both types.
for op, a, b in (("xlogy", SIGNED, POS), ("special_xlog1py", SIGNED, POS), ("special_zeta", (1.25, 6), POS), ("special_gammainc", POS, POS),
                 ("special_gammaincc", POS, POS)):
    grad = None if op in ("xlogy", "special_xlog1py") else False
    for d in REAL:
        for nm, sa, sb in (("same", (6,), (6,)), ("broadcast", (3, 1), (2,)), ("scalar", (), (4,)), ("far", (6,), (6,))):
            lo, hi = FAR if nm == "far" else b
            case(op, "%s/%s" % (d, nm), [lambda r, d=d, a=a, s=sa: r.t(d, s, *a), lambda r, d=d, s=sb, lo=lo, hi=hi: r.t(d, s, lo, hi)],
                 grad=grad)
POLYNOMIALS = ["chebyshev_polynomial_" + k for k in "tuvw"] + ["shifted_chebyshev_polynomial_" + k for k in "tuvw"] + [
    "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"]
for op in POLYNOMIALS:
    for n in (0, 1, 2, 3, 4, 7, 12):
        for d in REAL:
            case("special_" + op, "%s/n%d" % (d, n), [lambda r, d=d: r.t(d, (5,), 0.05, 0.95),
                                                     lambda r, d=d, n=n: torch.full((5,), n, dtype=dt(d))], grad=False)
f.write()
