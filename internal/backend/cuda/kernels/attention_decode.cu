// Attention of few queries over many keys, as a language model's next token needs it (flash-decoding): a block has a chunk of the keys of
// one head and all queries that share them; the block that ends last combines the chunks. Keys that no query sees cost a look at their
// mask. T is the element type, MASK that of the mask, ROWS how many queries a block has room for, LANES how many threads read a row of 8
// elements each. Sums are in float32, in an order that sizes alone decide. With PAGE, keys and values are in blocks of so many rows, which
// a table names.
#define THREADS 256
#define WARPS (THREADS / 32)
#define PART 64               // keys at a time
#define GROUPS (THREADS / LANES)
#define PER (PART / GROUPS)   // keys of a thread
#define AT_ONCE (64 / LANES < ROWS ? 64 / LANES : ROWS) // rows that are summed over warps at once
#define SPLITS 64             // at most so many chunks: a thread of a warp weighs two

struct Args {
    i64 heads, kv_heads, queries, keys, e, f, splits, chunk;
    i64 qs[3], ks[3], vs[3], os[3]; // strides of examples, heads, positions
    const T *q, *k, *v;
    T *out;
    float *lse;
    const MASK *mask;
    i64 ms[4];
    double scale;
    i64 causal;
    const i64 *table; // blocks of each example, so many
    i64 pages, blocks; // blocks there are
    Fault *fault;
    float *tops, *sums, *parts; // of a chunk and a query: largest score, sum of weights, weighted sum of values
    u32 *ended;                 // chunks of a head that are done; 0 before and behind
};

// bias_of is what is added to a score: -INF for a key that is not seen.
DEV float bias_of(const Args &a, i64 n, i64 h, i64 l, i64 j) {
    const float none = -(float)INF;
    float x = 0;
    if (a.mask) {
        const MASK m = a.mask[n * a.ms[0] + h * a.ms[1] + l * a.ms[2] + j * a.ms[3]];
#if MASK_IS_BOOL
        if (!get(m)) x = none;
#else
        x = (float)get(m);
#endif
    }
    return a.causal && j > l ? none : x;
}

// where is the row of key j.
DEV i64 where(const Args &a, i64 n, i64 j) {
#if PAGE
    i64 b = a.table[n * a.pages + j / PAGE];
    if ((u64)b >= (u64)a.blocks) { report_fault(a.fault, 1, b, a.blocks); b = 0; }
    return b * PAGE + j % PAGE;
#else
    return j;
#endif
}

DEV float larger(float x, float y) { return y > x || y != y ? y : x; } // NaN wins
DEV float largest(float x) {
#pragma unroll
    for (int m = 16; m > 0; m /= 2) x = larger(x, __shfl_xor_sync(~0u, x, m));
    return x;
}
DEV float sum_of(float x) {
#pragma unroll
    for (int m = 16; m > 0; m /= 2) x += __shfl_xor_sync(~0u, x, m);
    return x;
}

