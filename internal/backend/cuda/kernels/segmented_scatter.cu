// Segmented scatter: writes at many indices, which have been sorted stably, so equal ones are adjacent in their old order.
// A thread walks CHUNK of them for V adjacent columns; runs that cross chunks store partial results, which segmented_finish
// combines in order. So it is deterministic, many values for one index are no long walk, and every element is written once.

typedef Rep<T>::R R;

#ifdef SLICES
// Columns are the elements of a slice; out is [outer, n, inner], src [outer, count, inner].
struct Args { i64 n, count, columns, rows, chunks; const u32 *keys; const u32 *idx; R *first; R *last; T *out; const S *src; i64 inner; };
struct Line {
    T *out; const S *src; i64 step, from;
    DEV Line(const Args &a, i64, i64 c) {
        const i64 o = c / a.inner, i = c % a.inner;
        out = a.out + o * a.n * a.inner + i;
        src = a.src + o * a.count * a.inner + i;
        step = from = a.inner;
    }
};
#else
// Rows are lines of indices along an axis; see scatter in index.cu.
struct Args {
    i64 n, count, columns, rows, chunks; const u32 *keys; const u32 *idx; R *first; R *last; T *out; const S *src;
    i64 rank, axis, step; i64 dims[16], xs[16], ss[16];
};
struct Line {
    T *out; const S *src; i64 step, from;
    DEV Line(const Args &a, i64 row, i64) {
        i64 rest = row / a.step * a.step * a.count + row % a.step, to = 0, at = 0;
        for (int d = (int)a.rank - 1; d >= 0; d--) {
            const i64 r = rest % a.dims[d];
            if (d != a.axis) { to += r * a.xs[d]; at += r * a.ss[d]; }
            rest /= a.dims[d];
        }
        out = a.out + to;
        src = a.src + at;
        step = a.xs[a.axis];
        from = a.ss[a.axis];
    }
};
#endif

#define THREAD \
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x; \
    if (e >= a.rows * a.chunks * (a.columns / V)) return; \
    const i64 column = e % (a.columns / V) * V, chunk = e / (a.columns / V) % a.chunks, row = e / (a.columns / V * a.chunks); \
    const Line line(a, row, column); \
    const u32 *keys = a.keys + row * a.count; \
    const u32 *idx = a.idx + row * a.count; \
    const i64 lo = chunk * CHUNK, hi = min(lo + CHUNK, a.count), part = (row * a.chunks + chunk) * a.columns + column;

DEV void value(R (&v)[V], const Line &line, u32 k) {
    typename Rep<S>::R t[V];
    load_vec<S, V>(t, line.src + k * line.from, V);
#pragma unroll
    for (int j = 0; j < V; j++) v[j] = Conv<R, typename Rep<S>::R>::to(t[j]);
}
DEV void combine(R (&v)[V], const R (&w)[V]) {
#pragma unroll
    for (int j = 0; j < V; j++) v[j] = COMBINE(v[j], w[j]);
}
DEV void keep(R *to, const R (&v)[V]) {
#pragma unroll
    for (int j = 0; j < V; j++) to[j] = v[j];
}
// put combines what is at an index with v. Those out of range, which narrow has reported, are n.
DEV void put(const Args &a, const Line &line, u32 key, const R (&v)[V]) {
    if (key >= a.n) return;
    T *to = line.out + key * line.step;
    R t[V];
    load_vec<T, V>(t, to, V);
    combine(t, v);
    store_vec<T, V>(to, t, V);
}

#ifdef SEGMENTED_SCATTER
extern "C" __global__ void __launch_bounds__(256) segmented_scatter(const __grid_constant__ Args a) {
    THREAD
    const int PREFETCH = 4; // values in flight
    R v[V];
    u32 key = keys[lo];
    bool begun = lo > 0 && keys[lo - 1] == key; // in an earlier chunk
    for (i64 j = lo; j < hi; j += PREFETCH) {
        R w[PREFETCH][V];
        u32 is[PREFETCH];
#pragma unroll
        for (int u = 0; u < PREFETCH; u++)
            if (j + u < hi) {
                is[u] = keys[j + u];
                value(w[u], line, idx[j + u]);
            }
#pragma unroll
        for (int u = 0; u < PREFETCH; u++) {
            if (j + u >= hi) break;
            if (j + u > lo && is[u] == key) { combine(v, w[u]); continue; }
            if (j + u > lo) {
                if (begun) keep(a.first + part, v);
                else put(a, line, key, v);
                begun = false;
            }
            key = is[u];
            keep(v, w[u]);
        }
    }
    if (begun) keep(a.first + part, v);
    else if (hi < a.count && keys[hi] == key) keep(a.last + part, v);
    else put(a, line, key, v);
}
#endif

#ifdef SEGMENTED_FINISH
extern "C" __global__ void __launch_bounds__(256) segmented_finish(const __grid_constant__ Args a) {
    THREAD
    const u32 key = keys[hi - 1];
    if (hi >= a.count || keys[hi] != key || (lo > 0 && keys[lo - 1] == key)) return; // no run that begins here goes on
    R v[V];
    keep(v, *(const R (*)[V])(a.last + part));
    const int PREFETCH = V <= 2 ? 8 : 2; // partials in flight
    bool on = true;
    for (i64 c = chunk + 1; on && c < a.chunks; c += PREFETCH) {
        R w[PREFETCH][V];
        u32 begins[PREFETCH], ends[PREFETCH];
#pragma unroll
        for (int u = 0; u < PREFETCH; u++)
            if (c + u < a.chunks) {
                begins[u] = keys[(c + u) * CHUNK];
                ends[u] = keys[min((c + u + 1) * CHUNK, a.count) - 1];
                keep(w[u], *(const R (*)[V])(a.first + part + (c + u - chunk) * a.columns)); // unused if no run goes on there
            }
#pragma unroll
        for (int u = 0; u < PREFETCH; u++) {
            on = on && c + u < a.chunks && begins[u] == key;
            if (!on) break;
            combine(v, w[u]);
            on = ends[u] == key;
        }
    }
    put(a, line, key, v);
}
#endif
