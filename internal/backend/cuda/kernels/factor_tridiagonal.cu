// Symmetric matrices of up to 512 rows on their way to tridiagonal form and back; included after factor.cu. All is computed in float64.
//
// Sixteen blocks reduce a matrix, which is in their registers: A = H₀·H₁·…·T·…·H₁·H₀ with reflectors H = 1 - tau·v·vᵀ. What is not
// reduced yet changes by v·wᵀ + w·vᵀ for each of them, with w = tau·p - tau²/2·(pᵀv)·v and p = A·v. Every warp has four rows, computes v
// and w as all others do, and sends the elements of p, and of the column that is next, to all blocks: a column takes one exchange.

#define MOST 512        // rows of a matrix
#define BLOCKS 16       // of a cluster
#define TOGETHER 4      // rows of a warp
#define PIECES (MOST / 32)
#define NEGLIGIBLE 1e-280 // a square; the largest element of a matrix is about 1

// Spectrum is the memory of a matrix: N rows of N, a power of two, for reflectors, vectors from both sides of a joint and what these are
// made of, then lists of N.
struct Spectrum {
    int N;
    f64 *at;
    DEV Spectrum(const Args &a, i64 matrix) : N((int)a.cols), at((f64 *)a.scratch + matrix * (4 * a.cols * a.cols + 10 * a.cols)) {}
    DEV f64 *square(int i) const { return at + (i64)i * N * N; }
    DEV f64 *list(int i) const { return at + 4ll * N * N + (i64)i * N; }
    DEV f64 *reflectors() const { return square(0); }
    DEV f64 *vectors(int side) const { return square(1 + side); }
    DEV f64 *inner() const { return square(3); }
    DEV f64 *tau() const { return list(0); }
    DEV f64 *d() const { return list(1); }
    DEV f64 *e() const { return list(2); }
    DEV f64 *pole() const { return list(3); }
    DEV f64 *link() const { return list(4); }
    DEV f64 *near() const { return list(5); }
    DEV i32 *row() const { return (i32 *)list(7); }
    DEV i32 *live() const { return (i32 *)list(8); } // of a joint, how many rows take part
    DEV f64 *unit() const { return list(9); } // what elements were divided by
};

#define BEYOND 1e30 // the value of rows behind the last one

DEV f64 warp_sum(f64 x) {
    for (int o = 16; o; o /= 2) x += __shfl_xor_sync(~0u, x, o);
    return x;
}

#ifdef KERNEL_tridiagonal
DEV u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }

DEV void cluster_barrier() {
    __syncwarp();
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

DEV u32 in_block(u32 address, int block) {
    u32 there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
    return there;
}

// Exchange is what all blocks send to each: products with elements of the next column, and how many bytes came, for even
// columns and for odd ones.
struct alignas(16) Pair { f64 product, column; };
struct Exchange {
    Pair pairs[2][MOST];
    f64 most[BLOCKS];
    u64 arrived[2];
};

DEV void send(u32 to, u32 arrived, f64 x, f64 y) {
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b64 [%0], {%1, %2}, [%3];" ::"r"(to),
                 "l"(__double_as_longlong(x)), "l"(__double_as_longlong(y)), "r"(arrived) : "memory");
}

DEV void expect(u64 *arrived, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(arrived)), "r"(bytes)
                 : "memory");
}

DEV void await(u64 *arrived, u32 parity) {
    u32 done;
    do asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                    : "=r"(done) : "r"(shared_address(arrived)), "r"(parity) : "memory");
    while (!done);
}

