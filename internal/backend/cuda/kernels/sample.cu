// Samplers of distributions; included after stream.cu. Each element has a random stream of its own.

DEV double unit(Stream &s) { return (double)(word(s) >> 11) * (1.0 / 9007199254740992.0); }

#ifdef RANDOM_POISSON
DEV double draw(Stream &s, double rate) {
    if (rate == 0) return 0;
    if (!(rate > 0) || rate - rate != 0) return NAN_;
    if (rate < 10) {
        const double limit = exp(-rate);
        double p = unit(s), k = 0;
        for (; p > limit; k++) p *= unit(s);
        return k;
    }
    const double root = sqrt(rate), log_rate = log(rate), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
    const double alpha = 1.1239 + 1.1328 / (b - 3.4), vr = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = unit(s) - 0.5, v = unit(s), us = 0.5 - fabs(u);
        const double k = floor((2 * a / us + b) * u + rate + 0.43);
        if (us >= 0.07 && v <= vr) return k;
        if (k < 0 || us < 0.013 && v > us) continue;
        if (log(v * alpha / (a / (us * us) + b)) <= k * log_rate - rate - lgamma(k + 1)) return k;
    }
}
#endif

#ifdef RANDOM_BINOMIAL
DEV double few(Stream &s, double n, double p) { // sums waiting times until they exceed n
    const double by = log1p(-p);
    double sum = 0, k = 0;
    for (;; k++) {
        sum += ceil(log(1 - unit(s)) / by);
        if (sum > n) return k;
    }
}
DEV double many(Stream &s, double n, double p) {
    const double root = sqrt(n * p * (1 - p)), b = 1.15 + 2.53 * root, a = -0.0873 + 0.0248 * b + 0.01 * p, c = n * p + 0.5;
    const double vr = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * root, lpq = log(p / (1 - p)), m = floor((n + 1) * p);
    const double h = lgamma(m + 1) + lgamma(n - m + 1);
    for (;;) {
        const double u = unit(s) - 0.5, v = unit(s), us = 0.5 - fabs(u);
        const double k = floor((2 * a / us + b) * u + c);
        if (us >= 0.07 && v <= vr) return k;
        if (k < 0 || k > n) continue;
        if (log(v * alpha / (a / (us * us) + b)) <= h - lgamma(k + 1) - lgamma(n - k + 1) + (k - m) * lpq) return k;
    }
}
DEV double draw(Stream &s, double n, double p) {
    n = floor(n);
    if (!(n >= 0) || !(p >= 0 && p <= 1) || n - n != 0) return NAN_;
    if (n == 0 || p == 0) return 0;
    const bool swap = p > 0.5;
    if (swap) p = 1 - p;
    const double k = p == 0 ? 0.0 : n * p < 10 ? few(s, n, p) : many(s, n, p);
    return swap ? n - k : k;
}
#endif

// Each key serves `per` elements. Parameters flagged in `same` are one value for all.
struct Args { i64 total, per, same; T *out; const u32 *keys; const T *p; const T *q; };

extern "C" __global__ void __launch_bounds__(256) sample(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.total) return;
    const u32 *key = a.keys + 2 * (e / a.per);
    Stream s = element(key[0], key[1], (u64)(e % a.per));
#ifdef RANDOM_INT
    a.out[e] = below(s, a.p[a.same & 1 ? 0 : e]);
#elif defined(RANDOM_POISSON)
    a.out[e] = Put<T>::put(rounded<T>(cast<T>(draw(s, (double)get(a.p[a.same & 1 ? 0 : e])))));
#else
    a.out[e] = Put<T>::put(rounded<T>(cast<T>(draw(s, (double)get(a.p[a.same & 1 ? 0 : e]), (double)get(a.q[a.same & 2 ? 0 : e])))));
#endif
}
