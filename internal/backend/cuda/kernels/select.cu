// Selection by keys (radix select); included after sort.cu. A block takes one row. The key of the k-th element is found by
// its digits, from the highest: each pass counts the elements that agree so far. Rows that fit stay in shared memory
// (HELD), so that they are read once.

const int WARPS = THREADS / 32, WIDTH = 11, BINS = 1 << WIDTH;

// the keys of a row, where they are held
#if HELD
extern __shared__ __align__(16) unsigned char memory[];
#define KEY(i) (((const K *)memory)[i])
#else
#define KEY(i) key_at(a, from, i)
#endif

// Found is the k-th element: its key, how many keys are less, and how many equal ones come before it.
struct Found { K key; u32 less, nth; };

// bin finds the bin of number k, and how many elements are before that bin.
DEV int bin(const u32 *count, u32 k, u32 &before) {
    __shared__ u32 sums[WARPS], to, less;
    const int EACH = BINS / THREADS, t = threadIdx.x, lane = t % 32, warp = t / 32;
    u32 own = 0;
#pragma unroll
    for (int j = 0; j < EACH; j++) own += count[t * EACH + j];
    u32 up = own;
#pragma unroll
    for (int s = 1; s < 32; s *= 2) {
        const u32 v = __shfl_up_sync(~0u, up, s);
        if (lane >= s) up += v;
    }
    if (lane == 31) sums[warp] = up;
    __syncthreads();
    u32 first = up - own;
#pragma unroll
    for (int w = 0; w < WARPS; w++)
        if (w < warp) first += sums[w];
    if (first <= k && k < first + own) { // true in one thread
        int b = t * EACH;
        for (; first + count[b] <= k; b++) first += count[b];
        to = b;
        less = first;
    }
    __syncthreads();
    before = less;
    return to;
}

// look is the first pass over the row: it counts the highest digits, stores the keys, and counts the NaNs. first is the
// index of the first of these.
DEV u32 look(const Args &a, i64 from, u32 *count, u32 &first) {
    __shared__ u32 nans, first_nan;
    for (int b = threadIdx.x; b < BINS; b += THREADS) count[b] = 0;
    if (threadIdx.x == 0) { nans = 0; first_nan = ~0u; }
    __syncthreads();
#pragma unroll 4
    for (i64 i = threadIdx.x; i < a.n; i += THREADS) {
        const R v = get(a.x[from + i * a.step]);
        const K key = Key<R>::of(v) ^ (K)(a.flip ? ~(K)0 : 0);
        if (v != v) { atomicAdd(&nans, 1u); atomicMin(&first_nan, (u32)i); }
#if HELD
        ((K *)memory)[i] = key;
#endif
        atomicAdd(&count[(u32)(key >> (8 * (int)sizeof(K) - WIDTH))], 1u);
    }
    __syncthreads();
    first = first_nan;
    return nans;
}

// kth finds element number k, behind look.
DEV Found kth(const Args &a, i64 from, u32 *count, u32 k) {
    Found f;
    f.key = 0;
    f.less = 0;
    for (int high = 8 * (int)sizeof(K), low; high > 0; high = low) {
        low = max(0, high - WIDTH);
        if (high < 8 * (int)sizeof(K)) {
            __syncthreads();
            for (int b = threadIdx.x; b < BINS; b += THREADS) count[b] = 0;
            __syncthreads();
            for (i64 i = threadIdx.x; i < a.n; i += THREADS) {
                const K key = KEY(i);
                if (key >> high == f.key >> high) atomicAdd(&count[(u32)(key >> low) & (u32)((1 << (high - low)) - 1)], 1u);
            }
            __syncthreads();
        }
        u32 before;
        f.key |= (K)bin(count, k - f.less, before) << low;
        f.less += before;
    }
    f.nth = k - f.less;
    return f;
}

