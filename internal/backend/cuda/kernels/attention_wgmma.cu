// Attention without a score matrix in memory, for Hopper: products are wgmma's, whose right operand is in shared memory. A block has 128
// rows of queries at a time, and loops over the keys in tiles of 128. Of three groups of four warps one copies tiles, the others have 64
// rows each. While one of those weighs scores, the other multiplies; and each multiplies the next keys, and the values before, while it
// weighs. A multiprocessor has one block, which goes through items of 128 rows; the first ones are copied while the last ones are computed.
// Rows in shared memory have 64 elements, the second 64 of all rows behind the first ones of all; their 16-byte chunks are swizzled by the
// number of the row, as wgmma wants it.
#if HALF_IS_BF16
#define MMA_TYPE "bf16"
#define PACK "cvt.rn.bf16x2.f32 %0, %1, %2;"
#else
#define MMA_TYPE "f16"
#define PACK "cvt.rn.f16x2.f32 %0, %1, %2;"
#endif
#define ROWS 128          // of a tile, and of a block
#define BYTES (ROWS * HD * 2)
#define HALF (ROWS * 128) // bytes of 64 elements of all rows
#define SLOTS 4           // tiles of keys and of values in turn
#define LAST (1u << 31)   // what is known of a tile, next to its number: it is the last of an item,
#define SOME (1u << 30)   // a mask hides some of its scores

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
    i64 matrices; // batches times heads
};

// Item is 128 rows of queries of a head. Under a causal mask the last rows have most work: they come first, and every other time blocks
// take items in the opposite order, so that all have about the same.
struct Item {
    int block, from, matrix, batch, head;
    bool there;
    DEV Item(const Args &a, int number) {
        const int blocks = ((int)a.length + ROWS - 1) / ROWS;
        const int n = number * gridDim.x + (number & 1 ? gridDim.x - 1 - blockIdx.x : blockIdx.x);
        there = n < blocks * (int)a.matrices;
        block = blocks - 1 - n / (int)a.matrices, from = block * ROWS, matrix = n % (int)a.matrices;
        batch = matrix / (int)a.heads, head = matrix % (int)a.heads;
    }
};

// Tiles finds those of an item in which scores count. All threads of a warp call it.
struct Tiles {
    int count;
#if MASKED
    const u8 *kinds;
    int base;
    u32 any, some; // bits of 32 tiles from base on

    DEV void load(int t) {
        base = t & ~31;
        const int i = base + threadIdx.x % 32, kind = i < count ? kinds[i] : 0;
        any = __ballot_sync(~0u, kind != 0), some = __ballot_sync(~0u, kind == 1);
    }
#endif
    DEV Tiles(const Args &a, const Item &w) {
        count = ((int)a.keys + ROWS - 1) / ROWS;
        if (a.causal) count = min(count, (min(w.from + ROWS, (int)a.length) + ROWS - 1) / ROWS);
#if MASKED
        kinds = a.kinds + (w.batch * a.planes[0] + w.head * a.planes[1] + w.block) * a.tiles;
        load(0);
#endif
    }

    // next is the first tile from t on, count if there is none.
    DEV int next(int t) {
#if MASKED
        while (t < count) {
            if ((t & ~31) != base) load(t);
            const u32 left = any >> (t - base);
            if (left) return t + __ffs(left) - 1;
            t = base + 32;
        }
#endif
        return min(t, count);
    }

    // about is what consumers are told of tile t, which next has returned last.
    DEV u32 about(int t) {
        u32 x = t;
#if MASKED
        if (some >> (t - base) & 1) x |= SOME;
#endif
        return next(t + 1) < count ? x : x | LAST;
    }
};

DEV u32 pack(float low, float high) { u32 r; asm(PACK : "=r"(r) : "f"(high), "f"(low)); return r; }
DEV u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }
DEV float exp2_fast(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }

// A barrier counts arrivals; a phase ends with the last.
DEV void barrier_init(u32 b, u32 count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(b), "r"(count) : "memory"); }
DEV void barrier_arrive(u32 b) { asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.shared::cta.b64 s, [%0];\n}" :: "r"(b) : "memory"); }
DEV void barrier_wait(u32 b, u32 phase) {
    u32 done;
    do {
        asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
            : "=r"(done) : "r"(b), "r"(phase) : "memory");
    } while (!done);
}

// descriptor describes rows of 128 bytes to wgmma; far is the distance of the second 64 columns, where they are columns of the product.
DEV u64 descriptor(u32 at, u32 far) { return (u64)(at >> 4 & 0x3fff) | (u64)(far >> 4) << 16 | (u64)(1024 >> 4) << 32 | 1ull << 62; }

