// Attention of few queries over many keys, as a language model's next token needs it (flash-decoding). A block has a chunk of the keys of
// one head, or several chunks, and all queries that share them; the block that ends last combines the chunks. What is between the first
// and the last key that any query sees is shared by blocks, so that a large cache costs what is in it. T is the element type, MASK that of
// the mask, ROWS how many queries a block has room for, LANES·8 how many elements. Sums are in float32, in an order that the sizes and the
// number of those keys decide. With PAGE, keys and values are in blocks of so many rows, which a table names.
// Without tensor cores a warp has one query at a time, or a part of its keys; LANES of its threads have a key, 8 elements each. With them
// (MMA names T) a warp has 16 keys at a time, and 8 queries: keys, then values, are the left operand of mma, read from memory once, in an
// order of elements that needs no exchange between threads.
// With CLUSTER, so many blocks of a head are neighbours: the first of them reads as many chunks from the shared memory of the others,
// without a way through memory. Such a kernel also asks for its keys and values before its predecessors are done.
//
// Between two tokens all weights of a model go through the caches, and code is read from memory again: what is long is slow. So loops are
// not unrolled but for loads that wait for memory together.
#ifdef MMA
#define THREADS (ROWS * LANES > 256 ? 64 : ROWS * LANES > 128 ? 128 : 256)
#define SHARES WARPS                       // warps that share the keys of a query
#define FEWEST (THREADS == 256 ? 128 : 64) // keys of a chunk, if there are so many
#else
#define THREADS 512
#define SHARES (ROWS < WARPS ? WARPS / ROWS : 1)
#define KEYS (32 / LANES) // of a warp at a time
#define PER 4             // times that it loads at once
#define FEWEST 32
#endif
#define ENOUGH (ROWS * LANES > 64 ? 0 : 128) // up to so many keys a chunk there are at most NEAR, which a cluster combines
#define NEAR 8
#define WARPS (THREADS / 32)

#if CLUSTER
#define CLUSTERED __cluster_dims__(CLUSTER, 1, 1)
#define CLUSTER_ARRIVE asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#define CLUSTER_WAIT asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
// of_block is the address that shared memory has in a block of a cluster.
DEV float *of_block(float *shared, int block) {
    u64 at;
    asm("mapa.u64 %0, %1, %2;" : "=l"(at) : "l"(shared), "r"(block));
    return (float *)at;
}
#else
#define CLUSTERED
#endif

struct Args {
    i64 heads, kv_heads, queries, keys, e, f, splits, group; // group: heads that share keys
    i64 qs[3], ks[3], vs[3], os[3]; // strides of examples, heads, positions
    const T *q, *k, *v;
    T *out;
    float *lse;
    const MASK *mask;
    i64 ms[4];   // 0 where it is the same
    double scale;
    i64 causal;
    const i64 *table; // blocks of each example, so many
    i64 pages, blocks; // blocks there are
    Fault *fault;
    float *tops, *sums, *parts; // of a chunk and a query: largest score, sum of weights, weighted sum of values
    u32 *ended;                 // chunks of a head that are done; 0 before and behind
};

// where is the row of key j.
DEV int where(const Args &a, i64 n, int j) {
#if PAGE
    i64 b = a.table[n * a.pages + j / PAGE];
    if ((u64)b >= (u64)a.blocks) { report_fault(a.fault, 1, b, a.blocks); b = 0; }
    return (int)b * PAGE + j % PAGE;
#else
    return j;
#endif
}

// exponential has few instructions; its error grows with x, and far below 0 its result is small.
DEV float exponential(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x * 1.44269504f));
    return y;
}

DEV int uniform(int x) { return __shfl_sync(~0u, x, 0); } // tells the compiler that threads of a warp do not part

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

// Range is the keys that any query of a block sees, and some between them.
struct Range { int first, end; };

#if MASK_IS_BOOL
// widen takes in a key.
DEV void widen(Range &r, int at) { r.first = min(r.first, at), r.end = max(r.end, at + 1); }

