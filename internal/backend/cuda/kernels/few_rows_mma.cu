// Products of up to 16 rows of x with matrices whose columns are contiguous, such as the weights of layers, by tensor cores: every element
// of a matrix is read once, at the speed of memory, and little else is done. A tile is 16 columns, whose elements WARPS warps share; a
// multiprocessor has one block, which goes through tiles. Each thread copies what it needs to a ring of its own in shared memory, far
// ahead of its use and across tiles, so that memory never waits for the ends of tiles. One block fits a multiprocessor, next to those of
// small kernels: the ring is filled while they run, and while other multiprocessors end the product before.
// The matrix is the left operand of mma, x, padded to 8·TILES rows, the right one. A thread reads 8 consecutive elements of a column and
// of a row of x: two steps of mma take them in an order of their own, the same for both. T is a half type, sums are in float32, in an order
// that sizes alone decide.
//
// MATRICES share x; tiles go through one after the other. GATED: a tile has the same 8 columns of both, and gated() makes one value of two.
// NORMED: rows of x are divided by their root mean square and multiplied by a weight of type W first, by every block for itself; a thread
// has so many vectors of a row. HELD: x is held in shared memory; else it goes through the ring as well. STAGES is how many parts the ring
// has.
//
// Between two tokens all weights go through the caches, and code is read from memory again: what is long is slow. So loops are not
// unrolled, and indices have 32 bits.
#define THREADS (32 * WARPS)
#define COLUMNS (GATED ? 8 : 16)          // of a tile
#define VECTORS (2 + (HELD ? 0 : TILES))  // of a thread in a part of the ring
#define PART (VECTORS * THREADS * 16)

struct Matrix {
    i64 first, n, ys, zs; // the tile it begins with; columns; strides of columns of y and of rows of z
    const T *y;
    OUT *z;
    const T *bias, *residual; // added before the result is rounded; may be null
};
struct Args {
    i64 k, xs, rows, held; // xs is the stride of rows of x; held: elements of shared memory for x
    i64 early, tiles;      // early: nothing that may still run writes a matrix
    double eps;
    const T *x;
    const W *weight; // may be null
    Matrix m[MATRICES];
};

DEV void mma(float (&c)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32." MMA "." MMA ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// copy takes 16 bytes, or leaves zeros. The cache gives them up first: what is read once must not drive out code, keys and values.
DEV void copy(u32 to, const T *from, bool take, u64 policy) {
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2, %3;"
        :: "r"(to), "l"(from), "r"(take ? 16 : 0), "l"(policy) : "memory");
}

// matrix_of is the matrix of a tile; both have all of them if GATED.
DEV int matrix_of(const Args &a, int tile) {
    int which = 0;
    if (!GATED)
#pragma unroll
        for (int i = 1; i < MATRICES; i++) which = tile >= (int)a.m[i].first ? i : which;
    return which;
}

// A warp takes 32 elements of a column at a time, both parts of a line of the cache one behind the other; then other warps have theirs.
DEV int behind(int at) { return at + (at & 32 ? 64 * WARPS - 32 : 32); }

// Feed copies to a ring what is needed next.
struct Feed {
    int k, tile, at, end, start;
    u32 to, ring;
    const T *lo, *hi; // columns of the tile: g and g + 8, or g of both matrices
    bool inLo, inHi;  // there are such
    u64 once;         // how caches treat them

    DEV void aim(const Args &a) {
        const int g = threadIdx.x % 32 / 4, which = matrix_of(a, tile);
        const Matrix &m = a.m[which], &other = a.m[GATED ? 1 : which];
        const int c = (tile - (int)m.first) * COLUMNS + g, d = GATED ? c : c + 8;
        lo = m.y + (i64)c * (int)m.ys;
        hi = other.y + (i64)d * (int)other.ys;
        inLo = c < (int)m.n, inHi = d < (int)m.n;
    }

