"""Writes a dense table of special functions for TestTable of package special: values of arb (python-flint 0.9.0) at random points.

    python scripts/special/sweep.py OUT.gz [POINTS [SEED [REGEX [32]]]]
    LUCID_SPECIAL_TABLE=OUT.gz LUCID_SPECIAL_WORST=WORST.txt go test ./special -run TestTable -v

POINTS is about a third of the rows of a function, REGEX chooses functions by their names in the table, 32 asks for points that are numbers
of float32. WORST.txt gets the worst rows of every function; special/testdata/worst.txt.gz is made of such ones. Points are spread evenly
and evenly in their logarithm, and are at all distances from zeros, poles and borders between formulas. Where arb takes minutes, or more
digits than are allowed, a row is left out. The format is that of table.py.
"""
import gzip
import math
import random
import re
import struct
import sys

from flint import acb, acb_series, arb, ctx

OUT = sys.argv[1]
N = int(sys.argv[2]) if len(sys.argv) > 2 else 300
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
ONLY = re.compile(sys.argv[4] if len(sys.argv) > 4 else ".")
NARROW = len(sys.argv) > 5 and sys.argv[5] == "32"
lines = []
R = random.Random(SEED)


def narrow(x):
    if not NARROW:
        return x
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(3e38, x)


def logu(lo, hi, n=None):
    a, b = math.log(lo), math.log(hi)
    return [math.exp(R.uniform(a, b)) for _ in range(n or N)]


def uni(lo, hi, n=None):
    return [R.uniform(lo, hi) for _ in range(n or N)]


def neg(v):
    return [-x for x in v]