// load_mask loads what may be written meanwhile: before predecessors are done it is looked at in vain at worst, but must not be in this
// multiprocessor's cache then.
DEV u8 load_mask(const u8 *p) { return CLUSTER ? __ldcg(p) : *p; }

// scan looks at a row of a mask.
DEV void scan(Range &r, const u8 *row, i64 stride, int keys) {
    if (stride == 1 && (u64)row % 16 == 0) {
#pragma unroll (THREADS < 256 ? 2 : 1)
        for (int j = threadIdx.x * 16; j < keys / 16 * 16; j += THREADS * 16) {
#if CLUSTER
            Vec<u64, 2> v;
            asm volatile("ld.global.cg.v2.u64 {%0, %1}, [%2];" : "=l"(v.v[0]), "=l"(v.v[1]) : "l"(row + j) : "memory");
#else
            const Vec<u64, 2> v = *(const Vec<u64, 2> *)(row + j);
#endif
            if ((v.v[0] | v.v[1]) == 0) continue;
            widen(r, j + (v.v[0] ? (__ffsll(v.v[0]) - 1) / 8 : 8 + (__ffsll(v.v[1]) - 1) / 8));
            widen(r, j + (v.v[1] ? 15 - __clzll(v.v[1]) / 8 : 7 - __clzll(v.v[0]) / 8));
        }
        row += keys / 16 * 16;
        if ((int)threadIdx.x < keys % 16 && load_mask(row + threadIdx.x)) widen(r, keys / 16 * 16 + threadIdx.x);
        return;
    }
#pragma unroll 1
    for (int j = threadIdx.x; j < keys; j += THREADS)
        if (load_mask(row + j * stride)) widen(r, j);
}
#endif

// seen is the keys of a head; all threads have it.
DEV Range seen(const Args &a, i64 n, i64 head, int group, int queries) {
    Range r = {0, (int)(a.causal && queries < a.keys ? queries : a.keys)};
#if MASK_IS_BOOL
    if (!a.mask) return r;
    __shared__ Range found[WARPS];
    Range s = {r.end, 0};
    for (int h = 0; h < (a.ms[1] ? group : 1); h++)
        for (int l = 0; l < (a.ms[2] ? queries : 1); l++)
            scan(s, (const u8 *)a.mask + n * a.ms[0] + (head + h) * a.ms[1] + l * a.ms[2], a.ms[3], r.end);
#pragma unroll
    for (int m = 16; m > 0; m /= 2) {
        s.first = min(s.first, __shfl_xor_sync(~0u, s.first, m));
        s.end = max(s.end, __shfl_xor_sync(~0u, s.end, m));
    }
#if CLUSTER
    __syncthreads(); // it may have been read before
#endif
    if (threadIdx.x % 32 == 0) found[threadIdx.x / 32] = s;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < WARPS; w++) { s.first = min(s.first, found[w].first); s.end = max(s.end, found[w].end); }
    r = s;
#endif
    return {uniform(r.first), uniform(r.end)};
}

// Chunks is how keys are divided.
struct Chunks { int size, used; };
DEV Chunks chunks(const Args &a, Range r) {
    const u32 keys = max(r.end - r.first, 0), most = keys <= NEAR * ENOUGH ? min((u32)a.splits, NEAR) : (u32)a.splits;
    const u32 wanted = max(min((keys + FEWEST - 1) / FEWEST, most), 1u);
    Chunks c;
    c.size = max(((keys + wanted - 1) / wanted + 15) / 16 * 16, 16u);
    c.used = max((keys + c.size - 1) / c.size, 1u);
    return c;
}

