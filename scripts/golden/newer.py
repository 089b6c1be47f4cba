"""Ops that came later: names in addition to PyTorch's, MLX's own, losses, polynomials, attention, and recurrences."""
import math

import mlx.core as mx
import mlx.nn as mlxnn
import numpy as np
import torch
import torch.nn.functional as F
from lib import Family, dt

f = Family("newer")
HALF = ("float32", "float64", "bfloat16")


def from_mlx(fn):
    """A case computed by MLX on float32 arrays."""
    def call(*xs, **kw):
        ys = [None if x is None else mx.array(x.detach().numpy()) for x in xs]
        return torch.from_numpy(np.array(fn(*ys, **kw)))
    return call


# Other names and small forms.
for d in HALF + ("int64", "bool"):
    for op in ("concat", "concatenate"):
        f.case(op, d, lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (2, 1))], {"dim": 1}, fn=lambda *x, dim: torch.cat(x, dim))
    f.case("row_stack", d, lambda r, d=d: [r.t(d, (3,)), r.t(d, (2, 3))], fn=lambda *x: torch.vstack(x))
    f.case("expand_as", d, lambda r, d=d: [r.t(d, (2, 1)), r.t(d, (2, 3))], fn=lambda x, y: x.expand_as(y.detach()))
    f.case("reshape_as", d, lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (3, 2))], fn=lambda x, y: x.reshape_as(y.detach()))
    f.case("view_as", d, lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (6,))], fn=lambda x, y: x.view_as(y.detach()))
    f.case("view", d, lambda r, d=d: [r.t(d, (2, 6))], {"shape": [3, -1]}, fn=lambda x, shape: x.view(shape))
    f.case("expand_dims", d, lambda r, d=d: [r.t(d, (2, 3))], {"axis": [0, 2]}, fn=lambda x, axis: x[None, :, None])
    f.case("squeeze_all", d, lambda r, d=d: [r.t(d, (1, 2, 1))], fn=lambda x: x.squeeze())
    f.case("matrix_transpose", d, lambda r, d=d: [r.t(d, (2, 2, 3))], fn=lambda x: x.mT)
    f.case("diagflat", d, lambda r, d=d: [r.t(d, (2, 2))], {"offset": -1}, fn=torch.diagflat)
    f.case("stop_gradient", d, lambda r, d=d: [r.t(d, (2, 2))], fn=lambda x: x.detach())
    f.case("step", d, lambda r, d=d: [r.t(d, (5,))], {"threshold": 0.5}, fn=lambda x, threshold: (x > threshold).to(x.dtype), grad=False)
    f.case("take_along_axis", d, lambda r, d=d: [r.t(d, (2, 3)), torch.tensor([[2, 0], [1, 1]])], {"axis": 1}, fn=lambda x, i, axis: torch.take_along_dim(x, i, axis))
    f.case("put_along_axis", d, lambda r, d=d: [r.t(d, (2, 3)), torch.tensor([[2, 0], [1, 0]]), r.t(d, (2, 2))], {"axis": 1}, fn=lambda x, i, v, axis: x.scatter(axis, i, v))
    f.case("dynamic_slice", d, lambda r, d=d: [r.t(d, (4, 5)), torch.tensor([1, 2])], {"axes": [0, 1], "size": [2, 3]}, fn=lambda x, s, axes, size: x[1:3, 2:5])
    f.case("dynamic_slice_update", d, lambda r, d=d: [r.t(d, (4, 5)), r.t(d, (2, 5)), torch.tensor([1])], {"axes": [0]}, fn=lambda x, u, s, axes: torch.cat([x[:1], u, x[3:]]))
for d in ("float32", "int32", "complex64"):
    f.case("tri", d, [], {"n": 3, "m": 4, "k": 1, "dtype": d}, fn=lambda n, m, k, dtype: torch.tril(torch.ones(n, m), k).to(dtype))
