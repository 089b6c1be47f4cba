// Products with rows in a block format; included after block_values.cu. z = x·wᵀ for x of m×k floats and n rows w.

#ifndef OUT
#define OUT float // the type of dequantised elements
#endif
struct Args { i64 m, n, k, bytes; const float *x; const u8 *w; OUT *z; };

// block_dequantize: a thread makes 8 elements.
extern "C" __global__ void __launch_bounds__(256) block_dequantize(const __grid_constant__ Args a) {
    const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x, runs = (a.k + 7) / 8;
    if (i >= a.n * runs) return;
    const i64 row = i / runs, k = i % runs * 8;
    float v[8];
    values(a.w + row * a.bytes, k, a.k, v);
#pragma unroll
    for (int j = 0; j < 8; j++)
        if (k + j < a.k) a.z[row * a.k + k + j] = Put<OUT>::put(v[j]);
}

// block_stream is for few rows of x, ROWS at a time: a warp has a row of w, which is read once.
#ifdef ROWS
extern "C" __global__ void __launch_bounds__(256) block_stream(const __grid_constant__ Args a) {
    const i64 row = blockIdx.x * (i64)8 + threadIdx.x / 32;
    if (row >= a.n) return;
    const u8 *w = a.w + row * a.bytes;
    float sum[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) sum[r] = 0;
    for (i64 k = threadIdx.x % 32 * 8; k < a.k; k += 256) {
        float v[8];
        values(w, k, a.k, v);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const float *x = a.x + r * a.k + k;
#if BLOCK == 1
#pragma unroll
            for (int j = 0; j < 8; j++)
                if (k + j < a.k) sum[r] = __fmaf_rn(x[j], v[j], sum[r]);
#else
            float y[8];
            load_vec<float, 4>(*(float (*)[4])y, x, 4);
            load_vec<float, 4>(*(float (*)[4])(y + 4), x + 4, 4);
#pragma unroll
            for (int j = 0; j < 8; j++) sum[r] = __fmaf_rn(y[j], v[j], sum[r]);
#endif
        }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        for (int o = 16; o; o /= 2) sum[r] += __shfl_xor_sync(~0u, sum[r], o);
        if (threadIdx.x % 32 == 0) a.z[r * a.n + row] = sum[r];
    }
}
#endif

// block_gather: z[t] = x[l[t]]·w[r[t]]ᵀ for matrices w of n rows; a warp has a row of one of them.
struct Gathered { i64 count, n, k, bytes, xs, ws; const float *x; const u8 *w; const i64 *l; const i64 *r; float *z; Fault *fault; };

extern "C" __global__ void __launch_bounds__(256) block_gather(const __grid_constant__ Gathered a) {
    const i64 row = blockIdx.x * (i64)8 + threadIdx.x / 32;
    if (row >= a.n) return;
    for (i64 t = blockIdx.y; t < a.count; t += gridDim.y) {
        const i64 l = a.l[t], r = a.r[t];
        if (l < 0 || l >= a.xs || r < 0 || r >= a.ws) {
            if (threadIdx.x % 32 == 0) report_fault(a.fault, 1, l < 0 || l >= a.xs ? l : r, l < 0 || l >= a.xs ? a.xs : a.ws);
            continue;
        }
        const u8 *w = a.w + (r * a.n + row) * a.bytes;
        const float *x = a.x + l * a.k;
        float sum = 0;
        for (i64 k = threadIdx.x % 32 * 8; k < a.k; k += 256) {
            float v[8];
            values(w, k, a.k, v);
#pragma unroll
            for (int j = 0; j < 8; j++)
                if (k + j < a.k) sum = __fmaf_rn(x[k + j], v[j], sum);
        }
        for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
        if (threadIdx.x % 32 == 0) a.z[t * a.n + row] = sum;
    }
}
