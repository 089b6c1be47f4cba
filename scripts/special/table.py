"""Writes internal/backend/special/testdata/values.txt.gz: special functions at some points to 53 bits, by mpmath 1.3.0.

    python scripts/special/table.py            # in an environment with mpmath==1.3.0

A line is the function's name, its arguments, its value and the scale of its error: near a zero the error is measured in units of
the last bit of the scale, which is what the terms of the function are there. Numbers are hexadecimal, so no digit is lost.
"""
import gzip
import os
import random
import sys

import mpmath
from mpmath import mp, mpf

assert mpmath.__version__ == "1.3.0"
mp.dps = 60
OUT = os.path.join(os.path.dirname(__file__), "../../internal/backend/special/testdata/values.txt.gz")
lines = []


def number(v):
    return float(v).hex()


def row(name, args, f, scale=None):
    x = [mpf(a) for a in args]
    v = mpmath.re(f(*x))
    if v == 0 or abs(v) < mpf(2) ** -1022 or abs(v) > mpf(2) ** 1023:
        return  # below the normal numbers there are fewer bits
    s = abs(v) if scale is None else max(abs(v), scale(*x))
    lines.append(" ".join([name] + [float(a).hex() for a in args] + [number(v), number(s)]))


def spread(rng, lo, hi, n, both=False):
    """n numbers, evenly spaced in their logarithm but for noise."""
    out = []
    a, b = mpmath.log(lo), mpmath.log(hi)
    for i in range(n):
        v = float(mpmath.exp(a + (b - a) * (i + rng.random()) / n))
        out.append(-v if both and i % 2 else v)
    return out


def even(rng, lo, hi, n):
    return [lo + (hi - lo) * (i + rng.random()) / n for i in range(n)]


def one(name, f, points, scale=None):
    for x in points:
        row(name, [x], f, scale)


R = random.Random(7)
one_over = lambda *_: mpf(1)

# Gamma family. log Γ has zeros at 1 and 2, digamma at 1.46; between the poles there are more.
lgamma = lambda x: mpmath.log(abs(mpmath.gamma(x))) if x < 1e6 else mpmath.loggamma(x)
one("lgamma", lgamma, spread(R, 1e-300, 1e300, 40) + even(R, 0.02, 3, 40) + even(R, 3, 60, 20))
one("lgamma", lgamma, even(R, -30, 0, 40), one_over)
one("digamma", lambda x: mpmath.digamma(x), spread(R, 1e-300, 1e300, 30) + even(R, 0.02, 3, 40) + even(R, 3, 60, 20))
one("digamma", lambda x: mpmath.digamma(x), even(R, -30, 0, 40), one_over)
for n in (1, 2, 3, 5, 10):
    f = lambda x, n=n: mpmath.psi(n, x)
    one("polygamma%d" % n, f, spread(R, 1e-20, 1e20, 12) + even(R, 0.02, 30, 16))
    one("polygamma%d" % n, f, even(R, -8, 0, 12), lambda x, n=n: mpmath.factorial(n) / abs(x - mpmath.nint(x)) ** (n + 1))


def hurwitz(s, q):
    total, n = mpf(0), 30
    for k in range(n):
        total += (q + k) ** -s
    a = q + n
    total += a ** (1 - s) / (s - 1) + a ** -s / 2
    t = s * a ** (-s - 1)
    for k in range(1, 60):
        term = mpmath.bernoulli(2 * k) / mpmath.factorial(2 * k) * t
        total += term
        if abs(term) < abs(total) * mpf(10) ** -40:
            break
        t *= (s + 2 * k - 1) * (s + 2 * k) / a ** 2
    return total


for s in (1.0009765625, 1.5, 2.0, 3.5, 12.0, 40.0, 300.0):
    for q in spread(R, 1e-3, 1e6, 14):
        row("zeta", [s, q], hurwitz)

# Bessel functions.
amplitude = lambda x: min(mpf(1), mpmath.sqrt(2 / (mpmath.pi * abs(x))))
for v in (0, 1):
    i = lambda x, v=v: mpmath.besseli(v, x)
    one("i%d" % v, i, spread(R, 1e-8, 700, 60, True))
    one("i%de" % v, lambda x, v=v: mpmath.besseli(v, x) * mpmath.exp(-abs(x)), spread(R, 1e-8, 700, 50, True) + spread(R, 700, 4e4, 6))
    one("j%d" % v, lambda x, v=v: mpmath.besselj(v, x), spread(R, 1e-8, 1e5, 50, True) + even(R, 0.1, 40, 60), amplitude)
    one("y%d" % v, lambda x, v=v: mpmath.bessely(v, x), spread(R, 1e-8, 1e5, 50) + even(R, 0.1, 40, 60), amplitude)
    one("k%d" % v, lambda x, v=v: mpmath.besselk(v, x), spread(R, 1e-300, 700, 60) + even(R, 0.1, 40, 30))
    one("k%de" % v, lambda x, v=v: mpmath.besselk(v, x) * mpmath.exp(x), spread(R, 1e-300, 700, 60) + even(R, 0.1, 40, 30))
one("spherical_j0", lambda x: mpmath.sin(x) / x, spread(R, 1e-8, 1e5, 40, True), lambda x: min(mpf(1), 1 / abs(x)))
one("airy_ai", mpmath.airyai, spread(R, 1e-8, 100, 40) + even(R, 0, 12, 30))
waves = lambda x: min(mpf(1) / 2, abs(x) ** -0.25 / mpmath.sqrt(mpmath.pi))
one("airy_ai", mpmath.airyai, [-x for x in spread(R, 1e-8, 1e4, 40) + even(R, 0, 12, 40)], waves)

