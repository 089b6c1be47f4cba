// Functions of floats: CUDA's, which are accurate to about 2 ulp without fast-math, and what is built on them. Functions
// that lose digits by cancellation are computed in double.

// root is sqrtf without its branch, so that several roots can be in flight: an approximation of 1/√x and one Newton step,
// correctly rounded; tiny numbers are scaled up before and down after.
DEV float root(float x) {
    const bool tiny = x < 0x1p-100f;
    const float s = tiny ? x * 0x1p64f : x;
    float y;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(s));
    const float r = s * y, z = fmaf(fmaf(-r, r, s), 0.5f * y, r);
    return x == 0 || x == (float)INF ? x : tiny ? z * 0x1p-32f : z;
}
UNARY(sqrt, root(x), sqrt(x))
UNARY(rsqrt, 1 / root(x), 1 / sqrt(x))
UNARY(reciprocal, 1 / x, 1 / x)
UNARY(exp, expf(x), exp(x))
UNARY(exp2, exp2f(x), exp2(x))
UNARY(expm1, expm1f(x), expm1(x))
UNARY(log, logf(x), log(x))
UNARY(log2, log2f(x), log2(x))
UNARY(log10, log10f(x), log10(x))
UNARY(log1p, log1pf(x), log1p(x))
UNARY(sin, sinf(x), sin(x))
UNARY(cos, cosf(x), cos(x))
UNARY(tan, tanf(x), tan(x))
UNARY(asin, asinf(x), asin(x))
UNARY(acos, acosf(x), acos(x))
UNARY(atan, atanf(x), atan(x))
UNARY(sinh, sinhf(x), sinh(x))
UNARY(cosh, coshf(x), cosh(x))
UNARY(tanh, tanhf(x), tanh(x))
UNARY(asinh, asinhf(x), asinh(x))
UNARY(acosh, acoshf(x), acosh(x))
UNARY(atanh, atanhf(x), atanh(x))
UNARY(erf, erff(x), erf(x))
UNARY(erfc, erfcf(x), erfc(x))
// inverse_erf is the inverse of the error function with the operations of the CPU's kernel in their order, so that normal numbers have
// the same bits on both: x times a polynomial in w - 1, w = -log(1-x²), or from w = 5 on in √w - 3.
DEV float minus_log(float u, float plus) {
    const float c[] = {0x1.5555a4p-2f, -0x1.000040p-2f, 0x1.99693ap-3f, -0x1.54ef66p-3f, 0x1.288b5ep-3f,
        -0x1.0d973cp-3f, 0x1.ac6e68p-4f, -0x1.70aee8p-5f};
    const int k = (__float_as_int(u) - 0x3f400000) >> 23;
    const float f = __int_as_float(__float_as_int(u) - (k << 23)) - 1, e = fmaf(-(float)k, 0x1.62e43p-1f, plus);
    float p = c[7];
#pragma unroll
    for (int i = 6; i >= 0; i--) p = fmaf(p, f, c[i]);
    return e - (f + f * f * fmaf(f, p, -0.5f));
}
template <int n> DEV float times_polynomial(float x, float d, const float (&c)[n]) {
    float p = c[n - 1];
#pragma unroll
    for (int i = n - 2; i >= 1; i--) p = fmaf(p, d, c[i]);
    return fmaf(x, c[0], x * p);
}
DEV float inverse_erf(float x) {
    const float inner[] = {0x1.209b9cp+0f, -0x1.8f0a00p-27f, 0x1.fb8fd0p-3f, 0x1.1691f6p-8f, -0x1.377c9ap-9f,
        0x1.a49d20p-14f, 0x1.40bf82p-15f, -0x1.2796b8p-18f,
        -0x1.19a41ap-21f, 0x1.310676p-23f, -0x1.2e9d1ap-27f};
    const float outer[] = {0x1.6a9efcp+1f, -0x1.813d88p-26f, 0x1.006dc8p+0f, 0x1.358462p-7f, -0x1.f4b3b8p-8f,
        0x1.746bdap-8f, -0x1.d5c1d0p-9f, 0x1.889d4cp-10f,
        -0x1.573b6ep-14f, -0x1.503844p-12f, 0x1.1583eep-13f};
    const float u = fmaf(-x, x, 1.0f);
    if (u >= 0x1.b993fep-8f) return times_polynomial(x, minus_log(u, -1.0f), inner);
    if (!(u >= 0)) return __int_as_float(0x7fc00000);
    if (u == 0) return copysignf((float)INF, x);
    return times_polynomial(x, root(minus_log(u, 0.0f)) - 3, outer);
}
UNARY(erfinv, inverse_erf(x), erfinv(x))
UNARY(cbrt, cbrtf(x), cbrt(x))
UNARY(floor, floorf(x), floor(x))
UNARY(ceil, ceilf(x), ceil(x))
UNARY(trunc, truncf(x), trunc(x))
UNARY(round, rintf(x), rint(x))
// over1 is 1/d for d from 1 on, without the branch of a division; it is 0 where the quotient is subnormal.
DEV float over1(float d) {
    float y, x = d;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return d > 0x1p126f ? 0.0f : fmaf(y, fmaf(-d, y, 1.0f), y);
}
UNARY(sigmoid, over1(1 + expf(-x)), 1 / (1 + exp(-x)))
template <class T> DEV T cut6(T x) { return x < T(0) ? T(0) : x > T(6) ? T(6) : x; }
template <class T> DEV T op_hardsigmoid(T x) { return cut6(x + T(3)) / T(6); }
template <class T> DEV T op_hardswish(T x) { return x * cut6(x + T(3)) / T(6); }
UNARY(silu, x * over1(1 + expf(-x)), x / (1 + exp(-x)))
UNARY(gelu, 0.5f * x * (1 + erff(x * 0.70710678118654752440f)), 0.5 * x * (1 + erf(x * 0.70710678118654752440)))
UNARY(gelu_tanh, 0.5f * x * (1 + tanhf(0.79788456080286535588f * (x + 0.044715f * x * x * x))), 0.5 * x * (1 + tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x))))
UNARY(logsigmoid, fminf(x, 0) - log1pf(expf(-fabsf(x))), fmin(x, 0) - log1p(exp(-fabs(x))))
template <class T> DEV T op_hardtanh(T x, T low, T high) { return op_clamp(x, low, high); }
template <class T> DEV T op_leaky_relu(T x, T slope) { return x > T(0) ? x : x * slope; }
template <class T> DEV T op_softshrink(T x, T l) {
    return x > l ? x - l : x < -l ? x + l : x * T(0);
}
template <class T> DEV T op_hardshrink(T x, T l) { return x > l || x < -l || x != x ? x : T(0); }
template <class T> DEV T op_elu(T x, T alpha, T inner) { return x < T(0) ? alpha * op_expm1(x * inner) : x; }
template <class T> DEV T op_selu(T x) {
    return x < T(0) ? T(1.6732632423543772848170429916717 * 1.0507009873554804934193349852946) * op_expm1(x)
                    : T(1.0507009873554804934193349852946) * x;
}
template <class T> DEV T op_mish(T x) {
    const T e = op_exp(x > T(20) ? T(20) : x), n = e * (e + T(2));
    return x * (n / (n + T(2)));
}
DEV float sin_pi(float x) { return sinpif(x); } // exact zeros at whole numbers
DEV double sin_pi(double x) { return sinpi(x); }
template <class T> DEV T op_sinc(T x) {
    const T p = x * T(3.14159265358979323846);
    return x == T(0) ? T(1) : p - p != T(0) ? p - p : sin_pi(x) / p; // NaN where the product is not finite
}
BINARY(nan_to_num, x != x ? y : fmaxf(-3.40282346638528859812e+38f, fminf(x, 3.40282346638528859812e+38f)),
       x != x ? y : fmax(-1.79769313486231570815e+308, fmin(x, 1.79769313486231570815e+308)))
