// layer_norm and rms_norm over rows of n contiguous elements, LANES threads a row: a walk for the mean, one for the
// squares around it, one for the results; rows stay in cache between them.

typedef Rep<T>::R R;

#ifdef FORWARD
struct Args { i64 rows, n; double eps; T *out; STAT *mean; STAT *rstd; const T *in; const W *weight; const W *bias; };

extern "C" __global__ void __launch_bounds__(256) row_norm(const __grid_constant__ Args a) {
    const int lane = threadIdx.x % LANES;
    const i64 row = (i64)blockIdx.x * (256 / LANES) + threadIdx.x / LANES;
    const bool here = row < a.rows;
    const i64 n = here ? a.n : 0;
    const T *in = a.in + (here ? row * a.n : 0);
    R mean = 0;
    if (CENTRED) {
        R s = 0;
        for (i64 i = lane * V; i < n; i += LANES * V) {
            R v[V];
            load_row<T, V>(v, in, i, 1);
#pragma unroll
            for (int j = 0; j < V; j++) s += v[j];
        }
        mean = total<R, LANES>(s, lane) / (R)a.n;
    }
    R s = 0;
    for (i64 i = lane * V; i < n; i += LANES * V) {
        R v[V];
        load_row<T, V>(v, in, i, 1);
#pragma unroll
        for (int j = 0; j < V; j++) s += (v[j] - mean) * (v[j] - mean);
    }
    const R rstd = 1 / op_sqrt(total<R, LANES>(s, lane) / (R)a.n + (R)a.eps);
    if (!here) return;
    T *out = a.out + row * a.n;
    for (i64 i = lane * V; i < n; i += LANES * V) {
        R v[V];
        Rep<W>::R w[V];
        load_row<T, V>(v, in, i, 1);
#pragma unroll
        for (int j = 0; j < V; j++) v[j] = (v[j] - mean) * rstd;
        if (a.weight) {
            load_row<W, V>(w, a.weight, i, 1);
#pragma unroll
            for (int j = 0; j < V; j++) v[j] *= (R)w[j];
        }
        if (a.bias) {
            load_row<W, V>(w, a.bias, i, 1);
#pragma unroll
            for (int j = 0; j < V; j++) v[j] += (R)w[j];
        }
        store_row<T, V>(out, v, i, 1);
    }
    if (lane == 0) {
        if (CENTRED) a.mean[row] = Put<STAT>::put(mean);
        a.rstd[row] = Put<STAT>::put(rstd);
    }
}
#endif

#ifdef BACKWARD
// With h = g·weight and x̂ the normalised row, the cotangent of x is rstd·(h - mean(h) - x̂·mean(h·x̂)), mean(h) being left
// out where the row was not centred.
struct Args { i64 rows, n; T *out; const T *g; const T *in; const STAT *mean; const STAT *rstd; const W *weight; };

extern "C" __global__ void __launch_bounds__(256) row_norm_grad(const __grid_constant__ Args a) {
    const int lane = threadIdx.x % LANES;
    const i64 row = (i64)blockIdx.x * (256 / LANES) + threadIdx.x / LANES;
    const bool here = row < a.rows;
    const i64 n = here ? a.n : 0, at = here ? row * a.n : 0;
    const R mean = CENTRED && here ? (R)get(a.mean[row]) : (R)0, rstd = here ? (R)get(a.rstd[row]) : (R)0;
    R sum = 0, dot = 0;
    for (i64 i = lane; i < n; i += LANES) {
        R h = get(a.g[at + i]);
        if (a.weight) h *= (R)get(a.weight[i]);
        sum += h;
        dot += h * ((get(a.in[at + i]) - mean) * rstd);
    }
    dot = total<R, LANES>(dot, lane) / (R)a.n;
    sum = CENTRED ? total<R, LANES>(sum, lane) / (R)a.n : (R)0;
    for (i64 i = lane; i < n; i += LANES) {
        R h = get(a.g[at + i]);
        if (a.weight) h *= (R)get(a.weight[i]);
        const R hat = (get(a.in[at + i]) - mean) * rstd;
        a.out[at + i] = Put<T>::put(rstd * (h - sum - hat * dot));
    }
}
#endif
