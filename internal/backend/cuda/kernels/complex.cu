// Functions of complex numbers, computed in double for both widths, as on the CPU.

#define LN2 0.69314718055994530942
#define LN10 2.30258509299404568402

DEV c128 wide(c64 z) { return cx((double)z.re, (double)z.im); }
DEV c128 wide(c128 z) { return z; }
DEV c128 times_i(c128 z) { return cx(-z.im, z.re); }
DEV c128 scale(c128 z, double s) { return cx(z.re * s, z.im * s); }
DEV bool finite_(double x) { return x - x == 0; }

DEV double cabs_(c128 z) { return hypot(z.re, z.im); }
DEV c128 cexp_(c128 z) {
    if (z.re != z.re) return cx(z.re, z.im == 0 ? z.im : z.re);
    if (!finite_(z.im)) return z.re == -INF ? cx(0.0, copysign(0.0, z.im)) : z.re == INF ? cx(INF, NAN_) : cx(NAN_, NAN_);
    if (z.im == 0) return cx(exp(z.re), z.im);
    const double r = exp(z.re);
    if (r == INF && z.re < 1400) { // in two halves, so that the parts overflow no sooner than they must
        const double h = exp(z.re / 2);
        return cx(h * cos(z.im) * h, h * sin(z.im) * h);
    }
    return cx(r * cos(z.im), r * sin(z.im));
}
DEV c128 clog_(c128 z) { return cx(log(cabs_(z)), atan2(z.im, z.re)); }
DEV c128 csqrt_(c128 z) {
    if (z.re == 0 && z.im == 0) return cx(0.0, z.im);
    if (z.im == z.im && !finite_(z.im)) return cx(INF, z.im);
    if (z.re == INF) return cx(INF, z.im != z.im ? z.im : copysign(0.0, z.im));
    if (z.re == -INF) return cx(z.im != z.im ? z.im : 0.0, copysign(INF, z.im));
    double scaled = 1, x = z.re, y = z.im;
    if (fabs(x) > 4 || fabs(y) > 4) { x *= 0.25; y *= 0.25; scaled = 2; }
    else if (fabs(x) < 1e-290 && fabs(y) < 1e-290) { x *= 0x1p108; y *= 0x1p108; scaled = 0x1p-54; }
    const double r = hypot(x, y);
    if (x > 0) {
        const double t = sqrt(0.5 * r + 0.5 * x);
        return cx(t * scaled, scaled * fabs(0.5 * y / t) * copysign(1.0, y));
    }
    const double t = sqrt(0.5 * r - 0.5 * x);
    return cx(scaled * fabs(0.5 * y / t), copysign(t * scaled, y));
}
DEV c128 csin_(c128 z) { return cx(sin(z.re) * cosh(z.im), cos(z.re) * sinh(z.im)); }
DEV c128 ccos_(c128 z) { return cx(cos(z.re) * cosh(z.im), -sin(z.re) * sinh(z.im)); }
DEV c128 csinh_(c128 z) { return cx(cos(z.im) * sinh(z.re), sin(z.im) * cosh(z.re)); }
DEV c128 ccosh_(c128 z) { return cx(cos(z.im) * cosh(z.re), sin(z.im) * sinh(z.re)); }
// tanh(x+iy) = (sinh 2x + i sin 2y) / (cosh 2x + cos 2y), with sinh²x + cos²y for the halved divisor: no cancellation.
DEV c128 ctanh_(c128 z) {
    if (fabs(z.re) > 20) return cx(copysign(1.0, z.re), finite_(z.im) ? copysign(0.0, sin(2 * z.im)) : 0.0);
    const double s = sinh(z.re), c = cos(z.im), d = s * s + c * c;
    return cx(0.5 * sinh(2 * z.re) / d, 0.5 * sin(2 * z.im) / d);
}
DEV c128 ctan_(c128 z) { // -i·tanh(iz)
    const c128 t = ctanh_(times_i(z));
    return cx(t.im, -t.re);
}
// Kahan's formulas: products of square roots, whose cuts fall where the functions' do.
DEV c128 casin_(c128 z) {
    const c128 a = csqrt_(cx(1 - z.re, -z.im)), b = csqrt_(cx(1 + z.re, z.im));
    return cx(atan2(z.re, a.re * b.re - a.im * b.im), asinh(a.re * b.im - a.im * b.re));
}
DEV c128 cacos_(c128 z) {
    const c128 a = csqrt_(cx(1 - z.re, -z.im)), b = csqrt_(cx(1 + z.re, z.im));
    return cx(2 * atan2(a.re, b.re), asinh(b.re * a.im - b.im * a.re));
}
DEV c128 casinh_(c128 z) { // -i·asin(iz)
    const c128 w = casin_(times_i(z));
    return cx(w.im, -w.re);
}
DEV c128 cacosh_(c128 z) {
    const c128 a = csqrt_(cx(z.re - 1, z.im)), b = csqrt_(cx(z.re + 1, z.im));
    return cx(asinh(a.re * b.re + a.im * b.im), 2 * atan2(a.im, b.re));
}
// atan z is half the angle of (1 - x² - y², 2x), and a logarithm of |z + i| over |z - i|, by log1p of what is positive.
DEV double log_ratio(double x, double y) {
    const double m = 1 - fabs(y);
    return copysign(0.25 * log1p(4 * fabs(y) / (m * m + x * x)), y);
}
DEV c128 catan_(c128 z) { return cx(0.5 * atan2(2 * z.re, (1 - z.im) * (1 + z.im) - z.re * z.re), log_ratio(z.re, z.im)); }
DEV c128 catanh_(c128 z) { return cx(log_ratio(z.im, z.re), 0.5 * atan2(2 * z.im, (1 - z.re) * (1 + z.re) - z.im * z.im)); }
FAR c128 cpow_(c128 x, c128 y) {
    if (x.re == 0 && x.im == 0) {
        if (y.re == 0 && y.im == 0) return cx(1.0, 0.0);
        if (y.re < 0) return cx(INF, y.im == 0 ? 0.0 : INF);
        return y.re > 0 ? cx(0.0, 0.0) : cx(NAN_, NAN_);
    }
    const double m = cabs_(x), arg = atan2(x.im, x.re);
    double r = pow(m, y.re), t = y.re * arg;
    if (y.im != 0) {
        r *= exp(-y.im * arg);
        t += y.im * log(m);
    }
    return cx(r * cos(t), r * sin(t));
}
DEV c128 clog1p_(c128 z) { return clog_(cx(1 + z.re, z.im)); }
FAR c128 clogaddexp_(c128 x, c128 y) {
    if (x.re < y.re) { const c128 t = x; x = y; y = t; }
    if (x == y && x.re == x.re && !finite_(x.re)) return x;
    return x + clog1p_(cexp_(y - x));
}
DEV c128 cinv_(c128 z) { return cx(1.0, 0.0) / z; }