// sides walks the row in order, a warp a segment of it, and tells for each element whether sorting puts it before the found
// one (0), it is that one (1), or it comes behind (2); how many elements of side 0 precede it; and whether the found one
// does.
template <class F> DEV void sides(const Args &a, i64 from, Found f, F say) {
    __shared__ u32 lesses[WARPS], equals[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const i64 span = (a.n + THREADS - 1) / THREADS * 32, lo = min(a.n, warp * span), hi = min(a.n, lo + span);
    u32 less = 0, equal = 0;
    for (i64 i = lo + lane; i < hi; i += 32) {
        const K key = KEY(i);
        less += key < f.key;
        equal += key == f.key;
    }
#pragma unroll
    for (int s = 16; s > 0; s /= 2) {
        less += __shfl_xor_sync(~0u, less, s);
        equal += __shfl_xor_sync(~0u, equal, s);
    }
    if (lane == 0) { lesses[warp] = less; equals[warp] = equal; }
    __syncthreads();
    less = equal = 0;
    for (int w = 0; w < warp; w++) { less += lesses[w]; equal += equals[w]; }
    const u32 mask = (1u << lane) - 1;
    for (i64 i0 = lo; i0 < hi; i0 += 32) {
        const i64 i = i0 + lane;
        const K key = i < hi ? KEY(i) : ~(K)0;
        const bool is = i < hi, under = is && key < f.key, same = is && key == f.key;
        const u32 unders = __ballot_sync(~0u, under), sames = __ballot_sync(~0u, same);
        const u32 l = less + __popc(unders & mask), e = equal + __popc(sames & mask); // before this one
        const u32 left = l + min(e, f.nth), side = under || (same && e < f.nth) ? 0 : same && e == f.nth ? 1 : 2;
        if (is) say(side, i, key, left, e > f.nth);
        less += __popc(unders);
        equal += __popc(sames);
    }
}

#ifdef TOPK
// The first k of a row in the order of their indices, as keys to be sorted. Of elements equal to the last one taken, the
// first are. Rows may be segments of one, a.columns apart.
extern "C" __global__ void __launch_bounds__(THREADS) topk(const __grid_constant__ Args a) {
    __shared__ u32 count[BINS];
    const i64 row = blockIdx.x, from = start(a, row);
    u32 first_nan;
    look(a, from, count, first_nan);
    const Found f = kth(a, from, count, (u32)a.k - 1);
    sides(a, from, f, [&](u32 side, i64 i, K key, u32 left, bool past) {
        const i64 at = row * a.k + left + past;
        if (side < 2) { a.keys[at] = key; a.idx[at] = (u32)(i + row * a.columns); }
    });
}
#endif

#ifdef PARTITION
// The indices of the elements before number k, in their order, that of number k, and those of the elements behind it.
extern "C" __global__ void __launch_bounds__(THREADS) partition(const __grid_constant__ Args a) {
    __shared__ u32 count[BINS];
    const i64 row = blockIdx.x, from = start(a, row);
    u32 first_nan;
    look(a, from, count, first_nan);
    const Found f = kth(a, from, count, (u32)a.k);
    sides(a, from, f, [&](u32 side, i64 i, K, u32 left, bool past) {
        a.at[from + (side == 2 ? a.k + 1 + i - left - past : side == 1 ? a.k : (i64)left) * a.step] = i;
    });
}
#endif

#ifdef MEDIAN
// The lower median of rows. A NaN wins, or is skipped with SKIP.
extern "C" __global__ void __launch_bounds__(THREADS) median(const __grid_constant__ Args a) {
    __shared__ u32 count[BINS];
    const i64 row = blockIdx.x, from = start(a, row);
    u32 first_nan;
    const u32 nans = look(a, from, count, first_nan);
    if (nans > 0 && (!SKIP || nans == a.n)) {
        if (threadIdx.x == 0) a.out[row] = a.x[from + first_nan * a.step];
        return;
    }
    const Found f = kth(a, from, count, (u32)(a.n - nans - 1) / 2);
    if (!Key<R>::lossy(f.key)) {
        if (threadIdx.x == 0) a.out[row] = Put<T>::put(Key<R>::from(f.key));
        return;
    }
    sides(a, from, f, [&](u32 side, i64 i, K, u32, bool) {
        if (side == 1) a.out[row] = a.x[from + i * a.step];
    });
}
#endif
