"""Minimax fits behind the coefficient tables of the simd math kernels.

Needs mpmath. `python3 fit.py` prints Go tables in hexadecimal floats; coef.go holds the printed lines.

Method: Remez exchange on a linear basis with a weight, after which coefficients are rounded to float32 one
at a time, the most significant first, and the remaining ones are fitted again so that they absorb the rounding.
"""
import struct
from mpmath import mp, mpf, matrix, lu_solve

mp.dps = 40
GRID = 1200
PHI1, PHI2 = mpf(3) / 4, mpf(3) / 8


def f32(v):
    return struct.unpack('f', struct.pack('f', float(v)))[0]


def f32hex(v):
    return float(v).hex().replace('0000000p', 'p')


def grid(lo, hi, n=GRID):
    lo, hi = mpf(lo), mpf(hi)
    return [(lo + hi) / 2 - (hi - lo) / 2 * mp.cos(mp.pi * i / n) for i in range(n + 1)]


def remez(xs, fs, basis, ws, iters=30):
    """Coefficients c minimising max |w*(f - sum c_i basis_i)| on the points xs; basis[i] is a list of values."""
    m = len(basis)
    n = len(xs)
    idx = [round((n - 1) * j / m) for j in range(m + 1)]  # xs is already Chebyshev spaced
    best = None
    for _ in range(iters):
        A = matrix(m + 1, m + 1)
        b = matrix(m + 1, 1)
        for r, k in enumerate(idx):
            for c in range(m):
                A[r, c] = basis[c][k]
            A[r, m] = (-1) ** r / ws[k]
            b[r] = fs[k]
        s = lu_solve(A, b)
        c = [s[i] for i in range(m)]
        err = [ws[k] * (fs[k] - sum(c[i] * basis[i][k] for i in range(m))) for k in range(n)]
        mx = max(abs(e) for e in err)
        if best is None or mx < best[0]:
            best = (mx, c)
        # One extremum per run of equal sign; then keep the m+1 neighbours with the largest errors.
        runs = []
        for k in range(n):
            if not runs or (err[k] > 0) != (err[runs[-1]] > 0):
                runs.append(k)
            elif abs(err[k]) > abs(err[runs[-1]]):
                runs[-1] = k
        while len(runs) > m + 1:
            if abs(err[runs[0]]) < abs(err[runs[-1]]):
                runs.pop(0)
            else:
                runs.pop()
        if len(runs) < m + 1 or mx < abs(s[m]) * mpf('1.0001'):
            break
        idx = runs
    return best


def poly(lo, hi, f, exps, weight, rnd=f32, order=None, n=GRID):
    """Fit sum c_i x^exps[i] and round each coefficient, refitting the rest."""
    xs = [x for x in grid(lo, hi, n) if abs(x) > mpf("1e-7")]
    fs = [f(x) for x in xs]
    ws = [weight(x) for x in xs]
    todo = list(range(len(exps)))
    if order:
        todo = [exps.index(e) for e in order]
    done = {}
    err0 = None
    prev = None
    while todo:
        basis = [[x ** exps[i] for x in xs] for i in todo]
        mx, c = remez(xs, fs, basis, ws)
        if err0 is None:
            err0 = mx
        elif mx > prev[0]:
            c = prev[1]  # little is left but rounding noise: the exchange found nothing better
        i = todo.pop(0)
        done[i] = rnd(c[0])
        fs = [v - mpf(done[i]) * x ** exps[i] for v, x in zip(fs, xs)]
        rest = [sum(b * p[k] for b, p in zip(c[1:], basis[1:])) for k in range(len(xs))]
        prev = (max(abs(w * (v - r)) for w, v, r in zip(ws, fs, rest)), c[1:])
    mx = max(abs(w * v) for w, v in zip(ws, fs))
    return [done[i] for i in range(len(exps))], err0, mx


def show(name, note, coefs, e0, e1, typ="float32"):
    print(f"// {name}: {note}; weighted error 2^{float(mp.log(e0, 2)):.1f} before and 2^{float(mp.log(e1, 2)):.1f} after rounding.")
    print(f"var {name} = []{typ}{{" + ", ".join(f32hex(c) for c in coefs) + "}")


def gelu_tail(a):
    """a Phi(-a) exp(a^2/2), Phi the normal distribution."""
    return a * mp.erfc(a / mp.sqrt(2)) * mp.exp(a * a / 2) / 2


