"""Polynomials behind the special functions of float64 (kernels_gamma64.go and its kin).

Needs mpmath. `python3 special64.py` prints Go tables in hexadecimal floats; coef_special64.go holds the printed lines.

Method: that of elementary.py; the number of terms is the least whose relative error is below 2^-56. A table of a function over
its zero z is of f(x)/(x - z), z being in two parts.
"""
import sys

from mpmath import mp, mpf
import mpmath as m

mp.dps = 45
WANTED = sys.argv[1:]


def table(name, note, coefs):
    print(f"// {name}: {note}.")
    print(f"var {name} = []float64{{")
    line = "\t"
    for c in coefs:
        w = float(c).hex() + ", "
        if len(line) + len(w) > 135:
            print(line.rstrip())
            line = "\t"
        line += w
    print(line.rstrip() + "\n}\n", flush=True)


def fit(name, note, f, lo, hi, bits=56, center=0, least=6):
    """f in its argument less center, from lo to hi."""
    if WANTED and not any(name.startswith(w) for w in WANTED):
        return
    c = mpf(center)
    lo, hi = mpf(lo) - c, mpf(hi) - c
    g = m.memoize(lambda d: f(d + c))
    xs = [lo + (hi - lo) * (i + mpf("0.5")) / 90 for i in range(90)]
    fs = [g(x) for x in xs]
    n = least
    while True:
        coefs = [float(v) for v in reversed(mp.chebyfit(g, [lo, hi], n))]
        exact = list(reversed(mp.chebyfit(g, [lo, hi], n)))
        worst = max(abs((v - mp.polyval(list(reversed(exact)), x)) / v) for x, v in zip(xs, fs))
        if worst < mpf(2) ** -bits or n > 48:
            break
        gap = float(mp.log(worst, 2)) + bits
        n += max(1, int(gap / 4))
    table(name, f"{note}; relative error 2^{float(mp.log(worst, 2)):.1f}", coefs)


def zero(name, z):
    """A number in two parts."""
    if WANTED and not any(name.startswith(w) for w in WANTED):
        return
    hi = float(z)
    print(f"const {name}, {name}Low = {hi.hex()}, {float(z - mpf(hi)).hex()}\n")


# Error functions.
def erfcx(t):
    if t > 1 - mpf("1e-7"):
        return 2 / mp.sqrt(mp.pi)
    x = 3 * (1 + t) / (1 - t)
    if x > 60:
        s, u = mpf(1), mpf(1)
        for k in range(1, 12):
            u *= -(2 * k - 1) / (2 * x * x)
            s += u
        return (1 + 2 * x) * s / (x * mp.sqrt(mp.pi))
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


fit("coefErfcxAll", "(1+2x) e^(x^2) erfc(x) in (x-3)/(x+3) on x >= 0", erfcx, -1, 1, 54, 0, 24)

# The gamma family.
lgamma2 = lambda w: (mp.loggamma(2 + w) / w - 1 + mp.euler) / w if abs(w) > mpf("1e-12") else (mp.zeta(2) - 1) / 2
zero("lgammaSlope", 1 - mp.euler)
fit("coefLgammaTwo", "(log gamma(2+w)/w - slope)/w on |w| <= 1/2", lgamma2, -0.5, 0.5, least=16)


