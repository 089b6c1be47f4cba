// Products of few rows of x with rows of blocks, x rounded to int8: 32 elements with one scale, the largest of which is 127, as package
// qmm of the CPU does. A warp has a row of w, which is read once; sums of 32 products are integers. ROWS is how many rows x has, FORMAT_x
// the format, BLOCK how many elements a block has, BYTES how many bytes.
//
// A multiprocessor has one block, whose warps go through rows. A warp copies what it needs to a ring of its own in shared memory, far ahead
// of its use and across rows, UNIT bytes at a time, and before predecessors are done: STAGES parts of GROUPS groups each.
//
// MATRICES share x; rows go through one after the other. GATED: a warp has the same row of both, and gated() makes one value of two.
// HELD: x is in shared memory. OWN: every block rounds the row of x itself, behind a norm if NORMED, with so many groups of four elements
// a thread; else block_round.cu did.
#define WARPS 16
#define THREADS (32 * WARPS)
#define PART (GROUPS * 32 / BLOCK * BYTES) // bytes of a part
#define PIECES ((PART / UNIT + 31) / 32)   // that a thread copies of it

#define ASYNC (__CUDA_ARCH__ >= 800 && UNIT >= 4)

struct Matrix { i64 first, n; const u8 *w; float *z; const float *residual; }; // the row it begins with; rows; may be null
// q has, for each row of x, the first 16 numbers of each group of 32, then the others: threads read neighbouring groups.
struct Args {
    i64 k, bytes, items, early; // early: nothing that may still run writes a matrix
    double eps;
    const float *x;
    const W *weight; // may be null
    const Vec<u32, 4> *q;
    const float *scales, *totals;
    Matrix m[MATRICES];
};

DEV float half_at(const u8 *b) { f16 h; h.v = *(const u16 *)b; return get(h); }
DEV u32 word16_at(const u8 *b) { return *(const u16 *)b | (u32)*(const u16 *)(b + 2) << 16; } // blocks begin at even addresses
DEV u32 word_at(const u8 *b) { return *(const u32 *)b; }
// fifth makes bits 4 of bytes of the lowest four bits.
DEV u32 fifth(u32 bits) { return (bits & 15) * 0x00204081u << 4 & 0x10101010u; }

// Quants of 32 elements, four in a word, and factors: the sum is scale·(a·first half + b·second half) + c·scale·(sum of x). Unless SPLIT,
// a and b are equal.
struct Group { u32 q[8]; float a, b, c; };

// Integer instructions limit these kernels as much as memory does. So a sum of products begins with the bits of 3·2²²: it is the number
// that is added to them, without a conversion. Bytes become numbers the same way.
#define BEGIN 0x4b400000
DEV float number(int sum) { return __fadd_rn(__int_as_float(sum), -12582912.f); }
DEV float with_byte(u32 bits, u32 word, int i) { return __uint_as_float(__byte_perm(word, bits, 0x7440 + i)); }
DEV float byte_of(u32 word, int i) { return __fadd_rn(with_byte(0x4b000000u, word, i), -8388608.f); }
DEV float sixteenth_of(u32 word, int i) { return __fadd_rn(with_byte(0x49000000u, word, i), -524288.f); }