f.case("view_dtype", "float32_int32", lambda r: [r.t("float32", (2, 3))], {"dtype": "int32"}, fn=lambda x, dtype: x.detach().view(dtype), grad=False)
f.case("view_dtype", "int16_bfloat16", lambda r: [r.t("int16", (2, 4))], {"dtype": "bfloat16"}, fn=lambda x, dtype: x.view(dtype), grad=False)
f.case("view_dtype", "int32_uint8", lambda r: [r.t("int32", (2, 4))], {"dtype": "uint8"}, fn=lambda x, dtype: x.view(dtype), grad=False)
for d in HALF:
    f.case("cube", d, lambda r, d=d: [r.t(d, (5,))], fn=lambda x: x ** 3, grad=True)
    f.case("rpow_scalar", d, lambda r, d=d: [r.t(d, (5,))], {"base": 2.5}, fn=lambda x, base: base ** x, loose=True)
    f.case("relu2", d, lambda r, d=d: [r.t(d, (5,))], fn=lambda x: F.relu(x) ** 2)
    f.case("gelu_exact", d, lambda r, d=d: [r.t(d, (5,))], fn=F.gelu, loose=True)
    f.case("gelu_approx", d, lambda r, d=d: [r.t(d, (5,))], fn=lambda x: F.gelu(x, approximate="tanh"), loose=True)
    f.case("gelu_fast_approx", d, lambda r, d=d: [r.t(d, (5,))], fn=lambda x: x * torch.sigmoid(1.702 * x), loose=True)
    f.case("ger", d, lambda r, d=d: [r.t(d, (2,)), r.t(d, (3,))], fn=torch.outer)
    f.case("vecdot", d, lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (2, 3))], {"dim": 0}, fn=lambda x, y, dim: torch.linalg.vecdot(x, y, dim=dim), loose=True)
    f.case("linalg_multi_dot", d, lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (3, 4)), r.t(d, (4, 2))], fn=lambda *x: torch.linalg.multi_dot(x), loose=True)
f.case("vecdot", "complex64", lambda r: [r.t("complex64", (2, 3)), r.t("complex64", (2, 3))], fn=torch.linalg.vecdot)
f.case("cbrt", "special", [torch.tensor([-8.0, 0.0, -0.0, 27.0, 1e-30, math.inf, -math.inf, math.nan], dtype=torch.float64)], fn=lambda x: torch.from_numpy(np.cbrt(x.detach().numpy())), grad=False)
f.case("gelu_fast_approx", "mlx", lambda r: [r.t("float32", (9,))], fn=from_mlx(mlxnn.gelu_fast_approx), grad=False, loose=True)
for d in ("float32", "int32"):
    f.case("divmod", d, lambda r, d=d: [r.t(d, (6,)), r.nz(d, (6,), 1)], fn=lambda x, y: (torch.floor_divide(x, y), torch.remainder(x, y)), grad=False)
for op in ("max", "min"):
    for d in HALF:
        f.case(op + "_indices", d, lambda r, d=d: [r.t(d, (3, 4))], {"dim": 1, "keepdim": True}, fn=getattr(torch, op), grad=True)

# Scatter by name, with indices that occur more than once.
I = torch.tensor([[0, 1, 1, 0], [2, 2, 2, 2]])
for op, red in (("scatter_amax", "amax"), ("scatter_amin", "amin"), ("scatter_prod", "prod")):
    for d in HALF + ("int64",):
        f.case(op, d, lambda r, d=d: [r.t(d, (3, 4)), I, r.t(d, (2, 4))], {"dim": 0}, fn=lambda x, i, s, dim, red=red: x.scatter_reduce(dim, i, s, red), loose=True)
f.case("index_scatter", "float32", lambda r: [r.t("float32", (2, 4)), I], {"size": 3, "dim": 0}, fn=lambda x, i, size, dim: torch.zeros(size, 4).scatter_add(dim, i, x))

