// A stand-in for the result of an attention: for each row the multiple of its cotangent whose product with that
// cotangent is the sum asked for. The gradient needs no more of the result than that sum. A warp takes a row.
struct Args {
    i64 heads, length, rows, width;
    i64 strides[3];
    const T *g;
    const float *sums;
    T *out;
};

DEV float over_warp(float x, bool top) {
#pragma unroll
    for (int s = 16; s > 0; s /= 2) {
        const float y = __shfl_xor_sync(0xffffffffu, x, s);
        x = top ? (y > x || y != y ? y : x) : x + y;
    }
    return x;
}

extern "C" __global__ void attention_seed(const __grid_constant__ Args a) {
    const int lane = threadIdx.x & 31;
    const i64 row = (i64)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= a.rows) return;
    const i64 l = row % a.length, h = row / a.length % a.heads, n = row / a.length / a.heads;
    const T *g = a.g + n * a.strides[0] + h * a.strides[1] + l * a.strides[2];
    float x[8];
    float top = 0, square = 0;
    // Rows have at most 256 elements, in vectors of 8: a lane takes one of them.
    const int at = lane * 8;
    const bool mine = at < a.width;
    if (mine) {
        load_vec<T, 8, float>(x, g + at, 8);
#pragma unroll
        for (int j = 0; j < 8; j++) { const float y = fabsf(x[j]); top = y > top || y != y ? y : top; }
    }
    top = over_warp(top, true);
    const float by = top == 0 ? 0 : 1 / top; // squares of very small numbers would vanish
    if (mine) {
#pragma unroll
        for (int j = 0; j < 8; j++) { x[j] *= by; square += x[j] * x[j]; }
    }
    square = over_warp(square, false);
    const float scale = square == 0 ? 0 : a.sums[row] * by / square;
    if (mine) {
#pragma unroll
        for (int j = 0; j < 8; j++) x[j] *= scale;
        store_vec<T, 8, float>(a.out + row * a.width + at, x, 8);
    }
}
