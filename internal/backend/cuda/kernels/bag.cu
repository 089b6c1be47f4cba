// Sums of rows of a table times weights, counted in INDEX: a thread for every element of the result. A place of -1 is no row; what the places hold need not be right.

struct Args {
    i64 total;
    T *out; const T *x; const i64 *at; const T *w;
    i64 rows, cols, terms, sums;
};

extern "C" __global__ void __launch_bounds__(256) bag(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.total) return;
    const i64 p = (INDEX)e / (INDEX)a.cols, c = e - p * a.cols;
    T s = 0;
    for (i64 t = 0; t < a.terms; t++) {
        const i64 i = a.at[t * a.sums + p];
        if ((u64)i < (u64)a.rows) s += a.w[t * a.sums + p] * a.x[i * a.cols + c];
    }
    a.out[e] = s;
}