DEV void products_begin() { asm volatile("fence.proxy.async.shared::cta;\nwgmma.fence.sync.aligned;" ::: "memory"); }
DEV void products_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> DEV void products_wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(N) : "memory"); }
template <int N> DEV void settled(float (&d)[N]) { // no use of d moves across
#pragma unroll
    for (int i = 0; i < N; i++) asm volatile("" : "+f"(d[i]) :: "memory");
}

#define F4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define F16(i) F4(i), F4(i + 4), F4(i + 8), F4(i + 12)
#define N32 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define N64 N32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60," \
    "%61,%62,%63"

// scores adds 16 columns of queries times 16 of keys, or sets.
DEV void scores(float (&d)[64], u64 q, u64 k, u32 add) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\nwgmma.mma_async.sync.aligned.m64n128k16.f32." MMA_TYPE "." MMA_TYPE
        " {" N64 "}, %64, %65, p, 1, 1, 0, 0;\n}" : F16(0), F16(16), F16(32), F16(48) : "l"(q), "l"(k), "r"(add));
}

// weighed adds weights of 16 keys times their values.
DEV void weighed(float (&d)[64], const u32 *p, u64 v) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32." MMA_TYPE "." MMA_TYPE " {" N64 "}, {%64,%65,%66,%67}, %68, 1, 1, 1, 1;"
        : F16(0), F16(16), F16(32), F16(48) : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(v));
}
DEV void weighed(float (&d)[32], const u32 *p, u64 v) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32." MMA_TYPE "." MMA_TYPE " {" N32 "}, {%32,%33,%34,%35}, %36, 1, 1, 1, 1;"
        : F16(0), F16(16) : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "l"(v));
}

// bring copies rows from..from+127 of a matrix; rows from count on, and elements from used on, are zeros. full gets an arrival of each of
// 128 threads when its copies are done.
DEV void bring(u32 tile, const u16 *m, i64 stride, int from, int count, int used, u32 full) {
    constexpr int CHUNKS = HD / 8, STEP = 128 / CHUNKS; // rows apart, a multiple of 8
    const int t = threadIdx.x % 128, row = t / CHUNKS, c = t % CHUNKS;
    const u32 to = tile + c / 8 * HALF + row * 128 + (((c ^ row) & 7) << 4);
    const u16 *p = m + (i64)(from + row) * stride + c * 8;
    const bool wide = c * 8 < used;
#pragma unroll 4
    for (int i = 0; i < ROWS / STEP; i++) {
        const bool there = wide && from + row + i * STEP < count;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to + i * STEP * 128), "l"(there ? p : m), "r"(there ? 16 : 0)
            : "memory");
        p += STEP * stride;
    }
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" :: "r"(full) : "memory");
}

// Rows is what a thread knows of its two rows.
struct Rows { float top[2], sum[2], back[2]; };

// weigh makes weights of scores, and notes by how much the sums so far are scaled.
DEV void weigh(float (&s)[64], Rows &r, float log2_scale) {
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float most[2] = {-1.0f / 0.0f, -1.0f / 0.0f}, part[4] = {};
#pragma unroll
        for (int n = 0; n < 16; n++) most[n & 1] = fmaxf(most[n & 1], fmaxf(s[4 * n + 2 * h], s[4 * n + 2 * h + 1]));
        float top = fmaxf(most[0], most[1]);
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));
        top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));
        top = fmaxf(r.top[h], top * log2_scale);
        r.back[h] = exp2_fast(r.top[h] - top);
        r.top[h] = top;
#pragma unroll
        for (int n = 0; n < 16; n++)
#pragma unroll
            for (int i = 4 * n + 2 * h; i < 4 * n + 2 * h + 2; i++) part[i & 1 | n & 2] += s[i] = exp2_fast(fmaf(s[i], log2_scale, -top));
        r.sum[h] = fmaf(r.sum[h], r.back[h], (part[0] + part[1]) + (part[2] + part[3]));
    }
}

