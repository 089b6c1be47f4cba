// Scans along one dimension. A row is n elements `step` apart, walked forwards or, with REVERSE, backwards; rows are cut in
// chunks by sizes alone, so the same input gives the same bits.
//
// fold_chunks: each chunk's total. carry_chunks: totals become what comes before each chunk. scan_rows: a block walks a chunk,
// a tile at a time in shared memory. scan_cols: a thread walks a chunk of its own row, for rows that lie side by side, or that are short.

typedef Rep<T>::R R;

// A scan is a struct: A what is joined, from the element at k; join of two neighbours, the second later; what is stored.
template <class R> struct CumSum {
    typedef typename Wide<R>::W A;
    static DEV A from(const T *x, const T *, i64 k, i64) { return Conv<A, R>::to(get(x[k])); }
    static DEV A join(A a, A b) { return op_add<A>(a, b); }
    static DEV A done(A a, i64) { return a; }
};
template <class R> struct CumProd {
    typedef typename Product<R>::W A;
    static DEV A from(const T *x, const T *, i64 k, i64) { return Conv<A, R>::to(get(x[k])); }
    static DEV A join(A a, A b) { return op_mul<A>(a, b); }
    static DEV A done(A a, i64) { return a; }
};
// The last of the largest elements so far; a NaN beats all before it.
template <class R, int MAX> struct CumBest {
    struct A { R v; i64 k; };
    static DEV A from(const T *x, const T *, i64 k, i64 i) { A a; a.v = get(x[k]); a.k = i; return a; }
    static DEV A join(A a, A b) { return b.v != b.v || (a.v == a.v && !(MAX ? b.v < a.v : b.v > a.v)) ? b : a; }
    static DEV i64 done(A a, i64 n) { return REVERSE ? n - 1 - a.k : a.k; }
};
template <class R> struct ArgCummax : CumBest<R, 1> {};
template <class R> struct ArgCummin : CumBest<R, 0> {};
#if EXPONENTIALS == 1
template <class R> struct LogCumSumExp {
    typedef R A;
    static DEV A from(const T *x, const T *, i64 k, i64) { return get(x[k]); }
    static DEV A join(A a, A b) {
        if (a != a || b != b) return a + b;
        return op_logaddexp(a, b);
    }
    static DEV A done(A a, i64) { return a; }
};
#endif
#if EXPONENTIALS == 2
// The angle goes on where the larger one's is: the order of joining matters, so one thread does a whole row.
template <class R> struct LogCumSumExp {
    typedef c128 A;
    static DEV A from(const T *x, const T *, i64 k, i64) { return wide(get(x[k])); }
    static DEV A join(A a, A b) {
        if (!finite_(a.re) || !finite_(b.re) || a.im != a.im || b.im != b.im) {
            const double top = a.re != a.re ? a.re : b.re != b.re ? b.re : fmax(a.re, b.re), shift = finite_(top) || top != top ? top : 0;
            const c128 s = clog_(cexp_(cx(a.re - shift, a.im)) + cexp_(cx(b.re - shift, b.im)));
            return cx(s.re + shift, s.im);
        }
        if (a.re > b.re) { const A t = a; a = b; b = t; }
        return b + clog_(cx(1.0, 0.0) + cexp_(a - b));
    }
    static DEV A done(A a, i64) { return a; }
};
#endif
// y[i] = f[i]·y[i-1] + x[i]: maps y → f·y + x, joined one behind the other.
template <class R> struct LinearScan {
    struct A { R f, x; };
    static DEV A from(const T *x, const T *f, i64 k, i64) { A a; a.f = get(f[k]); a.x = get(x[k]); return a; }
    static DEV A join(A a, A b) { A c; c.f = op_mul<R>(b.f, a.f); c.x = op_add<R>(op_mul<R>(b.f, a.x), b.x); return c; }
    static DEV R done(A a, i64) { return a.x; }
};

typedef OP<R> Op;
typedef Op::A A;

struct Args { i64 rows, n, step, chunk, chunks; OUT *out; const T *x; const T *f; A *part; };

DEV i64 start(const Args &a, i64 row) { return row / a.step * a.n * a.step + row % a.step; }
DEV i64 place(const Args &a, i64 at, i64 i) { return at + (REVERSE ? a.n - 1 - i : i) * a.step; }
DEV void store(const Args &a, i64 k, A v) { a.out[k] = Put<OUT>::put(rounded<OUT>(cast<OUT>(Op::done(v, a.n)))); }

// over scans one value of each thread of the block; total is that of all, before what comes before the thread's own. Lanes from
// `live` on hold nothing.
DEV A over(A v, int live, A &total, A &before) {
    __shared__ A share[256];
    const int t = threadIdx.x;
    share[t] = v;
    __syncthreads();
#pragma unroll
    for (int s = 1; s < 256; s *= 2) {
        A w = v;
        if (t >= s && t < live) w = Op::join(share[t - s], v);
        __syncthreads();
        share[t] = v = w;
        __syncthreads();
    }
    total = share[live - 1];
    before = share[max(t - 1, 0)];
    __syncthreads();
    return v;
}

