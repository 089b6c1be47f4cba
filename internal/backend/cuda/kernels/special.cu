// Special functions, computed in double by the formulas of package special, edge cases included.

// bessel_series sums Σ (x²/4)^k / (k! (k+v)!), times (x/2)^v, of the modified Bessel functions: all terms are positive.
DEV double bessel_series(int v, double x) {
    const double q = x * x / 4;
    double t = v == 1 ? x / 2 : 1, sum = t;
    for (int k = 1; k < 1000; k++) {
        t *= q / (double)(k * (k + v));
        sum += t;
        if (!(fabs(t) > 1e-17 * fabs(sum))) break;
    }
    return sum;
}
// bessel_far sums the asymptotic series of exp(-x)·I_v(x)·√(2πx) until its terms stop shrinking.
DEV double bessel_far(int v, double x) {
    const double mu = 4 * v * v;
    double t = 1, sum = 1;
    for (int k = 1; k < 60; k++) {
        const double odd = 2 * k - 1, u = -t * (mu - odd * odd) / (k * 8 * x);
        if (fabs(u) >= fabs(t) || fabs(u) < 1e-17) break;
        t = u;
        sum += t;
    }
    return sum;
}
#define TWO_PI 6.28318530717958647693
#define PI 3.14159265358979323846
#define EULER_GAMMA 0.577215664901532860606512090082402431
DEV double bessel_ie(int v, double x) {
    if (x < 20) return exp(-x) * bessel_series(v, x);
    if (x - x != 0) return x != x ? x : 0.0;
    return bessel_far(v, x) / sqrt(TWO_PI * x);
}
// bessel_k is exp(x)·K_v(x): exp(-x(cosh t - 1))·cosh(vt) integrated by the trapezoidal rule; for large x by the series.
DEV double bessel_k(int v, double x) {
    if (x > 30) return bessel_far(v, -x) * sqrt(PI / (2 * x));
    const double h = 0.1;
    double sum = 0.5;
    for (int k = 1; k < 1000; k++) {
        const double t = h * k, s = sinh(t / 2);
        double e = exp(-2 * x * s * s);
        if (v == 1) e *= cosh(t);
        sum += e;
        if (e < 1e-18 * sum) break;
    }
    return sum * h;
}
DEV double bessel_k0e(double x) {
    if (x == 0) return INF;
    if (x < 0 || x != x) return NAN_;
    if (x - x != 0) return 0;
    if (x < 1e-6) return -(log(x / 2) + EULER_GAMMA) * (1 + x);
    return bessel_k(0, x);
}
DEV double bessel_k1e(double x) {
    if (x == 0) return INF;
    if (x < 0 || x != x) return NAN_;
    if (x - x != 0) return 0;
    if (x < 1e-6) return (1 / x + x / 2 * (log(x / 2) + EULER_GAMMA - 0.5)) * (1 + x);
    return bessel_k(1, x);
}

// bernoulli is B(2k)/(2k)! for k from 1 on.
DEV double bernoulli(int k) {
    switch (k) {
    case 0: return 1.0 / 12;
    case 1: return -1.0 / 720;
    case 2: return 1.0 / 30240;
    case 3: return -1.0 / 1209600;
    case 4: return 1.0 / 47900160;
    case 5: return -691.0 / 1307674368000;
    case 6: return 1.0 / 74724249600;
    case 7: return -3617.0 / 10670622842880000;
    case 8: return 43867.0 / 5109094217170944000;
    case 9: return -174611.0 / 802857662698291200000.0;
    case 10: return 77683.0 / 14101100039391805440000.0;
    }
    return -236364091.0 / 1693824136731743669452800000.0;
}
DEV double digamma_(double x) {
    if (x == 0) return copysign(INF, -x);
    double r = 0;
    if (x < 0) {
        if (x == floor(x)) return NAN_;
        r = -PI / tan(PI * (x - rint(x)));
        x = 1 - x;
    }
    for (; x < 12; x++) r -= 1 / x;
    if (x == INF) return x;
    r += log(x) - 0.5 / x;
    double p = 1 / (x * x), fact = 1;
    for (int k = 0; k < 12; k++) {
        if (k > 0) fact *= (double)(2 * k) * (double)(2 * k + 1);
        const double term = bernoulli(k) * fact * p;
        r -= term;
        if (fabs(term) < 1e-17 * fabs(r)) break;
        p /= x * x;
    }
    return r;
}
// zeta_scaled is q^(s-1)·ζ(s, q) for q > 0 by Euler and Maclaurin: over a power of q far bases do not count, and nothing overflows.
FAR double zeta_scaled(double s, double q) {
    double add = 0, by = 1;
    if (q < 1) {
        add = 1 / q;
        by = exp((1 - s) * log1p(1 / q));
        q += 1;
    }
    double sum = 0, l = 0, a = q; // l = log(a/q)
    for (double n = 1; a < 0.76 * s + 11; n++) {
        const double t = exp(-s * l);
        if (t <= 1e-18 * sum) return add + by * (sum / q);
        sum += t;
        a = q + n;
        l = log1p(n / q);
    }
    double tail = 0.5 / a, rise = s, p = 1 / (a * a);
    for (int k = 0; k < 12; k++) {
        const double term = bernoulli(k) * rise * p;
        tail += term;
        if (fabs(term) < 1e-18) break;
        rise *= (s + (2 * k + 1)) * (s + (2 * k + 2));
        p /= a * a;
    }
    return add + by * (sum / q + exp((1 - s) * l) * (tail + 1 / (s - 1)));
}
// zeta_times is e^factor·ζ(s, q) for q > 0.
FAR double zeta_times(double factor, double s, double q) {
    if (q == INF) return 0;
    if (factor == 0) return pow(q, 1 - s) * zeta_scaled(s, q);
    return exp(factor + (1 - s) * log(q)) * zeta_scaled(s, q);
}
// zeta_below is the same for negative q and whole s: two sums on both sides of 0, less the tail of one of them. One of the bases next
// to 0 is an exact distance from a whole number, the other is 1 less that.
FAR double zeta_below(double factor, double s, double q) {
    const double d = q - rint(q), other = 1 - fabs(d), lost = (1 - other) - fabs(d);
    const double u = zeta_times(factor, s, fabs(d)), v = zeta_times(factor, s, other) * (1 - s * lost / other);
    const double below = (d < 0 ? u : v) - zeta_times(factor, s, 1 - q);
    return (d < 0 ? v : u) + (fmod(s, 2.0) != 0 ? -below : below);
}
FAR double zeta_(double s, double q) {
    if (s == 1) return INF;
    if (s < 1) return NAN_;
    if (q <= 0 && q == floor(q)) return INF;
    if (q <= 0 && s != floor(s) || q != q) return NAN_;
    if (s == INF) return q < 0 ? s : q > 1 ? NAN_ : pow(q, -s);
    return q > 0 ? zeta_times(0, s, q) : zeta_below(0, s, q);
}
FAR double polygamma_(int n, double x) {
    if (n == 0) return digamma_(x);
    if (n == 1) {
        if (x == -INF) return NAN_;
        if (x < 0 && x != floor(x)) {
            const double s = sinpi(x - rint(x));
            return PI * PI / (s * s) - zeta_(2, 1 - x);
        }
        return zeta_(2, x);
    }
    // n! and ζ may overflow or underflow where their product does not.
    const double s = (double)n + 1;
    double v = tgamma(s) * zeta_(s, x);
    if (!(fabs(v) > 1e-290 && fabs(v) < INF) && x == x && x - x == 0 && (x > 0 || x != floor(x)))
        v = x > 0 ? zeta_times(lgamma(s), s, x) : zeta_below(lgamma(s), s, x);
    return n & 1 ? v : -v;
}

