// Attention with its score matrix in memory, where the tensor-core kernels do not apply: a row of scores becomes weights
// (WEIGHTS), or a row of scores and one of their cotangents become weights and cotangents (COTANGENTS).
struct Args {
    i64 rows, heads, length, keys;
    T *scores, *other; // COTANGENTS: other is the cotangent of the weights
    T *lse;
    const T *sums;
    const MASK *mask;
    i64 strides[4]; // of the mask
    double scale;
    i64 causal;
};

DEV T score(const Args &a, i64 row, i64 j) {
    const i64 l = row % a.length, h = row / a.length % a.heads, n = row / a.length / a.heads;
    T x = a.scores[row * a.keys + j] * (T)a.scale;
    const T none = -(T)(1.0 / 0.0);
    if (a.mask) {
        const MASK m = a.mask[n * a.strides[0] + h * a.strides[1] + l * a.strides[2] + j * a.strides[3]];
#if MASK_IS_BOOL
        if (!get(m)) x = none;
#else
        x += (T)get(m);
#endif
    }
    return a.causal && j > l ? none : x;
}

DEV T exponential(T x) { return exp(x); }

#ifdef WEIGHTS
extern "C" __global__ void attention_weights(const __grid_constant__ Args a) {
    const i64 row = blockIdx.x;
    const int lane = threadIdx.x;
    __shared__ T share[256];
    const T none = -(T)(1.0 / 0.0);
    T top = none;
    for (i64 j = lane; j < a.keys; j += 256) { T x = score(a, row, j); top = x > top || x != x ? x : top; }
    share[lane] = top;
    for (int s = 128; s > 0; s /= 2) {
        __syncthreads();
        if (lane < s) { T y = share[lane + s]; if (y > share[lane] || y != y) share[lane] = y; }
    }
    __syncthreads();
    top = share[0];
    const bool blind = top == none && (a.mask || a.keys == 0);
    T sum = 0;
    for (i64 j = lane; j < a.keys; j += 256) sum += exponential(score(a, row, j) - top);
    __syncthreads();
    share[lane] = sum;
    for (int s = 128; s > 0; s /= 2) {
        __syncthreads();
        if (lane < s) share[lane] += share[lane + s];
    }
    __syncthreads();
    sum = share[0];
    for (i64 j = lane; j < a.keys; j += 256) {
        const T p = exponential(score(a, row, j) - top) / sum;
        a.scores[row * a.keys + j] = blind ? 0 : p;
    }
    if (lane == 0) a.lse[row] = blind ? -none : top + log(sum);
}
#endif

#ifdef COTANGENTS
extern "C" __global__ void attention_cotangents(const __grid_constant__ Args a) {
    const i64 row = blockIdx.x;
    const T lse = a.lse[row], sum = a.sums[row];
    for (i64 j = threadIdx.x; j < a.keys; j += 256) {
        const i64 at = row * a.keys + j;
        const T p = exponential(score(a, row, j) - lse), d = a.other[at];
        a.scores[at] = p;
        a.other[at] = p * (d - sum) * (T)a.scale;
    }
}
#endif
