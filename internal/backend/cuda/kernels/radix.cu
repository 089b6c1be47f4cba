// Stable radix sort of long rows of keys with their indices, eight bits at a time from the lowest.
//
// radix_count: histograms of all digits of a row. radix_scatter: a tile is sorted in shared memory, then scattered in runs;
// the offset of a tile comes from the tiles before it by decoupled look-back: each publishes the counts of its digits, then
// the inclusive prefix of all tiles up to it. Keys are read once and written once a digit.
//
// Integer keys of many digits may have digits equal in all keys (SKIPS): radix_plan finds these, and their passes are
// skipped, except the first and the last.
//
// FROM: keys are made of the elements of x, and indices are counted; TO: the results are written instead of keys and
// indices.

const int TILE = THREADS * ITEMS, WARPS = THREADS / 32;

struct Args {
    i64 rows, n, step, k, flip, tiles; const T *x; T *out; i64 *at;
    K *keys; u32 *idx; K *keys2; u32 *idx2;
    i64 shift;
    u32 *total;  // of every digit in a row: [row][digit], for radix_count [pass][row][digit]
    u32 *state;  // published by tiles: [row][tile][digit]
    u32 *ticket; // how many tiles have begun
    u32 *pass;   // with SKIPS: how many passes come before this one, for radix_plan of every digit
};

const u32 SKIPPED = ~0u;

DEV K flip_mask(const Args &a) { return a.flip ? ~(K)0 : (K)0; }

// backwards tells whether keys and indices go from the second to the first buffer.
DEV bool backwards(const Args &a) {
#ifdef SKIPS
    return *a.pass & 1;
#else
    return false;
#endif
}

// Row is the source of a row: its elements or its keys.
struct Row {
#ifdef FROM
    const T *x; i64 step; K mask;
    DEV Row(const Args &a, i64 row) : x(a.x + row / a.step * a.n * a.step + row % a.step), step(a.step), mask(flip_mask(a)) {}
    DEV K key(i64 i) const { return Key<R>::of(get(x[i * step])) ^ mask; }
#else
    const K *keys;
    DEV Row(const Args &a, i64 row) : keys((backwards(a) ? a.keys2 : a.keys) + row * a.n) {}
    DEV K key(i64 i) const { return keys[i]; }
#endif
};