// publish sends products and elements of the next column of the rows of a warp to all blocks. A lane has them of one row, and sends them
// to two blocks.
DEV void publish(const Exchange &x, int odd, const f64 (&sum)[TOGETHER], const f64 (&next)[TOGETHER], int from, int row,
                 const u32 (&there)[2]) {
    const int lane = threadIdx.x % 32, half = lane & 16, quarter = lane & 8;
    f64 s0 = half ? sum[2] : sum[0], s1 = half ? sum[3] : sum[1];
    s0 += __shfl_xor_sync(~0u, half ? sum[0] : sum[2], 16);
    s1 += __shfl_xor_sync(~0u, half ? sum[1] : sum[3], 16);
    f64 s = quarter ? s1 : s0;
    s += __shfl_xor_sync(~0u, quarter ? s0 : s1, 8);
    for (int o = 4; o; o /= 2) s += __shfl_xor_sync(~0u, s, o);
    f64 c[TOGETHER];
#pragma unroll
    for (int i = 0; i < TOGETHER; i++) c[i] = __shfl_sync(~0u, next[i], from);
    const f64 e = half ? quarter ? c[3] : c[2] : quarter ? c[1] : c[0];
    const int r = row + (lane >> 3) * BLOCKS;
    const u32 base = shared_address(&x), to = shared_address(&x.pairs[odd][r]) - base, arrived = shared_address(&x.arrived[odd]) - base;
#pragma unroll
    for (int i = 0; i < 2; i++) send(there[i] + to, there[i] + arrived, s, e);
}

// Reduction is what a warp knows of a matrix: its rows, and v and its own elements of v from the column before.
struct Reduction {
    int n, lane, warp, here, row;
    bool last; // the warp is needed until the end
    f64 m[TOGETHER][PIECES], v[PIECES], mine[TOGETHER], tau;
    u32 there[2];

    // columns reduces those that begin 128·FIRST and more from the left; it reports whether the warp goes on.
    template <int FIRST> DEV bool columns(Exchange &x, const Spectrum &out) {
        const int warps = (n + 63) / 64;
        for (int k = 128 * FIRST; k < 128 * (FIRST + 1); k++) {
            if (k >= n || !last && warp < (k + 1) / 64) return false;
            const Pair *pairs = x.pairs[k & 1];
            if (last && lane == 0) expect(&x.arrived[k & 1], 16 * BLOCKS * TOGETHER * (warps - k / 64));
            await(&x.arrived[k & 1], k >> 1 & 1);
            f64 along[4] = {}, w[PIECES], c[PIECES];
#pragma unroll
            for (int j = 4 * FIRST; j < PIECES; j++) {
                const Pair y = pairs[lane + 32 * j];
                w[j] = y.product;
                c[j] = y.column;
            }
#pragma unroll
            for (int j = 4 * FIRST; j < PIECES; j++) along[j % 4] = fma(w[j], v[j], along[j % 4]);
            const f64 alpha = tau * tau / 2 * warp_sum(along[0] + along[1] + (along[2] + along[3]));
            const f64 wk = fma(tau, pairs[k].product, -alpha);
            f64 squares[4] = {}, top = 0, here_is = 0;
#pragma unroll
            for (int j = 4 * FIRST; j < PIECES; j++) {
                const int at = lane + 32 * j;
                w[j] = at >= k ? fma(tau, w[j], -alpha * v[j]) : 0;
                c[j] = at >= k ? fma(-v[j], wk, c[j]) - w[j] : 0;
                here_is = at == k ? c[j] : here_is;
                top = at == k + 1 ? c[j] : top;
                const f64 y = at > k + 1 ? c[j] : 0;
                squares[j % 4] = fma(y, y, squares[j % 4]);
            }
            if (last && here == 0 && lane == (k & 31)) out.d()[k] = here_is;
            if (k == n - 1) return false;
            const f64 square = warp_sum(squares[0] + squares[1] + (squares[2] + squares[3]));
            top = __shfl_sync(~0u, top, (k + 1) & 31);
            f64 beta = top, scale = 0, was = tau;
            tau = 0;
            if (square > NEGLIGIBLE) {
                beta = -copysign(sqrt(fma(top, top, square)), top);
                tau = (beta - top) / beta;
                scale = 1 / (top - beta);
            }
            f64 side[TOGETHER], own[TOGETHER], sum[TOGETHER], next[TOGETHER]; // elements of w, of v, of p and of the column
#pragma unroll
            for (int i = 0; i < TOGETHER; i++) {
                const int r = row + i * BLOCKS;
                const Pair p = pairs[r];
                const f64 y = fma(was, p.product, -alpha * mine[i]);
                side[i] = r >= k ? y : 0;
                own[i] = r > k + 1 ? (fma(-mine[i], wk, p.column) - y) * scale : r == k + 1;
                sum[i] = next[i] = 0;
            }
#pragma unroll
            for (int j = 4 * FIRST; j < PIECES; j++) {
                const int at = lane + 32 * j;
                const f64 y = at > k + 1 ? c[j] * scale : at == k + 1;
#pragma unroll
                for (int i = 0; i < TOGETHER; i++) {
                    m[i][j] = fma(-mine[i], w[j], fma(-side[i], v[j], m[i][j]));
                    sum[i] = fma(m[i][j], y, sum[i]);
                    next[i] = at == k + 1 ? m[i][j] : next[i];
                }
                v[j] = y;
            }
#pragma unroll
            for (int i = 0; i < TOGETHER; i++) mine[i] = own[i];
            publish(x, (k + 1) & 1, sum, next, (k + 1) & 31, row, there);
            if (last && here == k % BLOCKS) {
                if (lane == 0) {
                    out.e()[k] = beta;
                    out.tau()[k] = tau;
                }
#pragma unroll
                for (int j = 4 * FIRST; j < PIECES; j++)
                    if (lane + 32 * j < out.N) out.reflectors()[(i64)k * out.N + lane + 32 * j] = v[j];
            }
        }
        return true;
    }
};

