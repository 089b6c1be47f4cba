// Products of up to 16 rows of x with a matrix whose columns are contiguous, such as the weight of a layer, by tensor cores: every element
// of the matrix is read once, at the speed of memory, and little else is done. A block has 16 columns, WARPS warps share their elements.
// The matrix is the left operand of mma, x, padded to 8·TILES rows, the right one. A thread reads 8 consecutive elements of a column and
// of a row of x: two steps of mma take them in an order of their own, the same for both. T is a half type, sums are in float32, in an order
// that sizes alone decide.
#define CHUNKS 4 // of 32 elements, which a warp reads at once

struct Args {
    i64 n, k, xs, ys, zs, rows, early; // strides of rows of x, columns of y, rows of z; early: nothing that may still run writes y
    const T *x, *y;
    OUT *z;
    const T *bias, *residual; // added before the result is rounded; may be null
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

DEV void fetch(Part (&w)[CHUNKS], const Args &a, const T *lo, const T *hi, i64 from) {
#pragma unroll
    for (int u = 0; u < CHUNKS; u++) {
        const i64 at = from + 32 * u;
        w[u] = Part();
        if (at < a.k) {
            if (lo) w[u].lo = load(lo + at);
            if (hi) w[u].hi = load(hi + at);
        }
    }
}

extern "C" __global__ void __launch_bounds__(32 * WARPS) few_rows(const __grid_constant__ Args a) {
    PDL_EARLY
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const i64 column = blockIdx.x * (i64)16, step = 32 * CHUNKS * WARPS;
    const T *lo = column + g < a.n ? a.y + (column + g) * a.ys : 0, *hi = column + g + 8 < a.n ? a.y + (column + g + 8) * a.ys : 0;
    i64 from = 32 * CHUNKS * warp + 8 * t;
    Part w[CHUNKS], next[CHUNKS];
    if (a.early) fetch(w, a, lo, hi, from);
    PDL_WAIT
    if (!a.early) fetch(w, a, lo, hi, from);
    float sum[TILES][4];
#pragma unroll
    for (int i = 0; i < TILES; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) sum[i][j] = 0;
    for (; from < a.k; from += step) {
        fetch(next, a, lo, hi, from + step);
#pragma unroll
        for (int u = 0; u < CHUNKS; u++) {
            const i64 at = from + 32 * u;
#pragma unroll
            for (int i = 0; i < TILES; i++) {
                Vec<u32, 4> x = Vec<u32, 4>();
                if (at < a.k && 8 * i + g < a.rows) x = *(const Vec<u32, 4> *)(a.x + (8 * i + g) * a.xs + at);
                mma(sum[i], w[u].lo.v[0], w[u].hi.v[0], w[u].lo.v[1], w[u].hi.v[1], x.v[0], x.v[1]);
                mma(sum[i], w[u].lo.v[2], w[u].hi.v[2], w[u].lo.v[3], w[u].hi.v[3], x.v[2], x.v[3]);
            }
        }
#pragma unroll
        for (int u = 0; u < CHUNKS; u++) w[u] = next[u];
    }
    __shared__ float parts[WARPS][TILES][8][16];
#pragma unroll
    for (int i = 0; i < TILES; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) parts[warp][i][2 * t + j % 2][g + j / 2 * 8] = sum[i][j];
    __syncthreads();
    for (int i = threadIdx.x; i < (int)a.rows * 16; i += 32 * WARPS) {
        const int r = i / 16, c = i % 16;
        if (column + c >= a.n) continue;
        float s = 0;
#pragma unroll
        for (int k = 0; k < WARPS; k++) s += parts[k][r / 8][r % 8][c];
        if (a.bias) s += get(a.bias[column + c]);
        if (a.residual) s += get(a.residual[r * a.zs + column + c]);
        a.z[r * a.zs + column + c] = Put<OUT>::put(s);
    }
}
