// Windows over the last dimensions, of which there are always three: missing ones have size 1. Output o reads the inputs
// o·stride - pad + k·dilation for k below kernel; adaptive windows divide the input into `size` parts.

struct Args {
    i64 total; // threads
    OUT *out; i64 *at; const T *x; // at: the indices of pool_max
    i64 in[3], size[3], count, divisor;
};

typedef Rep<T>::R R;

// Window parameters are compile-time constants: divisions by them become multiplications.
static __device__ constexpr IX KERNEL[3] = {KERNELS}, STRIDE[3] = {STRIDES}, PAD[3] = {PADS}, DILATION[3] = {DILATIONS};

// Indices are counted in IX, 32-bit where possible: much of the time goes into divisions.

// Span is a window along one dimension: from lo below hi by step, and its part of the divisor.
struct Span { IX lo, hi, step, n; };
DEV Span span(const Args &a, int d, IX o) {
    Span s;
    const IX in = (IX)a.in[d];
    if (ADAPTIVE) {
        s.lo = o * in / (IX)a.size[d];
        s.hi = ((o + 1) * in + (IX)a.size[d] - 1) / (IX)a.size[d];
        s.step = 1;
        s.n = s.hi - s.lo;
        return s;
    }
    const IX from = o * STRIDE[d] - PAD[d];
    s.step = DILATION[d];
    s.lo = from < 0 ? from + (-from + s.step - 1) / s.step * s.step : from;
    s.hi = min(from + (KERNEL[d] - 1) * s.step + 1, in);
    s.n = a.count == 1 ? s.hi - s.lo : min(from + KERNEL[d], in + PAD[d]) - from;
    return s;
}
DEV double divisor(const Args &a, const Span &x, const Span &y, const Span &z) {
    return a.divisor != 0 ? (double)a.divisor : a.count == 0 ? 1.0 : (double)(x.n * y.n * z.n);
}

#define POSITION(e, dims) \
    const IX q2 = e / (IX)dims[2], p2 = e - q2 * (IX)dims[2], q1 = q2 / (IX)dims[1], p1 = q2 - q1 * (IX)dims[1], \
        plane = DIMS > 2 ? q1 / (IX)dims[0] : q1, p0 = DIMS > 2 ? q1 - plane * (IX)dims[0] : 0

#if defined(POOL_MAX) || defined(POOL_MEAN)
#define WINDOW \
    const IX e = (IX)blockIdx.x * 256 + threadIdx.x; \
    if (e >= a.total) return; \
    POSITION(e, a.size); \
    const Span s0 = span(a, 0, p0), s1 = span(a, 1, p1), s2 = span(a, 2, p2); \
    const T *x = a.x + plane * (IX)a.in[0] * (IX)a.in[1] * (IX)a.in[2];
#define EACH \
    for (IX i = s0.lo; i < s0.hi; i += s0.step) \
        for (IX j = s1.lo; j < s1.hi; j += s1.step) \
            for (IX k = s2.lo; k < s2.hi; k += s2.step)
#endif

// Where windows are one element wide along the last dimension (NHWC), a thread takes V adjacent elements, whose windows are
// otherwise the same.
#if defined(POOL_MAX) && V > 1
extern "C" __global__ void __launch_bounds__(256) pool_max(const __grid_constant__ Args a) {
    const IX e = ((IX)blockIdx.x * 256 + threadIdx.x) * V;
    if (e >= a.total) return;
    POSITION(e, a.size);
    const Span s0 = span(a, 0, p0), s1 = span(a, 1, p1);
    const T *x = a.x + plane * (IX)a.in[0] * (IX)a.in[1] * (IX)a.in[2];
    IX best[V];
    R top[V];
    const IX from = (s0.lo * (IX)a.in[1] + s1.lo) * (IX)a.in[2] + p2;
    load_vec<T, V>(top, x + from, V);
#pragma unroll
    for (int c = 0; c < V; c++) best[c] = from + c;
    for (IX i = s0.lo; i < s0.hi; i += s0.step)
        for (IX j = s1.lo; j < s1.hi; j += s1.step) {
            const IX at = (i * (IX)a.in[1] + j) * (IX)a.in[2] + p2;
            R v[V];
            load_vec<T, V>(v, x + at, V);
#pragma unroll
            for (int c = 0; c < V; c++)
                if (top[c] < v[c] || v[c] != v[c]) { best[c] = at + c; top[c] = v[c]; }
        }
    i64 at[V];
#pragma unroll
    for (int c = 0; c < V; c++) at[c] = best[c];
    store_vec<T, V>(a.out + e, top, V);
#pragma unroll
    for (int c = 0; c < V; c += 2) *(Vec<i64, 2> *)(a.at + e + c) = Vec<i64, 2>{at[c], at[c + 1]};
}
#elif defined(POOL_MAX)
extern "C" __global__ void __launch_bounds__(256) pool_max(const __grid_constant__ Args a) {
    WINDOW
    IX best = (s0.lo * (IX)a.in[1] + s1.lo) * (IX)a.in[2] + s2.lo;
    R top = get(x[best]);
    EACH {
        const IX at = (i * (IX)a.in[1] + j) * (IX)a.in[2] + k;
        const R v = get(x[at]);
        if (top < v || v != v) { best = at; top = v; }
    }
    a.out[e] = x[best];
    a.at[e] = best;
}
#endif

