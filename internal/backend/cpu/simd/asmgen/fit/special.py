"""Polynomials behind the special functions of float32 that are evaluated in float64 (kernels_special.go).

Needs mpmath. `python3 special.py` prints Go tables in hexadecimal floats; coef_special.go holds the printed lines.

Method: that of elementary.py; the number of terms is the least whose relative error is below 2^-30.
Those of the normal distribution's quantiles are evaluated in float32: their coefficients are rounded as in fit.py.
"""
from mpmath import mp, mpf

import fit as single

mp.dps = 40


def fit(name, note, f, lo, hi, bits=30, most=40):
    lo, hi = mpf(lo), mpf(hi)
    xs = [lo + (hi - lo) * (i + mpf("0.5")) / 300 for i in range(300)]
    fs = [f(x) for x in xs]
    for n in range(4, most):
        coefs = [float(v) for v in reversed(mp.chebyfit(f, [lo, hi], n))]
        worst = max(abs((v - mp.polyval([mpf(c) for c in reversed(coefs)], x)) / v) for x, v in zip(xs, fs))
        if worst < mpf(2) ** -bits:
            break
    print(f"// {name}: {note}; relative error 2^{float(mp.log(worst, 2)):.1f}.")
    print(f"var {name} = []float64{{")
    line = "\t"
    for c in coefs:
        w = c.hex() + ", "
        if len(line) + len(w) > 135:
            print(line.rstrip())
            line = "\t"
        line += w
    print(line.rstrip() + "\n}\n")


def lgamma2(w):
    return mp.loggamma(2 + w) / w if abs(w) > mpf("1e-25") else 1 - mp.euler


def stirling(q):
    """x (log gamma(x) - (x - 1/2) log x + x - log sqrt(2 pi)) for q = 1/x^2."""
    if q < mpf("1e-8"):
        return mpf(1) / 12 - q / 360 + q * q / 1260
    x = 1 / mp.sqrt(q)
    return x * (mp.loggamma(x) - (x - mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


root = mp.findroot(mp.digamma, mpf("1.46163214496836"))


def digamma(d):
    x = d + mpf(3) / 2
    return mp.digamma(x) / (x - root)


def quantile(w):
    """ndtri(p)/(2p - 1) for -log(4p(1-p)) = w, p < 1/2."""
    if w < mpf("1e-20"):
        return mp.sqrt(2 * mp.pi) / 2
    # 4p(1-p) = e^-w: p = (1 - sqrt(1 - e^-w))/2
    e = mp.exp(-w)
    p = e / (2 * (1 + mp.sqrt(1 - e)))
    x = -mp.sqrt(-2 * mp.log(p)) - mpf(1) / 10
    l = mp.log(p)
    for _ in range(100):
        v = mp.erfc(-x / mp.sqrt(2)) / 2
        d = (mp.log(v) - l) * v / (mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi))
        x -= d
        if abs(d) < mpf(10) ** -30:
            break
    return x / (2 * p - 1)


print("package main\n")
print("// The tables below are printed by fit/special.py, which says how they are made.\n")
fit("coefLgamma", "log gamma(2+w)/w on |w| <= 1/2", lgamma2, -0.5, 0.5, 32)
fit("coefStirling", "the rest of Stirling's formula times x, in 1/x^2 on x >= 5/2", stirling, 0, mpf(4) / 25, 32)
fit("coefDigamma", "digamma(x)/(x - root) in x - 3/2 on 1 <= x <= 2", digamma, -0.5, 0.5)
for v in (0, 1):
    near = lambda q, v=v: mp.besseli(v, mp.sqrt(q)) / (mp.sqrt(q) if v else 1) if q > mpf("1e-20") else mpf(1) / (1 + v)
    limit = lambda u, v=v: 1 / mp.sqrt(2 * mp.pi) * (1 - (4 * v * v - 1) * u / 8)
    far = lambda u, v=v: mp.besseli(v, 1 / u) * mp.exp(-1 / u) / mp.sqrt(u) if u > mpf("1e-6") else limit(u)
    fit(f"coefI{v}Near", f"I{v}(x)/x^{v} in x^2 on x <= 8", near, 0, 64)
    fit(f"coefI{v}Far", f"sqrt(x) e^-x I{v}(x) in 1/x on x >= 8", far, 0, mpf(1) / 8)


def quantile32(name, note, f, lo, hi, n):
    """n coefficients in float32, the first in two parts; their error is 2^-27 or less before rounding."""
    parts = []

    def rounded(v):
        if parts:
            return single.f32(v)
        parts.extend([single.f32(v), single.f32(v - mpf(single.f32(v)))])
        return mpf(parts[0]) + mpf(parts[1])

    c, e0, e1 = single.poly(lo, hi, f, list(range(n)), lambda x: 1 / abs(f(x)), rnd=rounded, n=120)
    single.show(name, note, parts + c[1:], e0, e1)


def inverse(w):
    """erfinv(x)/x for -log(1-x^2) = w: that quantile over the root of 2."""
    return quantile(w) / mp.sqrt(2)


for name, f in (("Erfinv", inverse), ("Ndtri", quantile)):
    g = mp.memoize(f)
    quantile32(f"coef{name}Near", "the quantile over 2p-1 in w - 1, w = -log(4p(1-p)), on w <= 5", lambda d: g(1 + d), -1, 4.01, 10)
    quantile32(f"coef{name}Far", "likewise in sqrt(w) - 3 on 5 <= w <= 16", lambda d: g((d + 3) ** 2), mp.sqrt(5) - mpf("3.002"), mpf("1.002"), 10)
quantile32("coefNdtriFarthest", "likewise in sqrt(w) - 7 on 16 <= w", lambda d: quantile((d + 7) ** 2), mpf("-3.002"), mpf("3.25"), 11)


def erfcx(t):
    if t > 1 - mpf("1e-6"):
        return 2 / mp.sqrt(mp.pi)  # to 1e-7 of the variable, beyond all arguments
    x = 3 * (1 + t) / (1 - t)
    if x > 60:
        s, u = mpf(1), mpf(1)
        for k in range(1, 12):
            u *= -(2 * k - 1) / (2 * x * x)
            s += u
        return (1 + 2 * x) * s / (x * mp.sqrt(mp.pi))
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


fit("coefErfcx", "(1+2x) e^(x^2) erfc(x) in (x-3)/(x+3) on x >= 0", erfcx, -1, 1)
