// Functions of complex numbers, computed in double for both widths, as on the CPU.

#define C_PI 3.14159265358979323846
#define LN2 0.69314718055994530942
#define LN10 2.30258509299404568402

DEV c128 wide(c64 z) { return cx((double)z.re, (double)z.im); }
DEV c128 wide(c128 z) { return z; }
DEV c128 times_i(c128 z) { return cx(-z.im, z.re); }
DEV c128 scale(c128 z, double s) { return cx(z.re * s, z.im * s); }
DEV c128 over(c128 z, double s) { return cx(z.re / s, z.im / s); }
DEV bool finite_(double x) { return x - x == 0; }

DEV double cabs_(c128 z) { return hypot(z.re, z.im); }
DEV c128 cexp_(c128 z) {
    if (z.re != z.re) return cx(z.re, z.im == 0 ? z.im : z.re);
    if (!finite_(z.im)) return z.re == -INF ? cx(0.0, copysign(0.0, z.im)) : z.re == INF ? cx(INF, NAN_) : cx(NAN_, NAN_);
    if (z.im == 0) return cx(exp(z.re), z.im);
    const double r = exp(z.re);
    if (r == INF && z.re < 1400) { // in two factors, so that the parts overflow no sooner than they must
        const double h = exp(z.re / 2);
        return cx(h * cos(z.im) * h, h * sin(z.im) * h);
    }
    return cx(r * cos(z.im), r * sin(z.im));
}
DEV double two_squares(double a, double b, double add) { // a² + b² + add, with the squares' rounding errors compensated
    const double a2 = a * a, b2 = b * b;
    return a2 + add + b2 + (fma(a, a, -a2) + fma(b, b, -b2));
}
DEV c128 clog_(c128 z) {
    const double a = fmax(fabs(z.re), fabs(z.im)), b = fmin(fabs(z.re), fabs(z.im)), arg = atan2(z.im, z.re);
    if (0.5 < a && a < 2 && z.re == z.re && z.im == z.im) return cx(0.5 * log1p(two_squares(a, b, -1)), arg);
    return cx(log(cabs_(z)), arg);
}
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
// Kahan's formulas ("Branch Cuts for Complex Elementary Functions") with C99's values at infinities and zeros, as on the
// CPU.
DEV c128 over_i(c128 z) { return cx(z.im, -z.re); }
DEV bool infinite_(double x) { return x == INF || x == -INF; }
DEV c128 csinh_(c128 z) {
    if (z.im == 0) return cx(sinh(z.re), z.im);
    if (!finite_(z.im) && (z.re == 0 || infinite_(z.re))) return cx(z.re, NAN_);
    return cx(cos(z.im) * sinh(z.re), sin(z.im) * cosh(z.re));
}
DEV c128 ccosh_(c128 z) {
    if (z.im == 0) return cx(cosh(z.re), copysign(1.0, z.re) * z.im);
    if (!finite_(z.im) && z.re == 0) return cx(NAN_, z.re * copysign(0.0, z.im));
    if (!finite_(z.im) && infinite_(z.re)) return cx(INF, NAN_);
    return cx(cos(z.im) * cosh(z.re), sin(z.im) * sinh(z.re));
}
DEV c128 csin_(c128 z) { return over_i(csinh_(times_i(z))); }
DEV c128 ccos_(c128 z) { return ccosh_(times_i(z)); }
DEV c128 ctanh_(c128 z) {
    if (infinite_(z.re) && !finite_(z.im)) return cx(copysign(1.0, z.re), copysign(0.0, z.im));
    if (!finite_(z.im)) return cx(z.re == 0 ? z.re : NAN_, NAN_);
    if (z.re != z.re) return cx(z.re, z.im == 0 ? z.im : z.re);
    if (fabs(z.re) > 22) return cx(copysign(1.0, z.re), 4 * sin(z.im) * cos(z.im) * exp(-2 * fabs(z.re))); // 1 to all digits
    const double t = tan(z.im), s = sinh(z.re), r = sqrt(1 + s * s), b = 1 + t * t, d = 1 + b * s * s;
    return cx(b * r * s / d, t / d);
}
DEV c128 ctan_(c128 z) { return over_i(ctanh_(times_i(z))); }
// huge_ says that adding 1 to such a number changes nothing, and log_twice is log|2z| for it.
DEV bool huge_(c128 z) { return fabs(z.re) > 1e17 || fabs(z.im) > 1e17; }
DEV double log_twice(c128 z) { return log(hypot(z.re / 4, z.im / 4)) + 3 * LN2; }
DEV c128 casin_(c128 z) {
    const double x = z.re, y = z.im;
    if (infinite_(y)) return cx(x != x ? x : copysign(infinite_(x) ? C_PI / 4 : 0.0, x), y);
    if (infinite_(x)) return y != y ? cx(y, INF) : cx(copysign(C_PI / 2, x), copysign(INF, y));
    if (x != x || y != y) return x == 0 ? z : cx(NAN_, NAN_);
    if (huge_(z)) return cx(atan2(x, fabs(y)), copysign(log_twice(z), y));
    const c128 p = csqrt_(cx(1 - x, -y)), q = csqrt_(cx(1 + x, y));
    return cx(atan2(x, p.re * q.re - p.im * q.im), copysign(asinh(p.re * q.im - p.im * q.re), y));
}
DEV c128 cacos_(c128 z) {
    const double x = z.re, y = z.im;
    if (infinite_(y)) return cx(x != x ? x : x == INF ? C_PI / 4 : x == -INF ? 3 * C_PI / 4 : C_PI / 2, -y);
    if (infinite_(x)) return y != y ? cx(y, -INF) : x > 0 ? cx(0.0, -copysign(INF, y)) : cx(C_PI, copysign(INF, -y));
    if (x != x || y != y) return x == 0 ? cx(C_PI / 2, y) : cx(NAN_, NAN_);
    if (huge_(z)) return cx(atan2(fabs(y), x), -copysign(log_twice(z), y));
    const c128 p = csqrt_(cx(1 - x, -y)), q = csqrt_(cx(1 + x, y));
    return cx(2 * atan2(p.re, q.re), -copysign(asinh(q.re * p.im - q.im * p.re), y));
}
DEV c128 casinh_(c128 z) { return over_i(casin_(times_i(z))); }
DEV c128 cacosh_(c128 z) { // its real part is not negative
    const c128 w = cacos_(z);
    return cx(fabs(w.im), copysign(1.0, z.im) < 0 && z.im == z.im ? -w.re : w.re);
}
DEV c128 catanh_(c128 z) {
    const double x = fabs(z.re), y = z.im;
    double re = 0, im = 0;
    if (infinite_(y)) im = copysign(C_PI / 2, y);
    else if (infinite_(x)) im = y != y ? y : copysign(C_PI / 2, y);
    else if (x != x || y != y) { re = x == 0 ? 0 : NAN_; im = NAN_; }
    else if (huge_(z)) { const double h = hypot(x, y); re = x / h / h; im = copysign(C_PI / 2, y); }
    else if (x == 1 && fabs(y) < 1e-150) { re = (LN2 - log(fabs(y))) / 2; im = y == 0 ? y : copysign(C_PI / 4, y); }
    else { re = log1p(4 * x / ((1 - x) * (1 - x) + y * y)) / 4; im = atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2; }
    return cx(copysign(re, z.re), im);
}
DEV c128 catan_(c128 z) { return over_i(catanh_(times_i(z))); }
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
DEV c128 clog1p_(c128 z) {
    if (fabs(z.re) < 0.5 && fabs(z.im) < 0.5) return cx(0.5 * log1p(two_squares(z.re, z.im, 2 * z.re)), atan2(z.im, 1 + z.re));
    return clog_(cx(1 + z.re, z.im));
}
DEV c128 cexpm1_(c128 z) {
    if (z.im == 0) return cx(expm1(z.re), z.im);
    if (!finite_(z.re) || !finite_(z.im)) return cexp_(z) - cx(1.0, 0.0);
    const double h = sin(z.im / 2);
    return cx(expm1(z.re) * cos(z.im) - 2 * h * h, exp(z.re) * sin(z.im));
}
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
COMPLEX(expm1, cexpm1_(z))
COMPLEX(log, clog_(z))
COMPLEX(log2, over(clog_(z), LN2))
COMPLEX(log10, over(clog_(z), LN10))
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
