"""Special functions: those of PyTorch with their gradients and edges, and those that SciPy alone has."""
import math

import numpy as np
import scipy.special as sp
import torch
from lib import FLOATS, Family, dt

f = Family("special")
inf, nan = math.inf, math.nan


def t(*v, d=torch.float64):
    return torch.tensor(v, dtype=d)


def scipy(g):
    """A SciPy function as one of tensors; the result has the first one's dtype."""
    def call(*x):
        y = torch.from_numpy(g(*[v.detach().double().numpy() for v in x]))
        return y.to(x[0].dtype if x[0].is_floating_point() else torch.float32)

    return call


# Incomplete gamma functions. PyTorch has the gradient by x alone.
for op in ("special_gammainc", "special_gammaincc"):
    g = getattr(torch.special, op[8:])
    for d in FLOATS:
        f.case(op, d + "/2d", lambda r, d=d: [r.t(d, (3, 4), 0.25, 8), r.t(d, (3, 4), 0.25, 8)], fn=g, grad=False,
               loose=d in ("float16", "bfloat16"))
    f.case(op, "int64", [torch.tensor([1, 2, 5]), torch.tensor([3, 1, 4])], fn=g)
    f.case(op, "broadcast", lambda r: [r.t("float64", (3, 1), 0.25, 8), r.t("float64", (4,), 0.25, 8)], fn=g, grad=False)
    f.case(op, "empty", lambda r: [r.t("float32", (0, 2), 1, 2), r.t("float32", (2,), 1, 2)], fn=g, grad=False)
    f.case(op, "edges", [t(0, 0, 1, 1, inf, 1, inf, -1, 1, nan, 1), t(0, 1, 0, inf, 1, 3, inf, 1, -1, 1, nan)], fn=g, grad=False)
    s = scipy(getattr(sp, op[8:]))
    f.case(op, "scipy/large", lambda r: [r.t("float64", (24,), 40, 400), r.t("float64", (24,), 40, 400)], fn=s, grad=False, loose=True)
    f.case(op, "scipy/small", lambda r: [r.t("float64", (24,), 1 / 64, 0.75, 1 / 64), r.t("float64", (24,), 1 / 64, 2, 1 / 64)],
           fn=s, grad=False, loose=True)

# Beta functions, SciPy's.
for d in FLOATS + ["int64"]:
    lo = 1 if d == "int64" else 0.25
    f.case("special_betaln", d, lambda r, d=d: [r.t(d, (3, 4), lo, 9), r.t(d, (3, 4), lo, 9)], fn=scipy(sp.betaln), grad=False)
    f.case("special_beta", d, lambda r, d=d: [r.t(d, (3, 4), lo, 9), r.t(d, (3, 4), lo, 9)], fn=scipy(sp.beta), grad=False)
    if d != "int64":
        f.case("special_betainc", d, lambda r, d=d: [r.t(d, (3, 4), lo, 9), r.t(d, (4,), lo, 9), r.t(d, (3, 1), 0.1, 0.9)],
               fn=scipy(sp.betainc), grad=False, loose=d in ("float16", "bfloat16"))
f.case("special_betaln", "far", [t(1e-300, 1e10, 1e5, 3, 0.5), t(2, 1e10, 0.25, 1e12, 1e-5)], fn=scipy(sp.betaln), grad=False, loose=True)
f.case("special_betainc", "edges", [t(1, 1, 2, -1, 1, nan, 2, 2), t(2, 2, 3, 1, -1, 1, 3, 3), t(0, 1, 0.5, 0.5, 0.5, 0.5, -0.1, 1.1)],
       fn=scipy(sp.betainc), grad=False)
f.case("special_betainc", "large",
       lambda r: [r.t("float64", (24,), 40, 400), r.t("float64", (24,), 40, 400), r.t("float64", (24,), 0.1, 0.9)],
       fn=scipy(sp.betainc), grad=False, loose=True)