#if defined(FORMAT_Q4_0) || defined(FORMAT_Q4_1) || defined(FORMAT_Q5_0) || defined(FORMAT_Q5_1)
DEV void unpack(const u8 *b, int, Group (&to)[1]) {
    Group &g = to[0];
#if defined(FORMAT_Q4_1) || defined(FORMAT_Q5_1)
    const int head = 4;
    g.c = half_at(b + 2);
#else
    const int head = 2;
#endif
#if defined(FORMAT_Q5_0) || defined(FORMAT_Q5_1)
    const u32 high = word16_at(b + head);
    const u8 *q = b + head + 4;
#else
    const u32 high = 0;
    const u8 *q = b + head;
#endif
    g.a = g.b = half_at(b);
#if defined(FORMAT_Q4_0)
    g.c = -8 * g.a;
#elif defined(FORMAT_Q5_0)
    g.c = -16 * g.a;
#endif
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const u32 w = word16_at(q + 4 * j);
        g.q[j] = w & 0x0f0f0f0fu | fifth(high >> 4 * j);
        g.q[4 + j] = w >> 4 & 0x0f0f0f0fu | fifth(high >> (16 + 4 * j));
    }
}
#elif defined(FORMAT_Q8_0)
#define SIGNED 1
#define OFFSET 0
DEV void unpack(const u8 *b, int, Group (&to)[1]) {
    to[0].a = to[0].b = half_at(b);
    to[0].c = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) to[0].q[j] = word16_at(b + 2 + 4 * j);
}
#elif defined(FORMAT_Q4_K) || defined(FORMAT_Q5_K)
#define PAIR 2 // groups that share bytes
// factors unpacks two scales and two minima of six bits, of groups k and k + 1, without a branch: threads of a warp have other ones.
DEV u32 factors(const Vec<u32, 4> &head, int k) {
    const u32 two = k & 2 ? 0x7632 : 0x5410, low = k < 4 ? 0x3f3f3f3fu : 0, high = k < 4 ? 0 : 0x30303030u, rest = k < 4 ? 0 : 0x0f0f0f0fu;
    const u32 t = __byte_perm(head.v[1], head.v[2], two), n = __byte_perm(head.v[3], head.v[3] >> 4, two);
    return t & low | t >> 2 & high | n & rest;
}
DEV void unpack(const u8 *b, int k, Group (&g)[2]) {
    const Vec<u32, 4> head = *(const Vec<u32, 4> *)b;
    u32 w[8];
    *(Vec<u32, 4> *)w = *(const Vec<u32, 4> *)(b + (BYTES - 128) + k / 2 * 32);
    *(Vec<u32, 4> *)(w + 4) = *(const Vec<u32, 4> *)(b + (BYTES - 128) + k / 2 * 32 + 16);
    const u32 f = factors(head, k);
    f16 d, least;
    d.v = (u16)head.v[0];
    least.v = (u16)(head.v[0] >> 16);
    const float scale = get(d), low = -get(least);
    g[0].a = g[0].b = scale * byte_of(f, 0);
    g[0].c = low * byte_of(f, 2);
    g[1].c = low * byte_of(f, 3);
#ifdef FORMAT_Q4_K
    g[1].a = g[1].b = scale * sixteenth_of(f, 1); // of quants where they are, sixteen times as large
#else
    g[1].a = g[1].b = scale * byte_of(f, 1);
#endif
#pragma unroll
    for (int j = 0; j < 8; j++) {
        g[0].q[j] = w[j] & 0x0f0f0f0fu;
#ifdef FORMAT_Q4_K
        g[1].q[j] = w[j] & 0xf0f0f0f0u;
#else
        g[1].q[j] = w[j] >> 4 & 0x0f0f0f0fu;
        const u32 high = word_at(b + 16 + 4 * j) >> k;
        g[0].q[j] |= (high & 0x01010101u) << 4;
        g[1].q[j] |= (high >> 1 & 0x01010101u) << 4;
#endif
    }
}
#elif defined(FORMAT_Q6_K)
#define SIGNED 1
#define OFFSET 0
#define SPLIT 1
DEV void unpack(const u8 *b, int s, Group (&to)[1]) {
    Group &g = to[0];
    const int h = s / 4, k = s % 4;
    const float d = half_at(b + 208);
    g.a = d * (float)(i8)b[192 + 2 * s];
    g.b = d * (float)(i8)b[193 + 2 * s];
    g.c = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        const u32 lo = word16_at(b + h * 64 + k % 2 * 32 + 4 * j), hi = word16_at(b + 128 + h * 32 + 4 * j);
        const u32 q = lo >> (k / 2 * 4) & 0x0f0f0f0fu | (hi >> (2 * k) & 0x03030303u) << 4;
        g.q[j] = (q | 0x80808080u) - 0x20202020u ^ 0x80808080u; // minus 32, byte by byte
    }
}
#endif