#ifdef RADIX_COUNT
// SHIFTS lists the shifts of the digits, SPAN is how many keys a block counts.
extern "C" __global__ void __launch_bounds__(THREADS) radix_count(const __grid_constant__ Args a) {
    constexpr int shifts[] = SHIFTS, digits = sizeof(shifts) / sizeof(int);
    __shared__ u32 count[digits][256];
    const i64 spans = (a.n + SPAN - 1) / SPAN, row = blockIdx.x / spans, lo = blockIdx.x % spans * SPAN, hi = min(lo + SPAN, a.n);
    const Row of(a, row);
    for (int i = threadIdx.x; i < digits * 256; i += THREADS) count[i / 256][i % 256] = 0;
    __syncthreads();
#pragma unroll 4
    for (i64 i = lo + threadIdx.x; i < hi; i += THREADS) {
        const K key = of.key(i);
#pragma unroll
        for (int d = 0; d < digits; d++) atomicAdd(&count[d][(u32)(key >> shifts[d]) & 255], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < digits * 256; i += THREADS) {
        const u32 c = count[i / 256][i % 256];
        if (c) atomicAdd(&a.total[(i / 256 * a.rows + row) * 256 + i % 256], c);
    }
}
#endif

#ifdef RADIX_PLAN
// One block; there are DIGITS digits.
extern "C" __global__ void __launch_bounds__(THREADS) radix_plan(const __grid_constant__ Args a) {
    u32 pass = 0;
    for (int p = 0; p < DIGITS; p++) {
        int differs = 0;
        for (i64 i = threadIdx.x; i < a.rows * 256; i += THREADS) {
            const u32 c = a.total[p * a.rows * 256 + i];
            differs |= c != 0 && c != a.n;
        }
        differs = __syncthreads_or(differs);
        const bool runs = differs || p == 0 || p == DIGITS - 1;
        if (threadIdx.x == 0) a.pass[p] = runs ? pass : SKIPPED;
        pass += runs;
    }
}
#endif

#ifdef RADIX_SCATTER
DEV u32 digit(const Args &a, K key) { return (u32)(key >> a.shift) & 255; }

// summed is the inclusive prefix sum over the first 256 threads.
DEV u32 summed(u32 v) {
    __shared__ u32 warps[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int s = 1; s < 32; s *= 2) {
        const u32 w = __shfl_up_sync(~0u, v, s);
        if (lane >= s) v += w;
    }
    if (lane == 31 && warp < 8) warps[warp] = v;
    __syncthreads();
    u32 before = 0;
#pragma unroll
    for (int w = 0; w < 7; w++) before += w < warp ? warps[w] : 0;
    __syncthreads();
    return before + v;
}

// A state word is empty, a tile's own count, or the inclusive prefix up to it.
const u32 OWN = 1u << 30, ALL = 2u << 30, COUNT = OWN - 1;
DEV u32 peek(const u32 *p) { u32 v; asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }
DEV void leave(u32 *p, u32 v) { asm volatile("st.relaxed.gpu.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory"); }

// before adds up the counts of a digit in the tiles before this one (look-back). A word holds flag and count, so no fence
// is needed.
DEV u32 before(const u32 *state, i64 tile) {
    const int PREFETCH = 8;
    u32 sum = 0;
    for (i64 t = tile - 1; t >= 0;) {
        u32 w[PREFETCH];
#pragma unroll
        for (int j = 0; j < PREFETCH; j++) w[j] = t - j >= 0 ? peek(state + (t - j) * 256) : ALL;
#pragma unroll
        for (int j = 0; j < PREFETCH; j++) {
            if (w[j] < OWN) break; // not published yet: read again
            sum += w[j] & COUNT;
            if (w[j] >= ALL) return sum;
            t--;
        }
    }
    return sum;
}

// Tally is a digit in a warp: how many elements so far have it, and which of the 32 current ones.
struct alignas(8) Tally { u32 lanes, count; };

extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS) radix_scatter(const __grid_constant__ Args a) {
    __shared__ union { Tally tally[WARPS][256]; K key[TILE]; u32 idx[TILE]; } s; // counts of each warp, then the prefix over warps
    __shared__ u32 from[256], to[256], mine;
    const int t = threadIdx.x, warp = t / 32, lane = t % 32, first = warp * 32 * ITEMS + lane;
#ifdef SKIPS
    if (*a.pass == SKIPPED) return;
#endif
    if (t == 0) mine = atomicAdd(a.ticket, 1u); // in the order in which blocks start, so that none waits for one that has not started
    for (int i = t; i < WARPS * 256; i += THREADS) s.tally[i / 256][i % 256] = Tally();
    __syncthreads();
    const i64 row = mine / a.tiles, tile = mine % a.tiles, lo = tile * TILE;
    const int live = (int)min((i64)TILE, a.n - lo);
    const Row of(a, row);
    K k[ITEMS];
    u32 rank[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) k[i] = first + i * 32 < live ? of.key(lo + first + i * 32) : (K)0;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) { // a warp's elements in order: 32 adjacent ones at a time
        const bool is = first + i * 32 < live;
        Tally *tally = &s.tally[warp][digit(a, k[i])];
        if (is) atomicOr(&tally->lanes, 1u << lane);
        __syncwarp();
        Tally now = Tally();
        if (is) now = *tally;
        __syncwarp();
        const u32 less = now.lanes & ((1u << lane) - 1);
        rank[i] = now.count + __popc(less);
        if (is && less == 0) {
            now.count += __popc(now.lanes);
            now.lanes = 0;
            *tally = now;
        }
        __syncwarp();
    }
    __syncthreads();
    u32 sum = 0, total = 0; // of digit t in the tile, in the row
    u32 *state = a.state + row * a.tiles * 256 + (t & 255);
    if (t < 256) {
        for (int w = 0; w < WARPS; w++) {
            const u32 c = s.tally[w][t].count;
            s.tally[w][t].count = sum;
            sum += c;
        }
        if (tile + 1 < a.tiles) leave(state + tile * 256, (tile ? OWN : ALL) | sum);
        total = a.total[row * 256 + t];
    }
    const u32 begin = summed(sum) - sum, base = summed(total) - total;
    if (t < 256) from[t] = begin;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (first + i * 32 < live) {
            const u32 d = digit(a, k[i]);
            rank[i] += from[d] + s.tally[warp][d].count;
        }
    __syncthreads(); // counts are read: their memory is reused
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if (first + i * 32 < live) s.key[rank[i]] = k[i];
    if (t < 256) {
        const u32 sofar = before(state, tile);
        if (tile > 0 && tile + 1 < a.tiles) leave(state + tile * 256, ALL | (sofar + sum));
        to[t] = base + sofar - begin;
    }
    __syncthreads();
#ifndef TO
    K *keys2 = (backwards(a) ? a.keys : a.keys2) + row * a.n;
    u32 *idx2 = (backwards(a) ? a.idx : a.idx2) + row * a.n;
#endif
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int p = i * THREADS + t;
        if (p >= live) continue;
        k[i] = s.key[p]; // from here on the p-th in order
#ifndef TO
        keys2[to[digit(a, k[i])] + p] = k[i];
#endif
    }
    __syncthreads(); // reused again
#ifndef FROM
    const u32 *idx = (backwards(a) ? a.idx2 : a.idx) + row * a.n + lo + first;
#endif
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (first + i * 32 >= live) continue;
#ifdef FROM
        s.idx[rank[i]] = (u32)lo + first + i * 32;
#else
        s.idx[rank[i]] = idx[i * 32];
#endif
    }
    __syncthreads();
#ifdef TO
    const i64 o = row / a.step * a.k * a.step + row % a.step;
    const T *x = a.x + row / a.step * a.n * a.step + row % a.step;
#endif
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int p = i * THREADS + t;
        if (p >= live) continue;
        const u32 dest = to[digit(a, k[i])] + p;
#ifdef TO
        if (dest >= a.k) continue;
        const i64 at = s.idx[p];
        const K key = k[i] ^ flip_mask(a);
        if (a.out) a.out[o + dest * a.step] = Key<R>::lossy(key) ? x[at * a.step] : Put<T>::put(Key<R>::from(key));
        a.at[o + dest * a.step] = at;
#else
        idx2[dest] = s.idx[p];
#endif
    }
}
#endif
