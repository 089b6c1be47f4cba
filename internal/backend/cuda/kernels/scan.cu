// Scans along one dimension. A row is n elements `step` apart, scanned forwards or, with REVERSE, backwards.
//
// scan_rows: a block scans a tile of a row in registers; the prefix before the tile comes from the tiles before it by
// decoupled look-back, see carried. scan_cols: a thread scans a row, for rows that are interleaved in memory, or short.

typedef Rep<T>::R R;

// A scan is a struct: A is the accumulator; `from` makes one from element i and a second operand; join combines two
// adjacent ones, the second later; done is what is stored.
template <class R> struct CumSum {
    typedef typename Wide<R>::W A;
    static DEV A from(R x, R, i64) { return Conv<A, R>::to(x); }
    static DEV A join(A a, A b) { return op_add<A>(a, b); }
    static DEV A done(A a, i64) { return a; }
};
template <class R> struct CumProd {
    typedef typename Product<R>::W A;
    static DEV A from(R x, R, i64) { return Conv<A, R>::to(x); }
    static DEV A join(A a, A b) { return op_mul<A>(a, b); }
    static DEV A done(A a, i64) { return a; }
};
// The last of the largest elements so far; a NaN beats all before it.
template <class R, int MAX> struct CumBest {
    struct A { R v; i64 k; };
    static DEV A from(R x, R, i64 i) { A a; a.v = x; a.k = i; return a; }
    static DEV A join(A a, A b) { return b.v != b.v || (a.v == a.v && !(MAX ? b.v < a.v : b.v > a.v)) ? b : a; }
    static DEV i64 done(A a, i64 n) { return REVERSE ? n - 1 - a.k : a.k; }
};
template <class R> struct ArgCummax : CumBest<R, 1> {};
template <class R> struct ArgCummin : CumBest<R, 0> {};
#if EXPONENTIALS == 1
template <class R> struct LogCumSumExp {
    typedef R A;
    static DEV A from(R x, R, i64) { return x; }
    static DEV A join(A a, A b) {
        if (a != a || b != b) return a + b;
        return op_logaddexp(a, b);
    }
    static DEV A done(A a, i64) { return a; }
};
#endif
#if EXPONENTIALS == 2
// The branch of the angle follows the larger element: the order of joining matters, so one thread does a whole row.
template <class R> struct LogCumSumExp {
    typedef c128 A;
    static DEV A from(R x, R, i64) { return wide(x); }
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
// y[i] = f[i]·y[i-1] + x[i]: composition of the maps y → f·y + x.
template <class R> struct LinearScan {
    struct A { R f, x; };
    static DEV A from(R x, R f, i64) { A a; a.f = f; a.x = x; return a; }
    static DEV A join(A a, A b) { A c; c.f = op_mul<R>(b.f, a.f); c.x = op_add<R>(op_mul<R>(b.f, a.x), b.x); return c; }
    static DEV R done(A a, i64) { return a.x; }
};

typedef OP<R> Op;
typedef Op::A A;

struct Args {
    i64 rows, n, step, tiles; OUT *out; const T *x; const T *f;
    u64 *own;         // totals of tiles, each with a flag: see Post
    u64 *group, *all; // of 32 tiles, and of all up to these
    u32 *ticket;
};

DEV i64 start(const Args &a, i64 row) { return row / a.step * a.n * a.step + row % a.step; }
DEV i64 offset(const Args &a, i64 at, i64 i) { return at + (REVERSE ? a.n - 1 - i : i) * a.step; }
DEV typename Rep<OUT>::R result(const Args &a, A v) { return rounded<OUT>(cast<OUT>(Op::done(v, a.n))); }
#define TWO LINEAR // there is a second operand

#ifdef SCAN_ROWS
// A warp has K consecutive pieces of the tile, of V adjacent elements a lane.
const int WARPS = THREADS / 32, PIECE = 32 * V, TILE = WARPS * K * PIECE;

// take loads V elements from number i on, as far as there are any.
DEV void take(R (&r)[V], const Args &a, const T *x, i64 at, i64 i, i64 left) {
    if (V == 1) {
        r[0] = get(x[offset(a, at, i)]);
    } else if (!REVERSE) {
        load_vec<T, V>(r, x + at + i, left);
    } else { // whole vectors only
        R t[V];
        load_vec<T, V>(t, x + at + a.n - V - i, V);
#pragma unroll
        for (int j = 0; j < V; j++) r[j] = t[V - 1 - j];
    }
}

// lane_of shuffles a value from another lane.
template <class F> DEV A lane_of(A v, F shuffle) {
    const int N = (sizeof(A) + 3) / 4;
    u32 w[N] = {};
    memcpy(w, &v, sizeof(A));
#pragma unroll
    for (int i = 0; i < N; i++) w[i] = shuffle(w[i]);
    memcpy(&v, w, sizeof(A));
    return v;
}
DEV A up(A v, int s) { return lane_of(v, [s](u32 w) { return __shfl_up_sync(~0u, w, s); }); }
DEV A from_lane(A v, int l) { return lane_of(v, [l](u32 w) { return __shfl_sync(~0u, w, l); }); }

// Post is a value with a flag that says whether it is published; where both fit in 64 bits no fence is needed.
template <int SIZE> struct Post {
    static const int WORDS = (SIZE + 7) / 8 + 1;
    static DEV void leave(u64 *box, i64 i, A v) {
        memcpy(box + i * WORDS + 1, &v, sizeof(A));
        asm volatile("st.release.gpu.u64 [%0], %1;" :: "l"(box + i * WORDS), "l"(1ull) : "memory");
    }
    static DEV bool look(const u64 *box, i64 i, A &v) {
        u64 w;
        asm volatile("ld.acquire.gpu.u64 %0, [%1];" : "=l"(w) : "l"(box + i * WORDS) : "memory");
        if (w) memcpy(&v, box + i * WORDS + 1, sizeof(A));
        return w != 0;
    }
};
template <> struct Post<4> {
    static DEV void leave(u64 *box, i64 i, A v) {
        u32 bits;
        memcpy(&bits, &v, 4);
        asm volatile("st.relaxed.gpu.u64 [%0], %1;" :: "l"(box + i), "l"(1ull << 32 | bits) : "memory");
    }
    static DEV bool look(const u64 *box, i64 i, A &v) {
        u64 w;
        asm volatile("ld.relaxed.gpu.u64 %0, [%1];" : "=l"(w) : "l"(box + i) : "memory");
        const u32 bits = (u32)w;
        memcpy(&v, &bits, 4);
        return w >> 32 != 0;
    }
};
typedef Post<sizeof(A)> Box;

// folded joins count values from the last one, which is the first in order, to the one at 0.
DEV A folded(const A *chain, int count) {
    A v = chain[count - 1];
#pragma unroll 8
    for (int i = count - 2; i >= 0; i--) v = Op::join(v, chain[i]);
    return v;
}

// carried is the prefix before tile number `tile` of a row, which is not the first: the total of the groups of 32 tiles
// before its own, then those of the tiles of its group. Each is joined from the left, one by one, whatever is already
// published: so the bits do not depend on timing. The last tile of a group publishes what the next groups need.
DEV A carried(const Args &a, i64 row, i64 tile, A total) {
    __shared__ A near[32], far[32];
    __shared__ int found;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, nth = (int)(tile % 32);
    const i64 g = tile / 32, groups = (a.tiles + 31) / 32, mine = row * groups + g;
    if (warp == 0) {
        if (lane < nth) {
            A v;
            while (!Box::look(a.own, row * a.tiles + tile - 1 - lane, v)) {}
            near[lane] = v;
        }
        __syncwarp();
        if (nth == 31 && lane == 0) Box::leave(a.group, mine, Op::join(folded(near, 31), total));
    } else if (warp == 1 && g > 0) {
        for (;;) {
            A v;
            bool all = false, own = true;
            if (lane < g && !(all = Box::look(a.all, mine - 1 - lane, v))) own = Box::look(a.group, mine - 1 - lane, v);
            const u32 known = __ballot_sync(~0u, all), missing = __ballot_sync(~0u, !all && !own);
            const int first = __ffs(known) - 1;
            if (known == 0 || missing & ((1u << first) - 1)) continue;
            if (lane <= first) far[lane] = v;
            if (lane == 0) found = first + 1;
            break;
        }
    }
    __syncthreads();
    A v;
    if (g > 0) v = folded(far, found);
    if (nth == 31 && threadIdx.x == 0) {
        const A own = Op::join(folded(near, 31), total);
        Box::leave(a.all, mine, g > 0 ? Op::join(v, own) : own);
    }
    if (nth == 0) return v;
    const A sum = folded(near, nth);
    return g > 0 ? Op::join(v, sum) : sum;
}

extern "C" __global__ void __launch_bounds__(THREADS, sizeof(A) <= 4 ? 1024 / THREADS : 1) scan_rows(const __grid_constant__ Args a) {
    __shared__ A warps[WARPS];
    __shared__ u32 number;
    const int t = threadIdx.x, lane = t % 32, warp = t / 32;
    i64 block = blockIdx.x;
    if (a.tiles > 1) { // in the order in which blocks start, so that none waits for one that has not started
        if (t == 0) number = atomicAdd(a.ticket, 1u);
        __syncthreads();
        block = number;
    }
    const i64 row = block / a.tiles, tile = block % a.tiles, at = start(a, row), base = tile * TILE;
    const int count = (int)min((i64)TILE, a.n - base), mine = (warp * K * 32 + lane) * V; // this lane's first
    R x[K][V], f[TWO ? K : 1][V];
#pragma unroll
    for (int k = 0; k < K; k++) {
        const int i = mine + k * PIECE, left = count - i;
        if (left <= 0) continue;
        take(x[k], a, a.x, at, base + i, left);
        if (TWO) take(f[TWO ? k : 0], a, a.f, at, base + i, left);
    }
    // Within lanes, then over the lanes of each piece, then over pieces.
    A v[K][V], before[K], sum; // prefix before a lane within its piece; sum: of the pieces so far
#pragma unroll
    for (int k = 0; k < K; k++) {
        const int i = mine + k * PIECE;
#pragma unroll
        for (int j = 0; j < V; j++) {
            const A e = Op::from(x[k][j], f[TWO ? k : 0][j], base + i + j);
            v[k][j] = j > 0 && i + j < count ? Op::join(v[k][max(j - 1, 0)], e) : j > 0 ? v[k][max(j - 1, 0)] : e;
        }
        A w = v[k][V - 1];
#pragma unroll
        for (int s = 1; s < 32; s *= 2) {
            const A u = up(w, s);
            if (lane >= s) w = Op::join(u, w);
        }
        before[k] = up(w, 1);
        const int first = (warp * K + k) * PIECE; // of the piece
        const A all = from_lane(w, max(0, min(31, (count - first - 1) / V))); // of the last lane that has any
        if (k > 0 && first < count) {
            before[k] = lane > 0 ? Op::join(sum, before[k]) : sum;
            sum = Op::join(sum, all);
        } else if (k == 0) sum = all;
    }
    if (lane == 31) warps[warp] = sum;
    __syncthreads();
    A total = warps[0], carry;
    bool has = false; // whether anything comes before the warp
    if (warp > 0) { carry = warps[0]; has = true; }
#pragma unroll
    for (int w = 1; w < WARPS; w++) {
        if (w * K * PIECE >= count) break;
        if (w < warp) carry = Op::join(carry, warps[w]);
        total = Op::join(total, warps[w]);
    }
    if (a.tiles > 1) {
        if (t == 0) Box::leave(a.own, block, total);
        if (tile > 0) {
            const A c = carried(a, row, tile, total);
            carry = has ? Op::join(c, carry) : c;
            has = true;
        }
    }
#pragma unroll
    for (int k = 0; k < K; k++) {
        const int i = mine + k * PIECE, left = count - i;
        if (left <= 0) continue;
        const bool some = k > 0 || lane > 0; // something comes before the lane's elements in the warp
        A b;
        if (has) b = some ? Op::join(carry, before[k]) : carry;
        else if (some) b = before[k];
        typename Rep<OUT>::R out[V];
#pragma unroll
        for (int j = 0; j < V; j++) out[REVERSE ? V - 1 - j : j] = result(a, has || some ? Op::join(b, v[k][j]) : v[k][j]);
        if (V == 1) a.out[offset(a, at, base + i)] = Put<OUT>::put(out[0]);
        else if (REVERSE) store_vec<OUT, V>(a.out + at + a.n - V - (base + i), out, V);
        else store_vec<OUT, V>(a.out + at + base + i, out, left);
    }
}
#endif

#ifdef SCAN_COLS
extern "C" __global__ void __launch_bounds__(256) scan_cols(const __grid_constant__ Args a) {
    const i64 row = (i64)blockIdx.x * 256 + threadIdx.x;
    if (row >= a.rows) return;
    const i64 at = start(a, row);
    A v;
    const int PREFETCH = sizeof(A) <= 8 ? 8 : 4; // elements in flight
    for (i64 i = 0; i < a.n; i += PREFETCH) {
        R x[PREFETCH], f[PREFETCH];
#pragma unroll
        for (int j = 0; j < PREFETCH; j++)
            if (i + j < a.n) {
                x[j] = get(a.x[offset(a, at, i + j)]);
                if (TWO) f[j] = get(a.f[offset(a, at, i + j)]);
            }
#pragma unroll
        for (int j = 0; j < PREFETCH; j++) {
            if (i + j >= a.n) break;
            const A e = Op::from(x[j], f[j], i + j);
            v = i + j > 0 ? Op::join(v, e) : e;
            a.out[offset(a, at, i + j)] = Put<OUT>::put(result(a, v));
        }
    }
}
#endif