#if MASKED
// hide hides scores that a mask hides; s has those of rows row and row + 8, from a column on.
DEV void hide(float (&s)[64], const Args &a, const b8 *mask, int row, int column) {
    const bool pairs = a.ms[3] == 1 && ((u64)mask | a.ms[2] | a.keys) % 2 == 0;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const b8 *line = mask + min(row + 8 * h, (int)a.length - 1) * a.ms[2];
        u32 seen = 0; // bits of this thread's columns
        if (pairs) {
#pragma unroll
            for (int n = 0; n < 16; n++) {
                const int c = column + 8 * n;
                const u32 v = c < (int)a.keys ? *(const u16 *)(line + c) : 0;
                seen |= (v & 0xff ? 1u : 0) << 2 * n | (v >> 8 ? 2u : 0) << 2 * n;
            }
        } else {
#pragma unroll 1
            for (int n = 0; n < 32; n++) {
                const int c = column + n / 2 * 8 + n % 2;
                if (c < (int)a.keys && get(line[c * a.ms[3]])) seen |= 1u << n;
            }
        }
#pragma unroll
        for (int n = 0; n < 32; n++)
            if (!(seen >> n & 1)) s[n / 2 * 4 + 2 * h + n % 2] = -1.0f / 0.0f;
    }
}
#endif

// A row that sees no key is 0, and its logsumexp infinite.
DEV float factor(float sum) { return MASKED && sum == 0 ? 0 : 1 / sum; }
DEV float lse_of(float top, float sum) {
    return MASKED && sum == 0 ? (float)INF : (top + log2f(sum)) * 0.6931471805599453f;
}

// store writes a thread's parts of two rows.
DEV void store(const Args &a, const Item &w, const float (&o)[HD / 2], const Rows &r, int row) {
    const int lane = threadIdx.x % 32, length = (int)a.length;
    u16 *out = a.O + w.batch * a.o[0] + w.head * a.o[1];
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float sum = r.sum[h];
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        const int at = row + 8 * h;
        if (at >= length) continue;
        const float by = factor(sum);
#pragma unroll
        for (int n = 0; n < HD / 8; n++) {
            const int c = 8 * n + 2 * (lane & 3);
            if (c < (int)a.f) *(u32 *)(out + at * a.o[2] + c) = pack(o[4 * n + 2 * h] * by, o[4 * n + 2 * h + 1] * by);
        }
        if ((lane & 3) == 0) a.lse[(i64)w.matrix * length + at] = lse_of(r.top[h], sum);
    }
}

// Shared is the addresses of shared memory: two tiles of queries, the ring of keys and values, barriers.
struct Shared { u32 q, ring, full, empty, ready, done; };