extern "C" __global__ void __launch_bounds__(THREADS) attention_decode(const __grid_constant__ Args a) {
    __shared__ float bias[ROWS][PART], scores[ROWS][PART], total[WARPS][AT_ONCE][LANES * 8], weights[ROWS][SPLITS];
    __shared__ float rowTop[ROWS], rowSum[ROWS], rowScale[ROWS];
    __shared__ bool last;
    __shared__ int chunks;
    const i64 matrix = blockIdx.y, n = blockIdx.y / (u32)a.kv_heads, kv = blockIdx.y % (u32)a.kv_heads;
    const i64 first = blockIdx.x * a.chunk, end = first + a.chunk < a.keys ? first + a.chunk : a.keys;
    const int group = (int)a.heads / (int)a.kv_heads, queries = QUERIES, rows = group * queries, t = threadIdx.x;
    const int lane = t % LANES, mine = t / LANES, warp = t / 32;
    const bool inE = lane * 8 < a.e, inF = lane * 8 < a.f;
    const float none = -(float)INF;
    const bool added = a.mask && !MASK_IS_BOOL; // then every key is seen
    const i64 slot = (matrix * a.splits + blockIdx.x) * rows;

    Vec<T, 8> q[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        q[r] = Vec<T, 8>();
        if (r < rows && inE)
            q[r] = *(const Vec<T, 8> *)(a.q + n * a.qs[0] + (kv * group + r / queries) * a.qs[1] + r % queries * a.qs[2] + lane * 8);
    }
    for (int r = t; r < rows; r += THREADS) { rowTop[r] = none; rowSum[r] = 0; }
    float acc[ROWS][8];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
#pragma unroll
        for (int i = 0; i < 8; i++) acc[r][i] = 0;
    bool any = false; // key is seen by any query; the same for all threads
    const T *key = a.k + n * a.ks[0] + kv * a.ks[1] + lane * 8, *value = a.v + n * a.vs[0] + kv * a.vs[1] + lane * 8;
    for (i64 k0 = first; k0 < end; k0 += PART) {
        const int keys = (int)(end - k0 < PART ? end - k0 : PART);
        bool seen = added;
        for (int r = t / PART; r < rows; r += THREADS / PART) {
            const float x = t % PART < keys ? bias_of(a, n, kv * group + r / queries, r % queries, k0 + t % PART) : none;
            bias[r][t % PART] = x;
            seen = seen || x != none;
        }
        if (!__syncthreads_or(seen)) continue;
        any = true;
        Vec<T, 8> k[PER], v[PER];
#pragma unroll
        for (int u = 0; u < PER; u++) {
            const i64 j = k0 + mine + u * GROUPS;
            k[u] = Vec<T, 8>();
            if (j < end && inE) k[u] = *(const Vec<T, 8> *)(key + where(a, n, j) * a.ks[2]);
        }
#pragma unroll
        for (int u = 0; u < PER; u++)
            if (const i64 j = k0 + mine + u * GROUPS; j < end && inF) v[u] = *(const Vec<T, 8> *)(value + where(a, n, j) * a.vs[2]);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (r >= rows) break;
#pragma unroll
            for (int u = 0; u < PER; u++) {
                const int j = mine + u * GROUPS;
                float s = 0;
#pragma unroll
                for (int i = 0; i < 8; i++) s = __fmaf_rn(get(q[r].v[i]), get(k[u].v[i]), s);
#pragma unroll
                for (int m = LANES / 2; m > 0; m /= 2) s += __shfl_xor_sync(~0u, s, m);
                if (lane == r % LANES && j < keys) {
                    const bool hidden = bias[r][j] == none && (!added || a.causal && k0 + j > r % queries);
                    scores[r][j] = hidden ? none : s * (float)a.scale + bias[r][j];
                }
            }
        }
        __syncthreads();
        for (int r = warp; r < rows; r += WARPS) { // a warp has a row
            float top = none, sum = 0;
            for (int j = t % 32; j < keys; j += 32) top = larger(top, scores[r][j]);
            const float old = rowTop[r];
            top = larger(old, largest(top));
            for (int j = t % 32; j < keys; j += 32) {
                const float p = top == none ? 0 : expf(scores[r][j] - top);
                scores[r][j] = p;
                sum += p;
            }
            sum = sum_of(sum);
            __syncwarp();
            if (t % 32 == 0) {
                const float scale = old == none ? 0 : expf(old - top);
                rowTop[r] = top;
                rowSum[r] = old == none ? sum : rowSum[r] * scale + sum;
                rowScale[r] = scale;
            }
        }
        __syncthreads();
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            if (r >= rows) break;
            const float scale = rowScale[r];
#pragma unroll
            for (int i = 0; i < 8; i++) acc[r][i] = scale == 0 ? 0 : acc[r][i] * scale;
#pragma unroll
            for (int u = 0; u < PER; u++) {
                const int j = mine + u * GROUPS;
                const float p = j < keys && inF ? scores[r][j] : 0;
                if (p == 0) continue; // a key that is not seen adds nothing, whatever its values are
#pragma unroll
                for (int i = 0; i < 8; i++) acc[r][i] = __fmaf_rn(p, get(v[u].v[i]), acc[r][i]);
            }
        }
    }
    if (any || a.splits == 1) {
        for (int r0 = 0; r0 < rows; r0 += AT_ONCE) {
            __syncthreads();
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                if (r < r0 || r >= r0 + AT_ONCE) continue;
#pragma unroll
                for (int i = 0; i < 8; i++) {
                    float s = acc[r][i];
#pragma unroll
                    for (int m = LANES; m < 32; m *= 2) s += __shfl_xor_sync(~0u, s, m);
                    if (t % 32 < LANES) total[warp][r - r0][lane * 8 + i] = s;
                }
            }
            __syncthreads();
            for (int i = t; i < AT_ONCE * (int)a.f; i += THREADS) {
                const int r = i / (int)a.f, c = i % (int)a.f, row = r0 + r;
                if (row >= rows) continue;
                float s = 0;
#pragma unroll
                for (int w = 0; w < WARPS; w++) s += total[w][r][c];
                if (a.splits > 1) {
                    a.parts[(slot + row) * a.f + c] = s;
                    continue;
                }
                const bool blind = rowTop[row] == none && a.mask;
                a.out[n * a.os[0] + (kv * group + row / queries) * a.os[1] + row % queries * a.os[2] + c] =
                    Put<T>::put(blind ? 0 : s / rowSum[row]);
            }
        }
    }
    __syncthreads();
    for (int r = t; r < rows; r += THREADS) {
        const bool blind = rowTop[r] == none && a.mask;
        if (a.splits == 1) a.lse[(n * a.heads + kv * group) * a.queries + r] = blind ? -none : rowTop[r] + logf(rowSum[r]);
        else { a.tops[slot + r] = rowTop[r]; a.sums[slot + r] = rowSum[r]; }
    }
    if (a.splits == 1) return;

    __threadfence();
    __syncthreads();
    if (t == 0) last = atomicAdd(a.ended + matrix, 1u) == (u32)a.splits - 1;
    __syncthreads();
    if (!last) return;
    if (t == 0) a.ended[matrix] = 0;
    const i64 from = matrix * a.splits * rows;
    for (int r = warp; r < rows; r += WARPS) { // what others wrote is not in this multiprocessor's cache
        const int s0 = t % 32;
        float x[2], mass[2], top = none, sum = 0;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const i64 at = from + (s0 + 32 * i) * rows + r;
            x[i] = s0 + 32 * i < a.splits ? __ldcg(a.tops + at) : none;
            mass[i] = s0 + 32 * i < a.splits ? __ldcg(a.sums + at) : 0;
        }
        top = largest(larger(x[0], x[1]));
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const float w = x[i] == none ? 0 : expf(x[i] - top);
            weights[r][s0 + 32 * i] = w;
            sum += x[i] == none ? 0 : w * mass[i];
        }
        sum = sum_of(sum);
        if (s0 == 0) {
            const bool blind = top == none && a.mask;
            rowTop[r] = top;
            rowSum[r] = sum;
            a.lse[(n * a.heads + kv * group) * a.queries + r] = blind ? -none : top + logf(sum);
        }
    }
    // Chunks behind the last one that is seen are not read; others are, also those of no weight, so that loads do not wait.
    __syncthreads();
    if (t < 32) {
        int used = 0;
        for (int s = t; s < SPLITS; s += 32)
            for (int r = 0; r < rows; r++) used = weights[r][s] != 0 ? s + 1 : used;
#pragma unroll
        for (int m = 16; m > 0; m /= 2) used = max(used, __shfl_xor_sync(~0u, used, m));
        if (t == 0) chunks = used;
    }
    __syncthreads();
    for (int i = t; i < rows * (int)a.f; i += THREADS) {
        const int r = i / (int)a.f, c = i % (int)a.f;
        const float *p = a.parts + (from + r) * a.f + c;
        float y = 0;
        for (int s0 = 0; s0 < chunks; s0 += 8) {
            float x[8];
#pragma unroll
            for (int s = 0; s < 8; s++) x[s] = s0 + s < chunks ? __ldcg(p + (s0 + s) * rows * a.f) : 0;
#pragma unroll
            for (int s = 0; s < 8; s++) {
                const float w = s0 + s < chunks ? weights[r][s0 + s] : 0;
                if (w != 0) y = __fmaf_rn(w, x[s], y);
            }
        }
        const bool blind = rowTop[r] == none && a.mask;
        a.out[n * a.os[0] + (kv * group + r / queries) * a.os[1] + r % queries * a.os[2] + c] = Put<T>::put(blind ? 0 : y / rowSum[r]);
    }
}
