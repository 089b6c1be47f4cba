// Ops along one dimension: softmax, log_softmax, class_nll. A row is n elements `step` apart; LANES threads share it. The
// largest element and the sum of exponentials come from one walk, the results from a second one.

typedef Rep<T>::R R;
typedef Logsumexp<R> Op;

struct Args { i64 rows, n, step; T *out; T *sums; const T *in; const i64 *target; Fault *fault; };

DEV Op::A walk(const T *in, i64 n, i64 step, int lane) {
    Op::A acc = Op::none();
    i64 i = lane;
    for (; i + 3 * LANES < n; i += 4 * LANES) {
        R v[4];
#pragma unroll
        for (int u = 0; u < 4; u++) v[u] = get(in[(i + u * LANES) * step]);
#pragma unroll
        for (int u = 0; u < 4; u++) Op::add(acc, v[u], 0, 0);
    }
    for (; i < n; i += LANES) Op::add(acc, get(in[i * step]), 0, 0);
    __shared__ Op::A share[256];
    __syncthreads();
    share[threadIdx.x] = acc;
    for (int s = LANES / 2; s > 0; s /= 2) {
        __syncthreads();
        if (lane < s) {
            Op::merge(acc, share[threadIdx.x + s]);
            share[threadIdx.x] = acc;
        }
    }
    __syncthreads();
    return share[threadIdx.x - lane];
}

#define ROW \
    const int lane = threadIdx.x % LANES; \
    const i64 row = (i64)blockIdx.x * (256 / LANES) + threadIdx.x / LANES; \
    const bool here = row < a.rows; \
    const i64 at = here ? row / a.step * a.n * a.step + row % a.step : 0; \
    const T *in = a.in + at; \
    const Op::A acc = walk(in, here ? a.n : 0, a.step, lane); \
    if (!here) return;

extern "C" __global__ void __launch_bounds__(256) softmax(const __grid_constant__ Args a) {
    ROW
    T *out = a.out + at;
    const R scale = 1 / acc.s + (acc.m - acc.m); // an infinite largest element makes the row NaN
    for (i64 i = lane; i < a.n; i += LANES) out[i * a.step] = Put<T>::put(op_exp(get(in[i * a.step]) - acc.m) * scale);
}

extern "C" __global__ void __launch_bounds__(256) log_softmax(const __grid_constant__ Args a) {
    ROW
    T *out = a.out + at;
    const R less = op_log(acc.s) + (acc.m - acc.m);
    for (i64 i = lane; i < a.n; i += LANES) out[i * a.step] = Put<T>::put(get(in[i * a.step]) - acc.m - less);
}

extern "C" __global__ void __launch_bounds__(256) class_nll(const __grid_constant__ Args a) {
    ROW
    if (lane != 0) return;
    const R sum = Op::done(acc, a.n, 0);
    const i64 t = a.target[row];
    R v = 0;
    if (t < 0 || t >= a.n) complain(a.fault, 1, t, a.n);
    else v = get(in[t * a.step]);
    a.out[row] = Put<T>::put(sum - v);
    a.sums[row] = Put<T>::put(sum);
}
