// Stable sorting along rows, by keys. A row is n elements `step` apart, n below 2³².

struct Args {
    i64 rows, n, step, k; // k: how many are wanted
    const T *x; T *out; i64 *at;
    K *keys; u32 *idx; K *keys2; u32 *idx2;
    i64 flip, width, column, columns;
};

DEV i64 start(const Args &a, i64 row) { return row / a.step * a.n * a.step + row % a.step; }
DEV K key_at(const Args &a, i64 from, i64 i) { return Key<R>::of(get(a.x[from + i * a.step])) ^ (K)(a.flip ? ~(K)0 : 0); }
// leave stores the j-th of the k wanted elements of a row, which is element i.
DEV void leave(const Args &a, i64 row, i64 j, i64 i) {
    const i64 o = (row / a.step * a.k + j) * a.step + row % a.step;
    if (a.out) a.out[o] = a.x[start(a, row) + i * a.step];
    a.at[o] = i;
}

#if defined(SORT_ROWS) || defined(SORT_TILES)
// bitonic sorts rows of P adjacent keys in shared memory, each with its position: no two are equal.
DEV void bitonic(K *key, u16 *pos, int total) {
    for (int size = 2; size <= P; size *= 2)
        for (int half = size / 2; half > 0; half /= 2) {
            __syncthreads();
            for (int t = threadIdx.x; t < total / 2; t += 256) {
                const int i = t / half * 2 * half + t % half, j = i + half;
                const bool up = (i & size) == 0 || size == P;
                const K x = key[i], y = key[j];
                const u16 p = pos[i], q = pos[j];
                if ((x > y || (x == y && p > q)) == up) { key[i] = y; key[j] = x; pos[i] = q; pos[j] = p; }
            }
        }
    __syncthreads();
}
#endif

#ifdef SORT_ROWS
// Several rows of at most P elements a block: from x to the results.
#define ROWS (2048 / P)
extern "C" __global__ void __launch_bounds__(256) sort_rows(const __grid_constant__ Args a) {
    __shared__ K key[2048];
    __shared__ u16 pos[2048];
    const i64 first = (i64)blockIdx.x * ROWS;
    for (int t = threadIdx.x; t < ROWS * P; t += 256) {
        const i64 row = first + t / P, i = t % P;
        key[t] = row < a.rows && i < a.n ? key_at(a, start(a, row), i) : ~(K)0;
        pos[t] = (u16)i;
    }
    bitonic(key, pos, ROWS * P);
    for (int t = threadIdx.x; t < ROWS * P; t += 256) {
        const i64 row = first + t / P, j = t % P;
        if (row < a.rows && j < a.k) leave(a, row, j, pos[t]);
    }
}
#endif

#ifdef SORT_TILES
// Tiles of P keys, 2048 or a whole row, with their indices.
extern "C" __global__ void __launch_bounds__(256) sort_tiles(const __grid_constant__ Args a) {
    __shared__ K key[P];
    __shared__ u16 pos[P];
    const i64 tiles = (a.n + P - 1) / P, row = blockIdx.x / tiles, lo = blockIdx.x % tiles * P, at = row * a.n + lo;
    const int live = (int)min((i64)P, a.n - lo);
    for (int t = threadIdx.x; t < P; t += 256) {
        key[t] = t < live ? a.keys[at + t] : ~(K)0;
        pos[t] = (u16)t;
    }
    bitonic(key, pos, P);
    for (int t = threadIdx.x; t < live; t += 256) {
        a.keys2[at + t] = key[t];
        a.idx2[at + t] = a.idx[at + pos[t]];
    }
}
#endif

