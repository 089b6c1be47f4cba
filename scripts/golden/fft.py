"""Fourier transforms: torch.fft, torch.stft, and the cosine and sine transforms of scipy.fft."""
import numpy as np
import scipy.fft
import scipy.signal
import torch
from lib import Family

f = Family("fft")
REALS, CPLX = ("float32", "float64"), ("complex64", "complex128")
ONE = {"fft": REALS + CPLX, "ifft": REALS + CPLX, "rfft": REALS, "irfft": CPLX, "hfft": CPLX, "ihfft": REALS}
NORMS = ("backward", "forward", "ortho")


def fn(name):
    g = getattr(torch.fft, name)
    return lambda x, **kw: g(x, **kw)


# Along one dimension: even, odd and prime lengths, norms, cut and filled, other dimensions, no rows at all.
for name, dtypes in ONE.items():
    op = "fft_" + name
    for d in dtypes:
        for n in (1, 2, 3, 8, 12, 13, 17, 35):
            if n == 1 and name in ("irfft", "hfft"):
                continue
            f.case(op, "%s/n%d" % (d, n), lambda r, d=d, n=n: [r.t(d, (2, n))], fn=fn(name))
    d = dtypes[-1]
    for norm in NORMS:
        f.case(op, "norm_" + norm, lambda r, d=d: [r.t(d, (2, 6))], {"norm": norm}, fn=fn(name))
    for n in (1, 4, 5, 9, 12):
        f.case(op, "n_%d" % n, lambda r, d=d: [r.t(d, (2, 6))], {"n": n, "norm": "ortho"}, fn=fn(name))
    f.case(op, "dim0", lambda r, d=d: [r.t(d, (6, 3))], {"dim": 0}, fn=fn(name))
    f.case(op, "dim1", lambda r, d=d: [r.t(d, (2, 5, 3))], {"dim": -2, "n": 7}, fn=fn(name))
    f.case(op, "no_rows", lambda r, d=d: [r.t(d, (0, 4))], fn=fn(name))
    f.case(op, "int64", lambda r: [r.t("int64", (5,))], fn=fn(name))
    f.case(op, "bool", lambda r: [r.t("bool", (4,))], fn=fn(name))
    if d.startswith("complex"):
        f.case(op, "from_real", lambda r: [r.t("float64", (5,))], fn=fn(name))

# Along several.
for name, dtypes in ONE.items():
    d = dtypes[-1]
    for kind in "2n":
        op, g = "fft_" + name + kind, fn(name + kind)
        for e in dtypes:
            f.case(op, e, lambda r, e=e: [r.t(e, (2, 3, 4))], fn=g)
        f.case(op, "odd", lambda r, d=d: [r.t(d, (4, 5))], {"s": [3, 7]}, fn=g)
        f.case(op, "cut", lambda r, d=d: [r.t(d, (2, 6, 6))], {"s": [-1, 4], "dim": [1, 2]}, fn=g)
        f.case(op, "dims", lambda r, d=d: [r.t(d, (3, 4, 2))], {"dim": [1, 0]}, fn=g)
        for norm in NORMS:
            f.case(op, "norm_" + norm, lambda r, d=d: [r.t(d, (3, 4))], {"norm": norm}, fn=g)
        f.case(op, "no_rows", lambda r, d=d: [r.t(d, (0, 4, 4))], {"dim": [-2, -1]}, fn=g)
    f.case("fft_" + name + "n", "one", lambda r, d=d: [r.t(d, (3, 5))], {"dim": [0]}, fn=fn(name + "n"))
    f.case("fft_" + name + "n", "s_alone", lambda r, d=d: [r.t(d, (2, 3, 5))], {"s": [4, 6]}, fn=fn(name + "n"))

for n in (1, 2, 7, 8):
    for name in ("fftfreq", "rfftfreq"):
        f.case("fft_" + name, "n%d" % n, [], {"n": n, "d": 0.25}, fn=lambda name=name, **kw: getattr(torch.fft, name)(kw["n"], d=kw["d"]))
for name in ("fftshift", "ifftshift"):
    for d in ("float32", "complex128", "int64"):
        f.case("fft_" + name, d, lambda r, d=d: [r.t(d, (3, 4))], fn=fn(name))
        f.case("fft_" + name, d + "_dim", lambda r, d=d: [r.t(d, (3, 5))], {"dim": [1]}, fn=fn(name))


