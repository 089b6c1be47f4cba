// Rounding to int8 in groups of 32 elements with one scale, the largest of which is 127.

// root is the reciprocal root mean square of a row, for 256 threads; t is the number of this one. All threads of the block come here.
DEV float root(const float *x, int k, float eps, int t, float *squares) {
    float s = 0;
#pragma unroll 1
    for (int j = t * 4; j < k; j += 4096) {
        Vec<float, 4> v[4];
#pragma unroll
        for (int u = 0; u < 4; u++) {
            v[u] = Vec<float, 4>();
            if (j + 1024 * u < k) v[u] = *(const Vec<float, 4> *)(x + j + 1024 * u);
        }
#pragma unroll
        for (int e = 0; e < 16; e++) s += v[e / 4].v[e % 4] * v[e / 4].v[e % 4];
    }
#pragma unroll
    for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(~0u, s, m);
    if (t % 32 == 0) squares[t / 32] = s;
    __syncthreads();
    s = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) s += squares[j];
    return 1 / __fsqrt_rn(s / (float)k + eps);
}

struct Rounded { u32 word; float scale; int total; }; // four elements of a thread; of all of the group

// rounded_group rounds a group that eight threads share, four elements each.
DEV Rounded rounded_group(const Vec<float, 4> &v) {
    u32 most = 0;
#pragma unroll
    for (int j = 0; j < 4; j++) most = max(most, __float_as_uint(v.v[j]) & 0x7fffffffu);
#pragma unroll
    for (int m = 4; m > 0; m /= 2) most = max(most, __shfl_xor_sync(~0u, most, m));
    float inverse = 127 / __uint_as_float(most);
    Rounded r = {0, __uint_as_float(most) / 127, 0};
    if (most >= 0x7f800000u) inverse = 0; // the scale is infinite or NaN, and so is the sum
    if (most < 0x03800000u) r.scale = inverse = 0;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const int q = inverse == 0 ? 0 : __float2int_rn(v.v[j] * inverse);
        r.word |= (u32)(q & 255) << 8 * j;
        r.total += q;
    }
#pragma unroll
    for (int m = 4; m > 0; m /= 2) r.total += __shfl_xor_sync(~0u, r.total, m);
    return r;
}
