// Attention without a score matrix in memory (flash attention): a block has BM rows of queries and loops over the keys in
// tiles of BN.
struct Args {
    i64 heads, groups, length, keys, e, f;
    i64 q[3], k[3], v[3]; // strides of batch, head and row
    const u16 *Q, *K, *V;
    u16 *O;
    float *lse;
    i64 o[3]; // strides of the result
    double scale;
    i64 causal;
    const b8 *mask;
    i64 ms[4]; // strides of the mask
    const u8 *kinds; // of tiles, by attention_kinds.cu
    i64 planes[2], tiles; // factors of batch and head in kinds, in rows of blocks; tiles of a row of blocks
};

// A row that sees no key is 0, and its logsumexp infinite.
DEV float factor(float sum) { return MASKED && sum == 0 ? 0 : 1 / sum; }
DEV float lse_of(float top, float sum) {
    return MASKED && sum == 0 ? (float)INF : (top + log2f(sum)) * 0.6931471805599453f;
}

extern "C" __global__ void __launch_bounds__(WARPS * 32) attention(const __grid_constant__ Args a) {
    extern __shared__ __align__(128) unsigned char memory[];
    constexpr int BM = WARPS * MR * 16, ROW = HD * 2;
    const u32 qs = shared_address(memory), ks = qs + BM * ROW, vs = ks + 2 * BN * ROW;
    // Under a causal mask the last rows have most work: they are scheduled first.
    const int from = (gridDim.x - 1 - blockIdx.x) * BM, warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    const int batch = blockIdx.y / a.heads, head = blockIdx.y % a.heads, group = head * a.groups / a.heads;
    const u16 *Q = a.Q + batch * a.q[0] + head * a.q[1], *K = a.K + batch * a.k[0] + group * a.k[1],
        *V = a.V + batch * a.v[0] + group * a.v[1];
    const int length = a.length, keys = a.keys;
#if MASKED
    const b8 *mask = a.mask + batch * a.ms[0] + head * a.ms[1];
#endif
    int tiles = (keys + BN - 1) / BN;
    if (a.causal) tiles = min(tiles, (min(from + BM, length) + BN - 1) / BN);
#if MASKED
    const u8 *kinds = a.kinds + (batch * a.planes[0] + head * a.planes[1] + gridDim.x - 1 - blockIdx.x) * a.tiles;
    const auto next = [&](int t) { // a tile in which no score counts is not computed
        while (t < tiles && kinds[t] == 0) t++;
        return t;
    };
#else
    const auto next = [](int t) { return t; };
#endif
    int t = next(0);
    bring<BM>(qs, Q, a.q[2], from, length, a.e);
    if (t < tiles) bring<BN>(ks, K, a.k[2], t * BN, keys, a.e);
    commit();
    if (t < tiles) bring<BN>(vs, V, a.v[2], t * BN, keys, a.f);
    commit();
    float o[MR][HD / 8][4] = {}, top[MR][2], sum[MR][2] = {};
#pragma unroll
    for (int m = 0; m < MR; m++) top[m][0] = top[m][1] = -1e30f;
    const float log2_scale = (float)(a.scale * 1.4426950408889634);
    const int mine = warp * MR * 16, row = from + mine + (lane >> 2);
    for (int stage = 0, after; t < tiles; t = after, stage ^= 1) {
        const u32 kt = ks + stage * BN * ROW, vt = vs + stage * BN * ROW;
        after = next(t + 1);
        arrived<1>();
        __syncthreads();
        // The other stages of both buffers are free: all warps have left the tile before.
        if (after < tiles) bring<BN>(ks + (stage ^ 1) * BN * ROW, K, a.k[2], after * BN, keys, a.e);
        commit();
        float s[MR][BN / 8][4] = {};
        multiply_transposed(s, qs, mine, kt);
#if MASKED
        if (kinds[t] == 1) { // some count
            const int left = t * BN + 2 * (lane & 3);
#pragma unroll
            for (int m = 0; m < MR; m++)
#pragma unroll
                for (int n = 0; n < BN / 8; n++)
#pragma unroll
                    for (int i = 0; i < 4; i++) {
                        const int col = left + 8 * n + (i & 1), r = row + 16 * m + 8 * (i >> 1);
                        if (col >= keys || r >= length || !get(mask[r * a.ms[2] + col * a.ms[3]])) s[m][n][i] = -1.0f / 0.0f;
                    }
        }
#endif
        const int first = t * BN + 2 * (lane & 3);
        if (t * BN + BN > keys || (a.causal && t * BN + BN - 1 > from + mine)) {
#pragma unroll
            for (int m = 0; m < MR; m++)
#pragma unroll
            for (int n = 0; n < BN / 8; n++)
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    const int col = first + 8 * n + (i & 1), r = row + 16 * m + 8 * (i >> 1);
                    if (col >= keys || (a.causal && col > r)) s[m][n][i] = -1.0f / 0.0f;
                }
        }
#pragma unroll
        for (int m = 0; m < MR; m++)
#pragma unroll
            for (int h = 0; h < 2; h++) {
                float most = -1.0f / 0.0f;
#pragma unroll
                for (int n = 0; n < BN / 8; n++) most = fmaxf(most, fmaxf(s[m][n][2 * h], s[m][n][2 * h + 1]));
                most = fmaxf(top[m][h], among4(most, [](float x, float y) { return fmaxf(x, y); }) * log2_scale);
                const float back = exp2_fast(top[m][h] - most);
                float part = 0;
#pragma unroll
                for (int n = 0; n < BN / 8; n++)
#pragma unroll
                    for (int i = 2 * h; i < 2 * h + 2; i++) part += s[m][n][i] = exp2_fast(fmaf(s[m][n][i], log2_scale, -most));
                sum[m][h] = sum[m][h] * back + part;
                top[m][h] = most;
#pragma unroll
                for (int n = 0; n < HD / 8; n++) { o[m][n][2 * h] *= back; o[m][n][2 * h + 1] *= back; }
            }
        arrived<1>();
        __syncthreads();
        if (after < tiles) bring<BN>(vs + (stage ^ 1) * BN * ROW, V, a.v[2], after * BN, keys, a.f);
        commit();
        multiply(o, s, vt);
    }
    const i64 matrix = blockIdx.y;
#pragma unroll
    for (int m = 0; m < MR; m++) {
#pragma unroll
        for (int h = 0; h < 2; h++) sum[m][h] = among4(sum[m][h], [](float x, float y) { return x + y; });
        put(a.O + batch * a.o[0] + head * a.o[1], a.o[2], from + mine + 16 * m, length, a.f, o[m], factor(sum[m][0]), factor(sum[m][1]));
        if ((lane & 3) == 0)
            for (int h = 0; h < 2; h++) {
                const int r = row + 16 * m + 8 * h;
                if (r < length) a.lse[matrix * length + r] = lse_of(top[m][h], sum[m][h]);
            }
    }
}
