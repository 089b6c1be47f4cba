// Numbers that are drawn by rejection, behind threefry.cu: every element has words of its own, as many as it needs. The first
// is the hash of its number, and the key of the others. The steps are those of package threefry, one for one.

struct Stream { u32 k0, k1, next; };
DEV Stream element(u32 k0, u32 k1, u64 i) {
    Stream s;
    s.k0 = (u32)i;
    s.k1 = (u32)(i >> 32);
    hash(k0, k1, s.k0, s.k1);
    s.next = 0;
    return s;
}
DEV u64 word(Stream &s) {
    u32 x = s.k0, y = s.k1;
    if (s.next > 0) {
        x = s.next;
        y = 0;
        hash(s.k0, s.k1, x, y);
    }
    s.next++;
    return (u64)x << 32 | y;
}
DEV double unit(Stream &s) { return (double)(word(s) >> 11) * (1.0 / 9007199254740992.0); }

#ifdef RANDOM_INT
DEV u64 draw(Stream &s, u64 n) {
    u64 w = word(s);
    if (n == 0) return w;
    u64 hi = __umul64hi(w, n), lo = w * n;
    if (lo < n)
        for (const u64 over = (0 - n) % n; lo < over;) {
            w = word(s);
            hi = __umul64hi(w, n);
            lo = w * n;
        }
    return hi;
}
#endif

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
DEV double few(Stream &s, double n, double p) { // waiting times until they pass n
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
    const bool turn = p > 0.5;
    if (turn) p = 1 - p;
    const double k = p == 0 ? 0.0 : n * p < 10 ? few(s, n, p) : many(s, n, p);
    return turn ? n - k : k;
}
#endif

// Each key serves `per` elements.
struct Args { i64 total, per; T *out; const u32 *keys; const T *p; const T *q; };

extern "C" __global__ void __launch_bounds__(256) sample(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.total) return;
    const u32 *key = a.keys + 2 * (e / a.per);
    Stream s = element(key[0], key[1], (u64)(e % a.per));
#ifdef RANDOM_INT
    a.out[e] = draw(s, a.p[e]);
#elif defined(RANDOM_POISSON)
    a.out[e] = Put<T>::put(rounded<T>(cast<T>(draw(s, (double)get(a.p[e])))));
#else
    a.out[e] = Put<T>::put(rounded<T>(cast<T>(draw(s, (double)get(a.p[e]), (double)get(a.q[e])))));
#endif
}