def table16(f, deg, most, plus=0):
    """Sixteen polynomials in a - c, one per quarter octave of 1 + a from 1 to 16, as far as a goes to most; f(0) is 0.

    Column k belongs to the arguments with k = (bits(1+a) >> 21) & 15. The point c of each is chosen near the
    middle so that f(c) is very nearly a float32: the leading coefficient then costs no accuracy. That of the first
    column is 0, for the sake of small arguments; it has f(a) - plus*a.
    """
    rows = [[0.0] * 16 for _ in range(deg + 2)]
    worst0, worst = mpf(0), mpf(0)
    for octave in range(4):
        for part in range(4):
            w = mpf(2) ** octave / 4
            lo = mpf(2) ** octave + part * w - 1
            if lo >= most:
                continue
            hi = min(lo + w, most)
            best = (mpf(0), mpf(0)) if lo == 0 else None
            for j in range(-300, 301) if best is None else []:
                c = mpf(f32((lo + hi) / 2 + w * j / 4001))
                v = f(c)
                e = abs(mpf(f32(v)) / v - 1)
                if best is None or e < best[0]:
                    best = (e, c)
            c = best[1]
            c0 = mpf(f32(f(c)))
            p, e0, e1 = poly(lo - c, hi - c, lambda d: (f(c + d) - c0) / d - (plus if c == 0 else 0), list(range(deg)), lambda d: abs(d) / f(c + d), n=200)
            worst0, worst = max(worst0, e0), max(worst, e1, best[0])
            k = (127 + octave) * 4 + part & 15
            for r, x in enumerate([c, c0] + p):
                rows[r][k] = f32(x)
    return rows, worst0, worst


def table8(f, deg, slope, plus):
    """As table16, with eight polynomials, one per quarter octave of 1 + slope*a from 1 to 4; the other eight columns are the same."""
    rows = [[0.0] * 16 for _ in range(deg + 2)]
    worst0, worst = mpf(0), mpf(0)
    for octave in range(2):
        for part in range(4):
            w = mpf(2) ** octave / 4
            lo, hi = [(mpf(2) ** octave + (part + i) * w - 1) / slope for i in range(2)]
            best = (mpf(0), mpf(0)) if lo == 0 else None
            for j in range(-300, 301) if best is None else []:
                c = mpf(f32((lo + hi) / 2 + w * j / 4001))
                v = f(c)
                e = abs(mpf(f32(v)) / v - 1)
                if best is None or e < best[0]:
                    best = (e, c)
            c = best[1]
            c0 = mpf(f32(f(c)))
            p, e0, e1 = poly(lo - c, hi - c, lambda d: (f(c + d) - c0) / d - (plus if c == 0 else 0), list(range(deg)), lambda d: abs(d) / f(c + d), n=200)
            worst0, worst = max(worst0, e0), max(worst, e1, best[0])
            k = (127 + octave) * 4 + part & 7
            for r, x in enumerate([c, c0] + p):
                rows[r][k] = rows[r][k + 8] = f32(x)
    return rows, worst0, worst


def steps16(f, deg, edge):
    """Sixteen polynomials in m - c for m <= 0: column k has those with edge(k-1/2) <= -m <= edge(k+1/2), as far as that is above 0.

    As in table16 the point c is chosen so that f(c) is very nearly a float32.
    """
    rows = [[0.0] * 16 for _ in range(deg + 2)]
    worst0, worst = mpf(0), mpf(0)
    for k in range(16):
        lo, hi = -edge(k + mpf(1) / 2), -edge(max(mpf(0), k - mpf(1) / 2))
        best = None
        for j in range(-300, 301):
            c = mpf(f32((lo + hi) / 2 + (hi - lo) * j / 9001))
            v = f(c)
            e = abs(mpf(f32(v)) / v - 1)
            if best is None or e < best[0]:
                best = (e, c)
        c = best[1]
        c0 = mpf(f32(f(c)))
        p, e0, e1 = poly(lo - c, hi - c, lambda d: (f(c + d) - c0) / d, list(range(deg)), lambda d: abs(d) / f(c + d), n=120)
        worst0, worst = max(worst0, e0), max(worst, e1, best[0])
        for r, x in enumerate([c, c0] + p):
            rows[r][k] = f32(x)
    return rows, worst0, worst


def phi_edge(t):
    """The a with a (PHI2 a + PHI1) = t; steps grow shorter with a, as the relative change of Phi(-a) grows."""
    return (mp.sqrt(PHI1 ** 2 + 4 * PHI2 * t) - PHI1) / (2 * PHI2)


