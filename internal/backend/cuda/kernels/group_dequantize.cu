// group_dequantize: values of quantized rows, rounded to OUT after each step; a thread makes 8 elements. Included after group_values.cu.
struct Args { i64 n, k; const u32 *w; const S *scales, *biases; OUT *z; };

extern "C" __global__ void __launch_bounds__(256) group_dequantize(const __grid_constant__ Args a) {
    const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    if (i >= a.n * (a.k / 8)) return;
    u32 q[2];
    eight(a.w + i / 4 * BITS, (int)(i % 4), q[0], q[1]);
    const i64 g = i / (GROUP / 8);
    const float scale = scale_of(a.scales[g]);
#if AFFINE
    const float bias = get(a.biases[g]);
#endif
    float v[8];
#pragma unroll
    for (int j = 0; j < 8; j++) {
        v[j] = rounded<OUT>(scale * value(q[j / 4] >> j % 4 * BITS));
#if AFFINE
        v[j] = rounded<OUT>(v[j] + bias);
#endif
    }
    OUT *z = a.z + i * 8;
    if ((u64)z % 16 == 0) store_vec<OUT, 8>(z, v, 8);
    else
#pragma unroll
        for (int j = 0; j < 8; j++) z[j] = Put<OUT>::put(v[j]);
}
