"""Complex numbers. Gradients follow PyTorch's convention: the conjugate Wirtinger derivative,
so that for a real loss L the gradient is dL/d(re) + i dL/d(im)."""
import math

import torch
from lib import CPLX, Family, dt

f = Family("complex")
SPEC = torch.tensor([complex(0, 0), complex(1, 0), complex(-1, 0), complex(0, 1), complex(0, -1), complex(-0.0, 0.0), complex(-1, -0.0), complex(3, 4),
                     complex(math.inf, 0), complex(0, math.inf), complex(math.nan, 0), complex(1, math.nan), complex(-math.inf, math.inf)])

for op in ("real", "imag", "conj", "conj_physical", "resolve_conj", "angle", "abs", "sgn", "view_as_real", "neg", "square", "reciprocal", "exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "isnan", "isinf", "isfinite", "isreal"):
    for d in CPLX:
        for nm, s in [("1d", (5,)), ("2d", (2, 3)), ("0d", ()), ("empty", (0, 2))]:
            f.case(op, "%s/%s" % (d, nm), lambda r, d=d: [r.t(d, s, -2, 2)])
    if op not in ("exp", "log", "sqrt", "sin", "cos", "tanh", "sigmoid", "square", "reciprocal"):
        # the elementary functions at infinities and NaN follow no one rule; they are left out
        for d in CPLX:
            # what sgn makes of infinities depends on the vector unit
            f.case(op, d + "/special", [(SPEC[:8] if op == "sgn" else SPEC).to(dt(d))], grad=False)
for d in ("float32", "float64", "int64", "bool"):
    for op in ("real", "conj", "conj_physical", "angle", "abs", "sgn", "isreal"):
        f.case(op, d + "/1d", [torch.tensor([-2, 0, 1, 3]).to(dt(d))])
f.case("angle", "float32/special", [torch.tensor([0.0, -0.0, -1.0, math.inf, -math.inf, math.nan])], grad=False)
for op in ("abs", "angle", "sgn"):
    f.case(op, "complex64/zero_grad", [torch.tensor([0j, 1 + 1j])])
f.case("sqrt", "complex64/branch", [torch.tensor([complex(-4, 0.0), complex(-4, -0.0), complex(0, 0)])], grad=False)
f.case("log", "complex64/branch", [torch.tensor([complex(-1, 0.0), complex(-1, -0.0)])], grad=False)

for d in ("float32", "float64"):
    f.case("complex", d + "/2d", lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (2, 3))])
    f.case("complex", d + "/broadcast", lambda r, d=d: [r.t(d, (2, 1)), r.t(d, (3,))])
    f.case("polar", d + "/2d", lambda r, d=d: [r.t(d, (2, 3), 0.5, 3), r.t(d, (2, 3))])
    f.case("polar", d + "/negative_abs", lambda r, d=d: [r.t(d, (3,), -2, -1), r.t(d, (3,))])
    f.case("view_as_complex", d + "/2d", lambda r, d=d: [r.t(d, (3, 2))])
    f.case("view_as_complex", d + "/3d", lambda r, d=d: [r.t(d, (2, 2, 2))])

for op in ("add", "sub", "mul", "div", "pow"):
    for d in CPLX:
        for nm, a, b in [("2d", (2, 3), (2, 3)), ("broadcast", (2, 1), (3,)), ("0d", (), (3,))]:
            f.case(op, "%s/%s" % (d, nm), lambda r, d=d, a=a, b=b: [r.t(d, a, 0.25, 2), r.nz(d, b, 0.5, 2)])
        real = "float32" if d == "complex64" else "float64"
        f.case(op, d + "/with_real", lambda r, d=d, q=real: [r.t(d, (4,), 0.25, 2), r.nz(q, (4,), 0.5, 2)])
        f.case(op, d + "/real_with", lambda r, d=d, q=real: [r.t(q, (4,), 0.25, 2), r.nz(d, (4,), 0.5, 2)])
        f.case(op, d + "/with_int", lambda r, d=d: [r.t(d, (4,), 0.25, 2), r.nz("int64", (4,), 1, 2)])
        key = "exponent" if op == "pow" else "other"
        for v in (2, 0.5, 1 - 2j):
            f.case(op, "%s/number_%s" % (d, v), lambda r, d=d: [r.t(d, (4,), 0.25, 2)], {key: v})
    f.case(op, "float32/number_complex", lambda r: [r.t("float32", (4,), 0.25, 2)], {("exponent" if op == "pow" else "other"): 1 + 1j})
f.case("div", "complex64/by_zero", [torch.tensor([1 + 1j, 0j]), torch.tensor([0j, 0j])], grad=False)
f.case("mul", "complex64/inf", [torch.tensor([complex(math.inf, 0)]), torch.tensor([1 + 1j])], grad=False)
for d in CPLX:
    f.case("eq", d + "/special", [SPEC.to(dt(d)), SPEC.to(dt(d))])
    f.case("sum", d + "/dim1", lambda r, d=d: [r.t(d, (2, 3))], {"dim": 1})
    f.case("mean", d + "/all", lambda r, d=d: [r.t(d, (2, 3))])
    f.case("prod", d + "/dim0", lambda r, d=d: [r.t(d, (2, 3))], {"dim": 0})
    f.case("var", d + "/dim1", lambda r, d=d: [r.t(d, (2, 4))], {"dim": 1})
    f.case("std", d + "/dim1", lambda r, d=d: [r.t(d, (2, 4))], {"dim": 1})
    f.case("cumsum", d + "/dim1", lambda r, d=d: [r.t(d, (2, 4))], {"dim": 1})
    f.case("cumprod", d + "/dim1", lambda r, d=d: [r.t(d, (2, 3))], {"dim": 1})
    f.case("matmul", d + "/2d", lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (3, 2))])
    f.case("matmul", d + "/batch", lambda r, d=d: [r.t(d, (2, 2, 3)), r.t(d, (3, 2))])
    f.case("dot", d + "/1d", lambda r, d=d: [r.t(d, (4,)), r.t(d, (4,))])
    f.case("vdot", d + "/1d", lambda r, d=d: [r.t(d, (4,)), r.t(d, (4,))])
    f.case("adjoint", d + "/2d", lambda r, d=d: [r.t(d, (2, 3))])
    f.case("where", d + "/2d", lambda r, d=d: [r.t("bool", (2, 3)), r.t(d, (2, 3)), r.t(d, (2, 3))])
    f.case("linalg_vector_norm", d + "/all", lambda r, d=d: [r.t(d, (2, 3))])
    f.case("addcmul", d + "/value", lambda r, d=d: [r.t(d, (3,)), r.t(d, (3,)), r.t(d, (3,))], {"value": 0.5})
    f.case("lerp", d + "/weight", lambda r, d=d: [r.t(d, (3,)), r.t(d, (3,))], {"weight": 0.25})

f.write()