def exp_table():
    hi = [f32(mpf(2) ** (mpf(i) / 16)) for i in range(16)]
    return [hi, [f32(mpf(2) ** (mpf(i) / 16) - mpf(h)) for i, h in enumerate(hi)]], mpf(2) ** -50, mpf(2) ** -50


def show_table(name, note, rows, e0, e1):
    print(f"// {name}: {note}; relative error 2^{float(mp.log(e0, 2)):.1f} before and 2^{float(mp.log(e1, 2)):.1f} after rounding.")
    print(f"var {name} = [][]float32{{")
    for r in rows:
        print("\t{" + ", ".join(f32hex(c) for c in r) + "},")
    print("}")


def main():
    L = mp.log(2) / 2 * mpf('1.001')
    c, a, b = poly(-L, L, lambda r: (mp.exp(r) - 1 - r) / r ** 2, [0, 1, 2, 3, 4], lambda r: r ** 2 / mp.exp(r))
    show("coefExp", "(e^r - 1 - r)/r^2 on |r| <= ln2/2", c, a, b)
    c, a, b = poly(-L, L, lambda r: (mp.expm1(r) - r) / r ** 2, [0, 1, 2, 3, 4], lambda r: r ** 2 / abs(mp.expm1(r)))
    show("coefExpm1", "(e^r - 1 - r)/r^2 on |r| <= ln2/2, relative to e^r - 1", c, a, b)
    c, a, b = poly(-0.501, 0.501, lambda r: (mpf(2) ** r - 1) / r, [0, 1, 2, 3, 4, 5], lambda r: r / mpf(2) ** r)
    show("coefExp2", "(2^r - 1)/r on |r| <= 1/2", c, a, b)
    c, a, b = poly(-0.25, 0.5, lambda f: (mp.log1p(f) - f + f * f / 2) / f ** 3, list(range(8)), lambda f: abs(f ** 3 / mp.log1p(f)))
    show("coefLog", "(log(1+f) - f + f^2/2)/f^3 on -1/4 <= f <= 1/2", c, a, b)
    q = (mp.pi / 4 * mpf('1.001')) ** 2
    c, a, b = poly(0, q, lambda s: (mp.sin(mp.sqrt(s)) / mp.sqrt(s) - 1) / s, list(range(3)), lambda s: s)
    show("coefSin", "(sin(r)/r - 1)/r^2 in r^2 on |r| <= pi/4", c, a, b)
    c, a, b = poly(0, q, lambda s: (mp.cos(mp.sqrt(s)) - 1 + s / 2) / s ** 2, list(range(3)), lambda s: s * s)
    show("coefCos", "(cos(r) - 1 + r^2/2)/r^4 in r^2 on |r| <= pi/4", c, a, b)
    lo, hi = mp.sqrt(mpf(1) / 2) - 1, mp.sqrt(mpf(2)) - 1
    c, a, b = poly(lo, hi, lambda f: mp.log1p(f) / mp.log(2) / f, list(range(15)), lambda f: abs(f / mp.log1p(f)), rnd=float)
    show("coefPowLog", "log2(1+f)/f on sqrt(1/2)-1 <= f <= sqrt(2)-1", c, a, b, "float64")
    c, a, b = poly(-0.5, 0.5, lambda r: mpf(2) ** r, list(range(8)), lambda r: 1 / mpf(2) ** r, rnd=float)
    show("coefPowExp", "2^r on |r| <= 1/2", c, a, b, "float64")
    show_table("tabGelu", "a Phi(-a) exp(a^2/2), less a/2 in the first column, rows c, c0, c1 ... as in table16", *table16(gelu_tail, 6, mpf(15), mpf(1) / 2))
    show_table("tabPhi", "Phi(m), rows c, c0, c1 ... as in steps16 by phi_edge", *steps16(lambda m: mp.erfc(-m / mp.sqrt(2)) / 2, 7, phi_edge))
    show_table("tabErf", "erf(a), less a in column 4, in quarter octaves of 1 + 3a/4, twice", *table8(mp.erf, 7, mpf(3) / 4, 1))
    show_table("tabTanh", "tanh(a), rows c, c0, c1 ... as in table16", *table16(mp.tanh, 6, mpf('9.1')))
    show_table("tabExp", "2^(i/16) and what it lost in rounding", *exp_table())


if __name__ == '__main__':
    main()
