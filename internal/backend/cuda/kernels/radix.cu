// Sorting long rows of keys with their places, eight bits at a time from the lowest: keys go where those of smaller digits, and
// those of the same digit before them, leave off; so equal keys keep their order. Rows are cut in tiles by their length alone.
//
// radix_count: how often each digit is in a tile. radix_scan: counts become what comes before the tile's own, and the row's
// totals. radix_place: a tile is put in order in shared memory, then goes to its places in runs.

const int ITEMS = sizeof(K) == 4 ? 16 : 8, TILE = 256 * ITEMS;

struct Args {
    i64 n, tiles, shift;
    const K *keys; const u32 *idx; K *keys2; u32 *idx2;
    u32 *count; // [row][digit][tile]
    u32 *total; // [row][digit]
};

DEV u32 digit(const Args &a, K key) { return (u32)(key >> a.shift) & 255; }

#if defined(RADIX_SCAN) || defined(RADIX_PLACE)
// summed adds up the values of the threads up to each.
DEV u32 summed(u32 v) {
    __shared__ u32 warps[8];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int s = 1; s < 32; s *= 2) {
        const u32 w = __shfl_up_sync(~0u, v, s);
        if (lane >= s) v += w;
    }
    if (lane == 31) warps[warp] = v;
    __syncthreads();
    u32 before = 0;
#pragma unroll
    for (int w = 0; w < 7; w++) before += w < warp ? warps[w] : 0;
    __syncthreads();
    return before + v;
}
#endif

#ifdef RADIX_COUNT
extern "C" __global__ void __launch_bounds__(256) radix_count(const __grid_constant__ Args a) {
    __shared__ u32 count[256];
    const i64 row = blockIdx.x / a.tiles, tile = blockIdx.x % a.tiles, lo = row * a.n + tile * TILE;
    const int live = (int)min((i64)TILE, a.n - tile * TILE);
    count[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int e = i * 256 + threadIdx.x;
        if (e < live) atomicAdd(&count[digit(a, a.keys[lo + e])], 1u);
    }
    __syncthreads();
    a.count[(row * 256 + threadIdx.x) * a.tiles + tile] = count[threadIdx.x];
}
#endif

#ifdef RADIX_SCAN
// A block a digit of a row.
extern "C" __global__ void __launch_bounds__(256) radix_scan(const __grid_constant__ Args a) {
    __shared__ u32 last;
    u32 *count = a.count + (i64)blockIdx.x * a.tiles, before = 0;
    for (i64 i = 0; i < a.tiles; i += 256) {
        const i64 k = i + threadIdx.x;
        const u32 v = k < a.tiles ? count[k] : 0, s = summed(v);
        if (k < a.tiles) count[k] = before + s - v;
        if (threadIdx.x == 255) last = s;
        __syncthreads();
        before += last;
        __syncthreads();
    }
    if (threadIdx.x == 0) a.total[blockIdx.x] = before;
}
#endif

#ifdef RADIX_PLACE
extern "C" __global__ void __launch_bounds__(256) radix_place(const __grid_constant__ Args a) {
    __shared__ u32 count[8][256]; // of a warp's own elements, then of those of the warps before it
    __shared__ K key[TILE];
    __shared__ u32 idx[TILE], from[256], to[256];
    const int t = threadIdx.x, warp = t / 32, lane = t % 32, mine = warp * 32 * ITEMS + lane;
    const i64 row = blockIdx.x / a.tiles, tile = blockIdx.x % a.tiles, lo = row * a.n + tile * TILE;
    const int live = (int)min((i64)TILE, a.n - tile * TILE);
    for (int w = 0; w < 8; w++) count[w][t] = 0;
    __syncthreads();
    K k[ITEMS];
    u32 rank[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) k[i] = mine + i * 32 < live ? a.keys[lo + mine + i * 32] : (K)0;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) { // a warp's elements in order: 32 neighbours at a time
        const u32 d = mine + i * 32 < live ? digit(a, k[i]) : 256;
        const u32 same = __match_any_sync(~0u, d);
        const int first = __ffs(same) - 1;
        u32 before = 0;
        if (lane == first && d < 256) {
            before = count[warp][d];
            count[warp][d] = before + __popc(same);
        }
        rank[i] = __shfl_sync(~0u, before, first) + __popc(same & ((1u << lane) - 1));
        __syncwarp();
    }
    __syncthreads();
    u32 sum = 0; // of digit t in the tile
    for (int w = 0; w < 8; w++) {
        const u32 c = count[w][t];
        count[w][t] = sum;
        sum += c;
    }
    const u32 total = a.total[row * 256 + t], start = summed(sum) - sum, base = summed(total) - total;
    from[t] = start;
    to[t] = base + a.count[(row * 256 + t) * a.tiles + tile] - start;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int e = mine + i * 32;
        if (e >= live) continue;
        const u32 d = digit(a, k[i]), p = from[d] + count[warp][d] + rank[i];
        key[p] = k[i];
        idx[p] = a.idx[lo + e];
    }
    __syncthreads();
    for (int p = t; p < live; p += 256) {
        const K x = key[p];
        const i64 o = row * a.n + (u32)(to[digit(a, x)] + p);
        a.keys2[o] = x;
        a.idx2[o] = idx[p];
    }
}
#endif
