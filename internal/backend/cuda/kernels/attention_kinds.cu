// What a mask of booleans says about the tiles of attention.cu, of BM queries and BN keys: 0 no score counts, 1 some do, 2 all do. A block
// has a tile.
struct Args {
    i64 heads, length, keys, tiles; // heads that masks differ by; tiles of a row of blocks
    const b8 *mask;
    i64 ms[4]; // strides of the mask
    u8 *kinds;
};

extern "C" __global__ void __launch_bounds__(256) attention_kinds(const __grid_constant__ Args a) {
    const i64 blocks = (a.length + BM - 1) / BM, tile = blockIdx.x % a.tiles, from = blockIdx.x / a.tiles * BM;
    const i64 batch = blockIdx.y / a.heads, head = blockIdx.y % a.heads;
    const b8 *mask = a.mask + batch * a.ms[0] + head * a.ms[1];
    bool some = false, other = false;
    const bool vectors = a.ms[3] == 1 && ((u64)mask | a.ms[2] | a.keys) % 16 == 0;
#pragma unroll 4
    for (int i = threadIdx.x; i < (vectors ? BM * BN / 16 : 0); i += 256) {
        const i64 r = from + i / (BN / 16), c = tile * BN + i % (BN / 16) * 16;
        if (r >= a.length || c >= a.keys) continue;
        const Vec<u32, 4> v = *(const Vec<u32, 4> *)((const u8 *)mask + r * a.ms[2] + c);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            some |= v.v[j] != 0;
            other |= (v.v[j] - 0x01010101u & ~v.v[j] & 0x80808080u) != 0; // a byte is 0
        }
    }
#pragma unroll 8
    for (int i = threadIdx.x; i < (vectors ? 0 : BM * BN); i += 256) {
        const i64 r = from + i / BN, c = tile * BN + i % BN;
        if (r >= a.length || c >= a.keys) continue;
        const bool seen = get(mask[r * a.ms[2] + c * a.ms[3]]);
        some |= seen;
        other |= !seen;
    }
    some = __syncthreads_or(some);
    other = __syncthreads_or(other);
    if (threadIdx.x == 0) a.kinds[blockIdx.y * blocks * a.tiles + blockIdx.x] = some ? other ? 1 : 2 : 0;
}