// copy is what the first four warps do. about and any tell the others which tiles there are.
DEV void copy(const Args &a, const Shared &m, volatile u32 *about, volatile u32 *any) {
    int n = 0;
#pragma unroll 1
    for (int number = 0;; number++) {
        const Item w(a, number);
        if (!w.there) break;
        const int group = w.head * (int)a.groups / (int)a.heads;
        const u16 *K = a.K + w.batch * a.k[0] + group * a.k[1], *V = a.V + w.batch * a.v[0] + group * a.v[1];
        Tiles tiles(a, w);
        int t = tiles.next(0);
        barrier_wait(m.done + 8 * (number & 1), (number >> 1 & 1) ^ 1);
        if (threadIdx.x == 0) {
            any[number & 1] = t < tiles.count;
            barrier_arrive(m.ready + 8 * (number & 1));
        }
        const u16 *Q = a.Q + w.batch * a.q[0] + w.head * a.q[1];
        bring(m.q + (number & 1) * BYTES, Q, a.q[2], w.from, a.length, a.e, m.ready + 8 * (number & 1));
#pragma unroll 1
        for (; t < tiles.count; t = tiles.next(t + 1), n++) {
            const u32 slot = (n & 1) * 2, phase = (n >> 1 & 1) ^ 1, all = tiles.about(t);
            barrier_wait(m.empty + 8 * slot, phase);
            if (threadIdx.x == 0) {
                about[n & 1] = all;
                barrier_arrive(m.full + 8 * slot);
            }
            bring(m.ring + slot * BYTES, K, a.k[2], t * ROWS, a.keys, a.e, m.full + 8 * slot);
            barrier_wait(m.empty + 8 * slot + 8, phase);
            bring(m.ring + slot * BYTES + BYTES, V, a.v[2], t * ROWS, a.keys, a.f, m.full + 8 * slot + 8);
        }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
}

// compute is what the others do.
DEV void compute(const Args &a, const Shared &m, const volatile u32 *about, const volatile u32 *any) {
    const int lane = threadIdx.x % 32, mine = (threadIdx.x / 128 - 1) * 64, down = mine + threadIdx.x / 32 % 4 * 16 + lane / 4;
    const float log2_scale = (float)(a.scale * 1.4426950408889634);
    float s[64], o[HD / 2];
    u32 p[32], q;
    Rows r;
    // multiply begins the scores of a tile, add the sum of its values.
    const auto multiply = [&](int n) {
        const u32 slot = (n & 1) * 2;
        barrier_wait(m.full + 8 * slot, n >> 1 & 1);
        products_begin();
#pragma unroll
        for (int k = 0; k < HD / 16; k++) {
            const u32 at = k / 4 * HALF + k % 4 * 32;
            scores(s, descriptor(q + at, 16), descriptor(m.ring + slot * BYTES + at, 16), k > 0);
        }
        products_commit();
    };
    const auto add = [&](int n) {
        const u32 slot = (n & 1) * 2 + 1;
        barrier_wait(m.full + 8 * slot, n >> 1 & 1);
        products_begin();
#pragma unroll
        for (int k = 0; k < ROWS / 16; k++) weighed(o, p + 4 * k, descriptor(m.ring + slot * BYTES + k * 2048, HALF));
        products_commit();
    };
    const auto release = [&](u32 barrier) {
        if (lane == 0) barrier_arrive(barrier);
    };
    // weighted makes weights of scores of a tile, of those that count.
    const auto weighted = [&](const Item &w, u32 tile) {
        const int first = (tile & SOME - 1) * ROWS, column = first + 2 * (lane & 3), row = w.from + down;
#if MASKED
        if (tile & SOME) hide(s, a, a.mask + w.batch * a.ms[0] + w.head * a.ms[1], row, column);
#endif
        if (first + ROWS > (int)a.keys || (a.causal && first + ROWS - 1 > w.from + mine)) {
#pragma unroll
            for (int i = 0; i < 64; i++) {
                const int c = column + i / 4 * 8 + (i & 1);
                if (c >= (int)a.keys || (a.causal && c > row + (i & 2) * 4)) s[i] = -1.0f / 0.0f;
            }
        }
        weigh(s, r, log2_scale);
    };
    const auto packed = [&] {
#pragma unroll
        for (int i = 0; i < 32; i++) {
            p[i] = pack(s[2 * i], s[2 * i + 1]);
            asm volatile("" : "+r"(p[i]) :: "memory");
        }
    };
    int n = 0;
#pragma unroll 1
    for (int number = 0;; number++) {
        const Item w(a, number);
        if (!w.there) break;
        q = m.q + (number & 1) * BYTES + mine * 128;
        r = {{-1e30f, -1e30f}, {0, 0}, {0, 0}};
#pragma unroll
        for (int i = 0; i < HD / 2; i++) o[i] = 0;
        barrier_wait(m.ready + 8 * (number & 1), number >> 1 & 1);
        if (any[number & 1]) {
            settled(s);
            multiply(n);
            u32 tile = about[n & 1];
            products_wait<0>();
            settled(s);
            release(m.empty + 8 * ((n & 1) * 2));
            weighted(w, tile);
            packed();
#pragma unroll 1
            for (; !(tile & LAST); n++) {
                settled(s);
                settled(o);
                multiply(n + 1);
                tile = about[n + 1 & 1];
                add(n);
                products_wait<1>();
                settled(s);
                release(m.empty + 8 * ((n + 1 & 1) * 2));
                weighted(w, tile);
                products_wait<0>();
                settled(o);
                release(m.empty + 8 * ((n & 1) * 2 + 1));
#pragma unroll
                for (int i = 0; i < HD / 2; i++) o[i] *= r.back[i >> 1 & 1];
                packed();
            }
            settled(o);
            add(n);
            release(m.done + 8 * (number & 1));
            products_wait<0>();
            settled(o);
            release(m.empty + 8 * ((n & 1) * 2 + 1));
            n++;
        } else {
            release(m.done + 8 * (number & 1));
        }
        store(a, w, o, r, w.from + down);
    }
}

extern "C" __global__ void __launch_bounds__(384, 1) attention_wgmma(const __grid_constant__ Args a) {
    extern __shared__ __align__(1024) unsigned char memory[];
    __shared__ __align__(8) u64 barriers[2 * SLOTS + 4];
    __shared__ u32 about[2], any[2];
    const u32 begin = (shared_address(memory) + 1023) & ~1023u, full = shared_address(barriers), empty = full + 8 * SLOTS,
        ready = empty + 8 * SLOTS;
    const Shared m = {begin, begin + 2 * BYTES, full, empty, ready, ready + 16};
    if (threadIdx.x == 0) {
        for (int i = 0; i < SLOTS; i++) barrier_init(full + 8 * i, 128 + (i % 2 == 0)), barrier_init(empty + 8 * i, 8);
        for (int i = 0; i < 2; i++) barrier_init(ready + 8 * i, 129), barrier_init(m.done + 8 * i, 8);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        copy(a, m, about, any);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        compute(a, m, about, any);
    }
}