#if CLUSTER
// ask lets the second-level cache load keys and values of a chunk that is likely to be the one of this block. What the predecessors still
// write may be read too early: nothing comes of it.
DEV void ask(const Args &a, i64 n, i64 kv, Range r) {
    const Chunks c = chunks(a, r);
    const int first = r.first + blockIdx.x * c.size, end = min(first + c.size, r.end), at = threadIdx.x % 32 * (128 / (int)sizeof(T));
    const T *key = a.k + n * a.ks[0] + kv * a.ks[1] + at, *value = a.v + n * a.vs[0] + kv * a.vs[1] + at;
#pragma unroll 1
    for (int i = first + threadIdx.x / 32; i < end; i += WARPS) {
        int j = i;
#if PAGE
        const i64 b = __ldcg(a.table + n * a.pages + i / PAGE);
        if ((u64)b >= (u64)a.blocks) continue;
        j = (int)b * PAGE + i % PAGE;
#endif
        if (at < (int)a.e) asm volatile("prefetch.global.L2 [%0];" :: "l"(key + j * (int)a.ks[2]));
        if (at < (int)a.f) asm volatile("prefetch.global.L2 [%0];" :: "l"(value + j * (int)a.vs[2]));
    }
}
#endif

#ifdef MMA
#define STEPS (LANES / 4)          // 32 elements of a key
#define PARTS ((LANES * 8 + 63) / 64) // 64 elements of a value

DEV Vec<u32, 4> eight(const T *p, bool take) {
    Vec<u32, 4> v = Vec<u32, 4>();
    if (take) v = *(const Vec<u32, 4> *)p;
    return v;
}

DEV void mma(float (&c)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32." MMA "." MMA ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// transposed exchanges keys and queries of 8×8 weights, two of which a thread has.
DEV u32 transposed(u32 x) {
    u32 y;
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(y) : "r"(x));
    return y;
}

// Sums is what a thread knows of the keys its warp has seen: two queries, and of each element pairs of values.
struct Sums { float top[2], mass[2], acc[4 * PARTS][4]; };

// attend goes through a share of the keys of queries from..from+7. A thread has scores of keys g and g + 8, of queries 2t and 2t + 1.
DEV void attend(Sums &x, const Args &a, i64 n, i64 kv, int from, int rows, int queries, int first, int end) {
    const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4, e = (int)a.e, f = (int)a.f;
    const float none = -(float)INF;
    const T *key = a.k + n * a.ks[0] + kv * a.ks[1] + 8 * t, *value = a.v + n * a.vs[0] + kv * a.vs[1] + 8 * g;
    const int r = from + g, head = (int)kv * (int)a.group;
    const T *query = a.q + n * a.qs[0] + (head + r / queries) * a.qs[1] + r % queries * a.qs[2] + 8 * t;
    Vec<u32, 4> q[STEPS];
#pragma unroll
    for (int i = 0; i < STEPS; i++) q[i] = eight(query + 32 * i, r < rows && 32 * i + 8 * t < e);
    const MASK *mask[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int m = min(from + 2 * t + i, rows - 1);
        mask[i] = a.mask ? a.mask + n * a.ms[0] + (head + m / queries) * a.ms[1] + m % queries * a.ms[2] : 0;
        x.top[i] = none, x.mass[i] = 0;
    }
#pragma unroll
    for (int i = 0; i < 16 * PARTS; i++) x.acc[i / 4][i % 4] = 0;
#pragma unroll 1
    for (int k0 = first; k0 < end; k0 += 16 * WARPS) { // the same for all threads of a warp
        int at[2];
        float s[4] = {}, added[4];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int j = min(k0 + g + 8 * i, end - 1);
            at[i] = where(a, n, j);
#pragma unroll
            for (int h = 0; h < 2; h++) {
#if MASK_IS_BOOL
                added[2 * i + h] = !a.mask || get(mask[h][j * (int)a.ms[3]]) ? 0 : none;
#else
                added[2 * i + h] = a.mask ? (float)get(mask[h][j * (int)a.ms[3]]) : 0;
#endif
            }
        }
        Vec<u32, 4> lo[STEPS], hi[STEPS], v[4][PARTS];
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            lo[i] = eight(key + at[0] * (int)a.ks[2] + 32 * i, 32 * i + 8 * t < e);
            hi[i] = eight(key + at[1] * (int)a.ks[2] + 32 * i, 32 * i + 8 * t < e);
        }
