// Gathered matmul; included after tile.cu: out[z] is the sum of x[l[t]]·y[r[t]] over the t whose o[t] is z, in their order.
// A block computes a tile of one output, and searches the list for its pairs.

struct Args { i64 outs, m, n, k, pairs, xs, ys; T *out; const T *x; const T *y; const i64 *l; const i64 *r; const i64 *o; Fault *fault; };

DEV bool good(const Args &a, i64 p, i64 size) {
    if (p >= 0 && p < size) return true;
    report_fault(a.fault, 1, p, size);
    return false;
}

extern "C" __global__ void __launch_bounds__(256) gather_mm(const __grid_constant__ Args a) {
    __shared__ Tiles t;
    __shared__ u8 mine[256];
    const i64 across = (a.n + 63) / 64, r0 = blockIdx.x / across * 64, c0 = blockIdx.x % across * 64;
    const int row = threadIdx.x % 64, r = threadIdx.x / 16 * 4, c = threadIdx.x % 16 * 4;
    for (i64 z = blockIdx.y; z < a.outs; z += gridDim.y) {
        R sum[4][4];
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) sum[i][j] = R();
        for (i64 p0 = 0; p0 < a.pairs; p0 += 256) {
            const i64 p = p0 + threadIdx.x;
            bool hit = false;
            if (p < a.pairs && good(a, a.o[p], a.outs) && a.o[p] == z) hit = good(a, a.l[p], a.xs) && good(a, a.r[p], a.ys);
            mine[threadIdx.x] = hit;
            if (!__syncthreads_or(hit)) continue;
            for (int q = 0; q < 256; q++) {
                if (!mine[q]) continue;
                const T *x = a.x + a.l[p0 + q] * a.m * a.k, *y = a.y + a.r[p0 + q] * a.k * a.n;
                for (i64 k0 = 0; k0 < a.k; k0 += 16) {
                    __syncthreads();
#pragma unroll
                    for (int i = 0; i < 4; i++) {
                        const int xk = threadIdx.x % 16, xr = threadIdx.x / 16 + 16 * i, yk = threadIdx.x / 64 + 4 * i;
                        t.x[xk][xr] = r0 + xr < a.m && k0 + xk < a.k ? get(x[(r0 + xr) * a.k + k0 + xk]) : R();
                        t.y[yk][row] = c0 + row < a.n && k0 + yk < a.k ? get(y[(k0 + yk) * a.n + c0 + row]) : R();
                    }
                    __syncthreads();
                    multiply(t, sum);
                }
            }
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (r0 + r + i < a.m && c0 + c + j < a.n) a.out[(z * a.m + r0 + r + i) * a.n + c0 + c + j] = Put<T>::put(sum[i][j]);
        __syncthreads();
    }
}