#ifndef PAIR
#define PAIR 1 // groups that a thread unpacks at once
#endif
#ifndef SIGNED
#define SIGNED 0
#endif
#ifndef OFFSET
#define OFFSET 1
#endif
#ifndef SPLIT
#define SPLIT 0
#endif

DEV int dot4(u32 w, u32 x, int sum) {
#if SIGNED
    asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(w), "r"(x));
#else
    asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(w), "r"(x));
#endif
    return sum;
}

// part adds products of a group; total is scale·(sum of x).
DEV float part(const Group &u, Vec<u32, 4> x0, Vec<u32, 4> x1, float scale, float total, float sum) {
    int first = BEGIN, second = BEGIN;
#pragma unroll
    for (int j = 0; j < 4; j++) first = dot4(u.q[j], x0.v[j], first);
#pragma unroll
    for (int j = 0; j < 4; j++)
        if (SPLIT) second = dot4(u.q[4 + j], x1.v[j], second);
        else first = dot4(u.q[4 + j], x1.v[j], first);
    if (OFFSET) sum = __fmaf_rn(u.c, total, sum);
    const float y = u.a * number(first);
    return __fmaf_rn(scale, SPLIT ? __fmaf_rn(u.b, number(second), y) : y, sum);
}

// matrix_of is the matrix of a row; both have all of them if GATED.
DEV int matrix_of(const Args &a, int item) {
    int which = 0;
    if (!GATED)
#pragma unroll
        for (int i = 1; i < MATRICES; i++) which = item >= (int)a.m[i].first ? i : which;
    return which;
}

// Feed copies to the ring of a warp what it needs next.
struct Feed {
    int item, second, left; // second: of the matrices of a gate; left: bytes of the row that are not copied
    const u8 *from;         // what this thread copies of it next
    u8 *ring, *to;
    u64 once;

    DEV void aim(const Args &a) {
        const Matrix &m = a.m[GATED ? second : matrix_of(a, item)];
        from = m.w + (i64)(item - (int)m.first) * (int)a.bytes + threadIdx.x % 32 * UNIT;
        left = (int)a.bytes;
    }

    DEV void next(const Args &a) {
        if (item < (int)a.items) {
            const int mine = min(left, PART) - (int)threadIdx.x % 32 * UNIT;
#pragma unroll
            for (int i = 0; i < PIECES; i++)
                if (mine > 32 * UNIT * i) copy(to + 32 * UNIT * i, from + 32 * UNIT * i);
            from += PART, left -= PART, to += PART;
            if (to == ring + STAGES * PART) to = ring;
            if (left <= 0) {
                if (!GATED || (second ^= 1) == 0) item += gridDim.x * WARPS;
                aim(a);
            }
        }
#if ASYNC
        asm volatile("cp.async.commit_group;" ::: "memory");
#endif
    }

    DEV void copy(u8 *to, const u8 *from) {
#if ASYNC
        const u32 at = (u32)__cvta_generic_to_shared(to);
#if UNIT == 16
        asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;" :: "r"(at), "l"(from), "l"(once) : "memory");
#else
        asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3;" :: "r"(at), "l"(from), "n"(UNIT), "l"(once) : "memory");
#endif
#else
#pragma unroll
        for (int i = 0; i < UNIT; i += 2) *(u16 *)(to + i) = *(const u16 *)(from + i);
#endif
    }
};