#pragma unroll
        for (int i = 0; i < 4; i++) { // keys 2t, 2t + 1, 2t + 8, 2t + 9
            const int row = __shfl_sync(~0u, at[i / 2], 8 * t + 4 * (i % 2));
#pragma unroll
            for (int j = 0; j < PARTS; j++) v[i][j] = eight(value + row * (int)a.vs[2] + 64 * j, 64 * j + 8 * g < f);
        }
#pragma unroll
        for (int i = 0; i < STEPS; i++) {
            mma(s, lo[i].v[0], hi[i].v[0], lo[i].v[1], hi[i].v[1], q[i].v[0], q[i].v[1]);
            mma(s, lo[i].v[2], hi[i].v[2], lo[i].v[3], hi[i].v[3], q[i].v[2], q[i].v[3]);
        }
        u32 seen[2];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int j = k0 + g + 8 * (i / 2), m = from + 2 * t + i % 2;
            const bool hidden = j >= end || m >= rows || a.causal && j > m % queries || MASK_IS_BOOL && added[i] == none;
            s[i] = hidden ? none : s[i] * (float)a.scale + added[i];
        }
#pragma unroll
        for (int i = 0; i < 2; i++) seen[i] = __ballot_sync(~0u, s[2 * i] != none || s[2 * i + 1] != none);
        u32 w[2];
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float highest = larger(s[h], s[2 + h]);
#pragma unroll
            for (int m = 4; m < 32; m *= 2) highest = larger(highest, __shfl_xor_sync(~0u, highest, m));
            highest = larger(x.top[h], highest);
            const float back = x.top[h] == none ? 0 : exponential(x.top[h] - highest);
            x.top[h] = highest;
#pragma unroll
            for (int i = h; i < 4; i += 2) s[i] = s[i] == none ? 0 : exponential(s[i] - highest);
            x.mass[h] = __fmaf_rn(x.mass[h], back, s[h] + s[2 + h]);
#pragma unroll
            for (int i = 0; i < 4 * PARTS; i++) { x.acc[i][h] *= back; x.acc[i][2 + h] *= back; }
        }
#pragma unroll
        for (int i = 0; i < 2; i++) w[i] = transposed(pair(T(), s[2 * i], s[2 * i + 1]));
        if ((seen[0] & seen[1]) != ~0u) { // a key that no query sees adds nothing, whatever its values are
#pragma unroll
            for (int i = 0; i < 4; i++)
                if (!(seen[i / 2] >> (8 * t + 4 * (i % 2)) & 15))
#pragma unroll
                    for (int j = 0; j < PARTS; j++) v[i][j] = Vec<u32, 4>();
        }
#pragma unroll
        for (int j = 0; j < 4 * PARTS; j++) {
            const u32 a = v[0][j / 4].v[j % 4], b = v[1][j / 4].v[j % 4], c = v[2][j / 4].v[j % 4], d = v[3][j / 4].v[j % 4];
            const u32 even[2] = {__byte_perm(a, b, 0x5410), __byte_perm(c, d, 0x5410)},
                odd[2] = {__byte_perm(a, b, 0x7632), __byte_perm(c, d, 0x7632)};
            mma(x.acc[j], even[0], odd[0], even[1], odd[1], w[0], w[1]);
        }
    }
#pragma unroll
    for (int h = 0; h < 2; h++)
#pragma unroll
        for (int m = 4; m < 32; m *= 2) x.mass[h] += __shfl_xor_sync(~0u, x.mass[h], m);
}
#else
// Eight is elements of a row, in whole words: single ones take many instructions.
struct alignas(16) Eight {
    u32 w[2 * sizeof(T)];
    DEV float operator[](int i) const {
        if (sizeof(T) == 4) return __uint_as_float(w[i]);
        const u16 bits = (u16)(w[i / 2] >> i % 2 * 16);
        return get(*(const T *)&bits);
    }
};