    // row copies elements of x.
    DEV void row(const Args &a, u32 to, int at) {
        const int g = threadIdx.x % 32 / 4;
#pragma unroll
        for (int i = 0; i < TILES; i++) {
            const bool r = 8 * i + g < (int)a.rows && at < k;
            copy(to + (2 + i) * THREADS * 16, r ? a.x + (8 * i + g) * a.xs + at : a.x, r, once);
        }
    }

    // next copies a part, without x if that may not be read yet.
    DEV void next(const Args &a, bool early) {
        if (tile < (int)a.tiles) {
            copy(to, lo + at, inLo && at < k, once);
            copy(to + THREADS * 16, hi + at, inHi && at < k, once);
            if (!HELD && !early) row(a, to, at);
            if ((at = behind(at)) >= end) {
                at = start;
                tile += gridDim.x;
                aim(a);
            }
            to += PART;
            if (to == ring + STAGES * PART) to = ring;
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    }

    // fill copies all parts but one; x is read behind the wait for predecessors.
    DEV void fill(const Args &a) {
#pragma unroll 1
        for (int waited = 0; waited < 2; waited++) {
            if (waited) { PDL_WAIT }
            if (waited != (int)a.early)
#pragma unroll 1
                for (int i = 0; i < STAGES - 1; i++) next(a, true);
        }
        if (HELD) return;
        int e = start;
#pragma unroll 1
        for (int i = 0; i < STAGES - 1; i++) {
            row(a, ring + i * PART, e);
            if ((e = behind(e)) >= end) e = start;
        }
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    }
};

#if NORMED
// Weights is what a thread needs of the weights of the norm: 1 without them.
struct Weights {
    Vec<W, 8> v[NORMED];

