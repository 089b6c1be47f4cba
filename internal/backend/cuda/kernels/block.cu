// total adds one value of each of L neighbouring threads in a fixed order; all of them get the sum. Every thread of the
// block must come by.
template <class R, int L> DEV R total(R v, int lane) {
    __shared__ R share[256];
    __syncthreads();
    share[threadIdx.x] = v;
    for (int s = L / 2; s > 0; s /= 2) {
        __syncthreads();
        if (lane < s) share[threadIdx.x] = v = v + share[threadIdx.x + s];
    }
    __syncthreads();
    return share[threadIdx.x - lane];
}

// load_row and store_row move V elements of a row: neighbours in memory where V is more than 1, else `step` apart.
template <class M, int N, class R> DEV void load_row(R (&r)[N], const M *row, i64 i, i64 step) {
    if (N > 1) load_vec<M, N>(r, row + i, N);
    else r[0] = get(row[i * step]);
}
template <class M, int N, class R> DEV void store_row(M *row, const R (&r)[N], i64 i, i64 step) {
    if (N > 1) store_vec<M, N>(row + i, r, N);
    else row[i * step] = Put<M>::put(r[0]);
}
