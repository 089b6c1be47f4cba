// Writing at many positions, which have been sorted: equal ones are neighbours in their old order. A thread walks a chunk of
// 64 of them for one column; runs that cross chunks leave their parts behind, and put_finish joins those in order. So the same
// input gives the same bits, and many values for one place are no long walk.

typedef Rep<T>::R R;

#ifdef SLICES
// Columns are the elements of a slice; out is [outer, n, inner], src [outer, count, inner].
struct Args { i64 n, count, columns, rows, chunks; const u64 *keys; const u32 *idx; R *first; R *last; T *out; const S *src; Fault *fault; i64 inner; };
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
// Rows are lines of positions along an axis; see scatter in index.cu.
struct Args {
    i64 n, count, columns, rows, chunks; const u64 *keys; const u32 *idx; R *first; R *last; T *out; const S *src; Fault *fault;
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

#define CHUNK 64
#define THREAD \
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x; \
    if (e >= a.rows * a.chunks * a.columns) return; \
    const i64 column = e % a.columns, chunk = e / a.columns % a.chunks, row = e / (a.columns * a.chunks); \
    const Line line(a, row, column); \
    const u64 *keys = a.keys + row * a.count; \
    const u32 *idx = a.idx + row * a.count; \
    const i64 lo = chunk * CHUNK, hi = min(lo + CHUNK, a.count);

DEV R value(const Line &line, u32 k) { return Conv<R, typename Rep<S>::R>::to(get(line.src[k * line.from])); }
// put lets what is at position p meet v. Keys are the bits of positions with the sign turned.
DEV void put(const Args &a, const Line &line, u64 key, R v) {
    const i64 p = (i64)(key ^ 1ull << 63);
    if (p < 0 || p >= a.n) { complain(a.fault, 1, p, a.n); return; }
    T *to = line.out + p * line.step;
    *to = Put<T>::put(MEET(get(*to), v));
}

#ifdef PUT_SORTED
extern "C" __global__ void __launch_bounds__(256) put_sorted(const __grid_constant__ Args a) {
    THREAD
    for (i64 j = lo; j < hi;) {
        const u64 key = keys[j];
        const bool begun = j == lo && lo > 0 && keys[lo - 1] == key;
        R v = value(line, idx[j++]);
        while (j < hi && keys[j] == key) v = MEET(v, value(line, idx[j++]));
        if (begun) a.first[e] = v;
        else if (j == hi && hi < a.count && keys[hi] == key) a.last[e] = v;
        else put(a, line, key, v);
    }
}
#endif

#ifdef PUT_FINISH
extern "C" __global__ void __launch_bounds__(256) put_finish(const __grid_constant__ Args a) {
    THREAD
    const u64 key = keys[hi - 1];
    if (hi >= a.count || keys[hi] != key || (lo > 0 && keys[lo - 1] == key)) return; // no run that begins here goes on
    R v = a.last[e];
    for (i64 c = chunk + 1; c < a.chunks; c++) {
        if (keys[c * CHUNK] != key) break;
        v = MEET(v, a.first[e + (c - chunk) * a.columns]);
        if (keys[min((c + 1) * CHUNK, a.count) - 1] != key) break;
    }
    put(a, line, key, v);
}
#endif