# Losses.
for d in ("float32", "float64"):
    for red in ("none", "mean", "sum"):
        at = {"reduction": red}
        nm = "%s/%s" % (d, red)
        f.case("cosine_embedding_loss", nm, lambda r, d=d: [r.t(d, (4, 3)), r.t(d, (4, 3)), torch.tensor([1, -1, 1, -1])], dict(at, margin=0.2), fn=F.cosine_embedding_loss)
        f.case("gaussian_nll_loss", nm, lambda r, d=d: [r.t(d, (4, 3)), r.t(d, (4, 3)), r.t(d, (4, 3), 0.5, 2)], dict(at, full=True), fn=lambda x, t, v, full, reduction: F.gaussian_nll_loss(x, t.detach(), v, full=full, reduction=reduction))
        f.case("hinge_embedding_loss", nm, lambda r, d=d: [r.t(d, (4, 3)), torch.tensor([[1, -1, 1]] * 4)], dict(at, margin=0.7), fn=F.hinge_embedding_loss)
        f.case("margin_ranking_loss", nm, lambda r, d=d: [r.t(d, (4,)), r.t(d, (4,)), torch.tensor([1, -1, 1, -1])], dict(at, margin=0.3), fn=F.margin_ranking_loss)
        for p in (1, 2):
            f.case("multi_margin_loss", "%s_p%d" % (nm, p), lambda r, d=d: [r.t(d, (3, 4)), torch.tensor([0, 3, 1]), r.t(d, (4,), 0.5, 2)], dict(at, p=p, margin=0.8), fn=lambda x, t, w, **k: F.multi_margin_loss(x, t, weight=w.detach(), **k))
        f.case("multilabel_margin_loss", nm, lambda r, d=d: [r.t(d, (2, 4)), torch.tensor([[3, 0, -1, 1], [0, -1, 2, 3]])], at, fn=F.multilabel_margin_loss)
        f.case("multilabel_soft_margin_loss", nm, lambda r, d=d: [r.t(d, (2, 4)), torch.tensor([[1.0, 0, 1, 0], [0, 0, 1, 1]], dtype=dt(d)), r.t(d, (4,), 0.5, 2)], at, fn=lambda x, t, w, **k: F.multilabel_soft_margin_loss(x, t.detach(), weight=w.detach(), **k))
        f.case("poisson_nll_loss", nm, lambda r, d=d: [r.t(d, (4,), 0.5, 2), r.t(d, (4,), 0, 4)], dict(at, log_input=False, full=True), fn=lambda x, t, **k: F.poisson_nll_loss(x, t.detach(), **k))
        f.case("soft_margin_loss", nm, lambda r, d=d: [r.t(d, (4,)), torch.tensor([1.0, -1, 1, -1], dtype=dt(d))], at, fn=lambda x, t, **k: F.soft_margin_loss(x, t.detach(), **k))
        f.case("triplet_margin_loss", nm, lambda r, d=d: [r.t(d, (4, 3)), r.t(d, (4, 3)), r.t(d, (4, 3))], dict(at, margin=0.5, swap=True), fn=F.triplet_margin_loss)
        f.case("ctc_loss", nm, lambda r, d=d: [r.t(d, (6, 2, 4)), torch.tensor([[1, 2, 2], [3, 1, 0]]), torch.tensor([6, 5]), torch.tensor([3, 2])], at, fn=F.ctc_loss, grad=False)

# Orthogonal polynomials, and Bessel functions in addition to PyTorch's first names.
for op in ("chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p",
           "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w"):
    for d in ("float32", "float64"):
        for n in (0, 1, 2, 5):
            f.case("special_" + op, "%s/n%d" % (d, n), lambda r, d=d: [r.t(d, (7,), 0 if "shifted" in op else -1, 1)], {"n": n}, fn=lambda x, n, op=op: getattr(torch.special, op)(x, n), grad=False, loose=True)
for op in ("scaled_modified_bessel_k0", "scaled_modified_bessel_k1"):
    for d in ("float32", "float64"):
        f.case("special_" + op, d, lambda r, d=d: [r.t(d, (9,), 0.25, 9)], fn=getattr(torch.special, op), grad=False, loose=True)