#ifdef POOL_MEAN
extern "C" __global__ void __launch_bounds__(256) pool_mean(const __grid_constant__ Args a) {
    WINDOW
    R sum = 0;
    EACH sum += get(x[(i * (IX)a.in[1] + j) * (IX)a.in[2] + k]);
    a.out[e] = Put<T>::put(sum / (R)divisor(a, s0, s1, s2));
}
#endif

#if defined(POOL_MEAN_T) || defined(POOL_MAX_T)
// The windows that read input i along a dimension: outputs from lo to hi, not all of them where dilation leaves holes.
struct Seen { IX lo, hi; };
DEV Seen seen(const Args &a, int d, IX i) {
    Seen s;
    if (ADAPTIVE) {
        s.lo = i * (IX)a.size[d] / (IX)a.in[d];
        s.hi = ((i + 1) * (IX)a.size[d] - 1) / (IX)a.in[d];
        return s;
    }
    const IX last = i + PAD[d], first = last - (KERNEL[d] - 1) * DILATION[d];
    s.lo = first <= 0 ? 0 : (first + STRIDE[d] - 1) / STRIDE[d];
    s.hi = min(last / STRIDE[d], (IX)a.size[d] - 1);
    return s;
}
DEV bool sees(const Args &a, int d, IX o, IX i) { return ADAPTIVE || (i + PAD[d] - o * STRIDE[d]) % DILATION[d] == 0; }

#endif

#if defined(POOL_MAX_T) && V > 1
extern "C" __global__ void __launch_bounds__(256) pool_max_t(const __grid_constant__ Args a) {
    const IX e = ((IX)blockIdx.x * 256 + threadIdx.x) * V;
    if (e >= a.total) return;
    POSITION(e, a.in);
    const Seen s0 = seen(a, 0, p0), s1 = seen(a, 1, p1);
    const IX from = plane * (IX)(a.size[0] * a.size[1] * a.size[2]) + p2;
    const i64 me = (p0 * (IX)a.in[1] + p1) * (IX)a.in[2] + p2;
    R sum[V] = {};
    for (IX i = s0.lo; i <= s0.hi; i++)
        for (IX j = s1.lo; j <= s1.hi; j++) {
            const IX o = from + (i * (IX)a.size[1] + j) * (IX)a.size[2];
            R v[V];
            load_vec<T, V>(v, a.x + o, V);
#pragma unroll
            for (int c = 0; c < V; c += 2) {
                const Vec<i64, 2> at = *(const Vec<i64, 2> *)(a.at + o + c);
                if (at.v[0] == me + c) sum[c] += v[c];
                if (at.v[1] == me + c + 1) sum[c + 1] += v[c + 1];
            }
        }
    store_vec<T, V>(a.out + e, sum, V);
}
#elif defined(POOL_MAX_T)
// at is the index of each window's maximum: that element gets the window's cotangent.
extern "C" __global__ void __launch_bounds__(256) pool_max_t(const __grid_constant__ Args a) {
    const IX e = (IX)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.total) return;
    POSITION(e, a.in);
    const Seen s0 = seen(a, 0, p0), s1 = seen(a, 1, p1), s2 = seen(a, 2, p2);
    const IX from = plane * (IX)(a.size[0] * a.size[1] * a.size[2]);
    const i64 me = (p0 * (IX)a.in[1] + p1) * (IX)a.in[2] + p2;
    R sum = 0;
    for (IX i = s0.lo; i <= s0.hi; i++)
        for (IX j = s1.lo; j <= s1.hi; j++)
            for (IX k = s2.lo; k <= s2.hi; k++) {
                const IX o = from + (i * (IX)a.size[1] + j) * (IX)a.size[2] + k;
                if (a.at[o] == me) sum += get(a.x[o]);
            }
    a.out[e] = Put<T>::put(sum);
}
#endif

