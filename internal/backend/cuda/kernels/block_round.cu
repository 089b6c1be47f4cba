// Rows of x rounded to int8 for block_fast.cu: groups of 32 elements with one scale, the largest of which is 127. Eight threads have a
// group, four elements each.
struct Args { i64 m, k; const float *x; u32 *q; float *scales, *totals; };

extern "C" __global__ void __launch_bounds__(256) block_round(const __grid_constant__ Args a) {
    const i64 all = a.k / 32, i = blockIdx.x * (i64)32 + threadIdx.x / 8, r = i / all, g = i % all;
    const int lane = threadIdx.x % 8;
    const bool in = i < a.m * all;
    Vec<float, 4> v = Vec<float, 4>();
    if (in) v = *(const Vec<float, 4> *)(a.x + i * 32 + lane * 4);
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