# Norms, resizing, histograms.
for d in ("float32", "float64"):
    f.case("batch_norm_eval", d, lambda r, d=d: [r.t(d, (2, 3, 4)), r.t(d, (3,)), r.t(d, (3,), 0.5, 2), r.t(d, (3,)), r.t(d, (3,))], {"eps": 0.001}, fn=lambda x, m, v, w, b, eps: F.batch_norm(x, m.detach(), v.detach(), w, b, False, 0.1, eps), loose=True)

    def stats(x, m, v, momentum):
        m, v = m.detach().clone(), v.detach().clone()
        F.batch_norm(x, m, v, training=True, momentum=momentum)
        return m, v
    f.case("batch_norm_update_running_stats", d, lambda r, d=d: [r.t(d, (2, 3, 4)), r.t(d, (3,)), r.t(d, (3,), 0.5, 2)], {"momentum": 0.25}, fn=stats, grad=False, loose=True)

    def grn(x, g, b):
        n = torch.linalg.vector_norm(x, dim=(2, 3), keepdim=True)
        return g[:, None, None] * (x * (n / (n.mean(1, keepdim=True) + 1e-6))) + b[:, None, None] + x
    f.case("global_response_norm", d, lambda r, d=d: [r.t(d, (2, 3, 2, 2)), r.t(d, (3,)), r.t(d, (3,))], fn=grn, loose=True)
    f.case("interpolate_bilinear", d, lambda r, d=d: [r.t(d, (1, 2, 3, 4))], {"size": [5, 6], "align_corners": True}, fn=lambda x, **k: F.interpolate(x, mode="bilinear", **k), loose=True)
    f.case("interpolate_trilinear", d, lambda r, d=d: [r.t(d, (1, 2, 3, 4, 2))], {"size": [5, 6, 3]}, fn=lambda x, **k: F.interpolate(x, mode="trilinear", **k), loose=True)
    f.case("interpolate_nearest_2d", d, lambda r, d=d: [r.t(d, (1, 2, 3, 4))], {"size": [5, 6]}, fn=lambda x, **k: F.interpolate(x, mode="nearest", **k))
    f.case("interpolate_nearest_3d", d, lambda r, d=d: [r.t(d, (1, 2, 3, 4, 2))], {"size": [5, 6, 3]}, fn=lambda x, **k: F.interpolate(x, mode="nearest", **k))
    f.case("histogram2d", d, lambda r, d=d: [r.t(d, (20,)), r.t(d, (20,))], {"bins": [3, 4], "range": [-2.0, 2.0, -3.0, 3.0]},
           fn=lambda x, y, bins, range: [torch.from_numpy(a).to(x.dtype) for a in np.histogram2d(x.numpy(), y.numpy(), bins, [range[:2], range[2:]])], grad=False)

    def renorm(w, i, max_norm, norm_type):
        w = w.detach().clone()
        return torch.embedding_renorm_(w, i, max_norm, norm_type)
    f.case("embedding_renorm", d, lambda r, d=d: [r.t(d, (4, 3)), torch.tensor([[1, 3], [1, 0]])], {"max_norm": 1.5, "norm_type": 2.0}, fn=renorm, grad=False, loose=True)

    def cell(gates, h, c, w, b):
        i, fg, g, o = (gates + h @ w.T + b).chunk(4, -1)
        n = torch.sigmoid(fg) * c + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(n), n
    f.case("lstm_step", d, lambda r, d=d: [r.t(d, (2, 12)), r.t(d, (2, 3)), r.t(d, (2, 3)), r.t(d, (12, 3)), r.t(d, (12,))], fn=cell, loose=True)
    for n, op in ((4, "lstm_cell"), (3, "gru_cell"), (1, "rnn_tanh_cell"), (1, "rnn_relu_cell")):
        fn = getattr(torch, op) if n < 4 else lambda x, h, c, *w: torch.lstm_cell(x, (h, c), *w)
        states = [(2, 3)] * (2 if n == 4 else 1)
        for bias in (2, 0):
            shapes = [(2, 4)] + states + [(3 * n, 4), (3 * n, 3)] + [(3 * n,)] * bias
            f.case(op, d + ("" if bias else "/no_bias"), lambda r, d=d, shapes=shapes: [r.t(d, s) for s in shapes], fn=fn, loose=True)

    def lstm(x, wi, wh, h0, c0, bi, bh):
        r = torch.lstm(x, (h0[None], c0[None]), (wi, wh, bi, bh), True, 1, 0.0, False, False, False)
        return r[0], r[1][0], r[2][0]
    f.case("lstm_forward", d, lambda r, d=d: [r.t(d, (4, 2, 3)), r.t(d, (8, 3)), r.t(d, (8, 2)), r.t(d, (2, 2)), r.t(d, (2, 2)), r.t(d, (8,)), r.t(d, (8,))], fn=lstm, loose=True)

    f.case("lstm_forward", d + "/reverse", lambda r, d=d: [r.t(d, (3, 2, 3)), r.t(d, (8, 3)), r.t(d, (8, 2)), r.t(d, (2, 2)), r.t(d, (2, 2)), r.t(d, (8,)), r.t(d, (8,))], {"reverse": True},
           fn=lambda x, *a, reverse: (lambda y, h, c: (y.flip(0), h, c))(*lstm(x.flip(0), *a)), loose=True)

    def module(kind, x, wi, wh, h0, bi, bh, wr=None, c0=None, batch_sizes=None, batch_first=False, **kw):
        size = h0.shape[-1] if wr is None else wr.shape[-1]
        m = kind(x.shape[-1], size, batch_first=batch_first, bias=bi is not None, **({"proj_size": wr.shape[0]} if wr is not None else {}), **kw).to(x.dtype)
        names = ["weight_ih_l0", "weight_hh_l0"] + (["bias_ih_l0", "bias_hh_l0"] if bi is not None else []) + (["weight_hr_l0"] if wr is not None else [])
        state = h0[None] if c0 is None else (h0[None], c0[None])
        if batch_sizes is not None:
            x = torch.nn.utils.rnn.PackedSequence(x, torch.tensor(batch_sizes))
        y, h = torch.func.functional_call(m, dict(zip(names, [t for t in (wi, wh, bi, bh, wr) if t is not None])), (x, state))
        if batch_sizes is not None:
            y = y.data
        return (y, h[0]) if c0 is None else (y, h[0][0], h[1][0])
    gru = lambda x, wi, wh, h0, bi, bh, **k: module(torch.nn.GRU, x, wi, wh, h0, bi, bh, **k)
    rnn = lambda x, wi, wh, h0, bi, bh, **k: module(torch.nn.RNN, x, wi, wh, h0, bi, bh, **k)
    f.case("lstm_forward", d + "/projected", lambda r, d=d: [r.t(d, (4, 2, 3)), r.t(d, (12, 3)), r.t(d, (12, 2)), r.t(d, (2, 2)), r.t(d, (2, 3)), r.t(d, (12,)), r.t(d, (12,)), r.t(d, (2, 3))],
           fn=lambda x, wi, wh, h0, c0, bi, bh, wr: module(torch.nn.LSTM, x, wi, wh, h0, bi, bh, wr, c0), loose=True)
    f.case("lstm_forward", d + "/packed", lambda r, d=d: [r.t(d, (7, 3)), r.t(d, (8, 3)), r.t(d, (8, 2)), r.t(d, (3, 2)), r.t(d, (3, 2)), r.t(d, (8,)), r.t(d, (8,))], {"batch_sizes": [3, 2, 1, 1]},
           fn=lambda x, wi, wh, h0, c0, bi, bh, **k: module(torch.nn.LSTM, x, wi, wh, h0, bi, bh, None, c0, **k), loose=True)
    gates = lambda n: lambda r, d=d: [r.t(d, (4, 2, 3)), r.t(d, (2 * n, 3)), r.t(d, (2 * n, 2)), r.t(d, (2, 2)), r.t(d, (2 * n,)), r.t(d, (2 * n,))]
    rows = lambda n: lambda r, d=d: [r.t(d, (7, 3)), r.t(d, (2 * n, 3)), r.t(d, (2 * n, 2)), r.t(d, (3, 2)), r.t(d, (2 * n,)), r.t(d, (2 * n,))]
    first = lambda n: lambda r, d=d: [r.t(d, (2, 4, 3)), r.t(d, (2 * n, 3)), r.t(d, (2 * n, 2)), r.t(d, (2, 2)), r.t(d, (2 * n,)), r.t(d, (2 * n,))]
    f.case("gru_forward", d, gates(3), fn=gru, loose=True)
    f.case("gru_forward", d + "/batch_first", first(3), {"batch_first": True}, fn=gru, loose=True)
    f.case("gru_forward", d + "/packed", rows(3), {"batch_sizes": [3, 2, 1, 1]}, fn=gru, loose=True)
    f.case("rnn_forward", d, gates(1), fn=rnn, loose=True)
    f.case("rnn_forward", d + "/relu", gates(1), {"nonlinearity": "relu"}, fn=rnn, loose=True)
    f.case("rnn_forward", d + "/packed", rows(1), {"batch_sizes": [3, 2, 1, 1]}, fn=rnn, loose=True)

    def gru_step(gates, h, w, b):
        x, y = gates.chunk(3, -1), (h @ w.T + b).chunk(3, -1)
        z, n = torch.sigmoid(x[1] + y[1]), torch.tanh(x[2] + torch.sigmoid(x[0] + y[0]) * y[2])
        return (1 - z) * n + z * h
    f.case("gru_step", d, lambda r, d=d: [r.t(d, (2, 9)), r.t(d, (2, 3)), r.t(d, (9, 3)), r.t(d, (9,))], fn=gru_step, loose=True)
    f.case("rnn_step", d, lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (2, 3)), r.t(d, (3, 3)), r.t(d, (3,))], fn=lambda g, h, w, b: torch.tanh(g + h @ w.T + b), loose=True)
    f.case("rnn_step", d + "/relu", lambda r, d=d: [r.t(d, (2, 3)), r.t(d, (2, 3)), r.t(d, (3, 3)), r.t(d, (3,))], {"nonlinearity": "relu"}, fn=lambda g, h, w, b, nonlinearity: torch.relu(g + h @ w.T + b), loose=True)

    def attend(q, k, v, m, **kw):
        s = q @ k.mT / math.sqrt(q.shape[-1]) + m
        p = torch.softmax(s, -1)
        return p @ v, p
    f.case("scaled_dot_product_attention_with_weights", d, lambda r, d=d: [r.t(d, (1, 2, 3, 4)), r.t(d, (1, 2, 5, 4)), r.t(d, (1, 2, 5, 4)), r.t(d, (3, 5))], fn=attend, loose=True)

    def rotary(x, c, s):
        a, b = x.chunk(2, -1)
        return x * c + torch.cat([-b, a], -1) * s
    f.case("rotary_pos_embedding", d, lambda r, d=d: [r.t(d, (2, 3, 4)), r.t(d, (3, 4)), r.t(d, (3, 4))], fn=rotary, loose=True)