// Rows is x in shared memory: of each row, for GROUPS groups at a time, what a thread reads is so far apart from what its neighbours do
// that a warp reads neighbouring words: of each half of the groups their first 16 numbers, then the others; then scales, each with its
// sum. A thread that unpacks two groups has one of each half.
#define SIDES (GROUPS / 32)
#define XPART (GROUPS * 40)
struct Rows {
    u8 *memory;
    int all, bytes; // groups; bytes of a row

    DEV int lane_of(int g) const { return PAIR == 2 ? g % GROUPS / 2 : g % 32; }
    DEV int side_of(int g) const { return PAIR == 2 ? g & 1 : g % GROUPS / 32; }
    DEV Vec<u32, 4> &numbers(int r, int g, int second) const {
        return *(Vec<u32, 4> *)(memory + r * bytes + g / GROUPS * XPART + side_of(g) * 1024 + second * 512 + lane_of(g) * 16);
    }
    DEV Vec<float, 2> &scale(int r, int g) const {
        return *(Vec<float, 2> *)(memory + r * bytes + g / GROUPS * XPART + SIDES * 1024 + (lane_of(g) * SIDES + side_of(g)) * 8);
    }

    DEV void copy(const Args &a) {
        for (int i = threadIdx.x; i < 2 * ROWS * all; i += THREADS) numbers(i / all / 2, i % all, i / all % 2) = a.q[i];
        for (int i = threadIdx.x; i < ROWS * all; i += THREADS) {
            Vec<float, 2> v;
            v.v[0] = a.scales[i], v.v[1] = a.totals[i];
            scale(i / all, i % all) = v;
        }
    }

#if OWN
    // Half of the block has 1024 elements at a time; each half finds the root of the whole row for itself, as block_round.cu does.
    DEV void round(const Args &a, const Vec<W, 4> (&w)[OWN]) {
        __shared__ float squares[2][8];
        const int half = threadIdx.x / 256, t = threadIdx.x % 256, lane = t % 8;
        Vec<float, 4> v[OWN];
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            const int at = (2 * i + half) * 1024 + t * 4;
            v[i] = Vec<float, 4>();
            if (at < (int)a.k) v[i] = *(const Vec<float, 4> *)(a.x + at);
        }
        const float rstd = NORMED ? root(a.x, (int)a.k, (float)a.eps, t, squares[half]) : 1;
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            const int g = (2 * i + half) * 32 + t / 8;
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (NORMED) v[i].v[j] *= rstd;
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (NORMED && a.weight) v[i].v[j] *= (float)get(w[i].v[j]);
            const Rounded r = rounded_group(v[i]);
            if (g >= all) continue;
            numbers(0, g, lane / 4).v[lane % 4] = r.word;
            Vec<float, 2> both;
            both.v[0] = r.scale, both.v[1] = r.scale * (float)r.total;
            if (lane == 0) scale(0, g) = both;
        }
    }
#endif
};

