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