# Formulas of Lucid.
f.case("rk_combine", "float64", lambda r: [r.t("float64", (3,)), r.t("float64", (3,)), r.t("float64", (3,))], {"coeffs": [0.25, 0.75], "dt": 0.5}, fn=lambda y, a, b, **k: y + 0.5 * (0.25 * a + 0.75 * b))
f.case("rk_error_norm", "float64", lambda r: [r.t("float64", (3,)), r.t("float64", (3,)), r.t("float64", (3,)), r.t("float64", (3,))], {"coeffs": [0.25, -0.75], "dt": 0.5, "rtol": 0.01, "atol": 0.001},
       fn=lambda y0, y1, a, b, **k: (0.5 * (0.25 * a - 0.75 * b) / (0.001 + 0.01 * torch.maximum(y0.abs(), y1.abs()))).square().mean().sqrt())


def waves(positions, size, base):
    at = torch.arange(positions, dtype=torch.float64)[:, None] / base ** (torch.arange(0, size, 2, dtype=torch.float64) / size)
    return torch.stack([at.sin(), at.cos()], -1).reshape(positions, size).float()


f.case("sinusoidal_pos_embedding", "float32", [], {"positions": 5, "size": 6, "base": 100.0}, fn=waves, loose=True)
f.case("broyden_probe", "float64", lambda r: [r.t("float64", (3,)), r.t("float64", (3,)), r.t("float64", (3,))], fn=lambda a, b, c: (a.square().sum(), b.square().sum(), c.square().sum()), grad=False)