# Error functions and the normal distribution.
one("erfcx", lambda x: mpmath.exp(x * x) * mpmath.erfc(x), even(R, -26, 30, 60) + spread(R, 1e-8, 40, 40) + spread(R, 40, 1e3, 6))
ndtr = lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2
one("ndtr", ndtr, even(R, -37, 9, 80) + spread(R, 1e-8, 1, 10, True))
log_ndtr = lambda x: mpmath.log(ndtr(x)) if x < 5 else mpmath.log1p(-ndtr(-x))
one("log_ndtr", log_ndtr, even(R, -60, 37, 90) + spread(R, 1e-8, 1, 10, True) + [-x for x in spread(R, 60, 150, 6)])


def inverse(f, p, x):
    """x with f(x) = log p, by Newton's steps on log Φ."""
    l = mpmath.log(p)
    for _ in range(200):
        v = ndtr(x)
        d = (mpmath.log(v) - l) * v / (mpmath.exp(-x * x / 2) / mpmath.sqrt(2 * mpmath.pi))
        x -= d
        if abs(d) < abs(x) * mpf(10) ** -45 or d == 0:
            return x
    raise ValueError(p)


def ndtri(p):
    if p > mpf(1) / 2:
        return -ndtri(1 - p)
    return inverse(ndtr, p, -mpmath.sqrt(-2 * mpmath.log(p)) - mpf(1) / 10)


one("ndtri", ndtri, spread(R, 1e-300, 0.4, 60) + even(R, 0.02, 0.98, 40) + [1 - x for x in spread(R, 1e-15, 0.1, 10)])
one("erfcinv", lambda y: -ndtri(y / 2) / mpmath.sqrt(2), spread(R, 1e-300, 0.4, 60) + even(R, 0.02, 1.98, 40))
one("entr", lambda x: -x * mpmath.log(x), spread(R, 1e-300, 1e300, 40))

# Incomplete gamma and beta functions; the complement of a probability near 1 needs more digits.


def lower(a, x):
    old = mp.dps
    mp.dps = 60
    try:
        lead = mpmath.exp(a * mpmath.log(x) - x - mpmath.loggamma(a + 1))
        t = total = mpf(1)
        n = 0
        while t > total * mpf(10) ** -58:
            n += 1
            t *= x / (a + n)
            total += t
        return lead * total
    finally:
        mp.dps = old


def upper(a, x):
    old = mp.dps
    mp.dps = 60
    try:
        if x < a + 1:
            mp.dps = 90
            return 1 - lower90(a, x)
        f = mpf(0)
        n = 40 + int(40 * mpmath.sqrt(a + 10)) + int(6000 / float(x))
        for k in range(n, 0, -1):
            f = k * (a - k) / (x + 2 * k + 1 - a + f)
        return mpmath.exp(a * mpmath.log(x) - x - mpmath.loggamma(a)) / (x + 1 - a + f)
    finally:
        mp.dps = old


def lower90(a, x):
    lead = mpmath.exp(a * mpmath.log(x) - x - mpmath.loggamma(a + 1))
    t = total = mpf(1)
    n = 0
    while t > total * mpf(10) ** -88:
        n += 1
        t *= x / (a + n)
        total += t
    return lead * total


for a in spread(R, 1e-3, 1e5, 26):
    width = a ** 0.5
    points = [a * R.random() for _ in range(2)] + [a + width * (4 * R.random() - 2) for _ in range(3)]
    points += [a + width * 9 * R.random() + 9 * R.random() for _ in range(3)] + [1e-4 * R.random()]
    for x in points:
        if x > 0:
            row("gammainc", [a, x], lower)
            row("gammaincc", [a, x], upper)
for a in spread(R, 0.05, 3e3, 12):
    for b in spread(R, 0.05, 3e3, 8):
        mean, width = a / (a + b), (a * b / (a + b) ** 2 / (a + b + 1)) ** 0.5
        for x in [mean + width * (5 * R.random() - 2.5), mean + width * (5 * R.random() - 2.5), R.random()]:
            if 0 < x < 1:
                row("betainc", [a, b, x], lambda a, b, x: mpmath.betainc(a, b, 0, x, regularized=True))

# Concentrations where a rounding of the argument of Γ, or of a + b, is many of the result.
R2 = random.Random(2)
for a in even(R2, 0.5, 20, 14):
    for b in even(R2, 0.5, 20, 5):
        row("betainc", [a, b, R2.random()], lambda a, b, x: mpmath.betainc(a, b, 0, x, regularized=True))
        row("beta", [a, b], mpmath.beta)
        row("betaln", [a, b], lambda a, b: mpmath.log(mpmath.beta(a, b)), lambda a, b: max(1, abs(mpmath.log(mpmath.beta(a, b)))))
    row("beta", [a, 1e3 * R2.random()], mpmath.beta)
    row("gammainc", [a, a * (0.5 + R2.random())], lower)
    row("gammaincc", [a, a * (0.5 + R2.random())], upper)
for n in (0, 1):
    for x in even(R2, 5, 19, 60):
        row("i%de" % n, [x], lambda x, n=n: mpmath.besseli(n, x) * mpmath.exp(-x))

with open(OUT, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as f:
    f.write(("\n".join(lines) + "\n").encode())
print(len(lines), "values", os.path.getsize(OUT), "bytes", file=sys.stderr)