    DEV void load(const Args &a) {
#pragma unroll
        for (int i = 0; i < NORMED; i++) {
            const int at = (threadIdx.x + i * THREADS) * 8;
#pragma unroll
            for (int j = 0; j < 8; j++) v[i].v[j] = Put<W>::put(1);
            if (a.weight && at < (int)a.k) v[i] = *(const Vec<W, 8> *)(a.weight + at);
        }
    }
};

// norm leaves the normalised rows of x in shared memory.
DEV void norm(const Args &a, T *to, const Weights &w) {
    __shared__ float squares[WARPS];
    const int k = (int)a.k;
    to += threadIdx.x * 8;
#pragma unroll 1
    for (int r = 0; r < (int)a.rows; r++, to += k) {
        const T *row = a.x + r * a.xs + threadIdx.x * 8;
        Vec<T, 8> x[NORMED];
        float s = 0, v[8];
#pragma unroll
        for (int i = 0; i < NORMED; i++) {
            x[i] = Vec<T, 8>();
            if ((threadIdx.x + i * THREADS) * 8 < k) x[i] = *(const Vec<T, 8> *)(row + i * 8 * THREADS);
        }
#pragma unroll
        for (int i = 0; i < NORMED * 8; i++) s += get(x[i / 8].v[i % 8]) * get(x[i / 8].v[i % 8]);
#pragma unroll
        for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(~0u, s, m);
        if (threadIdx.x % 32 == 0) squares[threadIdx.x / 32] = s;
        __syncthreads();
        s = 0;
#pragma unroll
        for (int i = 0; i < WARPS; i++) s += squares[i];
        const float rstd = 1 / __fsqrt_rn(s / (float)a.k + (float)a.eps);
#pragma unroll
        for (int i = 0; i < NORMED; i++) {
#pragma unroll
            for (int j = 0; j < 8; j++) v[j] = get(x[i].v[j]) * rstd * get(w.v[i].v[j]);
            if ((threadIdx.x + i * THREADS) * 8 < k) store_vec<T, 8>(to + i * 8 * THREADS, v, 8);
        }
        __syncthreads();
    }
}
#endif

// hold leaves rows of x in shared memory.
DEV void hold(const Args &a, T *to) {
#pragma unroll 1
    for (int r = 0; r < (int)a.rows; r++, to += a.k)
#pragma unroll 2
        for (int i = threadIdx.x * 8; i < (int)a.k; i += THREADS * 8)
            *(Vec<u32, 4> *)(to + i) = *(const Vec<u32, 4> *)(a.x + r * a.xs + i);
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(THREADS, 2) few_rows(const __grid_constant__ Args a) {
    PDL_EARLY
    extern __shared__ __align__(16) T memory[]; // x, then the ring
    __shared__ float parts[2][WARPS][TILES][8][16];
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int k = (int)a.k, start = 64 * warp + 8 * t, end = start + (int)((u32)(k + 64 * WARPS - 1) / (64 * WARPS)) * 64 * WARPS;
    Feed f;
    f.k = k, f.tile = blockIdx.x, f.at = f.start = start, f.end = end;
    f.ring = f.to = (u32)__cvta_generic_to_shared(memory + a.held) + threadIdx.x * 16;
    f.once = read_once();
    f.aim(a);
#if NORMED
    Weights w;
    if (a.early) w.load(a);
    f.fill(a);
    if (!a.early) w.load(a);
    norm(a, memory, w);
#else
    f.fill(a);
    if (HELD) hold(a, memory);
#endif
    const int row = threadIdx.x / COLUMNS, c = threadIdx.x % COLUMNS; // of the result that a thread finishes
    int slot = 0, odd = 0;
#pragma unroll 1
    for (int tile = blockIdx.x; tile < (int)a.tiles; tile += gridDim.x, odd ^= 1) {
        const Matrix &m = a.m[GATED ? MATRICES - 1 : matrix_of(a, tile)];
        const int column = (tile - (int)m.first) * COLUMNS + c;
        const bool mine = row < (int)a.rows && column < (int)m.n;
        const float bias = mine && m.bias ? get(m.bias[column]) : 0;
        const float residual = mine && m.residual ? get(m.residual[row * m.zs + column]) : 0;
        float sum[TILES][4];
#pragma unroll
        for (int i = 0; i < TILES * 4; i++) sum[i / 4][i % 4] = 0;
#pragma unroll 1
        for (int at = start; at < end; at = behind(at)) {
            asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
            const Vec<u32, 4> *w = (const Vec<u32, 4> *)(memory + a.held) + slot * VECTORS * THREADS + threadIdx.x;
            const Vec<u32, 4> lo = w[0], hi = w[THREADS];
            Vec<u32, 4> b[TILES];
#pragma unroll
            for (int i = 0; i < TILES; i++) {
                b[i] = Vec<u32, 4>();
                if (!HELD) b[i] = w[(2 + i) * THREADS];
                else if (at < k && 8 * i + g < (int)a.rows) b[i] = *(const Vec<u32, 4> *)(memory + (8 * i + g) * k + at);
            }
            f.next(a, false); // to the part of the ring that was used before this one
#pragma unroll
            for (int i = 0; i < TILES; i++) {
                mma(sum[i], lo.v[0], hi.v[0], lo.v[1], hi.v[1], b[i].v[0], b[i].v[1]);
                mma(sum[i], lo.v[2], hi.v[2], lo.v[3], hi.v[3], b[i].v[2], b[i].v[3]);
            }
            slot = slot + 1 == STAGES ? 0 : slot + 1;
        }
#pragma unroll
        for (int i = 0; i < TILES; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) parts[odd][warp][i][2 * t + j % 2][g + j / 2 * 8] = sum[i][j];
        __syncthreads();
        if (!mine) continue;
        float all[GATED + 1];
#pragma unroll
        for (int s = 0; s <= GATED; s++) {
            all[s] = 0;
#pragma unroll
            for (int w = 0; w < WARPS; w++) all[s] += parts[odd][w][row / 8][row % 8][c + 8 * s];
        }
#if GATED
        m.z[row * m.zs + column] = Put<OUT>::put(gated(rounded<T>(all[0]), rounded<T>(all[1])));
#else
        if (m.bias) all[0] += bias;
        if (m.residual) all[0] += residual;
        m.z[row * m.zs + column] = Put<OUT>::put(all[0]);
#endif
    }
}