#define COMPLEX(name, expr) \
    FAR c128 wide_##name(c128 z) { return expr; } \
    DEV c128 op_##name(c128 z) { return wide_##name(z); } \
    DEV c64 op_##name(c64 z) { const c128 w = wide_##name(wide(z)); return cx((float)w.re, (float)w.im); }
COMPLEX(exp, cexp_(z))
COMPLEX(exp2, cexp_(scale(z, LN2)))
COMPLEX(expm1, cexp_(z) - cx(1.0, 0.0))
COMPLEX(log, clog_(z))
COMPLEX(log2, scale(clog_(z), 1 / LN2))
COMPLEX(log10, scale(clog_(z), 1 / LN10))
COMPLEX(log1p, clog1p_(z))
COMPLEX(sqrt, csqrt_(z))
COMPLEX(rsqrt, cinv_(csqrt_(z)))
COMPLEX(sin, csin_(z))
COMPLEX(cos, ccos_(z))
COMPLEX(tan, ctan_(z))
COMPLEX(asin, casin_(z))
COMPLEX(acos, cacos_(z))
COMPLEX(atan, catan_(z))
COMPLEX(sinh, csinh_(z))
COMPLEX(cosh, ccosh_(z))
COMPLEX(tanh, ctanh_(z))
COMPLEX(asinh, casinh_(z))
COMPLEX(acosh, cacosh_(z))
COMPLEX(atanh, catanh_(z))
COMPLEX(sigmoid, cinv_(cx(1.0, 0.0) + cexp_(-z)))
#define COMPLEX2(name, f) \
    DEV c128 op_##name(c128 x, c128 y) { return f(x, y); } \
    DEV c64 op_##name(c64 x, c64 y) { const c128 w = f(wide(x), wide(y)); return cx((float)w.re, (float)w.im); }
COMPLEX2(pow, cpow_)
COMPLEX2(logaddexp, clogaddexp_)
