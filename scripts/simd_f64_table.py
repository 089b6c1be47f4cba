"""Writes internal/backend/cpu/simd/testdata/f64.txt: arguments and results of float64 functions, computed by mpmath 1.3.0
with 60 digits. A line is name, argument, result rounded to float64, and what rounding left out in units of its last place."""

import math
import pathlib
import random

import mpmath

mpmath.mp.dps = 60
functions = {
    "ExpF64": (mpmath.exp, [(-745, 709.7), (-1, 1), (-1e-5, 1e-5), (-30, 30)]),
    "LogF64": (mpmath.log, [(1e-320, 1e-300), (0.5, 2), (0.99, 1.01), (1e-3, 1e3), (1e300, 1.7e308)]),
    "TanhF64": (mpmath.tanh, [(-20, 20), (-1, 1), (-1e-4, 1e-4), (-0.4, 0.4)]),
    "SigmoidF64": (lambda x: 1 / (1 + mpmath.exp(-x)), [(-700, 40), (-5, 5), (-1e-3, 1e-3)]),
    "SinF64": (mpmath.sin, [(-1e6, 1e6), (-10, 10), (-1e-3, 1e-3), (3.1415926, 3.1415927)]),
    "CosF64": (mpmath.cos, [(-1e6, 1e6), (-10, 10), (-1e-3, 1e-3), (1.5707963, 1.5707964)]),
    "AtanF64": (mpmath.atan, [(-10, 10), (-0.5, 0.5), (2, 3), (-1e-4, 1e-4), (-1e17, 1e17)]),
    "AsinF64": (mpmath.asin, [(-1, 1), (-0.5, 0.5), (0.99, 1), (0.5, 0.6), (-1e-4, 1e-4)]),
    "AcosF64": (mpmath.acos, [(-1, 1), (-0.5, 0.5), (0.99, 1), (-1, -0.99), (0.5, 0.6), (-1e-4, 1e-4)]),
    "SinhF64": (mpmath.sinh, [(-710, 710), (-1, 1), (-30, 30), (-0.4, 0.4), (-1e-4, 1e-4)]),
    "CoshF64": (mpmath.cosh, [(-710, 710), (-1, 1), (-30, 30), (-1e-4, 1e-4)]),
    "AsinhF64": (mpmath.asinh, [(-10, 10), (-0.5, 0.5), (-1e9, 1e9), (-1e-4, 1e-4), (1e300, 1.7e308)]),
    "AcoshF64": (mpmath.acosh, [(1, 10), (1, 1.01), (1, 1e9), (1e300, 1.7e308)]),
    "AtanhF64": (mpmath.atanh, [(-1, 1), (-0.5, 0.5), (0.99, 1), (-1e-4, 1e-4)]),
    "Log10F64": (mpmath.log10, [(1e-320, 1e-300), (0.5, 2), (0.99, 1.01), (1e-3, 1e3), (1e300, 1.7e308)]),
    "Log2F64": (lambda x: mpmath.log(x) / mpmath.log(2), [(1e-320, 1e-300), (0.5, 2), (0.99, 1.01), (1e-3, 1e3), (1e300, 1.7e308)]),
    "LogitF64": (lambda x: mpmath.log(x / (1 - x)), [(0, 1), (0.49, 0.51), (1e-10, 1e-9), (0.999, 1), (0.2, 0.3)]),
    "ErfF64": (mpmath.erf, [(-6, 6), (-1, 1), (0.4, 0.6), (-1e-4, 1e-4)]),
    "ErfcF64": (mpmath.erfc, [(-6, 6), (-1, 1), (0.4, 0.6), (-1e-4, 1e-4), (2, 10), (10, 26)]),
    "GeluF64": (lambda x: x * mpmath.erfc(-x / mpmath.sqrt(2)) / 2, [(-3, 6), (-1, 1), (-1e-4, 1e-4), (-0.8, -0.6)]),
    "TanF64": (mpmath.tan, [(-1e5, 1e5), (-10, 10), (-1, 1), (-1e-3, 1e-3), (1.5707963, 1.5707964)]),
    "Exp2F64": (lambda x: mpmath.mpf(2) ** x, [(-1074, 1023.9), (-1, 1), (-1e-5, 1e-5)]),
    "Expm1F64": (mpmath.expm1, [(-40, 709.7), (-1, 1), (-1e-5, 1e-5), (-0.4, 0.4), (0.3, 1.2)]),
    "Log1pF64": (mpmath.log1p, [(-1, 1), (-0.3, 0.5), (-1e-5, 1e-5), (1, 1e10), (1e300, 1.7e308)]),
}
random.seed(1)
out = []
for name, (f, ranges) in functions.items():
    for lo, hi in ranges:
        for _ in range(120):
            x = random.uniform(lo, hi)
            y = f(mpmath.mpf(x))
            r = float(y)
            out.append(f"{name} {x.hex()} {r.hex()} {float((y - mpmath.mpf(r)) / mpmath.mpf(math.ulp(r))):.4f}")
path = pathlib.Path(__file__).parent.parent / "internal/backend/cpu/simd/testdata/f64.txt"
path.parent.mkdir(exist_ok=True)
path.write_text("\n".join(out) + "\n")