// tridiagonal reduces the lower triangles of symmetric matrices. What is not finite is 0, and info tells.
extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1) __launch_bounds__(256) tridiagonal(const __grid_constant__ Args a) {
    __shared__ Exchange x;
    __shared__ f64 part[8];
    const int n = a.n;
    const i64 matrix = blockIdx.x / BLOCKS;
    const Spectrum out(a, matrix);
    const T *in = a.a + matrix * n * n;
    Reduction q = {n, (int)threadIdx.x % 32, (int)threadIdx.x / 32, (int)blockIdx.x % BLOCKS};
    q.row = q.warp * TOGETHER * BLOCKS + q.here; // the first one; others are BLOCKS apart
    q.last = q.warp == (n + 63) / 64 - 1;
    f64 most = 0;
#pragma unroll
    for (int i = 0; i < TOGETHER; i++)
#pragma unroll
        for (int j = 0; j < PIECES; j++) {
            const int r = q.row + i * BLOCKS, c = q.lane + 32 * j;
            f64 y = 0;
            if (r < n && c < n) {
                y = re(r >= c ? in[(i64)r * n + c] : in[(i64)c * n + r]);
                if (!(fabs(y) <= Limits<f64>::max())) { a.info[matrix] = 1; y = 0; }
            }
            q.m[i][j] = y;
            most = fmax(most, fabs(y));
        }
    if (threadIdx.x < 2) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&x.arrived[threadIdx.x])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    for (int i = threadIdx.x; i < MOST; i += blockDim.x) x.pairs[0][i] = x.pairs[1][i] = Pair();
    // The largest element of all blocks.
    for (int o = 16; o; o /= 2) most = fmax(most, __shfl_xor_sync(~0u, most, o));
    if (q.lane == 0) part[q.warp] = most;
    __syncthreads();
    cluster_barrier(); // no block sends to a block that has not begun
    const u32 base = shared_address(&x);
    q.there[0] = in_block(base, q.lane & 7);
    q.there[1] = in_block(base, (q.lane & 7) + 8);
    if (threadIdx.x < BLOCKS) {
        for (int i = 0; i < 8; i++) most = fmax(most, part[i]);
        asm volatile("st.shared::cluster.f64 [%0], %1;" ::"r"(in_block(shared_address(&x.most[q.here]), threadIdx.x)), "d"(most)
                     : "memory");
    }
    cluster_barrier();
    for (int i = 0; i < BLOCKS; i++) most = fmax(most, x.most[i]);
    int power = 0;
    if (most > 0) { frexp(most, &power); power--; }
    const f64 f = ldexp(1., -power / 2), g = ldexp(1., -power + power / 2);
    if (q.here == 0 && threadIdx.x == 0) *out.unit() = ldexp(1., power);
    if (q.warp < (n + 63) / 64) {
        f64 sum[TOGETHER] = {}, next[TOGETHER];
        q.tau = 0;
#pragma unroll
        for (int j = 0; j < PIECES; j++) q.v[j] = 0;
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) {
            q.mine[i] = 0;
#pragma unroll
            for (int j = 0; j < PIECES; j++) q.m[i][j] = q.m[i][j] * f * g;
            next[i] = q.m[i][0];
        }
        publish(x, 0, sum, next, 0, q.row, q.there);
        q.columns<0>(x, out) && q.columns<1>(x, out) && q.columns<2>(x, out) && q.columns<3>(x, out);
    }
    cluster_barrier(); // no block leaves while others may send
}
#endif

