// A sparse matrix in CSR form times a dimension: x is lead by n by inner, the result lead by size by inner. A thread
// computes V adjacent elements of LEADS rows, counted in INDEX; the matrix's indices are checked against the bounds.

struct Args {
    i64 total, lead;
    T *out; const T *x; const i64 *starts, *at; const T *w;
    i64 n, size, inner, terms;
};

extern "C" __global__ void __launch_bounds__(256) spmm(const __grid_constant__ Args a) {
    const INDEX e = (INDEX)blockIdx.x * 256u + threadIdx.x, across = (INDEX)a.inner / V;
    if (e >= (INDEX)a.total) return;
    const INDEX q = e / across, r = q / (INDEX)a.size, o = q - r * (INDEX)a.size;
    const i64 first = (i64)r * LEADS, c = (i64)(e - q * across) * V, by = a.n * a.inner;
    const T *x = a.x + first * by + c;
    const i64 lo = max(a.starts[o], (i64)0), hi = min(a.starts[o + 1], a.terms);
    T s[LEADS][V] = {};
    for (i64 p = lo; p < hi; p++) {
        const i64 i = a.at[p];
        const T w = a.w[p];
        if ((u64)i >= (u64)a.n) continue;
        T v[LEADS][V];
#pragma unroll
        for (int l = 0; l < LEADS; l++) load_vec<T, V>(v[l], x + l * by + i * a.inner, first + l < a.lead ? V : 0);
#pragma unroll
        for (int l = 0; l < LEADS; l++)
#pragma unroll
            for (int j = 0; j < V; j++) s[l][j] += w * v[l][j];
    }
#pragma unroll
    for (int l = 0; l < LEADS; l++) store_vec<T, V>(a.out + ((first + l) * a.size + o) * a.inner + c, s[l], first + l < a.lead ? V : 0);
}
