// The pointwise step of a recurrent layer between two matmuls with the recurrent weight: a thread has a unit of a sequence.
// Elements are T in memory; states are R and never rounded. Rows of gates have GATES·h elements.

typedef Rep<T>::R R;

DEV R sigmoid(R x) { return (R)op_sigmoid(x); }

#if defined(FORWARD)
struct Args { i64 n, h; const T *gx; const R *s; const T *bias; R *c; R *state; T *y; T *extra; T *z; };

// s is the product; the state's part of a gate is that and a bias.
extern "C" __global__ void __launch_bounds__(256) recurrent(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.n * a.h) return;
    const i64 row = e / a.h, u = e % a.h, at = row * GATES * a.h + u;
    R x[GATES], s[GATES];
#pragma unroll
    for (int q = 0; q < GATES; q++) {
        x[q] = get(a.gx[at + q * a.h]);
        s[q] = a.s[at + q * a.h];
        if (a.bias) s[q] += get(a.bias[q * a.h + u]);
    }
    R h, cell = 0;
#if CELL == LSTM
    x[0] = sigmoid(x[0] + s[0]);
    x[1] = sigmoid(x[1] + s[1]);
    x[2] = op_tanh(x[2] + s[2]);
    x[3] = sigmoid(x[3] + s[3]);
    cell = x[1] * a.c[e] + x[0] * x[2];
    a.c[e] = cell;
    h = x[3] * op_tanh(cell);
#elif CELL == GRU
    x[0] = sigmoid(x[0] + s[0]);
    x[1] = sigmoid(x[1] + s[1]);
    cell = s[2];
    x[2] = op_tanh(x[2] + x[0] * cell);
    h = x[2] + x[1] * (a.state[e] - x[2]);
#elif CELL == RELU
    h = x[0] + s[0];
    if (h <= 0) h = 0;
#else
    h = op_tanh(x[0] + s[0]);
#endif
    a.state[e] = h;
    if (a.y) a.y[e] = Put<T>::put(h);
    if (a.extra) a.extra[e] = Put<T>::put(cell);
    if (a.z)
#pragma unroll
        for (int q = 0; q < GATES; q++) a.z[at + q * a.h] = Put<T>::put(x[q]);
}
#elif defined(BACKWARD)
struct Args { i64 n, h, has; const T *z; const T *saved; const T *prev; const T *start; const T *dy; const R *dh; const T *dc; R *carry;
    R *dgates; T *dz; T *extra; };

// dgates are the cotangents that are multiplied by the recurrent weight, dz those of the gates; carry bypasses the weight:
// an LSTM's cell state, a GRU's state. The value before the step is that of prev for the first sequences.
extern "C" __global__ void __launch_bounds__(256) recurrent_grad(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.n * a.h) return;
    const i64 row = e / a.h, u = e % a.h, at = row * GATES * a.h + u;
    R z[GATES], d[GATES], dh = a.dh[e];
    if (a.dy) dh += get(a.dy[e]);
#pragma unroll
    for (int q = 0; q < GATES; q++) z[q] = get(a.z[at + q * a.h]);
#if CELL == LSTM
    const R tc = op_tanh((R)get(a.saved[e])), before = row < a.has ? get(a.prev[e]) : get(a.start[e]);
    R dc = a.carry[e] + dh * z[3] * (1 - tc * tc);
    if (a.dc) dc += get(a.dc[e]);
    d[0] = dc * z[2] * z[0] * (1 - z[0]);
    d[1] = dc * before * z[1] * (1 - z[1]);
    d[2] = dc * z[0] * (1 - z[2] * z[2]);
    d[3] = dh * tc * z[3] * (1 - z[3]);
    a.carry[e] = dc * z[1];
#elif CELL == GRU
    const R before = row < a.has ? get(a.prev[e]) : get(a.start[e]);
    dh += a.carry[e];
    const R dn = dh * (1 - z[1]) * (1 - z[2] * z[2]), dq = dn * z[0];
    d[0] = dn * get(a.saved[e]) * z[0] * (1 - z[0]);
    d[1] = dh * (before - z[2]) * z[1] * (1 - z[1]);
    d[2] = dn;
    a.carry[e] = dh * z[1];
    a.extra[e] = Put<T>::put(dq);
#elif CELL == RELU
    d[0] = z[0] > 0 ? dh : (R)0;
#else
    d[0] = dh * (1 - z[0] * z[0]);
#endif
#pragma unroll
    for (int q = 0; q < GATES; q++) {
        a.dz[at + q * a.h] = Put<T>::put(d[q]);
#if CELL == GRU
        if (q == 2) d[q] = dq;
#endif
        a.dgates[at + q * a.h] = d[q];
    }
}
#else
struct Args { i64 n; const R *x; const T *y; const R *w; R *wide; T *out; };

// x + y + w, as far as they are given, to wide and out, as far as they are given.
extern "C" __global__ void __launch_bounds__(256) recurrent_put(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.n) return;
    R v = a.x[e];
    if (a.y) v += get(a.y[e]);
    if (a.w) v += a.w[e];
    if (a.wide) a.wide[e] = v;
    if (a.out) a.out[e] = Put<T>::put(v);
}
#endif