DEV Eight eight(const T *p, bool take) {
    Eight e = Eight();
    if (take) e = *(const Eight *)p;
    return e;
}

// Sums is what a thread knows of the keys it has seen.
struct Sums {
    float top, mass, acc[8]; // the largest score, weights, weighted values

    // weigh makes another score the largest one.
    DEV void weigh(float highest) {
        const float scale = top == -(float)INF ? 0 : exponential(top - highest);
        mass *= scale;
#pragma unroll
        for (int i = 0; i < 8; i++) acc[i] = scale == 0 ? 0 : acc[i] * scale;
        top = highest;
    }
};

// attend goes through a share of the keys of query r.
DEV Sums attend(const Args &a, i64 n, i64 kv, int r, int queries, int first, int end) {
    const int lane = threadIdx.x % LANES, h = (int)kv * (int)a.group + r / queries, l = r % queries;
    const bool inE = lane * 8 < a.e, inF = lane * 8 < a.f;
    const float none = -(float)INF;
    const T *key = a.k + n * a.ks[0] + kv * a.ks[1] + lane * 8, *value = a.v + n * a.vs[0] + kv * a.vs[1] + lane * 8;
    const MASK *mask = a.mask ? a.mask + n * a.ms[0] + h * a.ms[1] + l * a.ms[2] : 0;
    const Eight q = eight(a.q + n * a.qs[0] + h * a.qs[1] + l * a.qs[2] + lane * 8, inE);
    Sums x;
    x.top = none, x.mass = 0;
#pragma unroll
    for (int i = 0; i < 8; i++) x.acc[i] = 0;
#pragma unroll 1
    for (int k0 = first; k0 < end; k0 += PER * SHARES * KEYS) { // the same for all threads of a warp
        Eight k[PER], v[PER];
        float s[PER], highest = x.top;
#pragma unroll
        for (int u = 0; u < PER; u++) {
            const int j = min(k0 + u * SHARES * KEYS + (int)threadIdx.x % 32 / LANES, end - 1), at = where(a, n, j);
            k[u] = eight(key + at * (int)a.ks[2], inE);
            v[u] = eight(value + at * (int)a.vs[2], inF);
#if MASK_IS_BOOL
            s[u] = !mask || get(mask[j * (int)a.ms[3]]) ? 0 : none;
#else
            s[u] = mask ? (float)get(mask[j * (int)a.ms[3]]) : 0;
#endif
        }
#pragma unroll
        for (int u = 0; u < PER; u++) {
            const int j = k0 + u * SHARES * KEYS + (int)threadIdx.x % 32 / LANES;
            float y = 0;
#pragma unroll
            for (int i = 0; i < 8; i++) y = __fmaf_rn(q[i], k[u][i], y);
#pragma unroll
            for (int m = LANES / 2; m > 0; m /= 2) y += __shfl_xor_sync(~0u, y, m);
            const bool hidden = j >= end || a.causal && j > l || MASK_IS_BOOL && s[u] == none;
            s[u] = hidden ? none : y * (float)a.scale + s[u];
            highest = larger(highest, s[u]);
        }
        x.weigh(highest);
#pragma unroll
        for (int u = 0; u < PER; u++) {
            const float p = s[u] == none ? 0 : exponential(s[u] - highest);
            x.mass += p;
#pragma unroll
            for (int i = 0; i < 8; i++) // a key that is not seen adds nothing, whatever its values are
                x.acc[i] = p == 0 ? x.acc[i] : __fmaf_rn(p, v[u][i], x.acc[i]);
        }
    }
    return x;
}

#endif

// Where there are many texts, several blocks of a multiprocessor wait for memory at the same time.
#ifdef MMA
#define LEAST (LANES > 16 ? 1 : 512 / THREADS)
#else
#define LEAST 1
#endif

