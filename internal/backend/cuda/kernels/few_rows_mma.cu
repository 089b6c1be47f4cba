// Products of up to 16 rows of x with matrices whose columns are contiguous, such as the weights of layers, by tensor cores: every element
// of a matrix is read once, at the speed of memory, and little else is done. A block has 16 columns, WARPS warps share their elements.
// The matrix is the left operand of mma, x, padded to 8·TILES rows, the right one. A thread reads 8 consecutive elements of a column and
// of a row of x: two steps of mma take them in an order of their own, the same for both. T is a half type, sums are in float32, in an order
// that sizes alone decide.
//
// MATRICES share x; blocks go through one after the other. GATED: a block has the same columns of both, half of its warps each, and
// gated() makes one value of two. NORMED is 0, or how many elements x has: its rows are divided by their root mean square and multiplied
// by a weight of type W first, by every block for itself.
#define CHUNKS 4 // of 32 elements, which a warp reads at once
#define PARTS (GATED ? WARPS / 2 : WARPS)
#define DEEP (WARPS < 8) // with few warps more of the matrix is asked for before predecessors end; with many that was slower

struct Matrix {
    i64 first, n, ys, zs; // the block it begins with; columns; strides of columns of y and of rows of z
    const T *y;
    OUT *z;
    const T *bias, *residual; // added before the result is rounded; may be null
};
struct Args {
    i64 k, xs, rows, early; // xs is the stride of rows of x; early: nothing that may still run writes a matrix
    double eps;
    const T *x;
    const W *weight; // may be null
    Matrix m[MATRICES];
};

struct Part { Vec<u32, 4> lo, hi; }; // of columns g and g + 8

// load takes a vector that is read once.
DEV Vec<u32, 4> load(const T *p) {
    Vec<u32, 4> w;
    asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(w.v[0]), "=r"(w.v[1]), "=r"(w.v[2]), "=r"(w.v[3]) : "l"(p));
    return w;
}

DEV void mma(float (&c)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32." MMA "." MMA ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

DEV void fetch(Part (&w)[CHUNKS], i64 k, const T *lo, const T *hi, i64 from) {
#pragma unroll
    for (int u = 0; u < CHUNKS; u++) {
        const i64 at = from + 32 * u;
        w[u] = Part();
        if (at < k) {
            if (lo) w[u].lo = load(lo + at);
            if (hi) w[u].hi = load(hi + at);
        }
    }
}

#if NORMED
// norm leaves the normalised rows of x in shared memory.
DEV void norm(const Args &a, T *to) {
    __shared__ float squares[WARPS];
    for (int r = 0; r < (int)a.rows; r++, to += a.k) {
        const T *row = a.x + r * a.xs;
        float s = 0, v[8], w[8];
        for (i64 i = threadIdx.x * 8; i < a.k; i += 256 * WARPS) {
            load_vec<T, 8>(v, row + i, 8);
#pragma unroll
            for (int j = 0; j < 8; j++) s += v[j] * v[j];
        }
#pragma unroll
        for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(~0u, s, m);
        if (threadIdx.x % 32 == 0) squares[threadIdx.x / 32] = s;
        __syncthreads();
        s = 0;
#pragma unroll
        for (int i = 0; i < WARPS; i++) s += squares[i];
        const float rstd = 1 / __fsqrt_rn(s / (float)a.k + (float)a.eps);
        for (i64 i = threadIdx.x * 8; i < a.k; i += 256 * WARPS) {
            load_vec<T, 8>(v, row + i, 8);
            if (a.weight) load_vec<W, 8>(w, a.weight + i, 8);
#pragma unroll
            for (int j = 0; j < 8; j++) v[j] = a.weight ? v[j] * rstd * w[j] : v[j] * rstd;
            store_vec<T, 8>(to + i, v, 8);
        }
        __syncthreads();
    }
}
#endif

extern "C" __global__ void __launch_bounds__(32 * WARPS) few_rows(const __grid_constant__ Args a) {
    PDL_EARLY
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#if GATED
    const int which = warp / PARTS;
#else
    int which = 0;
#pragma unroll
    for (int i = 1; i < MATRICES; i++) which = (i64)blockIdx.x >= a.m[i].first ? i : which;
#endif
    const Matrix &m = a.m[which];
    const i64 column = (blockIdx.x - (GATED ? 0 : m.first)) * (i64)16, step = 32 * CHUNKS * PARTS;
    const T *lo = column + g < m.n ? m.y + (column + g) * m.ys : 0, *hi = column + g + 8 < m.n ? m.y + (column + g + 8) * m.ys : 0;
    i64 from = 32 * CHUNKS * (warp % PARTS) + 8 * t;
    Part w[CHUNKS], next[CHUNKS];
    if (a.early) {
        fetch(w, a.k, lo, hi, from);
        if (DEEP) fetch(next, a.k, lo, hi, from + step);
    }
    PDL_WAIT
    if (!a.early) fetch(w, a.k, lo, hi, from);
    if (DEEP && !a.early) fetch(next, a.k, lo, hi, from + step);
#if NORMED
    __shared__ __align__(16) T normed[NORMED];
    norm(a, normed);
    const T *x = normed;
    const i64 xs = a.k;
#else
    const T *x = a.x;
    const i64 xs = a.xs;
#endif
    float sum[TILES][4];
#pragma unroll
    for (int i = 0; i < TILES; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) sum[i][j] = 0;
    for (; from < a.k; from += step) {
        if (!DEEP) fetch(next, a.k, lo, hi, from + step);
#pragma unroll
        for (int u = 0; u < CHUNKS; u++) {
            const i64 at = from + 32 * u;
#pragma unroll
            for (int i = 0; i < TILES; i++) {
                Vec<u32, 4> b = Vec<u32, 4>();
                if (at < a.k && 8 * i + g < a.rows) b = *(const Vec<u32, 4> *)(x + (8 * i + g) * xs + at);
                mma(sum[i], w[u].lo.v[0], w[u].hi.v[0], w[u].lo.v[1], w[u].hi.v[1], b.v[0], b.v[1]);
                mma(sum[i], w[u].lo.v[2], w[u].hi.v[2], w[u].lo.v[3], w[u].hi.v[3], b.v[2], b.v[3]);
            }
        }
#pragma unroll
        for (int u = 0; u < CHUNKS; u++) w[u] = next[u];
        if (DEEP) fetch(next, a.k, lo, hi, from + 2 * step);
    }
    __shared__ float parts[WARPS][TILES][8][16];
#pragma unroll
    for (int i = 0; i < TILES; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) parts[warp][i][2 * t + j % 2][g + j / 2 * 8] = sum[i][j];
    __syncthreads();
    for (int i = threadIdx.x; i < (int)a.rows * 16; i += 32 * WARPS) {
        const int r = i / 16, c = i % 16;
        if (column + c >= m.n) continue;
        float s = 0;
#pragma unroll
        for (int k = 0; k < PARTS; k++) s += parts[k][r / 8][r % 8][c];
#if GATED
        float other = 0;
#pragma unroll
        for (int k = PARTS; k < WARPS; k++) other += parts[k][r / 8][r % 8][c];
        const Matrix &to = a.m[1];
        to.z[r * to.zs + column + c] = Put<OUT>::put(gated(rounded<T>(s), rounded<T>(other)));
#else
        if (m.bias) s += get(m.bias[column + c]);
        if (m.residual) s += get(m.residual[r * m.zs + column + c]);
        m.z[r * m.zs + column + c] = Put<OUT>::put(s);
#endif
    }
}