// reflect_back multiplies vectors by the reflectors, a warp each, and writes them to the columns of the result by ascending value. m is the
// side that they are on. Two reflectors are one step: the product of their vectors is summed with those of theirs and the warp's.
#ifdef KERNEL_reflect_back
template <int FIRST> DEV void reflectors(const Spectrum &in, int n, int lane, f64 (&z)[PIECES]) {
    const f64 *rows = in.reflectors() + lane, *tau = in.tau();
    // Pairs of columns 2·p and 2·p + 1; the second one may not exist.
    int p = min(64 * (FIRST + 1) - 1, (n - 2) / 2);
    f64 u[PIECES], v[PIECES];
    auto read = [&](int p) {
#pragma unroll
        for (int j = 4 * FIRST; j < PIECES; j++) {
            const bool on = lane + 32 * j < in.N && p >= 64 * FIRST;
            u[j] = on ? rows[2ll * p * in.N + 32 * j] : 0;
            v[j] = on && 2 * p + 1 < n - 1 ? rows[(2ll * p + 1) * in.N + 32 * j] : 0;
        }
    };
    read(p);
    for (; p >= 64 * FIRST; p--) {
        f64 first[2] = {}, second[2] = {}, both[2] = {}, x[PIECES], y[PIECES];
        const f64 t = tau[2 * p], s = 2 * p + 1 < n - 1 ? tau[2 * p + 1] : 0;
#pragma unroll
        for (int j = 4 * FIRST; j < PIECES; j++) {
            x[j] = u[j];
            y[j] = v[j];
        }
        read(p - 1);
#pragma unroll
        for (int j = 4 * FIRST; j < PIECES; j++) {
            first[j % 2] = fma(x[j], z[j], first[j % 2]);
            second[j % 2] = fma(y[j], z[j], second[j % 2]);
            both[j % 2] = fma(x[j], y[j], both[j % 2]);
        }
        f64 a = first[0] + first[1], b = second[0] + second[1], c = both[0] + both[1];
        for (int o = 16; o; o /= 2) {
            a += __shfl_xor_sync(~0u, a, o);
            b += __shfl_xor_sync(~0u, b, o);
            c += __shfl_xor_sync(~0u, c, o);
        }
        b *= -s;
        a = -t * fma(b, c, a);
#pragma unroll
        for (int j = 4 * FIRST; j < PIECES; j++) z[j] = fma(a, x[j], fma(b, y[j], z[j]));
    }
}