# MLX's own.
f.case("hadamard_transform", "float32", lambda r: [r.t("float32", (2, 8))], fn=from_mlx(mx.hadamard_transform), grad=False, loose=True)
f.case("hadamard_transform", "scale_12", lambda r: [r.t("float32", (2, 12))], {"scale": 0.5}, fn=from_mlx(lambda x, scale: mx.hadamard_transform(x, scale)), grad=False, loose=True)
f.case("rope", "plain", lambda r: [r.t("float32", (1, 2, 3, 8))], {"dims": 8, "base": 10000.0, "offset": 3}, fn=from_mlx(lambda x, dims, base, offset: mx.fast.rope(x, dims, traditional=False, base=base, scale=1.0, offset=offset)), grad=False, loose=True)
f.case("rope", "traditional_part", lambda r: [r.t("float32", (1, 2, 3, 8))], {"dims": 4, "base": 100.0, "scale": 0.5, "traditional": True}, fn=from_mlx(lambda x, dims, base, scale, traditional: mx.fast.rope(x, dims, traditional=traditional, base=base, scale=scale, offset=0)), grad=False, loose=True)
f.case("gather_mm", "float32", lambda r: [r.t("float32", (3, 2, 4)), r.t("float32", (2, 4, 3)), torch.tensor([0, 2, 1], dtype=torch.uint32), torch.tensor([1, 0, 1], dtype=torch.uint32)], fn=from_mlx(mx.gather_mm), grad=False, loose=True)
f.case("segmented_mm", "float32", lambda r: [r.t("float32", (3, 8)), r.t("float32", (8, 2)), torch.tensor([[0, 3], [3, 8], [2, 2]], dtype=torch.uint32)], fn=from_mlx(mx.segmented_mm), grad=False, loose=True)
f.case("block_masked_mm", "float32", lambda r: [r.t("float32", (64, 32)), r.t("float32", (32, 64)), torch.tensor([[True, False], [False, True]]), torch.tensor([[True], [True]]), torch.tensor([[True, False]])], {"block_size": 32},
       fn=from_mlx(lambda a, b, mo, ml, mr, block_size: mx.block_masked_mm(a, b, block_size, mo, ml, mr)), grad=False, loose=True)
