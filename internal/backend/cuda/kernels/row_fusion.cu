// Row operations of fused row programs, on a row that LANES threads hold, HELD vectors of V each; included after block.cu
// and reduce_ops.cu. Every thread of the block must call them, also those without a row: n is 0 there.

#define ROW(R) R (&v)[HELD][V]
#define EACH(h, i) MINE(h, i) _Pragma("unroll") for (int j = 0; j < V; j++)

// An exponential that is rounded to a half type needs no more than the hardware's approximation.
template <class M> struct Exp { template <class R> static DEV R of(R x) { return op_exp(x); } };
#define ROUGH(M) \
    template <> struct Exp<M> { static DEV float of(float x) { float y; x *= 1.44269504f; \
        asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; } };
ROUGH(f16) ROUGH(bf16)

template <class M, class R> DEV void row_softmax(R (&out)[HELD][V], const ROW(R), int lane, i64 n) {
    R m = -(R)INF, s = 0;
    EACH(h, i) m = Max::join(m, v[h][j]);
    m = joined<Max, LANES>(m);
    EACH(h, i) s += out[h][j] = Exp<M>::of(v[h][j] - m);
    s = 1 / joined<Add, LANES>(s);
    EACH(h, i) out[h][j] = rounded<M>(out[h][j] * s);
}
template <class M, class R> DEV void row_log_softmax(R (&out)[HELD][V], const ROW(R), int lane, i64 n) {
    R m = -(R)INF, s = 0;
    EACH(h, i) m = Max::join(m, v[h][j]);
    m = joined<Max, LANES>(m);
    EACH(h, i) s += op_exp(v[h][j] - m);
    s = op_log(joined<Add, LANES>(s));
    EACH(h, i) out[h][j] = rounded<M>(v[h][j] - m - s);
}
// The cotangent of softmax: y·(g - Σ g·y).
template <class M, class R> DEV void row_softmax_grad(R (&out)[HELD][V], const ROW(R), const R (&y)[HELD][V], int lane, i64 n) {
    R s = 0;
    EACH(h, i) s += v[h][j] * y[h][j];
    s = joined<Add, LANES>(s);
    EACH(h, i) out[h][j] = rounded<M>(y[h][j] * (v[h][j] - s));
}

// lane_of shuffles an accumulator from another lane.
template <class A, class F> DEV A lane_of(A v, F shuffle) {
    const int N = (sizeof(A) + 3) / 4;
    u32 w[N] = {};
    memcpy(w, &v, sizeof(A));
#pragma unroll
    for (int i = 0; i < N; i++) w[i] = shuffle(w[i]);
    memcpy(&v, w, sizeof(A));
    return v;
}

// row_fold reduces the row in a fixed order; all threads get the result.
template <class Op, class R> DEV auto row_fold(const ROW(R), int lane, i64 n, i64 all, double p) {
    typedef typename Op::A A;
    A acc = Op::none();
    EACH(h, i) Op::add(acc, v[h][j], i + j, p);
#pragma unroll
    for (int s = 16; s > 0; s /= 2) {
        const A other = lane_of(acc, [s](u32 w) { return __shfl_down_sync(~0u, w, s); });
        if (threadIdx.x % 32 < s) merge2<Op>(acc, other, p, 0);
    }
    acc = lane_of(acc, [](u32 w) { return __shfl_sync(~0u, w, 0); });
    if (LANES > 32) {
        __shared__ A share[32];
        const int warp = threadIdx.x / 32, first = warp / (LANES / 32) * (LANES / 32);
        __syncthreads();
        if (threadIdx.x % 32 == 0) share[warp] = acc;
        __syncthreads();
        acc = share[first];
        for (int k = 1; k < LANES / 32; k++) merge2<Op>(acc, share[first + k], p, 0);
    }
    return Op::done(acc, all, p);
}