def near(points, n=None):
    """points, their neighbours, and numbers around them at all distances"""
    out = []
    for p in points:
        p = float(p)
        out += [p, math.nextafter(p, math.inf), math.nextafter(p, -math.inf)]
        for _ in range(max(2, (n or N) // 8)):
            out.append(p + R.choice((-1, 1)) * max(abs(p), 1e-3) * 10 ** R.uniform(-16, -0.5))
    return out


TINY, HUGE = (1.2e-38, 3e38) if NARROW else (2.3e-308, 1e308)
LEAST, MOST = (2.0**-126, 2.0**127) if NARROW else (2.0**-1022, 2.0**1023)


def accurate(f, args, bits=90):
    p = 140
    while p < 1300:
        ctx.prec = p
        try:
            v = f(*[arb(a) for a in args])
        except (ValueError, OverflowError, ZeroDivisionError):
            return None
        if isinstance(v, acb):
            v = v.real
        if v.is_finite() and v.rel_accuracy_bits() >= bits:
            return v
        p *= 2
    return None


def tofloat(v):
    return float(v.mid())


def row(name, args, f, scale=None):
    args = [narrow(a) for a in args]
    v = accurate(f, args)
    if v is None:
        return
    w = tofloat(v)
    if w == 0 or abs(w) < LEAST or abs(w) > MOST or w != w:
        return
    s = abs(w)
    if scale is not None:
        ctx.prec = 200
        s = max(s, abs(float(scale(*args))))
    if s > MOST:
        return
    lines.append(" ".join([name] + [a.hex() for a in args] + [w.hex(), s.hex()]))


def one(name, f, points, scale=None):
    if not ONLY.search(name):
        return
    for x in points:
        x = narrow(x)
        if x != x or x == 0 or abs(x) < LEAST or math.isinf(x):
            continue
        row(name, [x], f, scale)
    print(name, len(lines), file=sys.stderr, flush=True)


def many(name, f, tuples, scale=None):
    if not ONLY.search(name):
        return
    for t in tuples:
        t = [narrow(x) for x in t]
        row(name, t, f, scale)
    print(name, len(lines), file=sys.stderr, flush=True)


PI = math.pi
pi = arb.pi


def integral(x):
    return x == math.floor(x)


def noint(v):
    return [x for x in v if not (x <= 0 and integral(x))]


# ---- gamma
def lgamma(x):
    if x > 0:
        return x.lgamma()
    return abs(arb.gamma(x)).log() if x > -160 else (pi() / abs(arb.sin_pi(x)) / 1).log() - (1 - x).lgamma()


positive = logu(TINY, HUGE) + uni(0, 3) + uni(3, 100) + logu(1e-3, 1e3) + near([0.5, 1, 1.5, 2, 2.5, 3, 8, 12, 20, 40])
one("lgamma", lgamma, positive)
negative = noint(uni(-30, 0) + neg(logu(1e-20, 1e3)) + uni(-200, -30) + near([-1, -2, -3, -4, -10, -20, -34], N) + neg(logu(1e3, 1e15)))
one("lgamma", lgamma, negative, lambda x: 1)
dig = lambda x: x.digamma()
one("digamma", dig, positive + near([1.4616321449683623]))
one("digamma", dig, negative, lambda x: math.log(3 - float(x)))


def fac(n):
    return arb(math.factorial(n))


def poly(n):
    def f(x):
        if x > 0:
            v = fac(n) * arb(n + 1).zeta(x)
            return v if n % 2 else -v
        return acb(x).polygamma(acb(n)).real
    return f


def pscale(n):
    return lambda x: float(fac(n) * abs(arb(x) - round(x)) ** -(n + 1)) if x < 0 else 0


for n in (1, 2, 3, 4, 5, 7, 10, 15, 25, 60, 150):
    f = poly(n)
    one("polygamma%d" % n, f, logu(1e-300 if not NARROW else 1e-37, 1e300, N // 3) + uni(0, 3, N // 3) + uni(3, 50, N // 3)
        + logu(1e-3, 1e3, N // 3)
        + near([1, 2, 12, 16, 17, 20], N // 3))
    one("polygamma%d" % n, f, noint(uni(-8, 0, N // 3) + uni(-60, -8, N // 6) + near([-1, -2, -5, -0.5, -1.5, -7.5], N // 3)), pscale(n))


def hz(s, q):
    if q > 0:
        return s.zeta(q)
    n = int(float(s.mid()))
    k = int(float(-q.mid())) + 1  # all terms with a base below zero, one by one
    t = arb(0)
    for i in range(k):
        t += (q + i) ** (-n)
    return t + arb(n).zeta(q + k)


ss = [1 + x for x in logu(1e-12, 1, N // 2)] + uni(1, 10, N) + uni(10, 60, N // 2) + logu(1.01, 500, N) + [float(k) for k in range(2,
    30)] * (N // 20)
qs = lambda: R.choice([R.uniform(0, 3), R.uniform(3, 40), 10 ** R.uniform(-3, 3), 10 ** R.uniform(-20, 20), 10 ** R.uniform(-1, 9),
    float(R.randrange(1, 30))])
many("zeta", hz, [(s, qs()) for s in ss])


def zscale(s, q):
    return float(abs(arb(q) - round(q)) ** -s) if q < 0 else 0


many("zeta", hz, [(float(R.choice([2, 3, 4, 5, 6, 7, 9, 12, 20])), q) for q in noint(uni(-5, 0, N) + uni(-40, -5, N) + near([-1, -0.5,
    -1.5, -2.5, -3, -7.5], N // 2))], zscale)


def mv(p):
    def f(x):
        t = arb(p * (p - 1)) / 4 * pi().log()
        for j in range(p):
            t += (x - arb(j) / 2).lgamma()
        return t
    return f


def mvscale(p):
    def s(x):
        return max([p * (p - 1) / 4 * math.log(math.pi)] + [abs(math.lgamma(x - j / 2)) for j in range(p)])
    return s


for p in (1, 2, 3, 5, 10, 40):
    b = (p - 1) / 2
    one("mvlgamma%d" % p, mv(p), [b + x for x in logu(1e-3, 1e4, N // 2) + uni(0, 5, N) + uni(5, 50, N // 3)], mvscale(p))

# ---- Bessel
amp = lambda x: min(1.0, math.sqrt(2 / (PI * abs(x))))
far = 1e5 if not NARROW else 1e5
zeros = [2.404825557695773, 5.520078110286311, 3.8317059702075125, 7.015586669815619, 0.8935769662791675, 3.957678419314858,
         2.197141326031017, 5.429681040794135]
small = 1e-300 if not NARROW else 1e-37
for v in (0, 1):
    bi = lambda x, v=v: x.bessel_i(arb(v))
    xs = logu(1e-8, 700) + neg(logu(small, 700, N // 3)) + uni(0, 30) + uni(30, 713 if not NARROW else 90) + near([18.5, 1, 8, 30])
    one("i%d" % v, bi, xs)
    one("i%de" % v, lambda x, v=v: x.bessel_i(arb(v), scaled=True) if x > 0 else (-1) ** v * (-x).bessel_i(arb(v), scaled=True),
        xs + logu(700, HUGE))
    xs = logu(small, 1e5) + uni(0, 10) + uni(10, 60) + uni(60, 1000, N // 2) + near(zeros, N) + logu(1e5, 1e8, N // 2) + near([1, 2, 5,
        8, 25])
    one("j%d" % v, lambda x, v=v: x.bessel_j(arb(v)), xs + neg(uni(0, 60, N // 4)), amp)
    one("y%d" % v, lambda x, v=v: x.bessel_y(arb(v)), xs, amp)
    xs = logu(small, 700) + uni(0, 3) + uni(3, 40) + uni(40, 700) + near([1, 2, 8, 30, 600])
    one("k%d" % v, lambda x, v=v: x.bessel_k(arb(v)), xs)
    one("k%de" % v, lambda x, v=v: x.bessel_k(arb(v), scaled=True), xs + logu(700, HUGE))
one("spherical_j0", lambda x: x.sinc(), logu(1e-8, 1e8) + uni(0, 60) + near([PI, 2 * PI, 10 * PI]), lambda x: min(1.0, 1 / abs(x)))
one("sinc", lambda x: x.sinc_pi(), logu(1e-8, 1e8) + neg(uni(0, 60)) + near([1, 2, 3, 10, 100, 0.5], N))
wave = lambda x: min(0.5, abs(x) ** -0.25 / math.sqrt(PI)) if x < 0 else 0
one("airy_ai", lambda x: x.airy_ai(), logu(1e-300 if not NARROW else 1e-37, 105 if not NARROW else 25) + uni(0, 20) + near([1, 2, 5, 9,
    12]))
one("airy_ai", lambda x: x.airy_ai(), neg(logu(1e-10, 1e6)) + uni(-30, 0) + near([-9.5, -2.338107410459767, -4.08794944413097, -8,
    -10]), wave)
wave1 = lambda x: max(0.25, abs(x) ** 0.25 / math.sqrt(PI)) if x < 0 else 0
one("d0_airy_ai", lambda x: x.airy_ai(derivative=1), logu(1e-300 if not NARROW else 1e-37, 104 if not NARROW else 25) + uni(0, 20)
    + near([1, 2, 5, 9, 12]))
one("d0_airy_ai", lambda x: x.airy_ai(derivative=1), neg(logu(1e-10, 1e6)) + uni(-30, 0) + near([-9.5, -1.018792971647471, -8, -10]), wave1)

# ---- error functions
s2 = lambda: arb(2).sqrt()
erfp = logu(small, 30) + uni(-6, 6) + neg(logu(1e-5, 27)) + near([0.5, 0.84375, 1, 1.25, 2.857, 6, 26])
one("erf", lambda x: x.erf(), erfp)
one("erfc", lambda x: x.erfc(), erfp + uni(0, 26.5))
one("erfcx", lambda x: (x * x).exp() * x.erfc(), uni(-26.6, 30) + logu(small, 40) + neg(logu(1e-8, 26)) + logu(40,
    1e300 if not NARROW else 1e37, N // 3)
    + near([12, 0.5, 26, 1, 8]))
nd = lambda x: (-x / s2()).erfc() / 2
one("ndtr", nd, uni(-37.5, 10) + uni(-13, 3) + logu(small, 8) + neg(logu(1e-8, 37)) + near([-0.7071067811865476, -1, -1.1915, -1.7677, -8]))
lnd = lambda x: nd(x).log() if x < 5 else (-nd(-x)).log1p()
one("log_ndtr", lnd, uni(-60, 38) + uni(-6, 6) + neg(logu(1e-300 if not NARROW else 1e-37, 1e150 if not NARROW else 1e18)) + logu(1e-8,
    37) + near([-1, 1, 0.5, 5, -5, 2, -2]))
root2 = lambda: arb(2).sqrt()


def qn(p):
    if p * 2 == 1:
        return arb(0)
    if p > 0.25:
        return root2() * (2 * p - 1).erfinv()
    return -root2() * (2 * p).erfcinv()


lowp = 1e-300 if not NARROW else 1e-37
one("ndtri", qn, logu(lowp, 0.5) + uni(0, 1) + [1 - x for x in logu(1e-15 if not NARROW else 1e-7, 0.5)] + near([0.3, 0.7, 0.5, 0.025,
    0.135335, 0.8646647]))
one("erfcinv", lambda y: y.erfcinv() if y < 0.5 else (1 - y).erfinv(), logu(lowp, 0.5) + uni(0, 2)
    + [2 - x for x in logu(1e-15 if not NARROW else 1e-7, 0.5)] + near([0.5, 1, 1.5, 0.6, 1.4, 0.05]))
one("erfinv", lambda y: y.erfinv(), uni(-1, 1) + logu(lowp, 1) + [1 - x for x in logu(1e-15 if not NARROW else 1e-7, 0.5)] + near([0.5,
    0.75, 0.9375, 0.85]))
one("entr", lambda x: -x * x.log(), logu(lowp, 1e300 if not NARROW else 1e36) + uni(0, 3) + near([1, 0.5, 2]))
one("logit", lambda x: (x / (1 - x)).log(), logu(lowp, 0.5) + uni(0, 1) + [1 - x for x in logu(1e-15 if not NARROW else 1e-7, 0.5)]
    + near([0.5, 0.25, 0.75]))
one("expit", lambda x: 1 / (1 + (-x).exp()), uni(-40, 40) + neg(logu(1e-8, 700 if not NARROW else 80)) + logu(1e-10, 40) + near([-1, 1]))
many("xlogy", lambda x, y: x * y.log(), [(R.uniform(-5, 5), y) for y in logu(lowp, 1e300 if not NARROW else 1e36) + uni(0, 3) + near([1])])
many("xlog1py", lambda x, y: x * y.log1p(), [(R.uniform(-5, 5), y) for y in logu(lowp, 1e300 if not NARROW else 1e36) + uni(-1, 3)
    + near([0, 1])])
many("logaddexp", lambda x, y: (x.exp() + y.exp()).log(), [(R.uniform(-9, 9), R.uniform(-9, 9)) for _ in range(N)] + [(x, x
    + R.uniform(-40, 40)) for x in uni(-500, 500)],
     lambda x, y: max(abs(x), abs(y)))
many("logaddexp2", lambda x, y: (arb(2) ** x + arb(2) ** y).log() / arb(2).log(), [(R.uniform(-9, 9), R.uniform(-9,
    9)) for _ in range(N)] + [(x, x + R.uniform(-60, 60)) for x in uni(-500, 500)],
     lambda x, y: max(abs(x), abs(y)))

# ---- incomplete
def lower(a, x):
    """by the power series, whose terms are positive; arb's own takes minutes for some large arguments"""
    if x > 100 + 40 * a + 1500:
        return arb.nan()
    lead = (a * x.log() - x - (a + 1).lgamma()).exp()
    t = total = arb(1)
    n, eps = 0, arb(2) ** -(ctx.prec + 10)
    while True:
        n += 1
        t = t * x / (a + n)
        total += t
        if n % 16 == 0 and t < total * eps and a + n > 2 * x.mid() * 0.55:
            break
    return lead * (total + arb(0, 1) * total * eps * 4)


def upper(a, x):
    old = ctx.prec
    if old > 200:
        return arb.nan()
    for p in (240, 1500):
        ctx.prec = p
        v = 1 - lower(a, x)
        if v.is_finite() and v.rel_accuracy_bits() > 95:
            break
    ctx.prec = old
    return v


def gpoints(n):
    out = []
    for _ in range(n):
        a = R.choice([10 ** R.uniform(-3, 1), R.uniform(0, 3), R.uniform(0, 40), 10 ** R.uniform(1, 4), R.uniform(15, 60),
            10 ** R.uniform(-8, -1), 10 ** R.uniform(3, 4.5),
                      float(R.randrange(1, 30)) / 2])
        w = math.sqrt(a)
        x = R.choice([a * R.random(), a + w * R.uniform(-5, 5), a + w * 30 * R.random() + 9 * R.random(), 10 ** R.uniform(-8, 2),
            a * 10 ** R.uniform(-3, 1), R.uniform(0.9, 1.3),
                      a + 1 + R.uniform(-.1, .1), a * R.uniform(.65, .75), a * R.uniform(1.25, 1.35)])
        if x > 0:
            out.append((a, x))
    return out


g = gpoints(8 * N)
many("gammainc", lower, g)
many("gammaincc", upper, g)


def binc(a, b, x):
    """by the series of positive terms, the complement in as many digits as it takes"""
    if x > 0.5:
        old = ctx.prec
        if old > 200:
            return arb.nan()
        for p in (240, 1500):
            ctx.prec = p
            v = 1 - binc_series(b, a, 1 - x)
            if v.is_finite() and v.rel_accuracy_bits() > 95:
                break
        ctx.prec = old
        return v
    return binc_series(a, b, x)


def binc_series(a, b, x):
    lead = (a * x.log() + b * (-x).log1p() + (a + b).lgamma() - (a + 1).lgamma() - b.lgamma()).exp()
    t = total = arb(1)
    n, eps = 0, arb(2) ** -(ctx.prec + 10)
    while n < 60000:
        t = t * x * (a + b + n) / (a + 1 + n)
        n += 1
        total += t
        if n % 16 == 0 and t < total * eps and x * (a + b + n) < 0.8 * (a + 1 + n):
            break
    return lead * (total + arb(0, 1) * total * eps * 8)


def bpoints(n):
    out = []
    c = lambda: R.choice([10 ** R.uniform(-3, 0), R.uniform(0, 3), R.uniform(0, 40), 10 ** R.uniform(1, 3.5), float(R.randrange(1,
        40)) / 2])
    for _ in range(n):
        a, b = c(), c()
        m, w = a / (a + b), math.sqrt(a * b / (a + b + 1)) / (a + b)
        x = R.choice([m + w * R.uniform(-4, 4), m + w * R.uniform(-4, 4), R.random(), 1 - 10 ** R.uniform(-15 if not NARROW else -6,
            0), 10 ** R.uniform(-10, 0), (a + 1) / (a + b + 2) * R.uniform(.99, 1.01)])
        if 0 < x < 1:
            out.append((a, b, x))
    return out


bp = bpoints(4 * N)
many("betainc", binc, bp)
many("betainc", binc, [(a, 10 ** R.uniform(-3, 0), 1 - 10 ** R.uniform(-15 if not NARROW else -6, -0.3)) for a in logu(1e-3, 1e4, 2 * N)])


def bt(a, b):
    return a.gamma() * b.gamma() * (a + b).rgamma()


def bln(a, b):
    return a.lgamma() + b.lgamma() - (a + b).lgamma()


c2 = [(R.choice([10 ** R.uniform(-5, 4), R.uniform(0, 30), R.uniform(0, 3)]), R.choice([10 ** R.uniform(-5, 4), R.uniform(0, 30),
    R.uniform(0, 3)])) for _ in range(4 * N)]
many("beta", bt, c2)
many("betaln", bln, c2, lambda a, b: 1)
many("betaln", bln, [(10 ** R.uniform(-10, 15), 10 ** R.uniform(-10, 15)) for _ in range(N)], lambda a, b: 1)


# ---- densities: the gradients of the incomplete functions
def gden(a, x):
    return (a - 1) * x.log() - x - a.lgamma()


many("d1_gammainc", lambda a, x: gden(a, x).exp(), g)
many("d2_betainc", lambda a, b, x: ((a - 1) * x.log() + (b - 1) * (-x).log1p() - bln(a, b)).exp(), bp)

# ---- derivatives in closed form
one("d0_lgamma", dig, positive + near([1.4616321449683623]))
one("d0_digamma", poly(1), positive)
one("d0_polygamma1", poly(2), logu(1e-3, 1e3) + uni(0, 30))
one("d0_polygamma3", poly(4), logu(1e-3, 1e3) + uni(0, 30))
many("d1_zeta", lambda s, q: -s * (s + 1).zeta(q), [(s, qs()) for s in ss])


def zeta_series(s, q):
    return acb_series([acb(s), 1]).zeta(acb(q)).coeffs()[1].real


many("d0_zeta", zeta_series, [(s, qs()) for s in [1 + x for x in logu(1e-3, 1, N // 2)] + uni(1, 10) + uni(10, 40, N // 2)])
dl = lambda x: (-x * x / 2).exp() / (2 * pi()).sqrt() / nd(x)
one("d0_log_ndtr", dl, uni(-60, 38) + uni(-6, 6) + neg(logu(1e-300 if not NARROW else 1e-37, 1e150 if not NARROW else 1e18))
    + logu(1e-8, 37) + near([-1e5, -1, 0]))
one("d0_ndtr", lambda x: (-x * x / 2).exp() / (2 * pi()).sqrt(), uni(-37, 37) + logu(1e-8, 37))
one("d0_erf", lambda x: 2 * (-x * x).exp() / pi().sqrt(), uni(-26, 26) + logu(1e-8, 26))
one("d0_erfc", lambda x: -2 * (-x * x).exp() / pi().sqrt(), uni(-26, 26) + logu(1e-8, 26))
one("d0_erfcx", lambda x: 2 * x * (x * x).exp() * x.erfc() - 2 / pi().sqrt(), uni(-26, 30) + logu(1e-8, 1e8))
one("d0_ndtri", lambda p: (2 * pi()).sqrt() * (qn(p) ** 2 / 2).exp(), logu(lowp, 0.5) + uni(0, 1))
one("d0_erfinv", lambda p: pi().sqrt() / 2 * (p.erfinv() ** 2).exp(), uni(-1, 1) + logu(lowp, 1))
one("d0_erfcinv", lambda p: -pi().sqrt() / 2 * ((p.erfcinv() if p < .5 else (1 - p).erfinv()) ** 2).exp(), logu(lowp, 0.5) + uni(0, 2))
one("d0_entr", lambda x: -x.log() - 1, logu(1e-300 if not NARROW else 1e-37, 1e36) + uni(0, 3), lambda x: 1)
one("d0_logit", lambda x: 1 / (x * (1 - x)), uni(0, 1) + logu(1e-30, 1))
one("d0_sinc", lambda x: (arb.cos_pi(x) - x.sinc_pi()) / x, uni(-20, 20) + logu(1e-8, 1e4) + near([1, 2, 0.318]), lambda x: min(abs(x),
    1 / abs(x)))
bI = lambda v, x: x.bessel_i(arb(v))
bK = lambda v, x: x.bessel_k(arb(v))
bIe = lambda v, x: x.bessel_i(arb(v), scaled=True)
bKe = lambda v, x: x.bessel_k(arb(v), scaled=True)
bx = logu(1e-8, 700 if not NARROW else 80) + uni(0, 40)
one("d0_i0", lambda x: bI(1, x), bx)
one("d0_i1", lambda x: (bI(0, x) + bI(2, x)) / 2, bx)
one("d0_i0e", lambda x: bIe(1, x) - bIe(0, x), bx + logu(700, 1e12), lambda x: float(bIe(0, arb(x))))
one("d0_i1e", lambda x: (bIe(0, x) + bIe(2, x)) / 2 - bIe(1, x), bx + logu(700, 1e12), lambda x: float(bIe(1, arb(x))))
one("d0_k0", lambda x: -bK(1, x), bx)
one("d0_k1", lambda x: -(bK(0, x) + bK(2, x)) / 2, bx)
one("d0_k0e", lambda x: bKe(0, x) - bKe(1, x), bx + logu(700, 1e12), lambda x: float(bKe(0, arb(x))))
one("d0_k1e", lambda x: bKe(1, x) - (bKe(0, x) + bKe(2, x)) / 2, bx + logu(700, 1e12), lambda x: float(bKe(1, arb(x))))
one("d0_j0", lambda x: -x.bessel_j(arb(1)), logu(1e-8, 1e4) + uni(0, 60), amp)
one("d0_j1", lambda x: (x.bessel_j(arb(0)) - x.bessel_j(arb(2))) / 2, logu(1e-8, 1e4) + uni(0, 60), amp)
one("d0_y0", lambda x: -x.bessel_y(arb(1)), logu(1e-8, 1e4) + uni(0, 60), amp)
one("d0_y1", lambda x: (x.bessel_y(arb(0)) - x.bessel_y(arb(2))) / 2, logu(1e-8, 1e4) + uni(0, 60), amp)
one("d0_spherical_j0", lambda x: (x.cos() - x.sinc()) / x, logu(1e-8, 1e4) + uni(0, 60), lambda x: min(abs(x), 1 / abs(x)))
many("d0_beta", lambda a, b: bt(a, b) * (a.digamma() - (a + b).digamma()), c2, lambda a, b: float(bt(arb(a), arb(b)) * (1
    + abs(arb(a).digamma()))))
many("d0_betaln", lambda a, b: a.digamma() - (a + b).digamma(), c2, lambda a, b: 1 + float(abs(arb(a).digamma())))

# ---- polynomials, of moderate degrees
deg = lambda: R.choice([R.randrange(0, 8), R.randrange(0, 30), R.randrange(0, 100)])


def by(p):
    return lambda x, n: p(int(float(n.mid())), x)


def rec(n, x, u):
    if n == 0:
        return arb(1)
    a, b = arb(1), u
    for _ in range(n - 1):
        a, b = b, 2 * x * b - a
    return b


def he(n, x):
    a, b = arb(1), x
    if n == 0:
        return a
    for m in range(1, n):
        a, b = b, x * b - m * a
    return b


families = {
    "chebyshev_t": lambda n, x: rec(n, x, x), "chebyshev_u": lambda n, x: rec(n, x, 2 * x), "chebyshev_v": lambda n, x: rec(n, x,
        2 * x - 1),
    "chebyshev_w": lambda n, x: rec(n, x, 2 * x + 1),
    "shifted_t": lambda n, x: rec(n, 2 * x - 1, 2 * x - 1), "shifted_u": lambda n, x: rec(n, 2 * x - 1, 4 * x - 2),
    "shifted_v": lambda n, x: rec(n, 2 * x - 1, 4 * x - 3), "shifted_w": lambda n, x: rec(n, 2 * x - 1, 4 * x - 1),
    "hermite_h": lambda n, x: x.hermite_h(n), "hermite_he": he, "laguerre_l": lambda n, x: x.laguerre_l(n), "legendre_p": lambda n,
        x: x.legendre_p(n),
}
for name, p in families.items():
    lo, hi = (-1.2, 1.2)
    if name.startswith("shifted"):
        lo, hi = -.1, 1.1
    if name.startswith("hermite"):
        lo, hi = -12, 12
    if name.startswith("laguerre"):
        lo, hi = -3, 60
    many(name, by(p), [(x, float(deg())) for x in uni(lo, hi) + uni(-9, 9) + near([1, -1, .5])])

with gzip.open(OUT, "wb") as f:
    f.write(("\n".join(lines) + "\n").encode())
