// The gradient of attention; weights are recomputed. With ROWS_ARE_KEYS a block has rows of keys and loops over the
// queries, accumulating the cotangents of keys and values; else it has queries and loops over the keys, for the cotangent
// of the queries. So every sum is made by one block in one order.
struct Args {
    i64 heads, groups, length, keys, e, f;
    i64 q[3], k[3], v[3], g[3];
    const u16 *Q, *K, *V, *G;
    const float *lse, *sums;
    u16 *first, *second; // cotangents: of queries; of keys and values
    double scale;
    i64 causal;
};

extern "C" __global__ void __launch_bounds__(WARPS * 32) attention_grad(const __grid_constant__ Args a) {
    extern __shared__ __align__(128) unsigned char memory[];
    constexpr int BM = WARPS * MR * 16, ROW = HD * 2;
    const u32 a1 = shared_address(memory), a2 = a1 + BM * ROW, b1 = a2 + BM * ROW, b2 = b1 + 2 * BN * ROW;
    float *stats = (float *)(memory + (2 * BM + 4 * BN) * ROW); // of the queries of a tile: logsumexp, row sums
    const int mine = threadIdx.x / 32 * MR * 16, lane = threadIdx.x & 31;
    const int length = a.length, keys = a.keys, share = a.heads / a.groups;
    const float log2_scale = (float)(a.scale * 1.4426950408889634), log2e = 1.4426950408889634f;
    float one[MR][HD / 8][4] = {};
#if ROWS_ARE_KEYS
    float two[MR][HD / 8][4] = {};
    const int from = blockIdx.x * BM, batch = blockIdx.y / a.groups, group = blockIdx.y % a.groups;
    const u16 *K = a.K + batch * a.k[0] + group * a.k[1], *V = a.V + batch * a.v[0] + group * a.v[1];
    bring<BM>(a1, K, a.k[2], from, keys, a.e);
    bring<BM>(a2, V, a.v[2], from, keys, a.f);
    const int start = a.causal ? from / BN : 0, stop = (length + BN - 1) / BN, every = max(0, stop - start), total = every * share;
#define FIRST(t) (start + (t) % every) * BN
#define HEAD(t) (group * share + (t) / every)
#define LOAD(t) { const int h = HEAD(t), at = FIRST(t); \
        bring<BN>(b1 + ((t) & 1) * BN * ROW, a.Q + batch * a.q[0] + h * a.q[1], a.q[2], at, length, a.e); \
        bring<BN>(b2 + ((t) & 1) * BN * ROW, a.G + batch * a.g[0] + h * a.g[1], a.g[2], at, length, a.f); }
#else
    const int from = (gridDim.x - 1 - blockIdx.x) * BM, batch = blockIdx.y / a.heads, head = blockIdx.y % a.heads, group = head / share;
    const u16 *K = a.K + batch * a.k[0] + group * a.k[1], *V = a.V + batch * a.v[0] + group * a.v[1];
    bring<BM>(a1, a.Q + batch * a.q[0] + head * a.q[1], a.q[2], from, length, a.e);
    bring<BM>(a2, a.G + batch * a.g[0] + head * a.g[1], a.g[2], from, length, a.f);
    int total = (keys + BN - 1) / BN;
    if (a.causal) total = min(total, (min(from + BM, length) + BN - 1) / BN);
    const i64 matrix = blockIdx.y;
    float lse[MR][2], sums[MR][2];
#pragma unroll
    for (int i = 0; i < 2 * MR; i++) {
        const int r = from + mine + (lane >> 2) + 8 * i;
        lse[i / 2][i % 2] = r < length ? a.lse[matrix * length + r] * log2e : 1.0f / 0.0f;
        sums[i / 2][i % 2] = r < length ? a.sums[matrix * length + r] : 0;
    }
#define LOAD(t) { bring<BN>(b1 + ((t) & 1) * BN * ROW, K, a.k[2], (t) * BN, keys, a.e); bring<BN>(b2 + ((t) & 1) * BN * ROW, V, a.v[2], (t) * BN, keys, a.f); }
#endif
    if (total > 0) LOAD(0);
    commit();
    for (int t = 0; t < total; t++) {
        const u32 t1 = b1 + (t & 1) * BN * ROW, t2 = b2 + (t & 1) * BN * ROW;
        if (t + 1 < total) LOAD(t + 1);
        commit();
#if ROWS_ARE_KEYS
        const int at0 = FIRST(t);
        const i64 matrix = (i64)batch * a.heads + HEAD(t);
        for (int i = threadIdx.x; i < BN; i += WARPS * 32) {
            const bool there = at0 + i < length;
            stats[i] = there ? a.lse[matrix * length + at0 + i] * log2e : 1.0f / 0.0f;
            stats[BN + i] = there ? a.sums[matrix * length + at0 + i] : 0;
        }
#else
        const int at0 = t * BN;
#endif
        arrived<1>();
        __syncthreads();
        float s[MR][BN / 8][4] = {}, d[MR][BN / 8][4] = {};
        multiply_transposed(s, a1, mine, t1);
        multiply_transposed(d, a2, mine, t2);
#pragma unroll
        for (int m = 0; m < MR; m++)
#pragma unroll
            for (int n = 0; n < BN / 8; n++)
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    const int col = 8 * n + 2 * (lane & 3) + (i & 1), row = mine + 16 * m + (lane >> 2) + 8 * (i >> 1);
#if ROWS_ARE_KEYS
                    const int key = from + row, query = at0 + col;
                    const float l = stats[col], sum = stats[BN + col];
#else
                    const int query = from + row, key = at0 + col;
                    const float l = lse[m][i >> 1], sum = sums[m][i >> 1];
#endif
                    float p = exp2_fast(fmaf(s[m][n][i], log2_scale, -l));
                    if (key >= keys || (a.causal && key > query)) p = 0;
                    d[m][n][i] = p * (d[m][n][i] - sum);
                    s[m][n][i] = p;
                }
#if ROWS_ARE_KEYS
        multiply(two, s, t2);
#endif
        multiply(one, d, t1);
        __syncthreads();
    }
    const float scale = (float)a.scale;
    const i64 at0 = (i64)blockIdx.y * (ROWS_ARE_KEYS ? keys : length);
#pragma unroll
    for (int m = 0; m < MR; m++) {
        put(a.first + at0 * a.e, a.e, from + mine + 16 * m, ROWS_ARE_KEYS ? keys : length, a.e, one[m], scale, scale);
#if ROWS_ARE_KEYS
        put(a.second + at0 * a.f, a.f, from + mine + 16 * m, keys, a.f, two[m], 1, 1);
#endif
    }
}
