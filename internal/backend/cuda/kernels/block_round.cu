// Rows of x rounded to int8 for block_fast.cu: groups of 32 elements with one scale, the largest of which is 127. Eight threads have a
// group, four elements each; a block has 1024 elements of a row. NORMED: rows are divided by their root mean square first and multiplied
// by a weight of type W, which may be null; every block finds the root for itself.
// Parts of it are in block_int8.cu, for products that round x themselves.
struct Args { i64 m, k; double eps; const float *x; const W *weight; u32 *q; float *scales, *totals; };

extern "C" __global__ void __launch_bounds__(256) block_round(const __grid_constant__ Args a) {
    const i64 all = a.k / 32, r = blockIdx.y, g = blockIdx.x * (i64)32 + threadIdx.x / 8, i = r * all + g;
    const int lane = threadIdx.x % 8;
    const bool in = g < all;
    Vec<float, 4> v = Vec<float, 4>();
    if (in) v = *(const Vec<float, 4> *)(a.x + i * 32 + lane * 4);
#if NORMED
    __shared__ float squares[8];
    const float rstd = root(a.x + r * a.k, (int)a.k, (float)a.eps, threadIdx.x, squares);
#pragma unroll
    for (int j = 0; j < 4; j++) {
        v.v[j] *= rstd;
        if (in && a.weight) v.v[j] *= (float)get(a.weight[g * 32 + lane * 4 + j]);
    }
#endif
    const Rounded to = rounded_group(v);
    if (!in) return;
    a.q[((2 * r + lane / 4) * all + g) * 4 + lane % 4] = to.word;
    if (lane == 0) { a.scales[i] = to.scale; a.totals[i] = to.scale * (float)to.total; }
}