extern "C" __global__ void __launch_bounds__(THREADS, 1) block_fast(const __grid_constant__ Args a) {
    PDL_EARLY
    extern __shared__ __align__(16) u8 memory[]; // x, then the rings
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, all = (int)a.k / 32, items = (int)a.items;
    Rows x;
    x.memory = memory, x.all = all, x.bytes = (all + GROUPS - 1) / GROUPS * XPART;
    Feed f;
    f.item = warp * gridDim.x + blockIdx.x; // so that multiprocessors have as many rows
    f.second = 0;
    f.ring = memory + (HELD ? ROWS * x.bytes : 0) + warp * STAGES * PART;
    const u8 *read = f.ring + lane * PAIR * 32 / BLOCK * BYTES; // of a thread
    const u8 *const end = read + STAGES * PART;
    f.ring = f.to = f.ring + lane * UNIT;
    f.once = read_once();
    if (f.item < items) f.aim(a);
#if OWN
    Vec<W, 4> weight[OWN];
#endif
#pragma unroll 1
    for (int waited = 0; waited < 2; waited++) {
        if (waited) { PDL_WAIT }
        if (waited == (int)a.early) continue;
#if OWN
#pragma unroll
        for (int i = 0; i < OWN; i++) {
            const int at = (2 * i + (int)threadIdx.x / 256) * 1024 + threadIdx.x % 256 * 4;
            weight[i] = Vec<W, 4>();
            if (NORMED && a.weight && at < (int)a.k) weight[i] = *(const Vec<W, 4> *)(a.weight + at);
        }
#endif
#pragma unroll 1
        for (int i = 0; i < STAGES - 1; i++) f.next(a);
    }
#if OWN
    x.round(a, weight);
#elif HELD
    x.copy(a);
#endif
    __syncthreads();
    const int k = lane * PAIR % (BLOCK / 32); // of the groups of a block
#pragma unroll 1
    for (int item = warp * gridDim.x + blockIdx.x; item < items; item += gridDim.x * WARPS) {
        const Matrix &m = a.m[GATED ? MATRICES - 1 : matrix_of(a, item)];
        const int to = lane * (int)m.n + item - (int)m.first; // of the row of x that a thread finishes
        const float residual = m.residual && lane < ROWS ? m.residual[to] : 0;
        float sum[ROWS], before[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++) sum[r] = 0;
#pragma unroll 1
        for (int second = 0; second <= GATED; second++) {
#pragma unroll
            for (int r = 0; r < ROWS; r++) before[r] = sum[r], sum[r] = 0;
            const u8 *mine = memory + lane * 16; // of x
#pragma unroll 1
            for (int g0 = PAIR * lane; g0 < all + PAIR * lane; g0 += GROUPS) {
#if ASYNC
                asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
#endif
                __syncwarp();
                const u8 *w = read;
                read = read + PART == end ? read + PART - STAGES * PART : read + PART;
                f.next(a); // to the part of the ring that was used before this one
#pragma unroll
                for (int i = 0; i < SIDES / PAIR; i++) {
                    const int g = g0 + 32 * i;
                    if (g >= all) continue;
                    Group u[PAIR];
                    unpack(w + i * (1024 / BLOCK * BYTES), k, u);
#pragma unroll
                    for (int r = 0; r < ROWS; r++) {
#if HELD
                        const u8 *row = mine + r * x.bytes;
                        float scales[2 * SIDES];
                        if (SIDES == 2) *(Vec<float, 4> *)scales = *(const Vec<float, 4> *)(row + 2048);
                        else *(Vec<float, 2> *)scales = *(const Vec<float, 2> *)(row + 1024 - lane * 8);
#endif
#pragma unroll
                        for (int p = 0; p < PAIR; p++) {
#if HELD
                            const int side = PAIR == 2 ? p : i;
                            const Vec<u32, 4> x0 = *(const Vec<u32, 4> *)(row + side * 1024);
                            const Vec<u32, 4> x1 = *(const Vec<u32, 4> *)(row + side * 1024 + 512);
                            const float scale = scales[2 * side], total = scales[2 * side + 1];
#else
                            const Vec<u32, 4> x0 = a.q[2 * r * all + g + p], x1 = a.q[(2 * r + 1) * all + g + p];
                            const float scale = a.scales[r * all + g + p], total = a.totals[r * all + g + p];
#endif
                            sum[r] = part(u[p], x0, x1, scale, total, sum[r]);
                        }
                    }
                }
                mine += XPART;
            }
        }
        float mine[2] = {0, 0};
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
#pragma unroll
            for (int s = 16; s > 0; s /= 2) {
                sum[r] += __shfl_xor_sync(~0u, sum[r], s);
                if (GATED) before[r] += __shfl_xor_sync(~0u, before[r], s);
            }
            if (r == lane) mine[0] = before[r], mine[1] = sum[r];
        }
        if (lane >= ROWS) continue;
#if GATED
        m.z[to] = gated(mine[0], mine[1]);
#else
        m.z[to] = m.residual ? mine[1] + residual : mine[1];
#endif
    }
}
