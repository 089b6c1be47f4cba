// layer_norm and rms_norm over rows of n contiguous elements, LANES threads a row: a walk for the mean, one for the
// squares around it, one for the results; rows stay in cache between them.

typedef Rep<T>::R R;

struct Args { i64 rows, n; double eps; T *out; STAT *mean; STAT *rstd; const T *in; const W *weight; const W *bias; };

DEV R total(R v, int lane) {
    __shared__ R share[256];
    __syncthreads();
    share[threadIdx.x] = v;
    for (int s = LANES / 2; s > 0; s /= 2) {
        __syncthreads();
        if (lane < s) share[threadIdx.x] = v = v + share[threadIdx.x + s];
    }
    __syncthreads();
    return share[threadIdx.x - lane];
}

extern "C" __global__ void __launch_bounds__(256) row_norm(const __grid_constant__ Args a) {
    const int lane = threadIdx.x % LANES;
    const i64 row = (i64)blockIdx.x * (256 / LANES) + threadIdx.x / LANES;
    const bool here = row < a.rows;
    const i64 n = here ? a.n : 0;
    const T *in = a.in + (here ? row * a.n : 0);
    R mean = 0;
    if (CENTRED) {
        R s = 0;
        for (i64 i = lane; i < n; i += LANES) s += get(in[i]);
        mean = total(s, lane) / (R)a.n;
    }
    R s = 0;
    for (i64 i = lane; i < n; i += LANES) {
        const R d = get(in[i]) - mean;
        s += d * d;
    }
    const R rstd = 1 / op_sqrt(total(s, lane) / (R)a.n + (R)a.eps);
    if (!here) return;
    T *out = a.out + row * a.n;
    for (i64 i = lane; i < n; i += LANES) {
        R y = (get(in[i]) - mean) * rstd;
        if (a.weight) y *= (R)get(a.weight[i]);
        if (a.bias) y += (R)get(a.bias[i]);
        out[i] = Put<T>::put(y);
    }
    if (lane == 0) {
        if (CENTRED) a.mean[row] = Put<STAT>::put(mean);
        a.rstd[row] = Put<STAT>::put(rstd);
    }
}
