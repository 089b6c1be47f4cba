// Windows over the last dimensions, of which there are always three: missing ones have size 1. Output o sees the inputs
// o·stride - pad + k·dilation for k below kernel; adaptive windows cut the input in `out` parts.

struct Args {
    i64 total; // threads
    OUT *out; i64 *at; const T *x;
    i64 in[3], size[3], kernel[3], stride[3], pad[3], dilation[3], adaptive, count, divisor;
};

typedef Rep<T>::R R;

// Span is where a window lies along one dimension: from lo below hi by step, and its part of the divisor.
struct Span { i64 lo, hi, step, n; };
DEV Span span(const Args &a, int d, i64 o) {
    Span s;
    const i64 in = a.in[d];
    if (a.adaptive) {
        s.lo = o * in / a.size[d];
        s.hi = ((o + 1) * in + a.size[d] - 1) / a.size[d];
        s.step = 1;
        s.n = s.hi - s.lo;
        return s;
    }
    const i64 from = o * a.stride[d] - a.pad[d];
    s.step = a.dilation[d];
    s.lo = from < 0 ? from + (-from + s.step - 1) / s.step * s.step : from;
    s.hi = min(from + (a.kernel[d] - 1) * s.step + 1, in);
    s.n = a.count == 1 ? s.hi - s.lo : min(from + a.kernel[d], in + a.pad[d]) - from;
    return s;
}
DEV double divisor(const Args &a, const Span &x, const Span &y, const Span &z) {
    return a.divisor != 0 ? (double)a.divisor : a.count == 0 ? 1.0 : (double)(x.n * y.n * z.n);
}

#define PLACE(e, dims) \
    const i64 p2 = e % dims[2], p1 = e / dims[2] % dims[1], p0 = e / (dims[2] * dims[1]) % dims[0], plane = e / (dims[2] * dims[1] * dims[0])

#if defined(POOL_MAX) || defined(POOL_MEAN)
#define WINDOW \
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x; \
    if (e >= a.total) return; \
    PLACE(e, a.size); \
    const Span s0 = span(a, 0, p0), s1 = span(a, 1, p1), s2 = span(a, 2, p2); \
    const T *x = a.x + plane * a.in[0] * a.in[1] * a.in[2];
#define EACH \
    for (i64 i = s0.lo; i < s0.hi; i += s0.step) \
        for (i64 j = s1.lo; j < s1.hi; j += s1.step) \
            for (i64 k = s2.lo; k < s2.hi; k += s2.step)
#endif

#ifdef POOL_MAX
extern "C" __global__ void __launch_bounds__(256) pool_max(const __grid_constant__ Args a) {
    WINDOW
    i64 best = (s0.lo * a.in[1] + s1.lo) * a.in[2] + s2.lo;
    R top = get(x[best]);
    EACH {
        const i64 at = (i * a.in[1] + j) * a.in[2] + k;
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
    EACH sum += get(x[(i * a.in[1] + j) * a.in[2] + k]);
    a.out[e] = Put<T>::put(sum / (R)divisor(a, s0, s1, s2));
}
#endif

#ifdef POOL_MEAN_T
// The windows that see place i along a dimension: outputs from lo to hi, not all of them where dilation leaves holes.
struct Seen { i64 lo, hi; };
DEV Seen seen(const Args &a, int d, i64 i) {
    Seen s;
    if (a.adaptive) {
        s.lo = i * a.size[d] / a.in[d];
        s.hi = ((i + 1) * a.size[d] - 1) / a.in[d];
        return s;
    }
    const i64 last = i + a.pad[d], first = last - (a.kernel[d] - 1) * a.dilation[d];
    s.lo = first <= 0 ? 0 : (first + a.stride[d] - 1) / a.stride[d];
    s.hi = min(last / a.stride[d], a.size[d] - 1);
    return s;
}
DEV bool sees(const Args &a, int d, i64 o, i64 i) { return a.adaptive || (i + a.pad[d] - o * a.stride[d]) % a.dilation[d] == 0; }

extern "C" __global__ void __launch_bounds__(256) pool_mean_t(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.total) return;
    PLACE(e, a.in);
    const Seen s0 = seen(a, 0, p0), s1 = seen(a, 1, p1), s2 = seen(a, 2, p2);
    const T *g = a.x + plane * a.size[0] * a.size[1] * a.size[2];
    R sum = 0;
    for (i64 i = s0.lo; i <= s0.hi; i++)
        for (i64 j = s1.lo; j <= s1.hi; j++)
            for (i64 k = s2.lo; k <= s2.hi; k++)
                if (sees(a, 0, i, p0) && sees(a, 1, j, p1) && sees(a, 2, k, p2))
                    sum += get(g[(i * a.size[1] + j) * a.size[2] + k]) / (R)divisor(a, span(a, 0, i), span(a, 1, j), span(a, 2, k));
    a.out[e] = Put<T>::put(sum);
}
#endif

#ifdef POOL_UNFOLD
// out is [planes, kernel, size]: what each tap of each window sees.
extern "C" __global__ void __launch_bounds__(256) pool_unfold(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.total) return;
    PLACE(e, a.size);
    const i64 t2 = plane % a.kernel[2], t1 = plane / a.kernel[2] % a.kernel[1], t0 = plane / (a.kernel[2] * a.kernel[1]) % a.kernel[0];
    const i64 i = p0 * a.stride[0] - a.pad[0] + t0 * a.dilation[0], j = p1 * a.stride[1] - a.pad[1] + t1 * a.dilation[1], k = p2 * a.stride[2] - a.pad[2] + t2 * a.dilation[2];
    T v = T();
    if (i >= 0 && i < a.in[0] && j >= 0 && j < a.in[1] && k >= 0 && k < a.in[2])
        v = a.x[((plane / (a.kernel[2] * a.kernel[1] * a.kernel[0]) * a.in[0] + i) * a.in[1] + j) * a.in[2] + k];
    a.out[e] = v;
}
#endif

#ifdef POOL_FOLD
// window finds the output whose tap t sees place i.
DEV bool window(const Args &a, int d, i64 i, i64 t, i64 &o) {
    const i64 from = i + a.pad[d] - t * a.dilation[d];
    o = from / a.stride[d];
    return from >= 0 && from % a.stride[d] == 0 && o < a.size[d];
}
// x is [planes, kernel, size]: every place of the image sums what the taps that see it hold.
extern "C" __global__ void __launch_bounds__(256) pool_fold(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.total) return;
    PLACE(e, a.in);
    typedef Wide<R>::W W;
    W sum = W();
    for (i64 t0 = 0; t0 < a.kernel[0]; t0++)
        for (i64 t1 = 0; t1 < a.kernel[1]; t1++)
            for (i64 t2 = 0; t2 < a.kernel[2]; t2++) {
                i64 i, j, k;
                if (!window(a, 0, p0, t0, i) || !window(a, 1, p1, t1, j) || !window(a, 2, p2, t2, k)) continue;
                const i64 tap = ((plane * a.kernel[0] + t0) * a.kernel[1] + t1) * a.kernel[2] + t2;
                sum = op_add<W>(sum, Conv<W, R>::to(get(a.x[((tap * a.size[0] + i) * a.size[1] + j) * a.size[2] + k])));
            }
    a.out[e] = Put<T>::put(rounded<T>(cast<T>(sum)));
}
#endif
