// The elementwise ops, by name: op_NAME over the types operands are computed in. Results for NaN, infinities, ties and
// overflow are those of the CPU.

#define UNARY(name, single, wide) \
    DEV float op_##name(float x) { return single; } \
    DEV double op_##name(double x) { return wide; }
#define BINARY(name, single, wide) \
    DEV float op_##name(float x, float y) { return single; } \
    DEV double op_##name(double x, double y) { return wide; }

// Integers wrap: they are computed unsigned.
template <class T> struct Arith {
    typedef typename Unsigned<T>::U U;
    static DEV T add(T x, T y) { return (T)(U)((U)x + (U)y); }
    static DEV T sub(T x, T y) { return (T)(U)((U)x - (U)y); }
    static DEV T mul(T x, T y) { return (T)(U)((u64)(U)x * (u64)(U)y); }
    static DEV T neg(T x) { return (T)(U)(0 - (U)x); }
};
#define NATIVE(T) \
    template <> struct Arith<T> { \
        static DEV T add(T x, T y) { return x + y; } \
        static DEV T sub(T x, T y) { return x - y; } \
        static DEV T mul(T x, T y) { return x * y; } \
        static DEV T neg(T x) { return -x; } \
    };
NATIVE(float) NATIVE(double) NATIVE(c64) NATIVE(c128)
template <> struct Arith<bool> {
    static DEV bool add(bool x, bool y) { return x || y; }
    static DEV bool mul(bool x, bool y) { return x && y; }
};

template <class T> DEV T op_add(T x, T y) { return Arith<T>::add(x, y); }
template <class T> DEV T op_sub(T x, T y) { return Arith<T>::sub(x, y); }
template <class T> DEV T op_mul(T x, T y) { return Arith<T>::mul(x, y); }
template <class T> DEV T op_neg(T x) { return Arith<T>::neg(x); }
template <class T> DEV T op_square(T x) { return Arith<T>::mul(x, x); }
template <class T> DEV T op_div(T x, T y) { return x / y; }
template <class T> DEV T op_grad_mul(T x, T y) { return x == T() ? T() : Arith<T>::mul(x, y); }
template <class T> DEV T op_with_grad(T x, T) { return x; }
template <class T> DEV T op_with_grad(T x, T, T) { return x; }
template <class T> DEV T op_where(bool c, T x, T y) { return c ? x : y; }

template <class T> DEV T op_abs(T x) { return x < T(0) ? Arith<T>::neg(x) : x; }
DEV float op_abs(float x) { return fabsf(x); }
DEV double op_abs(double x) { return fabs(x); }
DEV float op_abs(c64 z) { return (float)hypot((double)z.re, (double)z.im); }
DEV double op_abs(c128 z) { return hypot(z.re, z.im); }
template <class T> DEV T op_sign(T x) { return x > T(0) ? T(1) : x < T(0) ? (T)(T(0) - T(1)) : T(0); }
DEV bool op_sign(bool x) { return x; }

template <class T> DEV T op_pow(T x, T y) {
    if (y < T(0)) return x == T(1) ? T(1) : (T)(x + T(1)) == T(0) ? (y & 1 ? x : T(1)) : T(0);
    T r = 1;
    for (; y > T(0); y >>= 1) {
        if (y & 1) r = Arith<T>::mul(r, x);
        x = Arith<T>::mul(x, x);
    }
    return r;
}
// Small integral powers are multiplied out, so that 3 to the 1 is 3; floats are computed in double.
FAR double wide_pow(double x, double y) {
    if (y != rint(y) || fabs(y) > 8) return pow(x, y);
    double r = 1;
    for (int i = (int)fabs(y); i > 0; i--) r *= x;
    return y < 0 ? 1 / r : r;
}
BINARY(pow, (float)wide_pow(x, y), wide_pow(x, y))

template <class T> DEV bool op_lt(T x, T y) { return x < y; }
template <class T> DEV bool op_le(T x, T y) { return x <= y; }
template <class T> DEV bool op_gt(T x, T y) { return x > y; }
template <class T> DEV bool op_ge(T x, T y) { return x >= y; }
template <class T> DEV bool op_eq(T x, T y) { return x == y; }
template <class T> DEV bool op_ne(T x, T y) { return x != y; }
template <class T> DEV bool op_logical_and(T x, T y) { return x != T() && y != T(); }
template <class T> DEV bool op_logical_or(T x, T y) { return x != T() || y != T(); }
template <class T> DEV bool op_logical_xor(T x, T y) { return (x != T()) != (y != T()); }
template <class T> DEV bool op_logical_not(T x) { return x == T(); }
template <class T> DEV bool op_isnan(T x) { return x != x; }
template <class T> DEV bool op_isinf(T x) { return x == x && x - x != 0; }
template <class T> DEV bool op_isfinite(T x) { return x - x == 0; }
template <class F> DEV bool op_isnan(Cx<F> z) { return op_isnan(z.re) || op_isnan(z.im); }
template <class F> DEV bool op_isinf(Cx<F> z) { return op_isinf(z.re) || op_isinf(z.im); }
template <class F> DEV bool op_isfinite(Cx<F> z) { return op_isfinite(z.re) && op_isfinite(z.im); }
template <class T> DEV bool op_signbit(T x) { return x < T(0); }
DEV bool op_signbit(float x) { return __float_as_int(x) < 0; }
DEV bool op_signbit(double x) { return __double_as_longlong(x) < 0; }

