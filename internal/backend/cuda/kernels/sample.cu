// Samplers of distributions; included after stream.cu. Each element has a random stream of its own.

#ifdef NORMAL_LAYERS
// The table in front of this file, where threads that read different entries do not wait for each other.
__shared__ double layer_ends[257];
DEV void load_layers() {
    for (int i = threadIdx.x; i < 257; i += 256) layer_ends[i] = layer_table[i];
    __syncthreads();
}
#else
DEV void load_layers() {}
#endif

// stream_of is the stream of element e; each key serves `per` of them. A division of 64 bits takes longer than a hash.
DEV Stream stream_of(const u32 *keys, i64 total, i64 per, i64 e) {
    const i64 k = total == per ? 0 : e / per;
    return element(keys[2 * k], keys[2 * k + 1], (u64)(e - k * per));
}

DEV double unit(Stream &s) { return (double)(word(s) >> 11) * (1.0 / 9007199254740992.0); }

#ifdef RANDOM_POISSON
DEV double draw(Stream &s, double rate) {
    if (rate == 0) return 0;
    if (!(rate > 0) || rate - rate != 0) return NAN_;
    if (rate < 10) {
        const double u = unit(s);
        double p = exp(-rate), sum = p, k = 0;
        while (u >= sum && k < 63) {
            p *= rate / ++k;
            sum += p;
        }
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
DEV double few(Stream &s, double n, double p) { // inverts the distribution function
    const double u = unit(s), odds = p / (1 - p);
    double last = exp(n * log1p(-p)), sum = last, k = 0;
    while (u >= sum) {
        if (k >= 63 || k + 1 >= n) return n < 64 ? n : 64.0;
        last *= (n - k) / (k + 1) * odds;
        k++;
        sum += last;
    }
    return k;
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

#if defined(RANDOM_GAMMA) || defined(RANDOM_DIRICHLET) || defined(RANDOM_VON_MISES)
DEV double normal_tail(Stream &s, double x) {
    const double r = layer_ends[1];
    for (;;) {
        const double a = -log(1 - unit(s)) / r, b = -log(1 - unit(s));
        if (2 * b >= a * a) return copysign(r + a, x);
    }
}
// normal_first proposes a normal number in layer i of the ziggurat; true: it is one.
DEV bool normal_first(Stream &s, int &i, double &x) {
    const u64 w = word(s);
    i = (int)(w & 255);
    x = ((double)(w >> 11) * (1.0 / 4503599627370496.0) - 1) * layer_ends[i];
    return fabs(x) < layer_ends[i + 1];
}
// A standard normal number by the ziggurat of package threefry.
DEV double normal(Stream &s) {
    for (;;) {
        int i;
        double x;
        if (normal_first(s, i, x)) return x;
        if (i == 0) return normal_tail(s, x);
        const double low = exp(-0.5 * layer_ends[i] * layer_ends[i]), high = exp(-0.5 * layer_ends[i + 1] * layer_ends[i + 1]);
        if (low + unit(s) * (high - low) < exp(-0.5 * x * x)) return x;
    }
}
#endif

#if defined(RANDOM_GAMMA) || defined(RANDOM_DIRICHLET)
DEV double gamma_edge(double alpha) { return alpha == 0 ? 0.0 : alpha > 0 ? alpha : NAN_; }
DEV bool gamma_usual(double alpha) { return alpha > 0 && alpha - alpha == 0; }
DEV double gamma_one(Stream &s, double alpha) { // a concentration of at least 1
    const double d = alpha - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double x = normal(s), v = 1 + c * x;
        if (v <= 0) continue;
        v *= v * v;
        const double u = 1 - unit(s);
        x *= x;
        if (u < 1 - 0.0331 * (x * x) || log(u) < 0.5 * x + d * (1 - v + log(v))) return d * v;
    }
}
DEV double gamma_draw(Stream &s, double alpha) {
    if (!gamma_usual(alpha)) return gamma_edge(alpha);
    double x = gamma_one(s, alpha < 1 ? alpha + 1 : alpha);
    if (alpha < 1) x *= exp(log(1 - unit(s)) / alpha);
    return x;
}
// gamma_first is the first attempt of gamma_draw; false: it takes more than that. Nine of ten numbers need no more, but in a warp there
// is nearly always one that does.
DEV bool gamma_first(Stream &s, double alpha, double &y) {
    if (!gamma_usual(alpha)) {
        y = gamma_edge(alpha);
        return true;
    }
    const double d = (alpha < 1 ? alpha + 1 : alpha) - 1.0 / 3;
    int i;
    double x;
    if (!normal_first(s, i, x)) return false;
    double v = 1 + 1 / sqrt(9 * d) * x;
    if (v <= 0) return false;
    v *= v * v;
    const double u = 1 - unit(s);
    x *= x;
    if (!(u < 1 - 0.0331 * (x * x))) return false;
    y = d * v;
    if (alpha < 1) y *= exp(log(1 - unit(s)) / alpha);
    return true;
}
DEV double gamma_log(Stream &s, double alpha) {
    if (!gamma_usual(alpha)) return log(gamma_edge(alpha));
    double x = log(gamma_one(s, alpha < 1 ? alpha + 1 : alpha));
    if (alpha < 1) x += log(1 - unit(s)) / alpha;
    return x;
}
#endif

#ifdef RANDOM_VON_MISES
#define PI_ 3.14159265358979323846
DEV double wrapped(double x) {
    x = fmod(x + PI_, 2 * PI_);
    if (x < 0) x += 2 * PI_;
    return x - PI_;
}
DEV double draw(Stream &s, double k) {
    if (!(k >= 0)) return NAN_;
    if (k > 1e6) return wrapped(normal(s) / sqrt(k));
    if (k < 1e-8) return (2 * unit(s) - 1) * PI_;
    double r = 1 / k + k;
    if (k >= 1e-4) {
        const double tau = 1 + sqrt(1 + 4 * k * k), rho = (tau - sqrt(2 * tau)) / (2 * k);
        r = (1 + rho * rho) / (2 * rho);
    }
    for (;;) {
        const double z = cos(PI_ * unit(s)), f = (1 + r * z) / (r + z), c = k * (r - f), u = 1 - unit(s);
        if (c * (2 - c) > u || log(c / u) + 1 >= c) {
            const double angle = acos(fmax(-1.0, fmin(1.0, f)));
            return wrapped(word(s) >> 63 ? -angle : angle);
        }
    }
}
#endif

#if defined(RANDOM_GAMMA) || defined(RANDOM_DIRICHLET) && !defined(LONG_ROWS)
// A block has up to EACH elements a thread. Those that a first attempt does not settle are queued, and sampled by as many threads as there
// are such elements.
#define EACH 8
__shared__ unsigned short queue[256 * EACH];
__shared__ int queued;
DEV void queue_open() {
    if (threadIdx.x == 0) queued = 0;
    __syncthreads();
}
DEV void queue_add(int at) { queue[atomicAdd(&queued, 1)] = (unsigned short)at; }
#endif

#ifdef RANDOM_DIRICHLET
// Each key serves `per` elements, rows of k of them. G threads work on a row and draw twice where it is longer than G.
struct Args { i64 total, per, k, each, same; T *out; const u32 *keys; const T *p; };

DEV double row_sum(double x) {
    for (int d = G / 2; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d, 32);
    return x;
}
DEV double row_max(double x) {
    for (int d = G / 2; d > 0; d /= 2) x = fmax(x, __shfl_xor_sync(0xffffffffu, x, d, 32));
    return x;
}
DEV Stream row_stream(const Args &a, i64 e) { return stream_of(a.keys, a.total, a.per, e); }
DEV double row_alpha(const Args &a, i64 e) { return (double)get(a.p[a.same & 1 ? 0 : e]); }

#ifdef LONG_ROWS
extern "C" __global__ void __launch_bounds__(256) sample(const __grid_constant__ Args a) {
    load_layers();
    const int lane = threadIdx.x % G;
    const i64 row = ((i64)blockIdx.x * 256 + threadIdx.x) / G, first = row * a.k;
    const bool live = first < a.total; // all threads of a warp take part in the shuffles
    double sum = 0;
    for (i64 i = lane; live && i < a.k; i += G) {
        Stream s = row_stream(a, first + i);
        sum += gamma_draw(s, row_alpha(a, first + i));
    }
    sum = row_sum(sum);
    const bool small = live && !(sum > 1e-290) && sum == sum;
    double top = -1.0 / 0.0, by = 1 / sum;
    for (i64 i = lane; small && i < a.k; i += G) {
        Stream s = row_stream(a, first + i);
        top = fmax(top, gamma_log(s, row_alpha(a, first + i)));
    }
    top = row_max(top);
    sum = 0;
    for (i64 i = lane; small && i < a.k; i += G) {
        Stream s = row_stream(a, first + i);
        sum += exp(gamma_log(s, row_alpha(a, first + i)) - top);
    }
    sum = row_sum(sum);
    for (i64 i = lane; live && i < a.k; i += G) {
        Stream s = row_stream(a, first + i);
        const double alpha = row_alpha(a, first + i);
        const double x = small ? exp(gamma_log(s, alpha) - top) / sum : gamma_draw(s, alpha) * by;
        a.out[first + i] = Put<T>::put(rounded<T>(cast<T>(x)));
    }
}
#else
__shared__ double sampled[256 * EACH];

// row_element is the element at a position of the block, where rows are G apart; -1: none.
DEV i64 row_element(const Args &a, int at) {
    const i64 row = ((i64)blockIdx.x * a.each * 256 + at) / G, e = row * a.k + at % G;
    return at % G < a.k && e < a.total ? e : -1;
}

extern "C" __global__ void __launch_bounds__(256) sample(const __grid_constant__ Args a) {
    load_layers();
    queue_open();
    for (int at = threadIdx.x; at < a.each * 256; at += 256) {
        const i64 e = row_element(a, at);
        double x = 0;
        if (e >= 0) {
            Stream s = row_stream(a, e);
            if (!gamma_first(s, row_alpha(a, e), x)) queue_add(at);
        }
        sampled[at] = x;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < queued; i += 256) {
        const i64 e = row_element(a, queue[i]);
        Stream s = row_stream(a, e);
        sampled[queue[i]] = gamma_draw(s, row_alpha(a, e));
    }
    __syncthreads();
    for (int at = threadIdx.x; at < a.each * 256; at += 256) { // all threads of a warp take part in the shuffles
        const i64 e = row_element(a, at);
        double x = sampled[at], sum = row_sum(x);
        const bool small = !(sum > 1e-290) && sum == sum;
        x *= 1 / sum;
        if (__any_sync(0xffffffffu, small && e >= 0)) {
            double log_x = -1.0 / 0.0;
            if (small && e >= 0) {
                Stream s = row_stream(a, e);
                log_x = gamma_log(s, row_alpha(a, e));
            }
            const double top = row_max(log_x);
            const double part = small && e >= 0 ? exp(log_x - top) : 0.0, parts = row_sum(part);
            if (small) x = part / parts;
        }
        if (e >= 0) a.out[e] = Put<T>::put(rounded<T>(cast<T>(x)));
    }
}
#endif
#else
// Each key serves `per` elements. Parameters flagged in `same` are one value for all.
struct Args { i64 total, per, same, each; T *out; const u32 *keys; const T *p; const T *q; };

extern "C" __global__ void __launch_bounds__(256) sample(const __grid_constant__ Args a) {
    load_layers();
#ifdef RANDOM_GAMMA
    queue_open();
    const i64 first = (i64)blockIdx.x * a.each * 256;
    for (int at = threadIdx.x; at < a.each * 256 && first + at < a.total; at += 256) {
        Stream s = stream_of(a.keys, a.total, a.per, first + at);
        double x;
        if (gamma_first(s, (double)get(a.p[a.same & 1 ? 0 : first + at]), x))
            a.out[first + at] = Put<T>::put(rounded<T>(cast<T>(x)));
        else
            queue_add(at);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < queued; i += 256) {
        const i64 e = first + queue[i];
        Stream s = stream_of(a.keys, a.total, a.per, e);
        a.out[e] = Put<T>::put(rounded<T>(cast<T>(gamma_draw(s, (double)get(a.p[a.same & 1 ? 0 : e])))));
    }
#else
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.total) return;
    Stream s = stream_of(a.keys, a.total, a.per, e);
#ifdef RANDOM_INT
    a.out[e] = below(s, a.p[a.same & 1 ? 0 : e]);
#elif !defined(RANDOM_BINOMIAL)
    a.out[e] = Put<T>::put(rounded<T>(cast<T>(draw(s, (double)get(a.p[a.same & 1 ? 0 : e])))));
#else
    a.out[e] = Put<T>::put(rounded<T>(cast<T>(draw(s, (double)get(a.p[a.same & 1 ? 0 : e]), (double)get(a.q[a.same & 2 ? 0 : e])))));
#endif
#endif
}
#endif