template <class T> DEV T op_relu(T x) { return x < T(0) ? T(0) : x; }
template <class T> DEV T op_softplus(T x, double beta, double limit) {
    T b = (T)beta;
    return x * b > (T)limit ? x : op_log1p(op_exp(x * b)) * (T)(1 / beta);
}

BINARY(atan2, atan2f(x, y), atan2(x, y))
BINARY(hypot, hypotf(x, y), hypot(x, y))
BINARY(copysign, copysignf(x, y), copysign(x, y))
BINARY(nextafter, nextafterf(x, y), nextafter(x, y))
// A half type's next value is its bits plus or minus one; from 0 it is the smallest subnormal.
template <class M> DEV float next_half(float x, float y) {
    if (x != x || y != y) return (float)NAN_;
    if (x == y) return y;
    M m = Put<M>::put(x);
    if (x == 0) m.v = y < 0 ? 0x8001 : 1;
    else if ((y > x) == (x > 0)) m.v++;
    else m.v--;
    return get(m);
}
template <class T> DEV T log_add_exp(T x, T y) {
    T m = x != x || x > y ? x : y;
    return x == y && x - x != 0 ? m : m + op_log1p(op_exp(-fabs(x - y)));
}
BINARY(logaddexp, log_add_exp(x, y), log_add_exp(x, y))
template <class T> DEV T log_add_exp2(T x, T y) {
    T m = x != x || x > y ? x : y;
    return x == y && x - x != 0 ? m : m + op_log1p(op_exp2(-fabs(x - y))) * (T)1.4426950408889634074;
}
BINARY(logaddexp2, log_add_exp2(x, y), log_add_exp2(x, y))
template <class T> DEV T times_log(T x, T y) { return y != y ? y : x == 0 ? (T)0 : x * op_log(y); }
template <class T> DEV T times_log1p(T x, T y) { return y != y ? y : x == 0 ? (T)0 : x * op_log1p(y); }
BINARY(xlogy, times_log(x, y), times_log(x, y))
BINARY(special_xlog1py, times_log1p(x, y), times_log1p(x, y))

