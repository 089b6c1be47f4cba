"""More Fourier transforms: every small length, other dimensions of larger tensors, lengths that cut and fill, in all types."""
import torch
from lib import Family

f = Family("spectra")
REALS, CPLX = ("float32", "float64"), ("complex64", "complex128")
KINDS = {"fft": REALS + CPLX, "ifft": REALS + CPLX, "rfft": REALS, "irfft": CPLX, "hfft": CPLX, "ihfft": REALS}


def fn(name):
    g = getattr(torch.fft, name)
    return lambda x, **kw: g(x, **kw)


for name, dtypes in KINDS.items():
    for d in dtypes:
        for n in (4, 5, 6, 7, 9, 10, 11, 14, 16, 19):
            f.case("fft_" + name, "%s/n%d" % (d, n), lambda r, d=d, n=n: [r.t(d, (n,))], fn=fn(name))
        for dim in (0, 1, -1):
            for n in (3, 8):
                f.case("fft_" + name, "%s/dim%d_n%d" % (d, dim, n), lambda r, d=d: [r.t(d, (3, 4, 2))],
                       {"dim": dim, "n": n, "norm": "forward"}, fn=fn(name))
    for d in dtypes:
        for dims in ([0, 1], [0, 2], [2, 0], [1]):
            for norm in ("backward", "ortho"):
                f.case("fft_" + name + "n", "%s/dims%s_%s" % (d, "".join(map(str, dims)), norm), lambda r, d=d: [r.t(d, (2, 3, 4))],
                       {"dim": dims, "norm": norm}, fn=fn(name + "n"))
f.write()