extern "C" __global__ void CLUSTERED __launch_bounds__(THREADS, LEAST) attention_decode(const __grid_constant__ Args a) {
    PDL_EARLY
    __shared__ float total[ROWS][SHARES][LANES * 8], tops[ROWS][SHARES], masses[ROWS][SHARES];
    __shared__ bool last;
    const i64 n = blockIdx.y / (u32)a.kv_heads, kv = blockIdx.y % (u32)a.kv_heads;
    const int group = (int)a.group, queries = QUERIES, rows = group * queries, f = (int)a.f;
    const int warp = uniform(threadIdx.x / 32), t = threadIdx.x % 32;
    const float none = -(float)INF;
#if CLUSTER
    __shared__ float own_tops[ROWS], own_masses[ROWS]; // of a chunk; its values are in total[r][0]
#endif
    Range range;
#pragma unroll 1
    for (int waited = 1 - (CLUSTER > 0); waited < 2; waited++) {
        if (waited) { PDL_WAIT }
        range = seen(a, n, kv * group, group, queries);
#if CLUSTER
        if (!waited) ask(a, n, kv, range);
#endif
    }
    const Chunks all = chunks(a, range);
    const int chunk = all.size, used = all.used;
#if CLUSTER
    if ((int)blockIdx.x >= used) return;
#endif
    const int wide = (f + 31) / 32; // a warp has 32 elements of a result at a time
#ifndef MMA
    const int share = warp / ROWS % SHARES;
#endif
    T *out = a.out + n * a.os[0] + kv * group * a.os[1];
    float *lse = a.lse + (n * a.heads + kv * group) * a.queries;
#if CLUSTER
    const bool near = used <= CLUSTER;
#else
    const bool near = false;
#endif
    int made = 0; // chunks of this block; where there are many texts it has several
#pragma unroll 1
    for (int number = blockIdx.x; number < used; number += gridDim.x, made++) {
        const int first = range.first + number * chunk, end = min(first + chunk, range.end);
        if (made > 0) __syncthreads();
#ifdef MMA
#pragma unroll 1
        for (int from = 0; from < rows; from += 8) {
            Sums x;
            attend(x, a, n, kv, from, rows, queries, first + warp * 16, end);
#pragma unroll
            for (int h = 0; h < 2; h++) {
                const int r = from + 2 * (t % 4) + h;
                if (r >= rows) continue;
#pragma unroll
                for (int i = 0; i < 8 * PARTS; i++) {
                    const int c = i / 8 * 64 + t / 4 * 8 + i % 8;
                    if (c < LANES * 8) total[r][warp][c] = x.acc[i / 2][i % 2 * 2 + h];
                }
                if (t < 4) { tops[r][warp] = x.top[h]; masses[r][warp] = x.mass[h]; }
            }
        }
#else
#pragma unroll 1
        for (int r = warp % ROWS; r < rows; r += WARPS) {
            Sums x = attend(a, n, kv, r, queries, first + share * KEYS, end);
            float highest = x.top;
#pragma unroll
            for (int m = LANES; m < 32; m *= 2) highest = larger(highest, __shfl_xor_sync(~0u, highest, m));
            x.weigh(highest);
#pragma unroll
            for (int m = LANES; m < 32; m *= 2) {
                x.mass += __shfl_xor_sync(~0u, x.mass, m);
#pragma unroll
                for (int i = 0; i < 8; i++) x.acc[i] += __shfl_xor_sync(~0u, x.acc[i], m);
            }
            if (t < LANES) {
#pragma unroll
                for (int i = 0; i < 8; i++) total[r][share][t * 8 + i] = x.acc[i];
            }
            if (t == 0) { tops[r][share] = highest; masses[r][share] = x.mass; }
        }
#endif
        __syncthreads();
        const int slot = ((int)blockIdx.y * (int)a.splits + number) * rows;
#pragma unroll 1
        for (int i = warp; i < rows * wide; i += WARPS) {
            const int r = i / wide, c = i % wide * 32 + t;
            float top = none, s = 0, mass = 0;
#pragma unroll 1
            for (int w = 0; w < SHARES; w++) top = larger(top, tops[r][w]);
#pragma unroll 1
            for (int w = 0; w < SHARES; w++) {
                if (tops[r][w] == none) continue;
                const float scale = exponential(tops[r][w] - top);
                mass = __fmaf_rn(scale, masses[r][w], mass);
                if (scale != 0 && c < f) s = __fmaf_rn(scale, total[r][w][c], s);
            }
#if CLUSTER
            if (used > 1 && near) {
                total[r][0][c] = s;
                if (c == 0) { own_tops[r] = top; own_masses[r] = mass; }
                continue;
            }
#endif
            if (used > 1) {
                if (c < f) a.parts[(i64)(slot + r) * f + c] = s;
                if (c == 0) { a.tops[slot + r] = top; a.sums[slot + r] = mass; }
                continue;
            }
            const bool blind = top == none && a.mask;
            if (c < f) out[r / queries * a.os[1] + r % queries * a.os[2] + c] = Put<T>::put(blind ? 0 : s / mass);
            if (c == 0) lse[r] = blind ? -none : top + logf(mass);
        }
    }
    if (used == 1 || made == 0) return;

    if (!near) {
        __syncthreads();
        if (threadIdx.x == 0) {
            __threadfence();
            last = atomicAdd(a.ended + blockIdx.y, (u32)made) == (u32)(used - made);
            __threadfence();
            if (last) a.ended[blockIdx.y] = 0;
        }
        __syncthreads();
        if (!last) return;
    }
#if CLUSTER
    else {
        CLUSTER_ARRIVE
        CLUSTER_WAIT
        if (blockIdx.x > 0) { // the first reads its memory
            CLUSTER_ARRIVE
            CLUSTER_WAIT
            return;
        }
    }
#endif
#pragma unroll 1
    for (int i = warp; i < rows * wide; i += WARPS) { // what others wrote is not in this multiprocessor's cache
        const int r = i / wide, c = i % wide * 32 + t, from = (int)blockIdx.y * (int)a.splits * rows + r;
        const float *part = a.parts + (i64)from * f + min(c, f - 1);
        float top = none, mass = 0, x[16], y = 0;
#if CLUSTER
        if (near) {
            if (t < used) top = *of_block(own_tops + r, t), mass = *of_block(own_masses + r, t);
#pragma unroll
            for (int s = 0; s < (CLUSTER < 16 ? CLUSTER : 16); s++) x[s] = s < used ? *of_block(&total[r][0][c], s) : 0;
#pragma unroll
            for (int s = CLUSTER; s < 16; s++) x[s] = 0;
        } else
#endif
        {
            if (t < used) top = __ldcg(a.tops + from + t * rows), mass = __ldcg(a.sums + from + t * rows);
#pragma unroll
            for (int s = 0; s < 16; s++) x[s] = s < used ? __ldcg(part + s * rows * f) : 0;
        }
        const float highest = largest(top), w = top == none ? 0 : exponential(top - highest), sum = sum_of(w == 0 ? 0 : w * mass);
#pragma unroll
        for (int s = 0; s < 16; s++) {
            const float weight = __shfl_sync(~0u, w, s); // 0 behind the last chunk
            y = weight == 0 ? y : __fmaf_rn(weight, x[s], y);
        }
#pragma unroll 1
        for (int s = 16; s < used; s++) {
            const float weight = __shfl_sync(~0u, w, s), x = __ldcg(part + s * rows * f);
            y = weight == 0 ? y : __fmaf_rn(weight, x, y);
        }
        const bool blind = highest == none && a.mask;
        if (c < f) out[r / queries * a.os[1] + r % queries * a.os[2] + c] = Put<T>::put(blind ? 0 : y / sum);
        if (c == 0) lse[r] = blind ? -none : highest + logf(sum);
    }
#if CLUSTER
    if (near) { CLUSTER_ARRIVE CLUSTER_WAIT }
#endif
}
