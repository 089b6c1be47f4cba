// Products of up to 16 rows of x with matrices whose columns are contiguous, such as the weights of layers, by tensor cores: every element
// of a matrix is read once, at the speed of memory, and little else is done. A block has 16 columns, WARPS warps share their elements.
// The matrix is the left operand of mma, x, padded to 8·TILES rows, the right one. A thread reads 8 consecutive elements of a column and
// of a row of x: two steps of mma take them in an order of their own, the same for both. T is a half type, sums are in float32, in an order
// that sizes alone decide.
//
// MATRICES share x; blocks go through one after the other. GATED: a block has the same columns of both, half of its warps each, and
// gated() makes one value of two. NORMED: rows of x are divided by their root mean square and multiplied by a weight of type W. Products
// are of the weighed rows; the root, for which every block sums all squares, divides them at the end: no block waits for a norm.
#define CHUNKS 4 // of 32 elements, which a warp reads at once
#define PARTS (GATED ? WARPS / 2 : WARPS)
#define AHEAD (WARPS < 8 ? 2 : 1)

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
// weighed multiplies eight elements of a row of x by the weight of the norm, and adds their squares to s.
DEV Vec<u32, 4> weighed(Vec<u32, 4> b, const W *weight, float &s) {
    const Vec<T, 8> &t = *(const Vec<T, 8> *)&b;
    float v[8], w[8];
#pragma unroll
    for (int j = 0; j < 8; j++) { v[j] = get(t.v[j]); s = __fmaf_rn(v[j], v[j], s); }
    if (!weight) return b;
    load_vec<W, 8>(w, weight, 8);
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] *= w[j];
    Vec<T, 8> y;
    Pack<T, 8, float>::to(y, v);
    return *(const Vec<u32, 4> *)&y;
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
    // With few warps both parts are on their way before predecessors end; with many of them that was slower.
    Part w[2][CHUNKS];
#pragma unroll
    for (int h = 0; h < 2; h++)
        if (a.early && h < AHEAD) fetch(w[h], a.k, lo, hi, from + h * step);
    PDL_WAIT
#pragma unroll
    for (int h = 0; h < 2; h++)
        if (!a.early || h >= AHEAD) fetch(w[h], a.k, lo, hi, from + h * step);
    float sum[TILES][4], square[TILES];
#pragma unroll
    for (int i = 0; i < TILES; i++) {
        square[i] = 0;
#pragma unroll
        for (int j = 0; j < 4; j++) sum[i][j] = 0;
    }
    while (from < a.k) {
#pragma unroll
        for (int h = 0; h < 2; h++, from += step) {
#pragma unroll
            for (int u = 0; u < CHUNKS; u++) {
                const i64 at = from + 32 * u;
                const Part &p = w[h][u];
#pragma unroll
                for (int i = 0; i < TILES; i++) {
                    Vec<u32, 4> b = Vec<u32, 4>();
                    if (at < a.k && 8 * i + g < a.rows) {
                        b = *(const Vec<u32, 4> *)(a.x + (8 * i + g) * a.xs + at);
#if NORMED
                        b = weighed(b, a.weight ? a.weight + at : 0, square[i]);
#endif
                    }
                    mma(sum[i], p.lo.v[0], p.hi.v[0], p.lo.v[1], p.hi.v[1], b.v[0], b.v[1]);
                    mma(sum[i], p.lo.v[2], p.hi.v[2], p.lo.v[3], p.hi.v[3], b.v[2], b.v[3]);
                }
            }
            fetch(w[h], a.k, lo, hi, from + 2 * step);
        }
    }
    __shared__ float parts[WARPS][TILES][8][16];
#if NORMED
    __shared__ float squares[WARPS][TILES][8];
#pragma unroll
    for (int i = 0; i < TILES; i++) {
        square[i] += __shfl_xor_sync(~0u, square[i], 1);
        square[i] += __shfl_xor_sync(~0u, square[i], 2);
        if (t == 0) squares[warp][i][g] = square[i];
    }
#endif
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
#if NORMED
        float all = 0;
#pragma unroll
        for (int k = 0; k < PARTS; k++) all += squares[k][r / 8][r % 8];
        const float rstd = 1 / __fsqrt_rn(all / (float)a.k + (float)a.eps);
        s *= rstd;
#endif
#if GATED
        float other = 0;
#pragma unroll
        for (int k = PARTS; k < WARPS; k++) other += parts[k][r / 8][r % 8][c];
#if NORMED
        other *= rstd;
#endif
        const Matrix &to = a.m[1];
        to.z[r * to.zs + column + c] = Put<OUT>::put(gated(rounded<T>(s), rounded<T>(other)));
#else
        if (m.bias) s += get(m.bias[column + c]);
        if (m.residual) s += get(m.residual[r * m.zs + column + c]);
        m.z[r * m.zs + column + c] = Put<OUT>::put(s);
#endif
    }
}