extern "C" __global__ void __launch_bounds__(128) reflect_back(const __grid_constant__ Args a) {
    const int n = a.n, lane = threadIdx.x % 32, N = a.cols;
    const i64 id = blockIdx.x * (i64)(blockDim.x / 32) + threadIdx.x / 32, matrix = id / N;
    const int i = id % N;
    const Spectrum in(a, matrix);
    const f64 *d = in.d(), value = d[i];
    int at = 0;
    for (int j = lane; j < N; j += 32) at += d[j] < value || d[j] == value && j < i;
    for (int o = 16; o; o /= 2) at += __shfl_xor_sync(~0u, at, o);
    if (at >= n) return;
    if (lane == 0) a.s[matrix * n + at] = (R)(value * *in.unit());
    f64 z[PIECES];
#pragma unroll
    for (int j = 0; j < PIECES; j++) z[j] = lane + 32 * j < n ? in.vectors(a.m)[(i64)i * N + lane + 32 * j] : 0;
    reflectors<3>(in, n, lane, z);
    reflectors<2>(in, n, lane, z);
    reflectors<1>(in, n, lane, z);
    reflectors<0>(in, n, lane, z);
    T *out = a.z + matrix * n * n;
#pragma unroll
    for (int j = 0; j < PIECES; j++)
        if (lane + 32 * j < n) out[(i64)(lane + 32 * j) * n + at] = of((R)z[j], 0);
}
#endif

// bisect finds eigenvalues alone, a warp each: its lanes count how many are below 32 numbers, until these are next to each other.
#ifdef KERNEL_bisect
extern "C" __global__ void __launch_bounds__(128) bisect(const __grid_constant__ Args a) {
    __shared__ f64 d[MOST], squares[MOST]; // of elements next to the diagonal, from 1 on
    const int n = a.n, lane = threadIdx.x % 32, per = (n + 3) / 4, i = blockIdx.x % per * 4 + threadIdx.x / 32;
    const i64 matrix = blockIdx.x / per;
    const Spectrum in(a, matrix);
    for (int j = threadIdx.x; j < n; j += blockDim.x) {
        d[j] = in.d()[j];
        squares[j] = j ? in.e()[j - 1] * in.e()[j - 1] : 0;
    }
    __syncthreads();
    if (i >= n) return;
    f64 lo = INF, hi = -INF;
    for (int j = lane; j < n; j += 32) {
        const f64 around = sqrt(squares[j]) + (j + 1 < n ? sqrt(squares[j + 1]) : 0);
        lo = fmin(lo, d[j] - around);
        hi = fmax(hi, d[j] + around);
    }
    for (int o = 16; o; o /= 2) {
        lo = fmin(lo, __shfl_xor_sync(~0u, lo, o));
        hi = fmax(hi, __shfl_xor_sync(~0u, hi, o));
    }
    const f64 eps = Limits<f64>::eps(), norm = fmax(fabs(lo), fabs(hi));
    lo -= 2 * n * eps * norm;
    hi += 2 * n * eps * norm;
    for (int round = 0; round < 16 && hi - lo > eps / 4 * fmax(norm / 8, fmax(fabs(lo), fabs(hi))); round++) {
        const f64 step = (hi - lo) / 33, x = fma(step, lane + 1., lo);
        int below = 0;
        f64 q = 1;
        for (int j = 0; j < n; j++) {
            q = d[j] - x - squares[j] / q;
            if (fabs(q) < NEGLIGIBLE) q = -NEGLIGIBLE;
            below += q < 0;
        }
        const u32 beyond = __ballot_sync(~0u, below > i);
        const int at = beyond ? __ffs(beyond) - 1 : 32;
        const f64 from = lo;
        if (at < 32) hi = fma(step, at + 1., from);
        if (at > 0) lo = fma(step, (f64)at, from);
    }
    if (lane == 0) a.s[matrix * n + i] = (R)(fma(hi - lo, .5, lo) * *in.unit());
}
#endif
