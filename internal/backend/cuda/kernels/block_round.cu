// Rows of x rounded to int8 for block_fast.cu: groups of 32 elements with one scale, the largest of which is 127. Eight threads have a
// group, four elements each; a block has 1024 elements of a row. NORMED: rows are divided by their root mean square first and multiplied
// by a weight of type W, which may be null; every block finds the root for itself.
struct Args { i64 m, k; double eps; const float *x; const W *weight; u32 *q; float *scales, *totals; };

extern "C" __global__ void __launch_bounds__(256) block_round(const __grid_constant__ Args a) {
    const i64 all = a.k / 32, r = blockIdx.y, g = blockIdx.x * (i64)32 + threadIdx.x / 8, i = r * all + g;
    const int lane = threadIdx.x % 8;
    const bool in = g < all;
    Vec<float, 4> v = Vec<float, 4>();
    if (in) v = *(const Vec<float, 4> *)(a.x + i * 32 + lane * 4);
#if NORMED
    __shared__ float squares[8];
    float s = 0;
#pragma unroll 1
    for (int j = threadIdx.x * 4; j < (int)a.k; j += 4096) {
        Vec<float, 4> t[4];
#pragma unroll
        for (int u = 0; u < 4; u++) {
            t[u] = Vec<float, 4>();
            if (j + 1024 * u < (int)a.k) t[u] = *(const Vec<float, 4> *)(a.x + r * a.k + j + 1024 * u);
        }
#pragma unroll
        for (int e = 0; e < 16; e++) s += t[e / 4].v[e % 4] * t[e / 4].v[e % 4];
    }
#pragma unroll
    for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(~0u, s, m);
    if (threadIdx.x % 32 == 0) squares[threadIdx.x / 32] = s;
    __syncthreads();
    s = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) s += squares[j];
    const float rstd = 1 / __fsqrt_rn(s / (float)a.k + (float)a.eps);
#pragma unroll
    for (int j = 0; j < 4; j++) {
        v.v[j] *= rstd;
        if (in && a.weight) v.v[j] *= (float)get(a.weight[g * 32 + lane * 4 + j]);
    }
#endif
    u32 most = 0;
#pragma unroll
    for (int j = 0; j < 4; j++) most = max(most, __float_as_uint(v.v[j]) & 0x7fffffffu);
#pragma unroll
    for (int m = 4; m > 0; m /= 2) most = max(most, __shfl_xor_sync(~0u, most, m));
    float scale = __uint_as_float(most) / 127, inverse = 127 / __uint_as_float(most);
    if (most >= 0x7f800000u) inverse = 0; // the scale is infinite or NaN, and so is the sum
    if (most < 0x03800000u) scale = inverse = 0;
    u32 word = 0;
    int total = 0;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const int q = inverse == 0 ? 0 : __float2int_rn(v.v[j] * inverse);
        word |= (u32)(q & 255) << 8 * j;
        total += q;
    }
#pragma unroll
    for (int m = 4; m > 0; m /= 2) total += __shfl_xor_sync(~0u, total, m);
    if (!in) return;
    a.q[((2 * r + lane / 4) * all + g) * 4 + lane % 4] = word;
    if (lane == 0) { a.scales[i] = scale; a.totals[i] = (float)total; }
}
