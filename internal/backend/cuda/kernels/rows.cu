// Ops along one dimension: softmax, log_softmax, class_nll. A row is n elements `step` apart; LANES threads share
// it, each taking V neighbours at a time. The
// largest element and the sum of exponentials come from one walk, the results from a second one.

typedef Rep<T>::R R;
typedef Logsumexp<R> Op;

struct Args { i64 rows, n, step; T *out; T *sums; const T *in; const i64 *target; Fault *fault; };

// take joins V elements at once: one exponential each, and one more where the largest rises.
DEV void take(Op::A &acc, const R (&v)[V]) {
    R m = acc.m;
#pragma unroll
    for (int j = 0; j < V; j++)
        if (v[j] > m || v[j] != v[j]) m = v[j];
    const R less = Op::shift(m);
    if (m != acc.m) {
        acc.s *= op_exp(acc.m - less);
        acc.m = m;
    }
#pragma unroll
    for (int j = 0; j < V; j++) acc.s += op_exp(v[j] - less);
}

DEV Op::A walk(const T *in, i64 n, i64 step, int lane) {
    Op::A acc = Op::none();
    for (i64 i = lane * V; i < n; i += LANES * V) {
        R v[V];
        load_row<T, V>(v, in, i, step);
        take(acc, v);
    }
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
    for (i64 i = lane * V; i < a.n; i += LANES * V) {
        R v[V];
        load_row<T, V>(v, in, i, a.step);
#pragma unroll
        for (int j = 0; j < V; j++) v[j] = op_exp(v[j] - acc.m) * scale;
        store_row<T, V>(out, v, i, a.step);
    }
}

extern "C" __global__ void __launch_bounds__(256) log_softmax(const __grid_constant__ Args a) {
    ROW
    T *out = a.out + at;
    const R less = op_log(acc.s) + (acc.m - acc.m);
    for (i64 i = lane * V; i < a.n; i += LANES * V) {
        R v[V];
        load_row<T, V>(v, in, i, a.step);
#pragma unroll
        for (int j = 0; j < V; j++) v[j] = v[j] - acc.m - less;
        store_row<T, V>(out, v, i, a.step);
    }
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