# Inverses, and functions of one argument.
f.case("special_erfcinv", "float64", lambda r: [r.t("float64", (24,), 0.05, 1.95)], fn=scipy(sp.erfcinv), grad=False)
f.case("special_erfcinv", "edges", [t(0, 2, -0.5, 2.5, nan, inf, 1e-300, 1e-10, 1)], fn=scipy(sp.erfcinv), grad=False)
for d in ("float32", "float64"):
    f.case("special_airy_ai", d, lambda r, d=d: [r.t(d, (24,), -6, 6)], fn=scipy(lambda x: sp.airy(x)[0]), grad=False, loose=True)
f.case("special_airy_ai", "far", [t(-60.5, -25.25, -9.75, 9, 40, 110, nan)], fn=scipy(lambda x: sp.airy(x)[0]), grad=False, loose=True)
far = t(-1e4, -300, -38, -12, -5.5, -1, 0, 1, 5.5, 9, 12, 38)
f.case("special_log_ndtr", "far", [far])
f.case("special_ndtr", "far", [far])
f.case("special_erfcx", "far", [t(-20, -3, 0, 3, 20, 26.5, 300)])
f.case("digamma", "gradient_far", [t(0.01, 1, 1.4616321449683623, 12, 1e3, 1e8)], loose=True)
f.case("lgamma", "float64/near_zeros", [t(0.9, 0.99, 1.01, 1.1, 1.9, 1.99, 2.01, 2.1, 2.4, 0.6)])
for n in (1, 2, 3, 4):
    f.case("polygamma", "poles_%d" % n, [t(0.0, -1, -2, inf, nan, 1e10)], {"n": n}, fn=lambda x, n: torch.polygamma(n, x), grad=False,
           loose=True)
f.case("special_zeta", "poles",
       [t(1, 1, 2, 2, 3, 0.5, -1, 2.5, 2, nan, 2, inf), t(1, -1, 0, -1, -2, 1, 2, -0.5, inf, 1, nan, 2)], grad=False)
by_polygamma = scipy(lambda s, q: sp.polygamma(s.astype(int) - 1, q) / sp.gamma(s) * (-1) ** s.astype(int))
f.case("special_zeta", "negative", [t(2, 3, 4, 5), t(-0.5, -1.5, -2.25, -0.75)], fn=by_polygamma, grad=False, loose=True)
for op in ("special_i0e", "special_i1e", "special_modified_bessel_k0", "special_modified_bessel_k1", "special_scaled_modified_bessel_k0",
           "special_scaled_modified_bessel_k1"):
    f.case(op, "edges", [t(0, inf, nan)], grad=False)

# Polynomials beyond 1 in modulus, at the ends, and of negative degrees.
x = t(-2.5, -1, -0.5, 0, 0.5, 1, 2.5)
for op in ("chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w", "hermite_polynomial_h",
           "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"):
    for n in (-3, -1, 0, 1, 2, 5, 9):
        f.case("special_" + op, "n%d" % n, [x, torch.full_like(x, n)], grad=False, loose=True)

# Implicit gradients of samples are differences of SciPy's functions; PyTorch approximates them to some four digits.
def gamma_grad(a, x):
    h = 1e-4 * a
    d = (8 * (sp.gammainc(a + h, x) - sp.gammainc(a - h, x)) - (sp.gammainc(a + 2 * h, x) - sp.gammainc(a - 2 * h, x))) / (12 * h)
    return -d / (x ** (a - 1) * np.exp(-x) / sp.gamma(a))


def dirichlet_grad(x, a, total):
    b, h = total - a, 1e-4 * a
    d = (8 * (sp.betainc(a + h, b, x) - sp.betainc(a - h, b, x)) - (sp.betainc(a + 2 * h, b, x) - sp.betainc(a - 2 * h, b, x))) / (12 * h)
    return -d / (x ** (a - 1) * (1 - x) ** (b - 1) / sp.beta(a, b)) / (1 - x)


for d in ("float32", "float64"):
    f.case("standard_gamma_grad", d, lambda r, d=d: [r.t(d, (24,), 0.5, 8), r.t(d, (24,), 0.5, 8)], fn=scipy(gamma_grad),
           grad=False, loose=True)
    f.case("dirichlet_grad", d, lambda r, d=d: [r.t(d, (24,), 0.2, 0.6), r.t(d, (24,), 1, 4), r.t(d, (24,), 5, 9)],
           fn=scipy(dirichlet_grad), grad=False, loose=True)

f.write()
