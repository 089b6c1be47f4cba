"""Polynomials behind the functions that are evaluated in float64 (kernels_elementary.go).

Needs mpmath. `python3 elementary.py` prints Go tables in hexadecimal floats; coef_elementary.go holds the printed lines.

Method: interpolation at Chebyshev's points by mpmath's chebyfit, in 60 digits. What rounding coefficients to float64
does is far below the last bit, since the leading term stands outside of each polynomial.
"""
from mpmath import mp, mpf

mp.dps = 60


def fit(name, note, f, lo, hi, n, weight=lambda x: mpf(1)):
    coefs = [float(v) for v in reversed(mp.chebyfit(f, [mpf(lo), mpf(hi)], n))]
    xs = [mpf(lo) + (mpf(hi) - mpf(lo)) * (i + mpf("0.5")) / 400 for i in range(400)]
    worst = max(abs(weight(x) * (f(x) - mp.polyval([mpf(v) for v in reversed(coefs)], x))) for x in xs)
    print(f"// {name}: {note}; weighted error 2^{float(mp.log(worst, 2)):.1f}.")
    print(f"var {name} = []float64{{" + ", ".join(v.hex() for v in coefs) + "}\n")


def over(f, s, start):
    """(f(r)/r - 1)/s at r = √s; start is its beginning at 0."""
    if s < mpf("1e-12"):
        return start(s)
    r = mp.sqrt(s)
    return (f(r) / r - 1) / s


def atan(s):
    return over(mp.atan, s, lambda s: -mpf(1) / 3 + s / 5)


def asin(s):
    return over(mp.asin, s, lambda s: mpf(1) / 6 + 3 * s / 40)


def erf(s):
    if s < mpf("1e-14"):
        return 2 / mp.sqrt(mp.pi) * (1 - s / 3) - 1
    r = mp.sqrt(s)
    return mp.erf(r) / r - 1


def erfcx(t):
    x = 3 * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def variable(x):
    return (mpf(x) - 3) / (mpf(x) + 3)


eighth = (mp.sqrt(2) - 1) ** 2 * mpf("1.0001")
fit("coefAtan64", "(atan(r)/r - 1)/r^2 in r^2 on r <= tan(pi/8)", atan, 0, eighth, 12, lambda s: s)
fit("coefAtan32", "likewise, for float32", atan, 0, eighth, 6, lambda s: s)
fit("coefAsin64", "(asin(r)/r - 1)/r^2 in r^2 on r <= 1/2", asin, 0, 0.2501, 13, lambda s: s)
fit("coefAsin32", "likewise, for float32", asin, 0, 0.2501, 7, lambda s: s)
fit("coefErf64", "erf(r)/r - 1 in r^2 on r <= 1/2", erf, 0, 0.2501, 10)
fit("coefErf32", "likewise, for float32", erf, 0, 0.2501, 6)
fit("coefErfc64", "(1+2x) e^(x^2) erfc(x) in (x-3)/(x+3) on 1/2 <= x <= 27.5", erfcx, variable("0.49"), variable("27.5"), 22)
fit("coefErfc32", "likewise on 1/2 <= x <= 10.5, for float32", erfcx, variable("0.49"), variable("10.5"), 12)
