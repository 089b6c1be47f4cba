// Scans along one dimension. A row is n elements `step` apart, walked forwards or, with REVERSE, backwards; rows are cut in
// chunks by sizes alone, so the same input gives the same bits.
//
// fold_chunks: each chunk's total. carry_chunks: totals become what comes before each chunk. scan_rows: a block walks a chunk,
// 256 elements at a time. scan_cols: a thread walks a chunk of its own row, for rows that lie side by side, or that are short.

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

// over scans one value of each thread of the block; total is that of all. Lanes from `live` on hold nothing.
DEV A over(A v, int live, A &total) {
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
    __syncthreads();
    return v;
}

#ifdef FOLD_CHUNKS
extern "C" __global__ void __launch_bounds__(256) fold_chunks(const __grid_constant__ Args a) {
    const i64 row = blockIdx.x / a.chunks, c = blockIdx.x % a.chunks, at = start(a, row), lo = c * a.chunk, hi = min(lo + a.chunk, a.n);
    A carry;
    for (i64 i = lo; i < hi; i += 256) {
        const int live = (int)min((i64)256, hi - i);
        const i64 k = min(i + threadIdx.x, hi - 1);
        A total;
        over(Op::from(a.x, a.f, place(a, at, k), k), live, total);
        carry = i == lo ? total : Op::join(carry, total);
    }
    if (threadIdx.x == 0) a.part[blockIdx.x] = carry;
}
#endif

#ifdef CARRY_CHUNKS
extern "C" __global__ void __launch_bounds__(256) carry_chunks(const __grid_constant__ Args a) {
    const i64 row = (i64)blockIdx.x * 256 + threadIdx.x;
    if (row >= a.rows) return;
    A *part = a.part + row * a.chunks, sum = part[0];
    for (i64 c = 1; c < a.chunks; c++) {
        const A next = part[c];
        part[c] = sum; // of the chunks before c; chunk 0 has none
        sum = Op::join(sum, next);
    }
}
#endif

#ifdef SCAN_ROWS
extern "C" __global__ void __launch_bounds__(256) scan_rows(const __grid_constant__ Args a) {
    const i64 row = blockIdx.x / a.chunks, c = blockIdx.x % a.chunks, at = start(a, row), lo = c * a.chunk, hi = min(lo + a.chunk, a.n);
    A carry;
    bool any = c > 0;
    if (any) carry = a.part[blockIdx.x];
    for (i64 i = lo; i < hi; i += 256) {
        const int live = (int)min((i64)256, hi - i);
        const i64 k = min(i + threadIdx.x, hi - 1);
        A total;
        const A v = over(Op::from(a.x, a.f, place(a, at, k), k), live, total);
        if (threadIdx.x < live) store(a, place(a, at, k), any ? Op::join(carry, v) : v);
        carry = any ? Op::join(carry, total) : total;
        any = true;
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