// A tile is V elements a thread, as many as shared memory is worth; one in 32 places is left out, so that threads that walk
// their own elements meet in no bank.
const int V = sizeof(A) <= 8 ? 8 : sizeof(A) <= 16 ? 4 : 2, TILE = 256 * V;
#define AT(k) ((k) + (k) / 32)

// load brings elements i to i + count of a row's walk to the tile.
DEV void load(const Args &a, A *tile, i64 at, i64 i, int count) {
    for (int k = threadIdx.x; k < count; k += 256) tile[AT(k)] = Op::from(a.x, a.f, place(a, at, i + k), i + k);
    __syncthreads();
}

// fold joins a thread's own elements of the tile.
DEV A fold(const A *tile, int first, int mine) {
    A v = tile[AT(first)];
    for (int j = 1; j < mine; j++) v = Op::join(v, tile[AT(first + j)]);
    return v;
}

#ifdef FOLD_CHUNKS
extern "C" __global__ void __launch_bounds__(256) fold_chunks(const __grid_constant__ Args a) {
    __shared__ A tile[AT(TILE)];
    const i64 row = blockIdx.x / a.chunks, c = blockIdx.x % a.chunks, at = start(a, row), lo = c * a.chunk, hi = min(lo + a.chunk, a.n);
    A carry, total, before;
    for (i64 i = lo; i < hi; i += TILE) {
        const int count = (int)min((i64)TILE, hi - i), live = (count + V - 1) / V, first = min((int)threadIdx.x, live - 1) * V;
        load(a, tile, at, i, count);
        over(fold(tile, first, min(V, count - first)), live, total, before);
        carry = i == lo ? total : Op::join(carry, total);
    }
    if (threadIdx.x == 0) a.part[blockIdx.x] = carry;
}
#endif

#ifdef CARRY_CHUNKS
// A block a row; a thread has as many of its chunks as it takes.
extern "C" __global__ void __launch_bounds__(256) carry_chunks(const __grid_constant__ Args a) {
    A *part = a.part + blockIdx.x * a.chunks;
    const i64 per = (a.chunks + 255) / 256;
    const int live = (int)((a.chunks + per - 1) / per), t = min((int)threadIdx.x, live - 1);
    const i64 lo = t * per, hi = min(lo + per, a.chunks);
    A sum = part[lo], total, before;
    for (i64 c = lo + 1; c < hi; c++) sum = Op::join(sum, part[c]);
    over(sum, live, total, before);
    if (threadIdx.x >= live) return;
    for (i64 c = lo; c < hi; c++) { // chunk 0 has nothing before it
        const A next = part[c];
        if (c > 0) part[c] = before;
        before = c > 0 ? Op::join(before, next) : next;
    }
}
#endif

#ifdef SCAN_ROWS
extern "C" __global__ void __launch_bounds__(256) scan_rows(const __grid_constant__ Args a) {
    __shared__ A tile[AT(TILE)];
    const i64 row = blockIdx.x / a.chunks, c = blockIdx.x % a.chunks, at = start(a, row), lo = c * a.chunk, hi = min(lo + a.chunk, a.n);
    A carry, total, before;
    bool any = c > 0;
    if (any) carry = a.part[blockIdx.x];
    for (i64 i = lo; i < hi; i += TILE) {
        const int count = (int)min((i64)TILE, hi - i), live = (count + V - 1) / V, t = min((int)threadIdx.x, live - 1), first = t * V;
        const int mine = min(V, count - first);
        load(a, tile, at, i, count);
        over(fold(tile, first, mine), live, total, before);
        if (threadIdx.x < live) {
            bool has = any;
            A v;
            if (any) v = carry;
            if (t > 0) { v = any ? Op::join(carry, before) : before; has = true; }
            for (int j = 0; j < mine; j++) {
                const A x = tile[AT(first + j)];
                v = has ? Op::join(v, x) : x;
                has = true;
                tile[AT(first + j)] = v;
            }
        }
        __syncthreads();
        for (int k = threadIdx.x; k < count; k += 256) store(a, place(a, at, i + k), tile[AT(k)]);
        carry = any ? Op::join(carry, total) : total;
        any = true;
        __syncthreads();
    }
}
#endif

#ifdef SCAN_COLS
extern "C" __global__ void __launch_bounds__(256) scan_cols(const __grid_constant__ Args a) {
    const i64 row = (i64)blockIdx.x * 256 + threadIdx.x;
    if (row >= a.rows) return;
    const i64 at = start(a, row);
    A v = Op::from(a.x, a.f, place(a, at, 0), 0);
    store(a, place(a, at, 0), v);
    for (i64 i = 1; i < a.n; i++) {
        const i64 k = place(a, at, i);
        v = Op::join(v, Op::from(a.x, a.f, k, i));
        store(a, k, v);
    }
}
#endif