def stirling(q):
    if q < mpf("1e-9"):
        return mpf(1) / 12 - q / 360 + q * q / 1260
    x = 1 / mp.sqrt(q)
    return x * (mp.loggamma(x) - (x - mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


fit("coefStirlingRest", "the rest of Stirling's formula times x, in 1/x^2 on x >= 5/2", stirling, 0, mpf(4) / 25, 52, least=12)
root = mp.findroot(mp.digamma, mpf("1.46163214496836"))
fit("coefDigammaOne", "digamma(x)/(x - root) in x - 3/2 on 1 <= x <= 2",
    lambda x: mp.digamma(x) / (x - root) if abs(x - root) > mpf("1e-20") else mp.psi(1, root), 1, 2, center=1.5, least=18)


def digammafar(q):
    if q < mpf("1e-9"):
        return mpf(1) / 12 - q / 120 + q * q / 252
    x = 1 / mp.sqrt(q)
    return (mp.log(x) - 1 / (2 * x) - mp.digamma(x)) / q


fit("coefDigammaFar", "x^2 (log x - 1/2x - digamma(x)) in 1/x^2 on x >= 2", digammafar, 0, 0.25, 52, least=14)


def trigammafar(q):
    if q < mpf("1e-9"):
        return mpf(1) / 6 - q / 30 + q * q / 42
    x = 1 / mp.sqrt(q)
    return (mp.psi(1, x) - 1 / x - q / 2) * x / q


fit("coefTrigammaFar", "x^3 (trigamma(x) - 1/x - 1/2x^2) in 1/x^2 on x >= 2", trigammafar, 0, 0.25, 52, least=14)
fit("coefSinPi", "sin(pi x)/x in x^2 on x <= 1/2", lambda s: mp.sinpi(mp.sqrt(s)) / mp.sqrt(s) if s > mpf("1e-20") else mp.pi, 0, 0.25, least=9)
fit("coefCosPi", "(cos(pi x) - 1)/x^2 in x^2 on x <= 1/2", lambda s: (mp.cospi(mp.sqrt(s)) - 1) / s if s > mpf("1e-20") else -mp.pi**2 / 2, 0, 0.25, least=9)

# Modified Bessel functions.
for v in (0, 1):
    near = lambda x, v=v: mp.besseli(v, x) * mp.exp(-x) / (x if v else 1) if abs(x) > mpf("1e-15") else mpf(1) / (1 + v) * mp.exp(-x)
    fit(f"coefI{v}eNear", f"e^-x I{v}(x)/x^{v} in x - 4 on x <= 8", near, 0, 8, center=4, least=26)
    limit = lambda u, v=v: 1 / mp.sqrt(2 * mp.pi) * (1 - (4 * v * v - 1) * u / 8)
    far = lambda u, v=v: mp.besseli(v, 1 / u) * mp.exp(-1 / u) / mp.sqrt(u) if u > mpf("1e-6") else limit(u)
    fit(f"coefI{v}eFar", f"sqrt(x) e^-x I{v}(x) in 1/x - 1/16 on x >= 8", far, 0, mpf(1) / 8, center=0.0625, least=18)
log = lambda x: mp.log(x)
fit("coefKI0", "I0(x) in x^2 on x <= 1", lambda s: mp.besseli(0, mp.sqrt(abs(s))), 0, 1, least=7)
fit("coefKI1", "I1(x)/x in x^2 on x <= 1", lambda s: mp.besseli(1, mp.sqrt(s)) / mp.sqrt(s) if s > mpf("1e-20") else mpf(1) / 2, 0, 1, least=7)


def smallk0(s):
    x = mp.sqrt(abs(s)) if s != 0 else mpf("1e-20")
    return mp.besselk(0, x) + mp.log(x) * mp.besseli(0, x)


def smallk1(s):
    if abs(s) < mpf("1e-12"):
        return (mp.euler - mp.log(2)) / 2 - mpf(1) / 4
    x = mp.sqrt(s)
    return (mp.besselk(1, x) - 1 / x - mp.log(x) * mp.besseli(1, x)) / x


fit("coefK0Near", "K0(x) + log(x) I0(x) in x^2 on x <= 1", smallk0, 0, 1, least=7)
fit("coefK1Near", "(K1(x) - 1/x - log(x) I1(x))/x in x^2 on x <= 1", smallk1, 0, 1, least=7)
for v in (0, 1):
    def kfar(t, v=v):
        # t = (x-3)/(x+1)... from -1 at 1 to 1 at infinity
        if t > 1 - mpf("1e-8"):
            return mp.sqrt(mp.pi / 2)
        x = (3 + t) / (1 - t)
        return mp.besselk(v, x) * mp.exp(x) * mp.sqrt(x)
    fit(f"coefK{v}Far", f"sqrt(x) e^x K{v}(x) in (x-3)/(x+1) on x >= 1", kfar, -1, 1, least=24)

# Bessel functions.
j0 = [mp.besseljzero(0, k) for k in (1, 2)]
j1 = [mp.besseljzero(1, k) for k in (1, 2)]
y0 = [mp.besselyzero(0, k) for k in (2, 3)]
y1 = [mp.besselyzero(1, k) for k in (1, 2)]
over = lambda f, z: (lambda x: f(x) / (x - z) if abs(x - z) > mpf("1e-18") else m.diff(f, z))
for name, z in (("zeroJ0", j0), ("zeroJ1", j1), ("zeroY0", y0), ("zeroY1", y1)):
    for k in (0, 1):
        zero(name + "ab"[k], z[k])
fit("coefJ0a", "J0(x)/(x^2 - z^2) in x^2 - 8 on x <= 4", lambda s: mp.besselj(0, mp.sqrt(abs(s))) / (s - j0[0] ** 2), 0, 16, center=8, least=12)
fit("coefJ0b", "J0(x)/(x - z) in x - 6 on 4 <= x <= 8", over(lambda x: mp.besselj(0, x), j0[1]), 4, 8, center=6, least=16)
fit("coefJ1a", "J1(x)/x/(x^2 - z^2) in x^2 - 12 on x <= 5",
    lambda s: (mp.besselj(1, mp.sqrt(s)) / mp.sqrt(s) if s > mpf("1e-20") else mpf(1) / 2) / (s - j1[0] ** 2), 0, 25, center=12, least=12)
fit("coefJ1b", "J1(x)/(x - z) in x - 13/2 on 5 <= x <= 8", over(lambda x: mp.besselj(1, x), j1[1]), 5, 8, center=6.5, least=14)


def y0near(s):
    x = mp.sqrt(abs(s)) if s != 0 else mpf("1e-20")
    return mp.bessely(0, x) - 2 / mp.pi * mp.log(x) * mp.besselj(0, x)


def y1near(s):
    if abs(s) < mpf("1e-12"):
        return (mp.euler - mp.log(2)) / mp.pi - 1 / (2 * mp.pi)
    x = mp.sqrt(s)
    return (mp.bessely(1, x) - 2 / mp.pi * (mp.log(x) * mp.besselj(1, x) - 1 / x)) / x


fit("coefY0J", "J0(x) 2/pi in x^2 on x <= 2", lambda s: 2 / mp.pi * mp.besselj(0, mp.sqrt(abs(s))), 0, 4, least=9)
fit("coefY0a", "Y0(x) - 2/pi log(x) J0(x) in x^2 on x <= 2", y0near, 0, 4, least=9)
fit("coefY0b", "Y0(x)/(x - z) in x - 7/2 on 2 <= x <= 5", over(lambda x: mp.bessely(0, x), y0[0]), 2, 5, center=3.5, least=20)
fit("coefY0c", "Y0(x)/(x - z) in x - 13/2 on 5 <= x <= 8", over(lambda x: mp.bessely(0, x), y0[1]), 5, 8, center=6.5, least=16)
fit("coefY1J", "J1(x)/x 2/pi in x^2 on x <= 1.5", lambda s: 2 / mp.pi * (mp.besselj(1, mp.sqrt(s)) / mp.sqrt(s) if s > mpf("1e-20") else mpf(1) / 2), 0, 2.25, least=9)
fit("coefY1a", "(Y1(x) - 2/pi (log(x) J1(x) - 1/x))/x in x^2 on x <= 1.5", y1near, 0, 2.25, least=9)
fit("coefY1b", "Y1(x)/(x - z) in x - 11/4 on 1.5 <= x <= 4", over(lambda x: mp.bessely(1, x), y1[0]), 1.5, 4, center=2.75, least=20)
fit("coefY1c", "Y1(x)/(x - z) in x - 6 on 4 <= x <= 8", over(lambda x: mp.bessely(1, x), y1[1]), 4, 8, center=6, least=18)


def waves(v, which):
    def f(z):
        x = 1 / mp.sqrt(z) if z > mpf("1e-9") else mpf("31622.7")
        chi = x - mp.pi / 4 * (1 + 2 * v)
        a, b = mp.besselj(v, x), mp.bessely(v, x)
        r = mp.sqrt(mp.pi * x / 2)
        if which == "P":
            return r * (a * mp.cos(chi) + b * mp.sin(chi))
        return x * r * (b * mp.cos(chi) - a * mp.sin(chi))
    return f


for v in (0, 1):
    fit(f"coefP{v}", f"P of J{v} and Y{v} in 1/x^2 on x >= 8", waves(v, "P"), 0, mpf(1) / 64, least=8)
    fit(f"coefQ{v}", f"x Q of J{v} and Y{v} in 1/x^2 on x >= 8", waves(v, "Q"), 0, mpf(1) / 64, 54, least=8)

# The Airy function.
a = [mp.airyaizero(k) for k in (1, 2)]
zero("zeroAiA", a[0])
zero("zeroAiB", a[1])


def decay(u):
    if u < mpf("1e-6"):
        return (1 - 5 * u / 72 + 385 * u * u / 10368) / (2 * mp.sqrt(mp.pi))
    x = (mpf(3) / 2 / u) ** (mpf(2) / 3)
    return mp.airyai(x) * mp.exp(1 / u) * mp.root(x, 4)


fit("coefAiDecay", "x^(1/4) e^zeta Ai(x) in 1/zeta - 3/4 on x >= 1, zeta = 2/3 x^(3/2)", decay, 0, 1.5, center=0.75, least=24)
fit("coefAiMiddle", "Ai(x) in x on -1.25 <= x <= 1", mp.airyai, -1.25, 1, center=0, least=18)
fit("coefAiA", "Ai(x)/(x - z) in x + 9/4 on -3.25 <= x <= -1.25", over(mp.airyai, a[0]), -3.25, -1.25, center=-2.25, least=16)
fit("coefAiB", "Ai(x)/(x - z) in x + 33/8 on -5 <= x <= -3.25", over(mp.airyai, a[1]), -5, -3.25, center=-4.125, least=16)


def airywave(which):
    def f(z):
        zeta = 1 / mp.sqrt(z) if z > mpf("1e-9") else mpf("31622.7")
        x = (zeta * 3 / 2) ** (mpf(2) / 3)
        a, b, w = mp.airyai(-x), mp.airybi(-x), zeta - mp.pi / 4
        r = mp.sqrt(mp.pi * mp.sqrt(x))
        if which == "P":
            return r * (a * mp.cos(w) - b * mp.sin(w))
        return zeta * r * (a * mp.sin(w) + b * mp.cos(w))
    return f


most = 1 / (mpf(2) / 3 * mpf(5) ** mpf("1.5")) ** 2
fit("coefAiP", "P of Ai(-x) in 1/zeta^2 on x >= 5", airywave("P"), 0, most, least=8)
fit("coefAiQ", "zeta Q of Ai(-x) in 1/zeta^2 on x >= 5", airywave("Q"), 0, most, 52, least=8)