def stft(x, window=None, **kw):
    kw.setdefault("return_complex", True)
    return torch.stft(x, window=window, **kw)


def istft(x, window=None, **kw):
    return torch.istft(x, window=window, **kw)


hann = torch.hann_window(8, dtype=torch.float64)
for nm, kw in [("plain", {}), ("hop", {"hop_length": 3}), ("win", {"win_length": 5}), ("begin", {"center": False}),
               ("constant", {"pad_mode": "constant"}), ("normalized", {"normalized": True}),
               ("twosided", {"onesided": False}), ("parts", {"return_complex": False})]:
    f.case("stft", nm, lambda r: [r.t("float64", (2, 21))], dict(kw, n_fft=8), fn=stft)
    if nm != "win":
        f.case("stft", nm + "_window", lambda r: [r.t("float64", (20,)), hann.clone()], dict(kw, n_fft=8), fn=stft)
f.case("stft", "float32", lambda r: [r.t("float32", (30,)), r.t("float32", (7,), 0.5, 2)], {"n_fft": 7, "hop_length": 2}, fn=stft)
f.case("stft", "complex", lambda r: [r.t("complex128", (24,)), hann.clone()], {"n_fft": 8}, fn=stft)
for nm, kw in [("plain", {}), ("length", {"length": 19}), ("longer", {"length": 30}), ("normalized", {"normalized": True}),
               ("hop", {"hop_length": 3})]:
    f.case("istft", nm, lambda r: [r.t("complex128", (2, 5, 9)), hann.clone()], dict(kw, n_fft=8), fn=istft)
f.case("istft", "begin", lambda r: [r.t("complex128", (5, 6))], {"n_fft": 8, "center": False}, fn=istft)
f.case("istft", "win", lambda r: [r.t("complex128", (5, 6)), r.t("float64", (6,), 0.5, 2)], {"n_fft": 8, "win_length": 6}, fn=istft)
f.case("istft", "twosided", lambda r: [r.t("complex128", (8, 6)), hann.clone()], {"n_fft": 8, "onesided": False}, fn=istft)
f.case("istft", "complex_window", lambda r: [r.t("complex128", (8, 6)), torch.complex(hann, hann / 4 + 0.1)],
       {"n_fft": 8, "onesided": False, "return_complex": True}, fn=istft)
f.case("istft", "complex", lambda r: [r.t("complex128", (8, 6)), hann.clone()],
       {"n_fft": 8, "onesided": False, "return_complex": True}, fn=istft)


def from_scipy(g):
    return lambda x, **kw: torch.from_numpy(np.ascontiguousarray(g(x.detach().numpy(), **kw)))


for name in ("dct", "idct", "dst", "idst"):
    g = getattr(scipy.fft, name)
    for t in (2, 3, 4):
        for n in (1, 2, 5, 8):
            for norm in NORMS:
                f.case("fft_" + name, "type%d_n%d_%s" % (t, n, norm), lambda r, n=n: [r.t("float64", (2, n))], {"type": t, "norm": norm},
                       fn=from_scipy(g), grad=False)
    f.case("fft_" + name, "float32", lambda r: [r.t("float32", (9,))], fn=from_scipy(g), grad=False)
    f.case("fft_" + name, "axis", lambda r: [r.t("float64", (4, 3))], {"n": 6, "dim": 0},
           fn=from_scipy(lambda x, n, dim, g=g: g(x, n=n, axis=dim)), grad=False)
def convolve(x, y, **kw):
    return torch.from_numpy(scipy.signal.fftconvolve(x.detach().numpy(), y.detach().numpy(), **kw))


for mode in ("full", "same", "valid"):
    for d in ("float32", "complex128"):
        f.case("fftconvolve", "%s_%s" % (mode, d), lambda r, d=d: [r.t(d, (7, 6)), r.t(d, (3, 4))], {"mode": mode},
               fn=convolve, grad=False)
f.case("fftconvolve", "dim", lambda r: [r.t("float64", (2, 6)), r.t("float64", (1, 3))], {"mode": "same", "dim": [1]},
       fn=lambda x, y, mode, dim: convolve(x, y, mode=mode, axes=dim), grad=False)
f.write()
