// Products of few rows of x with a matrix whose columns are contiguous, such as the weight of a layer: every element of it is read once,
// at the speed of memory. WARPS of a block share COLS columns; ROWS is how many rows x has. Sums are in float32, in an order that sizes
// alone decide.
#define COLS 2
#define AHEAD 4 // vectors that are on their way at once

struct Args {
    i64 n, k, xs, ys, zs; // strides of rows of x, columns of y, rows of z
    const T *x, *y;
    OUT *z;
    const T *bias, *residual; // added before the result is rounded; may be null
};

// load takes a vector that is read once.
DEV void load(Vec<T, 8> &to, const T *p) {
#pragma unroll
    for (int i = 0; i < (int)sizeof(T) / 2; i++) {
        u32 *w = (u32 *)&to + 4 * i;
        asm volatile("ld.global.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
            : "l"((const u32 *)p + 4 * i));
    }
}

extern "C" __global__ void __launch_bounds__(128) few_rows(const __grid_constant__ Args a) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, part = warp % WARPS;
    const i64 column = (blockIdx.x * (i64)(4 / WARPS) + warp / WARPS) * COLS, vectors = a.k / 8;
    const T *y[COLS];
#pragma unroll
    for (int c = 0; c < COLS; c++) y[c] = a.y + (column + c < a.n ? column + c : 0) * a.ys;
    float sum[ROWS][COLS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int c = 0; c < COLS; c++) sum[r][c] = 0;
    for (i64 v0 = part * 32 + lane; v0 < vectors; v0 += 32 * WARPS * AHEAD) {
        Vec<T, 8> w[AHEAD][COLS];
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            if (const i64 v = v0 + u * 32 * WARPS; v < vectors)
#pragma unroll
                for (int c = 0; c < COLS; c++) load(w[u][c], y[c] + v * 8);
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            if (const i64 v = v0 + u * 32 * WARPS; v < vectors) {
#pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    float x[8];
                    load_vec<T, 8>(x, a.x + r * a.xs + v * 8, 8);
#pragma unroll
                    for (int c = 0; c < COLS; c++)
#pragma unroll
                        for (int i = 0; i < 8; i++) sum[r][c] = __fmaf_rn(x[i], get(w[u][c].v[i]), sum[r][c]);
                }
            }
    }
    __shared__ float parts[4][ROWS][COLS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int c = 0; c < COLS; c++) {
#pragma unroll
            for (int m = 16; m > 0; m /= 2) sum[r][c] += __shfl_xor_sync(~0u, sum[r][c], m);
            if (lane == 0) parts[warp][r][c] = sum[r][c];
        }
#if WARPS > 1
    __syncthreads();
#else
    __syncwarp();
#endif
    const int r = lane / COLS, c = lane % COLS;
    if (part != 0 || r >= ROWS || column + c >= a.n) return;
    float s = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) s += parts[warp + w][r][c];
    if (a.bias) s += get(a.bias[column + c]);
    if (a.residual) s += get(a.residual[r * a.zs + column + c]);
    a.z[r * a.zs + column + c] = Put<OUT>::put(s);
}