#ifdef POOL_MEAN_T
extern "C" __global__ void __launch_bounds__(256) pool_mean_t(const __grid_constant__ Args a) {
    const IX e = (IX)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.total) return;
    POSITION(e, a.in);
    const Seen s0 = seen(a, 0, p0), s1 = seen(a, 1, p1), s2 = seen(a, 2, p2);
    const T *g = a.x + plane * (IX)a.size[0] * (IX)a.size[1] * (IX)a.size[2];
    R sum = 0;
    for (IX i = s0.lo; i <= s0.hi; i++)
        for (IX j = s1.lo; j <= s1.hi; j++)
            for (IX k = s2.lo; k <= s2.hi; k++)
                if (sees(a, 0, i, p0) && sees(a, 1, j, p1) && sees(a, 2, k, p2))
                    sum += get(g[(i * (IX)a.size[1] + j) * (IX)a.size[2] + k]) / (R)divisor(a, span(a, 0, i), span(a, 1, j), span(a, 2, k));
    a.out[e] = Put<T>::put(sum);
}
#endif

#ifdef POOL_UNFOLD
// out is [planes, kernel, size]: what each tap of each window reads.
extern "C" __global__ void __launch_bounds__(256) pool_unfold(const __grid_constant__ Args a) {
    const IX e = (IX)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.total) return;
    POSITION(e, a.size);
    const IX t2 = plane % KERNEL[2], t1 = plane / KERNEL[2] % KERNEL[1], t0 = plane / (KERNEL[2] * KERNEL[1]) % KERNEL[0];
    const IX i = p0 * STRIDE[0] - PAD[0] + t0 * DILATION[0], j = p1 * STRIDE[1] - PAD[1] + t1 * DILATION[1],
        k = p2 * STRIDE[2] - PAD[2] + t2 * DILATION[2];
    T v = T();
    if (i >= 0 && i < (IX)a.in[0] && j >= 0 && j < (IX)a.in[1] && k >= 0 && k < (IX)a.in[2])
        v = a.x[((plane / (KERNEL[2] * KERNEL[1] * KERNEL[0]) * (IX)a.in[0] + i) * (IX)a.in[1] + j) * (IX)a.in[2] + k];
    a.out[e] = v;
}
#endif

#ifdef POOL_FOLD
// window finds the output whose tap t reads input i.
DEV bool window(const Args &a, int d, IX i, IX t, IX &o) {
    const IX from = i + PAD[d] - t * DILATION[d];
    o = from / STRIDE[d];
    return from >= 0 && from % STRIDE[d] == 0 && o < (IX)a.size[d];
}
// x is [planes, kernel, size]: every pixel sums the taps that read it.
extern "C" __global__ void __launch_bounds__(256) pool_fold(const __grid_constant__ Args a) {
    const IX e = (IX)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.total) return;
    POSITION(e, a.in);
    typedef Wide<R>::W W;
    W sum = W();
    for (IX t0 = 0; t0 < KERNEL[0]; t0++)
        for (IX t1 = 0; t1 < KERNEL[1]; t1++)
            for (IX t2 = 0; t2 < KERNEL[2]; t2++) {
                IX i, j, k;
                if (!window(a, 0, p0, t0, i) || !window(a, 1, p1, t1, j) || !window(a, 2, p2, t2, k)) continue;
                const IX tap = ((plane * KERNEL[0] + t0) * KERNEL[1] + t1) * KERNEL[2] + t2;
                sum = op_add<W>(sum, Conv<W, R>::to(get(a.x[((tap * (IX)a.size[0] + i) * (IX)a.size[1] + j) * (IX)a.size[2] + k])));
            }
    a.out[e] = Put<T>::put(rounded<T>(cast<T>(sum)));
}
#endif
