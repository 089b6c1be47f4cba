// The cotangent of softmax: y·(g - Σ g·y) along a dimension whose elements lie `step` apart, LANES threads a row.

typedef Rep<T>::R R;

struct Args { i64 rows, n, step; T *out; const T *g; const T *y; };

extern "C" __global__ void __launch_bounds__(256) softmax_grad(const __grid_constant__ Args a) {
    const int lane = threadIdx.x % LANES;
    const i64 row = (i64)blockIdx.x * (256 / LANES) + threadIdx.x / LANES;
    const bool here = row < a.rows;
    const i64 n = here ? a.n : 0, at = here ? row / a.step * a.n * a.step + row % a.step : 0;
    R s = 0;
    for (i64 i = lane; i < n; i += LANES) s += get(a.g[at + i * a.step]) * get(a.y[at + i * a.step]);
    s = total<R, LANES>(s, lane);
    for (i64 i = lane; i < n; i += LANES) {
        const i64 k = at + i * a.step;
        a.out[k] = Put<T>::put(get(a.y[k]) * (get(a.g[k]) - s));
    }
}
