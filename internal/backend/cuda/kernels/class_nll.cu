// class_nll, log Σ exp(x) - x[target] along rows, and the cotangent of its input. Elements of x are X in memory, those of
// the cotangent Z, per-row values T. A row is n elements `step` apart; outer positions are `pitch` elements apart. Where V
// is more than 1, step is 1 and rows are aligned to vectors; they may end within one.

typedef Rep<T>::R R;
typedef Logsumexp<R> Op;

#ifdef FORWARD
struct Args { i64 rows, n, step, pitch; T *out; T *sums; const X *x; const i64 *target; Fault *fault; };

// part loads V elements of a row from number i on; elements behind its end contribute nothing.
DEV void part(R (&v)[V], const X *x, i64 i, i64 n, i64 step) {
    if (V > 1 && i + V <= n) load_vec<X, V>(v, x + i, V);
    else
#pragma unroll
        for (int j = 0; j < V; j++) v[j] = i + j < n ? (R)get(x[(i + j) * step]) : -(R)INF;
}

// LANES threads share a row; each has two vectors in flight.
extern "C" __global__ void __launch_bounds__(256) class_nll(const __grid_constant__ Args a) {
    const int lane = threadIdx.x % LANES;
    const i64 row = (i64)blockIdx.x * (256 / LANES) + threadIdx.x / LANES;
    const bool here = row < a.rows;
    const i64 n = here ? a.n : 0;
    const X *x = a.x + (here ? row / a.step * a.pitch + row % a.step : 0);
    Op::A acc = Op::none();
    for (i64 i = (i64)lane * V; i < n; i += 2 * LANES * V) {
        R v[V], w[V];
        part(v, x, i, n, a.step);
        part(w, x, i + LANES * V, n, a.step);
        Op::take(acc, v);
        Op::take(acc, w);
    }
    __shared__ Op::A share[256];
    share[threadIdx.x] = acc;
    for (int s = LANES / 2; s > 0; s /= 2) {
        __syncthreads();
        if (lane < s) {
            Op::merge(acc, share[threadIdx.x + s]);
            share[threadIdx.x] = acc;
        }
    }
    if (lane != 0 || !here) return;
    const R sum = Op::done(acc, a.n, 0);
    const i64 t = a.target[row];
    R at = 0;
    if (t < 0 || t >= a.n) report_fault(a.fault, 1, t, a.n);
    else at = get(x[t * a.step]);
    a.out[row] = Put<T>::put(sum - at);
    a.sums[row] = Put<T>::put(sum);
}
#else
struct Args { i64 rows, n, step, pitch, zpitch, chunks; Z *z; const X *x; const T *lse; const i64 *target; const T *s; const T *g;
    Fault *fault; };

// An exponential that is rounded to a half type needs no more than the hardware's approximation.
template <class M> struct Exp { static DEV R of(R x) { return op_exp(x); } };
#define ROUGH(M) \
    template <> struct Exp<M> { static DEV float of(float x) { float y; x *= 1.44269504f; \
        asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; } };
ROUGH(f16) ROUGH(bf16)

// exp(x - lse)·s, less g at the target.
DEV void put(Z *z, const Rep<X>::R (&v)[V], i64 i, i64 t, R lse, R s, R g, i64 left) {
    Rep<Z>::R w[V];
#pragma unroll
    for (int j = 0; j < V; j++) w[j] = Exp<Z>::of((R)v[j] - lse) * s - (i + j == t ? g : (R)0);
    store_vec<Z, V>(z, w, left);
}

extern "C" __global__ void __launch_bounds__(256) class_nll_grad(const __grid_constant__ Args a) {
#if LANES > 1 // threads share a contiguous row, each with four vectors in flight
    const int lane = threadIdx.x % LANES;
    const i64 row = (i64)blockIdx.x * (256 / LANES) + threadIdx.x / LANES;
    if (row >= a.rows) return;
    const X *x = a.x + row * a.pitch;
    Z *z = a.z + row * a.zpitch;
    const i64 t = a.target[row];
    const R lse = get(a.lse[row]), s = get(a.s[row]), g = get(a.g[row]);
    for (i64 i = (i64)lane * V; i < a.n; i += 4 * LANES * V) {
        Rep<X>::R v[4][V];
#pragma unroll
        for (int u = 0; u < 4; u++)
            if (i + u * LANES * V < a.n) load_vec<X, V>(v[u], x + i + u * LANES * V, a.n - i - u * LANES * V);
#pragma unroll
        for (int u = 0; u < 4; u++)
            if (i + u * LANES * V < a.n) put(z + i + u * LANES * V, v[u], i + u * LANES * V, t, lse, s, g, a.n - i - u * LANES * V);
    }
    if (lane == 0 && (t < 0 || t >= a.n)) report_fault(a.fault, 1, t, a.n);
#else // a thread an element, in memory order
    const i64 outer = blockIdx.x / (u32)a.chunks, e = (i64)(blockIdx.x % (u32)a.chunks) * 256 + threadIdx.x;
    if (e >= a.n * a.step) return;
    const i64 i = e / a.step, row = outer * a.step + e % a.step, t = a.target[row];
    Rep<X>::R v[V];
    v[0] = get(a.x[outer * a.pitch + e]);
    put(a.z + outer * a.zpitch + e, v, i, t, get(a.lse[row]), get(a.s[row]), get(a.g[row]), 1);
    if (i == 0 && (t < 0 || t >= a.n)) report_fault(a.fault, 1, t, a.n);
#endif
}
#endif