DEV double mantissa(double x) { int e; return x - x != 0 ? x : frexp(x, &e); }
DEV i32 op_frexp_exponent(double x) { int e = 0; if (x - x == 0) frexp(x, &e); return e; }
UNARY(frexp_mantissa, (float)mantissa(x), mantissa(x))

// IN_DOUBLE is computed in double for both widths.
#define IN_DOUBLE(name, expr) \
    FAR double wide_##name(double x) { return expr; } \
    DEV float op_##name(float x) { return (float)wide_##name((double)x); } \
    DEV double op_##name(double x) { return wide_##name(x); }
IN_DOUBLE(lgamma, lgamma(x))
IN_DOUBLE(i0, cyl_bessel_i0(x))
IN_DOUBLE(special_i1, cyl_bessel_i1(x))
IN_DOUBLE(special_bessel_j0, x - x != 0 ? NAN_ : j0(x))
IN_DOUBLE(special_bessel_j1, x - x != 0 ? NAN_ : j1(x))
IN_DOUBLE(special_bessel_y0, x - x != 0 ? NAN_ : y0(x))
IN_DOUBLE(special_bessel_y1, x - x != 0 ? NAN_ : y1(x))
IN_DOUBLE(special_erfcx, erfcx(x))
IN_DOUBLE(special_ndtr, normcdf(x))
IN_DOUBLE(special_ndtri, normcdfinv(x))
IN_DOUBLE(special_log_ndtr, x < -1 ? log(0.5 * erfcx(-x * 0.70710678118654752440)) - 0.5 * x * x : log1p(-0.5 * erfc(x * 0.70710678118654752440)))
IN_DOUBLE(special_entr, x != x ? x : x > 0 ? -x * log(x) : x == 0 ? 0.0 : -INF)
IN_DOUBLE(logit, x == 0 ? -INF : x == 1 ? INF : log(x / (1 - x)))
