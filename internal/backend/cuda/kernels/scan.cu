// Scans along one dimension. A row is n elements `step` apart, walked forwards or, with REVERSE, backwards.
//
// scan_rows: a block walks a tile of a row in shared memory. What comes before the tile it learns from the tiles before it while they
// work: each leaves its total, then that of all up to it. Totals are joined from the left, one by one, from wherever they are known:
// so the same input gives the same bits. scan_cols: a thread walks a row, for rows that lie side by side, or that are short.

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

struct Args { i64 rows, n, step, tiles; OUT *out; const T *x; const T *f; A *own; A *all; u32 *state; u32 *ticket; };

DEV i64 start(const Args &a, i64 row) { return row / a.step * a.n * a.step + row % a.step; }
DEV i64 place(const Args &a, i64 at, i64 i) { return at + (REVERSE ? a.n - 1 - i : i) * a.step; }
DEV void store(const Args &a, i64 k, A v) { a.out[k] = Put<OUT>::put(rounded<OUT>(cast<OUT>(Op::done(v, a.n)))); }

#ifdef SCAN_ROWS
// A tile is V elements a thread; one place in V + 1 is left out, so that threads that walk their own elements meet in no bank.
const int TILE = THREADS * V, WARPS = THREADS / 32;
#define AT(k) ((k) + (k) / V)

// up is the value of the lane s before.
DEV A up(A v, int s) {
    const int N = (sizeof(A) + 3) / 4;
    u32 w[N] = {};
    memcpy(w, &v, sizeof(A));
#pragma unroll
    for (int i = 0; i < N; i++) w[i] = __shfl_up_sync(~0u, w[i], s);
    memcpy(&v, w, sizeof(A));
    return v;
}

// over scans one value of each of the block's first `live` threads: what comes before each, and the total of all. The first thread
// has nothing before it.
DEV A over(A v, int live, A &total) {
    __shared__ A warps[WARPS];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
#pragma unroll
    for (int s = 1; s < 32; s *= 2) {
        const A w = up(v, s);
        if (lane >= s) v = Op::join(w, v);
    }
    if (lane == 31 || t == live - 1) warps[warp] = v;
    __syncthreads();
    A before = up(v, 1), sum = warps[0];
#pragma unroll
    for (int w = 1; w < WARPS; w++) {
        if (w == warp) before = lane > 0 ? Op::join(sum, before) : sum;
        if (w * 32 < live) sum = Op::join(sum, warps[w]);
    }
    total = sum;
    return before;
}

// A tile's word of state is 0, OWN if its own total is there, ALL if that of all tiles up to it is.
const u32 OWN = 1, ALL = 2;
DEV u32 acquire(const u32 *p) { u32 v; asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
DEV void release(u32 *p, u32 v) { asm volatile("st.release.gpu.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }

// carried is what comes before tile number `tile`, which is not the first: a thread for each of the tiles before it, as far as the
// first of which all is known.
DEV A carried(const Args &a, i64 row, i64 tile) {
    __shared__ A chain[THREADS];
    __shared__ u32 known[WARPS], missing[WARPS];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    const i64 j = tile - 1 - t, at = row * a.tiles + j;
    for (;;) {
        const u32 s = j >= 0 ? acquire(a.state + at) : OWN;
        const u32 k = __ballot_sync(~0u, s == ALL), m = __ballot_sync(~0u, s == 0);
        if (lane == 0) { known[warp] = k; missing[warp] = m; }
        __syncthreads();
        int far = -1; // where the totals begin
        bool gap = false;
        for (int w = 0; w < WARPS && far < 0 && !gap; w++) {
            if (known[w]) far = w * 32 + __ffs(known[w]) - 1;
            const u32 near = known[w] ? (known[w] & -known[w]) - 1 : ~0u;
            gap = (missing[w] & near) != 0;
        }
        if (far >= 0 && !gap) {
            if (t <= far) chain[t] = t == far ? a.all[at] : a.own[at];
            __syncthreads();
            A v = chain[far];
            for (int i = far - 1; i >= 0; i--) v = Op::join(v, chain[i]);
            return v;
        }
        __syncthreads(); // before the words are written again
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) scan_rows(const __grid_constant__ Args a) {
    __shared__ A tile[AT(TILE)];
    __shared__ u32 number;
    const int t = threadIdx.x;
    i64 block = blockIdx.x;
    if (a.tiles > 1) { // in the order in which blocks begin, so that none waits for one that has not
        if (t == 0) number = atomicAdd(a.ticket, 1u);
        __syncthreads();
        block = number;
    }
    const i64 row = block / a.tiles, nth = block % a.tiles, at = start(a, row), i = nth * TILE;
    const int count = (int)min((i64)TILE, a.n - i), live = (count + V - 1) / V, first = min(t, live - 1) * V, mine = min(V, count - first);
#pragma unroll
    for (int j = 0; j < V; j++) {
        const int k = j * THREADS + t;
        if (k < count) tile[AT(k)] = Op::from(a.x, a.f, place(a, at, i + k), i + k);
    }
    __syncthreads();
    A v = tile[AT(first)], total;
    for (int j = 1; j < mine; j++) v = Op::join(v, tile[AT(first + j)]);
    v = over(v, live, total);
    bool has = t > 0;
    if (a.tiles > 1) {
        if (nth > 0) {
            if (t == 0 && nth + 1 < a.tiles) { a.own[block] = total; release(a.state + block, OWN); }
            const A carry = carried(a, row, nth);
            if (t == 0 && nth + 1 < a.tiles) { a.all[block] = Op::join(carry, total); release(a.state + block, ALL); }
            v = has ? Op::join(carry, v) : carry;
            has = true;
        } else if (t == 0) {
            a.all[block] = total;
            release(a.state + block, ALL);
        }
    }
    if (t < live)
        for (int j = 0; j < mine; j++) {
            const A x = tile[AT(first + j)];
            v = has ? Op::join(v, x) : x;
            has = true;
            tile[AT(first + j)] = v;
        }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < V; j++) {
        const int k = j * THREADS + t;
        if (k < count) store(a, place(a, at, i + k), tile[AT(k)]);
    }
}
#endif

#ifdef SCAN_COLS
extern "C" __global__ void __launch_bounds__(256) scan_cols(const __grid_constant__ Args a) {
    const i64 row = (i64)blockIdx.x * 256 + threadIdx.x;
    if (row >= a.rows) return;
    const i64 at = start(a, row);
    A v;
    const int AHEAD = sizeof(A) <= 8 ? 8 : 4; // elements under way at once
    for (i64 i = 0; i < a.n; i += AHEAD) {
        A x[AHEAD];
#pragma unroll
        for (int j = 0; j < AHEAD; j++)
            if (i + j < a.n) x[j] = Op::from(a.x, a.f, place(a, at, i + j), i + j);
#pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            if (i + j >= a.n) break;
            v = i + j > 0 ? Op::join(v, x[j]) : x[j];
            store(a, place(a, at, i + j), v);
        }
    }
}
#endif
