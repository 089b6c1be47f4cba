// Products of few rows of x with a matrix whose columns are contiguous, such as the weight of a layer: every element of it is read once,
// at the speed of memory. WARPS of a block share a column; ROWS is how many rows x has. Sums are in float32, in an order that sizes
// alone decide.
#define AHEAD (ROWS == 1 ? 8 : 4) // vectors that are on their way at once

struct Args {
    i64 n, k, xs, ys, zs; // strides of rows of x, columns of y, rows of z
    const T *x, *y;
    OUT *z;
    const T *bias, *residual; // added before the result is rounded; may be null
};

extern "C" __global__ void __launch_bounds__(128) few_rows(const __grid_constant__ Args a) {
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, part = warp % WARPS;
    const i64 column = blockIdx.x * (i64)(4 / WARPS) + warp / WARPS, vectors = a.k / 8;
    const T *y = a.y + (column < a.n ? column : 0) * a.ys;
    float sum[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) sum[r] = 0;
    for (i64 v0 = part * 32 + lane; v0 < vectors; v0 += 32 * WARPS * AHEAD) {
        float w[AHEAD][8];
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            if (const i64 v = v0 + u * 32 * WARPS; v < vectors) load_vec<T, 8>(w[u], y + v * 8, 8);
#pragma unroll
        for (int u = 0; u < AHEAD; u++)
            if (const i64 v = v0 + u * 32 * WARPS; v < vectors) {
#pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    float x[8];
                    load_vec<T, 8>(x, a.x + r * a.xs + v * 8, 8);
#pragma unroll
                    for (int i = 0; i < 8; i++) sum[r] = __fmaf_rn(x[i], w[u][i], sum[r]);
                }
            }
    }
#if WARPS > 1
    __shared__ float parts[4][ROWS];
#endif
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
        for (int m = 16; m > 0; m /= 2) sum[r] += __shfl_xor_sync(~0u, sum[r], m);
#if WARPS > 1
        if (lane == 0) parts[warp][r] = sum[r];
#endif
    }
#if WARPS > 1
    __syncthreads();
#endif
    if (part != 0 || lane >= ROWS || column >= a.n) return;
    float s = 0;
#if WARPS > 1
#pragma unroll
    for (int w = 0; w < WARPS; w++) s += parts[warp + w][lane];
#else
#pragma unroll
    for (int r = 0; r < ROWS; r++) s = lane == r ? sum[r] : s;
#endif
    if (a.bias) s += get(a.bias[column]);
    if (a.residual) s += get(a.residual[lane * a.zs + column]);
    a.z[lane * a.zs + column] = Put<OUT>::put(s);
}
