// Ops along one dimension: softmax, log_softmax. A row is n elements `step` apart; LANES threads share it, each loading V
// adjacent elements at a time. Rows that fit stay in registers, HELD vectors a thread, and are read once; longer ones are
// read twice: online softmax statistics, then the results.

typedef Rep<T>::R R;
typedef Logsumexp<R> Op;

struct Args { i64 rows, n, step; T *out; const T *in; };

#define ROW \
    const int lane = threadIdx.x % LANES; \
    const i64 row = (i64)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES; \
    const bool here = row < a.rows; \
    const i64 n = here ? a.n : 0, at = here ? row / a.step * a.n * a.step + row % a.step : 0; \
    const T *in = a.in + at; \
    T *out = a.out + at;

#if HELD > 0
// An exponential that is rounded to a half type needs no more than the hardware's approximation.
template <class M> struct Exp { static DEV R of(R x) { return op_exp(x); } };
#define ROUGH(M) \
    template <> struct Exp<M> { static DEV float of(float x) { float y; x *= 1.44269504f; \
        asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; } };
ROUGH(f16) ROUGH(bf16)

// HOLD loads a row and leaves its largest element in m; take also replaces the elements by exponentials and sums them. With
// a NaN or an infinity in the row, the sum is NaN.
#define HOLD \
    ROW \
    R v[HELD][V], m = -(R)INF, s = 0; \
    MINE(h, i) load_row<T, V>(v[h], in, i, a.step); /* all of them under way before the first is used */ \
    MINE(h, i) _Pragma("unroll") for (int j = 0; j < V; j++) m = Max::join(m, v[h][j]); \
    m = joined<Max, LANES>(m);

extern "C" __global__ void __launch_bounds__(THREADS) softmax(const __grid_constant__ Args a) {
    HOLD
    MINE(h, i)
#pragma unroll
        for (int j = 0; j < V; j++) s += v[h][j] = Exp<T>::of(v[h][j] - m);
    s = 1 / joined<Add, LANES>(s);
    MINE(h, i) {
#pragma unroll
        for (int j = 0; j < V; j++) v[h][j] *= s;
        store_row<T, V>(out, v[h], i, a.step);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) log_softmax(const __grid_constant__ Args a) {
    HOLD
    MINE(h, i)
#pragma unroll
        for (int j = 0; j < V; j++) s += op_exp(v[h][j] - m);
    s = op_log(joined<Add, LANES>(s));
    MINE(h, i) {
#pragma unroll
        for (int j = 0; j < V; j++) v[h][j] = v[h][j] - m - s;
        store_row<T, V>(out, v[h], i, a.step);
    }
}
#else
DEV Op::A walk(const T *in, i64 n, i64 step, int lane) {
    Op::A acc = Op::none();
    for (i64 i = (i64)lane * V; i < n; i += LANES * V) {
        R v[V];
        load_row<T, V>(v, in, i, step);
        Op::take(acc, v);
    }
    __shared__ Op::A share[THREADS];
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

#define WALK \
    ROW \
    const Op::A acc = walk(in, n, a.step, lane); \
    if (!here) return;

extern "C" __global__ void __launch_bounds__(THREADS) softmax(const __grid_constant__ Args a) {
    WALK
    const R scale = 1 / acc.s + (acc.m - acc.m); // an infinite largest element makes the row NaN
    for (i64 i = (i64)lane * V; i < n; i += LANES * V) {
        R v[V];
        load_row<T, V>(v, in, i, a.step);
#pragma unroll
        for (int j = 0; j < V; j++) v[j] = op_exp(v[j] - acc.m) * scale;
        store_row<T, V>(out, v, i, a.step);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS) log_softmax(const __grid_constant__ Args a) {
    WALK
    const R less = op_log(acc.s) + (acc.m - acc.m);
    for (i64 i = (i64)lane * V; i < n; i += LANES * V) {
        R v[V];
        load_row<T, V>(v, in, i, a.step);
#pragma unroll
        for (int j = 0; j < V; j++) v[j] = v[j] - acc.m - less;
        store_row<T, V>(out, v, i, a.step);
    }
}
#endif
