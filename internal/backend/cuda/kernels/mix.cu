// A sparse matrix, by rows, times a dimension: x is lead by n by inner, the result lead by size by inner, counted in INDEX. A thread for every element of
// the result; what the matrix holds need not be right.

struct Args {
    i64 total;
    T *out; const T *x; const i64 *starts, *at; const T *w;
    i64 n, size, inner, terms;
};

extern "C" __global__ void __launch_bounds__(256) mix(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.total) return;
    const INDEX q = (INDEX)e / (INDEX)a.inner, lead = q / (INDEX)a.size, o = q - lead * (INDEX)a.size;
    const T *x = a.x + (i64)lead * a.n * a.inner + (e - (i64)q * a.inner);
    const i64 lo = max(a.starts[o], (i64)0), hi = min(a.starts[o + 1], a.terms);
    T s = 0;
    for (i64 p = lo; p < hi; p++) {
        const i64 i = a.at[p];
        if ((u64)i < (u64)a.n) s += a.w[p] * x[i * a.inner];
    }
    a.out[e] = s;
}
