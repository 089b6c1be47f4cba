// Weighted sums of rows of a table: a thread computes V adjacent elements of the result, counted in INDEX. An index of -1
// is no row; indices are checked against the bounds.

struct Args {
    i64 total;
    T *out; const T *x; const i64 *at; const T *w;
    i64 rows, cols, terms, sums;
};

extern "C" __global__ void __launch_bounds__(256) bag(const __grid_constant__ Args a) {
    const INDEX e = (INDEX)blockIdx.x * 256u + threadIdx.x, across = (INDEX)a.cols / V;
    if (e >= (INDEX)a.total) return;
    const INDEX p = e / across;
    const i64 c = (i64)(e - p * across) * V;
    T s[V] = {};
#pragma unroll 4
    for (i64 t = 0; t < a.terms; t++) {
        const i64 i = a.at[t * a.sums + p];
        const T w = a.w[t * a.sums + p];
        const bool is = (u64)i < (u64)a.rows;
        T v[V];
        load_vec<T, V>(v, a.x + (is ? i : 0) * a.cols + c, is ? V : 0);
        if (is)
#pragma unroll
            for (int j = 0; j < V; j++) s[j] += w * v[j];
    }
    store_vec<T, V>(a.out + (i64)p * a.cols + c, s, V);
}
