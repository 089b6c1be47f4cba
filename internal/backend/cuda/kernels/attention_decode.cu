// Attention of few queries over many keys, as a language model's next token needs it: a block has a chunk of the keys of one head and
// all queries that share them, and combines nothing with other blocks. A chunk that no query sees costs a look at its mask.
// T is the element type, MASK that of the mask, ROWS how many queries a block has room for, LANES how many threads read a row of 8
// elements each. Sums are in float32, in an order that sizes alone decide.
#define CHUNK 128
#define THREADS 128
#define GROUPS (THREADS / LANES)
#define AHEAD 4
#define BATCH (LANES > 16 ? (ROWS < 4 ? ROWS : 4) : ROWS < 8 ? ROWS : 8)

struct Args {
    i64 heads, kv_heads, queries, keys, e, f, splits;
    i64 qs[3], ks[3], vs[3], os[3]; // strides of examples, heads, positions
    const T *q, *k, *v;
    T *out;
    float *lse;
    const MASK *mask;
    i64 ms[4];
    double scale;
    i64 causal;
    float *tops, *sums, *parts; // of a chunk and a query: largest score, sum of weights, weighted sum of values
};

#ifdef CHUNKS
DEV float masked(const Args &a, i64 n, i64 h, i64 l, i64 j, float x) {
    const float none = -(float)INF;
    if (a.mask) {
        const MASK m = a.mask[n * a.ms[0] + h * a.ms[1] + l * a.ms[2] + j * a.ms[3]];
#if MASK_IS_BOOL
        if (!get(m)) x = none;
#else
        x += (float)get(m);
#endif
    }
    return a.causal && j > l ? none : x;
}

DEV void finish(const Args &a, i64 n, i64 h, i64 l, i64 at, float value) {
    a.out[n * a.os[0] + h * a.os[1] + l * a.os[2] + at] = Put<T>::put(value);
}

