// The cotangent of softmax: y·(g - Σ g·y) along a dimension whose elements are `step` apart, LANES threads a row; rows that
// fit stay in registers.

typedef Rep<T>::R R;

struct Args { i64 rows, n, step; T *out; const T *g; const T *y; };

extern "C" __global__ void __launch_bounds__(THREADS) softmax_grad(const __grid_constant__ Args a) {
    const int lane = threadIdx.x % LANES;
    const i64 row = (i64)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    const bool here = row < a.rows;
    const i64 n = here ? a.n : 0, at = here ? row / a.step * a.n * a.step + row % a.step : 0;
    R s = 0;
#if HELD > 0
    R g[HELD][V], y[HELD][V];
    MINE(h, i) {
        load_row<T, V>(g[h], a.g + at, i, a.step);
        load_row<T, V>(y[h], a.y + at, i, a.step);
    }
    MINE(h, i)
#pragma unroll
        for (int j = 0; j < V; j++) s += g[h][j] * y[h][j];
    s = joined<Add, LANES>(s);
    MINE(h, i) {
#pragma unroll
        for (int j = 0; j < V; j++) g[h][j] = y[h][j] * (g[h][j] - s);
        store_row<T, V>(a.out + at, g[h], i, a.step);
    }
#else
    for (i64 i = (i64)lane * V; i < n; i += LANES * V) {
        R g[V], y[V];
        load_row<T, V>(g, a.g + at, i, a.step);
        load_row<T, V>(y, a.y + at, i, a.step);
#pragma unroll
        for (int j = 0; j < V; j++) s += g[j] * y[j];
    }
    s = joined<Add, LANES>(s);
    for (i64 i = (i64)lane * V; i < n; i += LANES * V) {
        R g[V], y[V];
        load_row<T, V>(g, a.g + at, i, a.step);
        load_row<T, V>(y, a.y + at, i, a.step);
#pragma unroll
        for (int j = 0; j < V; j++) g[j] = y[j] * (g[j] - s);
        store_row<T, V>(a.out + at, g, i, a.step);
    }
#endif
}
