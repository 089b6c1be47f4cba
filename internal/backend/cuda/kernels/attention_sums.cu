// Row sums of an attention's result times its cotangent, less the cotangent of the row's logsumexp if there is one. A warp
// takes a row, V elements a lane at a time, and adds in a fixed order.
typedef Rep<T>::R R;

struct Args {
    i64 heads, length, rows, width;
    i64 gs[4], ys[4]; // strides
    const T *g, *y;
    const R *shift;
    R *out;
};

extern "C" __global__ void attention_sums(const __grid_constant__ Args a) {
    const int lane = threadIdx.x & 31;
    const i64 row = (i64)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= a.rows) return;
    const i64 l = row % a.length, h = row / a.length % a.heads, n = row / a.length / a.heads;
    const T *g = a.g + n * a.gs[0] + h * a.gs[1] + l * a.gs[2], *y = a.y + n * a.ys[0] + h * a.ys[1] + l * a.ys[2];
    R sum = 0;
    for (i64 at = lane * V; at < a.width; at += 32 * V) {
        R p[V], q[V];
#if V > 1 // rows are contiguous, and whole vectors
        load_vec<T, V, R>(p, g + at, V);
        load_vec<T, V, R>(q, y + at, V);
#else
        p[0] = get(g[at * a.gs[3]]);
        q[0] = get(y[at * a.ys[3]]);
#endif
#pragma unroll
        for (int j = 0; j < V; j++) sum += p[j] * q[j];
    }
#pragma unroll
    for (int s = 16; s > 0; s /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, s);
    if (lane == 0) a.out[row] = a.shift ? sum - a.shift[row] : sum;
}
