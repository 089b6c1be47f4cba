"""Prints the polynomial of internal/backend/special/gamma.go for ψ(x)/(x - root) on 1 <= x <= 2, in x - 3/2, by mpmath 1.3.0."""
from mpmath import mp, mpf, digamma, findroot, chebyfit

mp.dps = 50
root = findroot(digamma, mpf("1.4616321449683623"))


def f(d):
    x = d + mpf(3) / 2
    return digamma(x) / (x - root)


c, e = chebyfit(f, [mpf(-1) / 2, mpf(1) / 2], 25, error=True)
print("// error", mp.nstr(e, 3))
line = "\t"
for v in reversed(c):
    w = repr(float(v)) + ", "
    if len(line) + len(w) > 135:
        print(line.rstrip())
        line = "\t"
    line += w
print(line.rstrip())
