// Selecting by keys, behind sort.cu: a block looks at one row. The key of the element that is number k in order is found by
// its digits, from the highest: each walk counts the elements that agree so far.

// kth finds that key; before is how many keys are less.
DEV K kth(const Args &a, i64 from, i64 k, i64 &before) {
    __shared__ u32 count[256];
    __shared__ i64 left;
    __shared__ u32 digit;
    K prefix = 0;
    i64 rest = k;
    for (int shift = 8 * (int)sizeof(K) - 8; shift >= 0; shift -= 8) {
        __syncthreads();
        count[threadIdx.x] = 0;
        __syncthreads();
        for (i64 i = threadIdx.x; i < a.n; i += 256) {
            const K key = key_at(a, from, i);
            if (shift == 8 * (int)sizeof(K) - 8 || key >> (shift + 8) == prefix >> (shift + 8)) atomicAdd(&count[(u32)(key >> shift) & 255], 1u);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            i64 sum = 0;
            int d = 0;
            while (d < 255 && sum + count[d] <= rest) sum += count[d++];
            digit = d;
            left = rest - sum;
        }
        __syncthreads();
        prefix |= (K)digit << shift;
        rest = left;
    }
    before = k - rest;
    return prefix;
}

// rank counts in how many threads before this one p holds, and in how many at all.
DEV int rank(bool p, int &all) {
    __shared__ int sums[8];
    const u32 bits = __ballot_sync(~0u, p);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    __syncthreads();
    if (lane == 0) sums[warp] = __popc(bits);
    __syncthreads();
    int before = __popc(bits & ((1u << lane) - 1));
    all = 0;
    for (int w = 0; w < 8; w++) {
        if (w < warp) before += sums[w];
        all += sums[w];
    }
    return before;
}

#ifdef TOPK
// The k first of a row in the order of their places, as keys to be sorted. Of elements equal to the last one taken, the
// first are.
extern "C" __global__ void __launch_bounds__(256) topk(const __grid_constant__ Args a) {
    const i64 row = blockIdx.x, from = start(a, row);
    i64 less;
    const K last = kth(a, from, a.k - 1, less);
    i64 equal = a.k - less, taken = 0;
    for (i64 i0 = 0; i0 < a.n && taken < a.k; i0 += 256) {
        const i64 i = i0 + threadIdx.x;
        const K key = i < a.n ? key_at(a, from, i) : ~(K)0;
        int equals, all;
        const bool same = i < a.n && key == last;
        const int nth = rank(same, equals);
        const bool take = i < a.n && (key < last || (same && nth < equal));
        const int at = rank(take, all);
        if (take) { a.keys[row * a.k + taken + at] = key; a.idx[row * a.k + taken + at] = (u32)i; }
        taken += all;
        equal -= min((i64)equals, equal);
    }
}
#endif

#ifdef MEDIAN
// The lower middle of rows. A NaN wins, or is left out with SKIP.
extern "C" __global__ void __launch_bounds__(256) median(const __grid_constant__ Args a) {
    const i64 row = blockIdx.x, from = start(a, row);
    __shared__ i64 nan; // the first one's place
    __shared__ u32 nans;
    if (threadIdx.x == 0) { nan = -1; nans = 0; }
    __syncthreads();
    for (i64 i = threadIdx.x; i < a.n; i += 256) {
        const R v = get(a.x[from + i * a.step]);
        if (v != v) { atomicAdd(&nans, 1u); nan = i; }
    }
    __syncthreads();
    if (nans > 0 && (!SKIP || nans == a.n)) {
        if (threadIdx.x == 0) a.out[row] = a.x[from + nan * a.step];
        return;
    }
    const i64 k = (a.n - nans - 1) / 2;
    i64 less;
    const K want = kth(a, from, k, less);
    i64 left = k - less; // of those that are equal, the one with this many before it
    for (i64 i0 = 0; i0 < a.n && left >= 0; i0 += 256) {
        const i64 i = i0 + threadIdx.x;
        const bool same = i < a.n && key_at(a, from, i) == want;
        int all;
        const int nth = rank(same, all);
        if (same && nth == left) a.out[row] = a.x[from + i * a.step];
        left -= all;
    }
}
#endif
