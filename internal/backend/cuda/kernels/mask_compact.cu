// Mask compaction, a stable partition of booleans: those that come first (true ones with flip) keep their order, and so do
// the others behind them. Long rows are read twice: to count a tile, then to scatter its indices. Aligned rows, the usual
// case, are read as two 16-byte vectors a thread; others byte by byte, 32 adjacent ones at a time.

struct Args {
    i64 rows, n, step, k, flip, tiles; const u8 *x; u8 *out; i64 *at;
    u32 *count;  // [row][tile]: how many of a tile come first, then the prefix over tiles
    u32 *total;  // [row]: how many of a row
    u32 *ticket; // [row]: tiles counted so far
};

const int THREADS = 256, WARPS = THREADS / 32, EACH = 32, TILE = THREADS * EACH;

// Row is the source of a row.
struct Row {
    const u8 *x; i64 step; bool flip;
    DEV Row(const Args &a, i64 row) : x(a.x + row / a.step * a.n * a.step + row % a.step), step(a.step), flip(a.flip != 0) {}
    DEV bool first(i64 i) const { return (x[i * step] != 0) == flip; }
    DEV bool vectors() const { return step == 1 && (u64)x % 16 == 0; }
    // firsts is a bit mask of which of 32 elements from i on come first, in an aligned row; those from n on do not.
    DEV u32 firsts(i64 i, i64 n) const {
        u32 bits = 0;
        if (i + 32 <= n) {
            const w16 *p = (const w16 *)(x + i), v = p[0], w = p[1];
            bits = eight(v.a) | eight(v.b) << 8 | eight(w.a) << 16 | eight(w.b) << 24;
            return flip ? bits : ~bits;
        }
        for (int j = 0; j < 32; j++)
            if (i + j < n && first(i + j)) bits |= 1u << j;
        return bits;
    }
    // eight is a bit mask of the bytes of a word that are not 0, the lowest first: a multiplication gathers their high
    // bits.
    static DEV u32 eight(u64 w) {
        const u64 low = 0x7f7f7f7f7f7f7f7full;
        return (u32)((((w & low) + low | w) & ~low) / 128 * 0x0102040810204080ull >> 56);
    }
};

// summed is the inclusive prefix sum over all threads; all is the total.
DEV u32 summed(u32 v, u32 &all) {
    __shared__ u32 warps[WARPS];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
    for (int s = 1; s < 32; s *= 2) {
        const u32 w = __shfl_up_sync(~0u, v, s);
        if (lane >= s) v += w;
    }
    __syncthreads(); // the last sums are read
    if (lane == 31) warps[warp] = v;
    __syncthreads();
    all = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        if (w < warp) v += warps[w];
        all += warps[w];
    }
    return v;
}

#ifdef MASK_COUNT
DEV u32 peek(const u32 *p) { u32 v; asm volatile("ld.relaxed.gpu.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory"); return v; }

// The last block to finish adds up the counts of its row.
extern "C" __global__ void __launch_bounds__(THREADS) mask_count(const __grid_constant__ Args a) {
    __shared__ bool last;
    const i64 row = blockIdx.x / a.tiles, tile = blockIdx.x % a.tiles, end = min(a.n, (tile + 1) * TILE);
    const Row of(a, row);
    u32 own = 0, all;
    if (of.vectors()) own = __popc(of.firsts(tile * TILE + threadIdx.x * EACH, a.n));
    else
#pragma unroll 8
        for (i64 i = tile * TILE + threadIdx.x; i < end; i += THREADS) own += of.first(i);
    summed(own, all);
    u32 *count = a.count + row * a.tiles;
    if (threadIdx.x == 0) {
        count[tile] = all;
        __threadfence();
        last = atomicAdd(a.ticket + row, 1u) == a.tiles - 1;
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    u32 before = 0;
    for (i64 lo = 0; lo < a.tiles; lo += THREADS * EACH / 2) {
        u32 v[EACH / 2];
        const i64 mine = lo + threadIdx.x * (EACH / 2);
        own = 0;
#pragma unroll
        for (int j = 0; j < EACH / 2; j++) {
            v[j] = mine + j < a.tiles ? peek(count + mine + j) : 0;
            own += v[j];
        }
        u32 sofar = before + summed(own, all) - own;
#pragma unroll
        for (int j = 0; j < EACH / 2; j++) {
            if (mine + j < a.tiles) count[mine + j] = sofar;
            sofar += v[j];
        }
        before += all;
    }
    if (threadIdx.x == 0) a.total[row] = before;
}
#endif

#ifdef MASK_SCATTER
// A warp has a segment of the tile, 32 adjacent elements at a time.
extern "C" __global__ void __launch_bounds__(THREADS) mask_scatter(const __grid_constant__ Args a) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const i64 row = blockIdx.x / a.tiles, tile = blockIdx.x % a.tiles, lo = tile * TILE + warp * (32 * EACH);
    const Row of(a, row);
    u32 firsts[EACH], own = 0, all; // which of 32 adjacent elements come first
    if (of.vectors()) { // uniform over the block
        const u32 bits = of.firsts(lo + lane * EACH, a.n);
#pragma unroll
        for (int j = 0; j < EACH; j++) firsts[j] = __shfl_sync(~0u, bits, j);
    } else {
        bool comes[EACH];
#pragma unroll
        for (int j = 0; j < EACH; j++) comes[j] = lo + j * 32 + lane < a.n && of.first(lo + j * 32 + lane);
#pragma unroll
        for (int j = 0; j < EACH; j++) firsts[j] = __ballot_sync(~0u, comes[j]);
    }
#pragma unroll
    for (int j = 0; j < EACH; j++) own += __popc(firsts[j]);
    const u32 upto = summed(lane == 31 ? own : 0, all); // in lane 31 including the warp's own
    u32 before = a.count[row * a.tiles + tile] + __shfl_sync(~0u, upto, 31) - own;
    const u32 total = a.total[row], mask = (1u << lane) - 1;
    const i64 o = row / a.step * a.k * a.step + row % a.step;
#pragma unroll
    for (int j = 0; j < EACH; j++) {
        const i64 i = lo + j * 32 + lane;
        const bool is = firsts[j] >> lane & 1;
        const u32 less = before + __popc(firsts[j] & mask);
        const i64 to = is ? (i64)less : total + i - less;
        if (i < a.n && to < a.k) {
            a.at[o + to * a.step] = i;
            if (a.out) a.out[o + to * a.step] = is == of.flip;
        }
        before += __popc(firsts[j]);
    }
}
#endif