extern "C" __global__ void __launch_bounds__(THREADS) attention_decode(const __grid_constant__ Args a) {
    __shared__ __align__(16) float qs[ROWS][LANES * 8];
    __shared__ float scores[ROWS][CHUNK];
    __shared__ float total[THREADS / 32][BATCH][LANES * 8];
    __shared__ float rowTop[ROWS], rowSum[ROWS];
    const i64 matrix = blockIdx.y, n = blockIdx.y / (u32)a.kv_heads, kv = blockIdx.y % (u32)a.kv_heads, first = blockIdx.x * (i64)CHUNK;
    const int group = (int)a.heads / (int)a.kv_heads, queries = (int)a.queries, rows = group * queries, t = threadIdx.x;
    const int keys = (int)(a.keys - first < CHUNK ? a.keys - first : CHUNK);
    const float none = -(float)INF;
    const i64 slot = (matrix * a.splits + blockIdx.x) * rows;

    bool seen = a.mask && !MASK_IS_BOOL; // a key of the chunk, by any query
    for (int r = 0; r < rows && !seen && t < keys; r++) // a thread has a key
        seen = masked(a, n, kv * group + r / queries, r % queries, first + t, 0) != none;
    if (!__syncthreads_or(seen) && a.splits > 1) {
        for (int r = t; r < rows; r += THREADS) { a.tops[slot + r] = none; a.sums[slot + r] = 0; }
        return;
    }
    for (int r = 0; r < rows; r++) {
        const T *q = a.q + n * a.qs[0] + (kv * group + r / queries) * a.qs[1] + r % queries * a.qs[2];
        for (int c = t; c < LANES * 8; c += THREADS) qs[r][c] = c < a.e ? get(q[c]) : 0;
    }
    __syncthreads();

    const int lane = t % LANES, mine = t / LANES;
    const bool inE = lane * 8 < a.e, inF = lane * 8 < a.f;
    const T *key = a.k + n * a.ks[0] + kv * a.ks[1] + first * a.ks[2] + lane * 8;
    for (int j0 = mine; j0 < CHUNK; j0 += GROUPS * AHEAD) { // several keys are on their way at once
        float k[AHEAD][8];
#pragma unroll
        for (int u = 0; u < AHEAD; u++) {
            const int j = j0 + u * GROUPS;
#pragma unroll
            for (int i = 0; i < 8; i++) k[u][i] = 0;
            if (j < keys && inE) load_vec<T, 8>(k[u], key + j * a.ks[2], 8);
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (r >= rows) break;
            float q[8];
            load_vec<float, 4>(*(float (*)[4])q, &qs[r][lane * 8], 4);
            load_vec<float, 4>(*(float (*)[4])(q + 4), &qs[r][lane * 8 + 4], 4);
#pragma unroll
            for (int u = 0; u < AHEAD; u++) {
                float s = 0;
#pragma unroll
                for (int i = 0; i < 8; i++) s = __fmaf_rn(q[i], k[u][i], s);
#pragma unroll
                for (int m = LANES / 2; m > 0; m /= 2) s += __shfl_xor_sync(~0u, s, m);
                if (lane == 0) scores[r][j0 + u * GROUPS] = s * (float)a.scale;
            }
        }
    }
    __syncthreads();
    for (int r = 0; r < rows && t < keys; r++)
        scores[r][t] = masked(a, n, kv * group + r / queries, r % queries, first + t, scores[r][t]);
    __syncthreads();

    for (int r = t / 32; r < rows; r += THREADS / 32) { // a warp has a row
        float top = none, sum = 0;
        for (int j = t % 32; j < keys; j += 32) { const float x = scores[r][j]; top = x > top || x != x ? x : top; }
#pragma unroll
        for (int m = 16; m > 0; m /= 2) { const float x = __shfl_xor_sync(~0u, top, m); top = x > top || x != x ? x : top; }
        for (int j = t % 32; j < keys; j += 32) {
            const float p = top == none ? 0 : expf(scores[r][j] - top);
            scores[r][j] = p;
            sum += p;
        }
#pragma unroll
        for (int m = 16; m > 0; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
        if (t % 32 == 0) { rowTop[r] = top; rowSum[r] = sum; }
    }
    __syncthreads();

    const T *value = a.v + n * a.vs[0] + kv * a.vs[1] + first * a.vs[2] + lane * 8;
    for (int r0 = 0; r0 < rows; r0 += BATCH) {
        float acc[BATCH][8];
#pragma unroll
        for (int r = 0; r < BATCH; r++)
#pragma unroll
            for (int i = 0; i < 8; i++) acc[r][i] = 0;
        for (int j0 = mine; j0 < keys; j0 += GROUPS * AHEAD) {
            float v[AHEAD][8];
#pragma unroll
            for (int u = 0; u < AHEAD; u++)
                if (j0 + u * GROUPS < keys && inF) load_vec<T, 8>(v[u], value + (j0 + u * GROUPS) * a.vs[2], 8);
#pragma unroll
            for (int u = 0; u < AHEAD; u++) {
                const int j = j0 + u * GROUPS;
                if (j >= keys || !inF) continue;
#pragma unroll
                for (int r = 0; r < BATCH; r++) {
                    const float p = r0 + r < rows ? scores[r0 + r][j] : 0;
                    if (p == 0) continue; // a key that is not seen adds nothing, whatever its values are
#pragma unroll
                    for (int i = 0; i < 8; i++) acc[r][i] = __fmaf_rn(p, v[u][i], acc[r][i]);
                }
            }
        }
#pragma unroll
        for (int r = 0; r < BATCH; r++)
#pragma unroll
            for (int i = 0; i < 8; i++) {
#pragma unroll
                for (int m = LANES; m < 32; m *= 2) acc[r][i] += __shfl_xor_sync(~0u, acc[r][i], m);
                if (t % 32 < LANES) total[t / 32][r][lane * 8 + i] = acc[r][i];
            }
        __syncthreads();
        for (int i = t; i < BATCH * (int)a.f; i += THREADS) {
            const int r = i / (int)a.f, c = i % (int)a.f, row = r0 + r;
            if (row >= rows) continue;
            float s = 0;
#pragma unroll
            for (int w = 0; w < THREADS / 32; w++) s += total[w][r][c];
            const bool blind = rowTop[row] == none && a.mask;
            if (a.splits == 1) finish(a, n, kv * group + row / queries, row % queries, c, blind ? 0 : s / rowSum[row]);
            else a.parts[(slot + row) * a.f + c] = s;
        }
        __syncthreads();
    }
    for (int r = t; r < rows; r += THREADS) {
        const bool blind = rowTop[r] == none && a.mask;
        if (a.splits == 1) a.lse[(n * a.heads + kv * group) * a.queries + r] = blind ? -none : rowTop[r] + logf(rowSum[r]);
        else { a.tops[slot + r] = rowTop[r]; a.sums[slot + r] = rowSum[r]; }
    }
}
#endif

#ifdef COMBINE
// attention_combine weighs the chunks of a query: a block a query.
extern "C" __global__ void __launch_bounds__(THREADS) attention_combine(const __grid_constant__ Args a) {
    const int group = (int)a.heads / (int)a.kv_heads, queries = (int)a.queries, rows = group * queries, t = threadIdx.x;
    const i64 matrix = blockIdx.x / rows, n = matrix / a.kv_heads, kv = matrix % a.kv_heads;
    const int r = blockIdx.x % rows;
    const float none = -(float)INF;
    const float *tops = a.tops + matrix * a.splits * rows + r, *sums = a.sums + matrix * a.splits * rows + r;
    float top = none, sum = 0;
    for (i64 s = t % 32; s < a.splits; s += 32) { const float x = tops[s * rows]; top = x > top || x != x ? x : top; }
#pragma unroll
    for (int m = 16; m > 0; m /= 2) { const float x = __shfl_xor_sync(~0u, top, m); top = x > top || x != x ? x : top; }
    const bool blind = top == none && a.mask;
    for (i64 s = t % 32; s < a.splits; s += 32) {
        const float x = tops[s * rows];
        if (x != none) sum += expf(x - top) * sums[s * rows];
    }
#pragma unroll
    for (int m = 16; m > 0; m /= 2) sum += __shfl_xor_sync(~0u, sum, m);
    for (i64 c = t; c < a.f; c += THREADS) {
        float y = 0;
        for (i64 s = 0; s < a.splits; s++) {
            const float x = tops[s * rows];
            if (x != none) y = __fmaf_rn(expf(x - top), a.parts[((matrix * a.splits + s) * rows + r) * a.f + c], y);
        }
        const i64 h = kv * group + r / queries, l = r % queries;
        a.out[n * a.os[0] + h * a.os[1] + l * a.os[2] + c] = Put<T>::put(blind ? 0 : y / sum);
    }
    if (t == 0) a.lse[(n * a.heads + kv * group) * a.queries + r] = blind ? -none : top + logf(sum);
}
#endif