#ifdef MERGE_TILES
// cross is how many of the first d elements of two merged runs come from x (merge path).
DEV i64 cross(const K *x, i64 nx, const K *y, i64 ny, i64 d) {
    i64 lo = max((i64)0, d - ny), hi = min(d, nx);
    while (lo < hi) {
        const i64 mid = (lo + hi) / 2;
        if (x[mid] <= y[d - 1 - mid]) lo = mid + 1; else hi = mid;
    }
    return lo;
}
// Runs of `width` are merged in pairs, from keys to keys2; a block makes 2048 of the result, a thread 8.
extern "C" __global__ void __launch_bounds__(256) merge_tiles(const __grid_constant__ Args a) {
    __shared__ K key[2048];
    __shared__ i64 cut[2];
    const i64 tiles = (a.n + 2047) / 2048, row = blockIdx.x / tiles, o = blockIdx.x % tiles * 2048;
    const i64 pair = o / (2 * a.width) * 2 * a.width, mid = min(pair + a.width, a.n), end = min(pair + 2 * a.width, a.n);
    const K *keys = a.keys + row * a.n;
    const u32 *idx = a.idx + row * a.n;
    const i64 d0 = o - pair, d1 = min(d0 + 2048, end - pair);
    if (threadIdx.x < 2) cut[threadIdx.x] = cross(keys + pair, mid - pair, keys + mid, end - mid, threadIdx.x ? d1 : d0);
    __syncthreads();
    const i64 x0 = pair + cut[0], y0 = mid + (d0 - cut[0]);
    const int nx = (int)(cut[1] - cut[0]), total = (int)(d1 - d0), ny = total - nx;
    for (int t = threadIdx.x; t < total; t += 256) key[t] = t < nx ? keys[x0 + t] : keys[y0 + t - nx];
    __syncthreads();
    const int d = min((int)threadIdx.x * 8, total);
    int i = (int)cross(key, nx, key + nx, ny, d), j = d - i;
    for (int u = 0; u < 8 && d + u < total; u++) {
        const bool first = j >= ny || (i < nx && key[i] <= key[nx + j]);
        const i64 to = row * a.n + o + d + u;
        a.keys2[to] = first ? key[i] : key[nx + j];
        a.idx2[to] = first ? idx[x0 + i] : idx[y0 + j];
        if (first) i++; else j++;
    }
}
#endif

#ifdef MAKE_KEYS
// Keys of rows in order, each with its index, counted from a.column.
extern "C" __global__ void __launch_bounds__(256) make_keys(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.rows * a.n) return;
    const i64 row = e / a.n, i = e % a.n;
    a.keys[e] = key_at(a, start(a, row), i);
    a.idx[e] = (u32)(i + a.column);
}
#endif

#ifdef COLUMN_KEYS
// Keys of one column of [rows, n, columns] in the order found so far: idx, or none yet at the first column.
extern "C" __global__ void __launch_bounds__(256) column_keys(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.rows * a.n) return;
    if (a.flip) a.idx[e] = (u32)(e % a.n);
    a.keys[e] = Key<R>::of(get(a.x[(e / a.n * a.n + a.idx[e]) * a.columns + a.column]));
}
#endif

#ifdef TAKE_FIRST
// The results of sorted keys, which are `width` a row.
extern "C" __global__ void __launch_bounds__(256) take_first(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.rows * a.k) return;
    const i64 row = e / a.k, j = e % a.k;
    leave(a, row, j, a.idx[row * a.width + j]);
}
#endif

#ifdef MODE
// The last index of the longest run of equal keys of a sorted row, the first of those that tie.
extern "C" __global__ void __launch_bounds__(256) mode(const __grid_constant__ Args a) {
    __shared__ i64 most[256], where[256];
    const i64 row = blockIdx.x;
    const K *key = a.keys + row * a.n;
    i64 best = 0, at = 0;
    for (i64 i = threadIdx.x; i < a.n; i += 256) {
        if (i + 1 < a.n && key[i + 1] == key[i]) continue; // not its run's end
        i64 lo = 0, hi = i;
        while (lo < hi) {
            const i64 mid = (lo + hi) / 2;
            if (key[mid] < key[i]) lo = mid + 1; else hi = mid;
        }
        if (i - lo + 1 > best) { best = i - lo + 1; at = i; }
    }
    most[threadIdx.x] = best;
    where[threadIdx.x] = at;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (threadIdx.x < s) {
            const i64 m = most[threadIdx.x + s], w = where[threadIdx.x + s];
            if (m > most[threadIdx.x] || (m == most[threadIdx.x] && w < where[threadIdx.x])) {
                most[threadIdx.x] = m;
                where[threadIdx.x] = w;
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) a.at[row] = a.idx[row * a.n + where[0]];
}
#endif

#ifdef MIDDLE
// The lower median of sorted rows, whose NaNs are the last. One of these wins, or they are skipped with SKIP.
extern "C" __global__ void __launch_bounds__(256) middle(const __grid_constant__ Args a) {
    const i64 row = (i64)blockIdx.x * 256 + threadIdx.x;
    if (row >= a.rows) return;
    const T *x = a.x + start(a, row);
    const u32 *idx = a.idx + row * a.n;
    i64 lo = 0, hi = a.n; // lo becomes the number of elements that are not NaN
    while (lo < hi) {
        const i64 mid = (lo + hi) / 2;
        const R v = get(x[idx[mid] * a.step]);
        if (v == v) lo = mid + 1; else hi = mid;
    }
    a.out[row] = x[idx[lo < a.n && (!SKIP || lo == 0) ? lo : (lo - 1) / 2] * a.step];
}
#endif