for mode in ("full", "same", "valid"):
    f.case("convolve", mode, lambda r: [r.t("float32", (7,)), r.t("float32", (4,))], {"mode": mode}, fn=from_mlx(lambda a, b, mode: mx.convolve(a, b, mode=mode)), grad=False, loose=True)


def general(x, w, **k):
    y = mx.conv_general(mx.array(x.numpy().transpose(0, 2, 3, 1)), mx.array(w.numpy().transpose(0, 2, 3, 1)), **k)
    return torch.from_numpy(np.array(y).transpose(0, 3, 1, 2).copy())


for nm, k in (("plain", {}), ("strided", {"stride": [2, 1], "padding": [1, 2], "kernel_dilation": [1, 2]}), ("fractional", {"input_dilation": [2, 3], "padding": [2, 2], "flip": True}), ("groups", {"groups": 2, "flip": True})):
    f.case("conv_general", nm, lambda r: [r.t("float32", (2, 4, 6, 7)), r.t("float32", (4, 4 // k.get("groups", 1), 3, 2))], k, fn=general, grad=False, loose=True)

# Patterns, spelled out in PyTorch.
f.case("einops_rearrange", "split", lambda r: [r.t("float32", (4, 6))], {"pattern": "(a b) c -> b (c a)", "axes_lengths": {"a": 2}}, fn=lambda x, **k: x.reshape(2, 2, 6).permute(1, 2, 0).reshape(2, 12))
f.case("einops_reduce", "mean", lambda r: [r.t("float32", (2, 4, 6))], {"pattern": "b (h k) w -> b h", "reduction": "mean", "axes_lengths": {"k": 2}}, fn=lambda x, **k: x.reshape(2, 2, 2, 6).mean((2, 3)), loose=True)
f.case("einops_reduce", "max", lambda r: [r.t("float64", (2, 4, 6))], {"pattern": "b ... -> b", "reduction": "max"}, fn=lambda x, **k: x.amax((1, 2)))
f.case("einops_repeat", "inner", lambda r: [r.t("float32", (2, 3))], {"pattern": "a b -> (a n) b m", "axes_lengths": {"n": 2, "m": 3}}, fn=lambda x, **k: x[:, None, :, None].expand(2, 2, 3, 3).reshape(4, 3, 3))
# Segments of a dimension; an empty one, what a segment begins with, offsets, dimensions in front.
def segments(x, lengths, reduce, **kw):
    return torch.segment_reduce(x, reduce, lengths=lengths, **kw)


for d in ("float32", "float64"):
    for red in ("sum", "mean", "max", "min", "prod"):
        f.case("segment_reduce", "%s/%s" % (d, red), lambda r, d=d: [r.t(d, (6, 2)), torch.tensor([2, 1, 3])], {"reduce": red}, fn=segments, loose=True)
        f.case("segment_reduce", "%s/%s_empty" % (d, red), lambda r, d=d: [r.t(d, (6,)), torch.tensor([2, 0, 4, 0], dtype=torch.int32)], {"reduce": red}, fn=segments, grad=False, loose=True)
        f.case("segment_reduce", "%s/%s_initial" % (d, red), lambda r, d=d: [r.t(d, (6,)), torch.tensor([2, 0, 4])], {"reduce": red, "initial": 0.5}, fn=segments, grad=False, loose=True)
        f.case("segment_reduce", "%s/%s_axis1" % (d, red), lambda r, d=d: [r.t(d, (2, 4, 3)), torch.tensor([[1, 3, 0], [2, 1, 1]])], {"reduce": red, "axis": 1}, fn=segments, grad=red == "sum", loose=True)
        f.case("segment_reduce", "%s/%s_offsets" % (d, red), lambda r, d=d: [r.t(d, (5,)), None, torch.tensor([0, 2, 5])], {"reduce": red}, fn=lambda x, _, o, reduce: torch.segment_reduce(x, reduce, offsets=o), loose=True)
    f.case("segment_reduce", d + "/unsafe", lambda r, d=d: [r.t(d, (6, 2)), torch.tensor([2, 1])], {"reduce": "sum", "unsafe": True}, fn=segments, loose=True)
for eq, shapes in (("ij->ji", [(2, 3)]), ("ii->i", [(3, 3)]), ("ii", [(3, 3)]), ("ij->i", [(2, 3)]), ("ij,ij->ij", [(2, 3), (2, 3)]), ("ij,kl->ijkl", [(2, 2), (1, 3)]), ("...i,j->...ij", [(2, 2), (3,)])):
    f.case("einsum", "bool/" + eq, lambda r, shapes=shapes: [r.t("bool", s) for s in shapes], {"equation": eq}, fn=lambda *xs, equation: torch.einsum(equation, *xs))

f.write()
