// Searching, a thread for each value.

#ifdef SEARCHSORTED
typedef Rep<T>::R R;
// Binary search in rows of n sorted elements by `per` values each: for the first element not less, or with RIGHT the first
// greater. A NaN finds the end.
struct Args { i64 total, n, per; i64 *out; const T *seq; const T *x; };

extern "C" __global__ void __launch_bounds__(256) searchsorted(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.total) return;
    const T *row = a.seq + e / a.per * a.n;
    const R x = get(a.x[e]);
    i64 lo = 0, hi = a.n;
    while (lo < hi) {
        const i64 mid = (lo + hi) / 2;
        const R v = get(row[mid]);
        if (RIGHT ? x < v : !(v < x) && x == x) hi = mid; else lo = mid + 1;
    }
    a.out[e] = lo;
}
#endif

#ifdef ISIN
typedef Rep<T>::R R;
struct Args { i64 total, n; b8 *out; const T *x; const T *set; };

extern "C" __global__ void __launch_bounds__(256) isin(const __grid_constant__ Args a) {
    __shared__ T set[256];
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    const R x = get(a.x[min(e, a.total - 1)]);
    bool found = false;
    for (i64 i0 = 0; i0 < a.n; i0 += 256) {
        const int live = (int)min((i64)256, a.n - i0);
        __syncthreads();
        if (threadIdx.x < live) set[threadIdx.x] = a.set[i0 + threadIdx.x];
        __syncthreads();
        for (int i = 0; i < live; i++) found |= x == get(set[i]);
    }
    if (e < a.total) a.out[e] = Put<b8>::put(found);
}
#endif

#ifdef ISIN_SORTED
// The set is given by its sorted keys; see key.cu.
struct Args { i64 total, n; b8 *out; const T *x; const K *set; };

extern "C" __global__ void __launch_bounds__(256) isin_sorted(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.total) return;
    const R x = get(a.x[e]);
    const K key = Key<R>::of(x);
    i64 lo = 0, hi = a.n;
    while (lo < hi) {
        const i64 mid = (lo + hi) / 2;
        if (a.set[mid] < key) lo = mid + 1; else hi = mid;
    }
    a.out[e] = Put<b8>::put(x == x && lo < a.n && a.set[lo] == key);
}
#endif