// A NaN wins over a number in maximum and minimum, and loses in fmax and fmin.
template <class T> DEV T op_maximum(T x, T y) { return x != x || x > y ? x : y; }
template <class T> DEV T op_minimum(T x, T y) { return x != x || x < y ? x : y; }
// A bound that equals x leaves it, and with it the sign of a zero.
template <class T> DEV T op_clamp_min(T x, T y) { return x == x && (y != y || x < y) ? y : x; }
template <class T> DEV T op_clamp_max(T x, T y) { return x == x && (y != y || x > y) ? y : x; }
template <class T> DEV T op_clamp(T x, T low, T high) { return op_clamp_max(op_clamp_min(x, low), high); }
template <class T> DEV T op_fmax(T x, T y) { return y > x || x != x ? y : x; }
template <class T> DEV T op_fmin(T x, T y) { return y < x || x != x ? y : x; }

template <class T> DEV T op_bitwise_and(T x, T y) { return x & y; }
template <class T> DEV T op_bitwise_or(T x, T y) { return x | y; }
template <class T> DEV T op_bitwise_xor(T x, T y) { return x ^ y; }
template <class T> DEV T op_bitwise_not(T x) { return ~x; }
DEV bool op_bitwise_not(bool x) { return !x; }
template <class T> DEV T op_bitwise_left_shift(T x, T y) { return (u64)y >= 8 * sizeof(T) ? T(0) : (T)((typename Unsigned<T>::U)x << y); }
template <class T> DEV T op_bitwise_right_shift(T x, T y) { return (u64)y >= 8 * sizeof(T) ? (x < T(0) ? (T)(T(0) - T(1)) : T(0)) : (T)(x >> y); }
template <class T> DEV T op_gcd(T x, T y) {
    while (y != 0) { T t = T(-1) < T(0) && y == T(-1) ? T(0) : (T)(x % y); x = y; y = t; }
    return x < T(0) ? Arith<T>::neg(x) : x;
}
template <class T> DEV u64 magnitude64(T x) { return x < T(0) ? (u64)0 - (u64)x : (u64)x; }
template <class T> DEV T op_lcm(T x, T y) {
    const T g = op_gcd(x, y);
    // Magnitudes are multiplied in 64 bits, so that overflow wraps once.
    const T v = g == 0 ? T(0) : (T)(magnitude64(x) / magnitude64(g) * magnitude64(y));
    return v < T(0) && sizeof(T) >= 4 ? Arith<T>::neg(v) : v;
}

// Integer division refuses zero; the smallest number over -1 is itself.
template <class T> DEV T quotient(T x, T y) { return T(-1) < T(0) && y == T(-1) ? Arith<T>::neg(x) : (T)(x / y); }
template <class T> DEV T modulus(T x, T y) { return T(-1) < T(0) && y == T(-1) ? T(0) : (T)(x % y); }
#define INTEGER_DIVIDE(name, body) \
    template <class T> DEV T int_##name(T x, T y, Fault *f) { \
        if (y == 0) { report_fault(f, 2, 0, 0); return 0; } \
        body \
    }
INTEGER_DIVIDE(trunc_divide, return quotient(x, y);)
INTEGER_DIVIDE(fmod, return modulus(x, y);)
INTEGER_DIVIDE(floor_divide, T q = quotient(x, y); if (Arith<T>::mul(q, y) != x && (x < T(0)) != (y < T(0))) q--; return q;)
INTEGER_DIVIDE(remainder, T m = modulus(x, y); if (m != 0 && (m < T(0)) != (y < T(0))) m += y; return m;)
BINARY(trunc_divide, truncf(x / y), trunc(x / y))
BINARY(fmod, fmodf(x, y), fmod(x, y))
template <class T> DEV T float_remainder(T x, T y) {
    T m = op_fmod(x, y);
    return m != 0 && (y < 0) != (m < 0) ? m + y : m;
}
template <class T> DEV T float_floor_divide(T x, T y) {
    if (y == 0) return x / y;
    T m = op_fmod(x, y), q = (x - m) / y;
    if (m != 0 && (y < 0) != (m < 0)) q -= 1;
    if (q == 0) return copysign((T)0, x / y);
    T f = floor(q);
    return q - f > (T)0.5 ? f + 1 : f;
}
BINARY(remainder, float_remainder(x, y), float_remainder(x, y))
BINARY(floor_divide, float_floor_divide(x, y), float_floor_divide(x, y))

DEV i64 op_wrap_index(i64 x, i64 size, Fault *f) {
    if (x < -size || x >= size) { report_fault(f, 1, x, size); return 0; }
    return x < 0 ? x + size : x;
}

// A value y outside its bounds is written to the fault record with the number of its rule.
template <class T> DEV T op_require(T x, T y, double low, double high, i64 rule, Fault *f) {
    if (!((double)y >= low && (double)y <= high)) report_fault(f, 3, __double_as_longlong((double)y), rule);
    return x;
}

// Complex numbers.
template <class F> DEV F op_real(Cx<F> z) { return z.re; }
template <class F> DEV F op_imag(Cx<F> z) { return z.im; }
template <class F> DEV Cx<F> op_conj(Cx<F> z) { return cx(z.re, -z.im); }
template <class F> DEV Cx<F> op_complex(F x, F y) { return cx(x, y); }
template <class F> DEV Cx<F> op_reciprocal(Cx<F> z) { return cx((F)1, (F)0) / z; }