IN_DOUBLE(digamma, digamma_(x))
IN_DOUBLE(special_i0e, bessel_ie(0, fabs(x)))
IN_DOUBLE(special_i1e, copysign(bessel_ie(1, fabs(x)), x))
IN_DOUBLE(special_scaled_modified_bessel_k0, bessel_k0e(x))
IN_DOUBLE(special_scaled_modified_bessel_k1, bessel_k1e(x))
IN_DOUBLE(special_modified_bessel_k0, bessel_k0e(x) * exp(-x))
IN_DOUBLE(special_modified_bessel_k1, bessel_k1e(x) * exp(-x))
IN_DOUBLE(special_spherical_bessel_j0, x == 0 ? 1.0 : x == x && x - x != 0 ? 0.0 : sin(x) / x)
BINARY(special_zeta, (float)zeta_(x, y), zeta_(x, y))
DEV float op_polygamma(float x, int n) { return (float)polygamma_(n, x); }
DEV double op_polygamma(double x, int n) { return polygamma_(n, x); }

// polynomial is derivative K of the family's polynomial of degree n: p(m+1) = (a·x + b)·p(m) - c·p(m-1), differentiated.
// Families are numbered as in package attr.
template <int FAMILY, int K> FAR double polynomial(double x, double n) {
    if (n != n || n <= -1) return 0;
    if (n < 1) return K == 0 ? 1 : 0;
    if (n > 65536) return NAN_; // no digit would be right long before that
    const double first_a[] = {1, 2, 2, 2, 2, 4, 4, 4, 2, 1, -1, 1}, first_b[] = {0, 0, -1, 1, -1, -2, -3, -1, 0, 0, 1, 0};
    double now[K + 1], before[K + 1];
    for (int j = 0; j <= K; j++) now[j] = before[j] = 0;
    before[0] = 1;
    now[0] = first_a[FAMILY] * x + first_b[FAMILY];
    if (K > 0) now[K > 0] = first_a[FAMILY];
    for (double m = 1; m + 1 <= n; m++) {
        double a = 2, b = 0, c = 1;
        if (FAMILY >= 4 && FAMILY < 8) { a = 4; b = -2; }
        if (FAMILY == 8) c = 2 * m;
        if (FAMILY == 9) { a = 1; c = m; }
        if (FAMILY == 10) { a = -1 / (m + 1); b = (2 * m + 1) / (m + 1); c = m / (m + 1); }
        if (FAMILY == 11) { a = (2 * m + 1) / (m + 1); c = m / (m + 1); }
#pragma unroll
        for (int j = K; j >= 0; j--) { // from the highest: each needs the old one below it
            double next = (a * x + b) * now[j] - c * before[j];
            if (j > 0) next += j * a * now[j > 0 ? j - 1 : 0];
            before[j] = next;
        }
#pragma unroll
        for (int j = 0; j <= K; j++) { const double t = now[j]; now[j] = before[j]; before[j] = t; }
    }
    return now[K];
}
template <int FAMILY, int K> DEV float op_special_polynomial(float x, float n) { return (float)polynomial<FAMILY, K>(x, n); }
template <int FAMILY, int K> DEV double op_special_polynomial(double x, double n) { return polynomial<FAMILY, K>(x, n); }
