// For threads that share a row: LANES of them, adjacent, a warp or several.

struct Add { template <class R> static DEV R join(R x, R y) { return x + y; } };
struct Max { // ignores NaN; callers that need it check elsewhere
    static DEV float join(float x, float y) { return fmaxf(x, y); }
    static DEV double join(double x, double y) { return fmax(x, y); }
};

// joined combines one value of each of L threads in a fixed order; all of them get the result. Every thread of the block
// must call it.
template <class J, int L, class R> DEV R joined(R v) {
#pragma unroll
    for (int m = 16; m > 0; m /= 2) v = J::join(v, __shfl_xor_sync(~0u, v, m));
    if (L > 32) {
        __shared__ R share[32];
        const int warp = threadIdx.x / 32, first = warp / (L / 32) * (L / 32);
        __syncthreads();
        if (threadIdx.x % 32 == 0) share[warp] = v;
        __syncthreads();
        v = share[first];
#pragma unroll
        for (int k = 1; k < L / 32; k++) v = J::join(v, share[first + k]);
    }
    return v;
}

// load_row and store_row move V elements of a row: adjacent in memory where V is more than 1, else `step` apart.
template <class M, int N, class R> DEV void load_row(R (&r)[N], const M *row, i64 i, i64 step) {
    if (N > 1) load_vec<M, N>(r, row + i, N);
    else r[0] = get(row[i * step]);
}
template <class M, int N, class R> DEV void store_row(M *row, const R (&r)[N], i64 i, i64 step) {
    if (N > 1) store_vec<M, N>(row + i, r, N);
    else row[i * step] = Put<M>::put(r[0]);
}

#define THREADS (LANES > 256 ? LANES : 256)

// MINE loops over this thread's vectors of a row: h counts them, i is the first element of each.
#define MINE(h, i) \
    _Pragma("unroll") for (int h = 0; h < HELD; h++) \
        if (const i64 i = (i64)(h * LANES + lane) * V; i < n)
