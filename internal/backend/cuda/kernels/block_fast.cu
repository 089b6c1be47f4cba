// Products of few rows of x with rows of blocks, x rounded to int8: 32 elements with one scale, the largest of which is 127, as package
// qmm of the CPU does. A warp has a row of w, which is read once; sums of 32 products are integers. ROWS is how many rows x has, FORMAT_x
// the format, BLOCK how many elements a block has, BYTES how many bytes.
//
// MATRICES share x; blocks go through one after the other. GATED: a warp has the same row of both, and gated() makes one value of two.
#define MOST 3072 // bytes of a row that come to the cache early
#define UNROLL (ROWS > 2 ? 1 : 2)

struct Matrix { i64 first, n; const u8 *w; float *z; const float *residual; }; // the block it begins with; rows; may be null
// q has, for each row of x, the first 16 numbers of each group of 32, then the others: threads read neighbouring groups.
struct Args { i64 k, bytes, wave; const Vec<u32, 4> *q; const float *scales, *totals; Matrix m[MATRICES]; };

DEV float half_at(const u8 *b) { f16 h; h.v = *(const u16 *)b; return get(h); }
DEV u32 word16_at(const u8 *b) { return *(const u16 *)b | (u32)*(const u16 *)(b + 2) << 16; } // blocks begin at even addresses
DEV u32 word_at(const u8 *b) { return *(const u32 *)b; }
// fifth makes bits 4 of bytes of the lowest four bits.
DEV u32 fifth(u32 bits) { return (bits & 15) * 0x00204081u << 4 & 0x10101010u; }

// Quants of 32 elements, four in a word, and factors: the sum is scale·(a·first half + b·second half + c·sum of x).
struct Group { u32 q[8]; float a, b, c; };

#if defined(FORMAT_Q4_0) || defined(FORMAT_Q4_1) || defined(FORMAT_Q5_0) || defined(FORMAT_Q5_1)
#define SIGNED 0
DEV void unpack(const u8 *b, int, Group &g) {
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
DEV void unpack(const u8 *b, int, Group &g) {
    g.a = g.b = half_at(b);
    g.c = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) g.q[j] = word16_at(b + 2 + 4 * j);
}
#elif defined(FORMAT_Q4_K) || defined(FORMAT_Q5_K)
#define SIGNED 0
#define PAIR 2 // groups that share bytes
DEV void factors(const Vec<u32, 4> &head, int k, Group &g) { // two factors, then scales and minima of six bits
    const int at = 8 * (k & 3);
    const u32 p0 = head.v[1] >> at, p1 = head.v[2] >> at, p2 = head.v[3] >> at;
    const int scale = k < 4 ? p0 & 63 : p2 & 15 | (p0 >> 6 & 3) << 4, low = k < 4 ? p1 & 63 : p2 >> 4 & 15 | (p1 >> 6 & 3) << 4;
    f16 d, least;
    d.v = (u16)head.v[0];
    least.v = (u16)(head.v[0] >> 16);
    g.a = g.b = get(d) * (float)scale;
    g.c = -get(least) * (float)low;
}
DEV void unpack(const u8 *b, int k, Group (&g)[2]) {
    const Vec<u32, 4> head = *(const Vec<u32, 4> *)b;
    u32 w[8];
    *(Vec<u32, 4> *)w = *(const Vec<u32, 4> *)(b + (BYTES - 128) + k / 2 * 32);
    *(Vec<u32, 4> *)(w + 4) = *(const Vec<u32, 4> *)(b + (BYTES - 128) + k / 2 * 32 + 16);
    factors(head, k, g[0]);
    factors(head, k + 1, g[1]);
#pragma unroll
    for (int j = 0; j < 8; j++) {
        g[0].q[j] = w[j] & 0x0f0f0f0fu;
        g[1].q[j] = w[j] >> 4 & 0x0f0f0f0fu;
#ifdef FORMAT_Q5_K
        const u32 high = word_at(b + 16 + 4 * j) >> k;
        g[0].q[j] |= (high & 0x01010101u) << 4;
        g[1].q[j] |= (high >> 1 & 0x01010101u) << 4;
#endif
    }
}
#elif defined(FORMAT_Q6_K)
#define SIGNED 1
DEV void unpack(const u8 *b, int s, Group &g) {
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
#define PAIR 1
DEV void unpack(const u8 *b, int k, Group (&g)[1]) { unpack(b, k, g[0]); }
#endif

DEV int dot4(u32 w, u32 x, int sum) {
#if SIGNED
    asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(w), "r"(x));
#else
    asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(w), "r"(x));
#endif
    return sum;
}

// ask lets a row of w come to the cache.
DEV void ask(const Args &a, const u8 *w) {
    if (threadIdx.x % 32 != 0) return;
    const u32 off = (u32)(u64)w & 15;
    prefetch(w - off, (u32)(a.bytes + off < MOST ? a.bytes + off : MOST) & ~15u);
}

DEV float part(const Group &u, Vec<u32, 4> x0, Vec<u32, 4> x1, float total) {
    int first = 0, second = 0;
#pragma unroll
    for (int j = 0; j < 4; j++) { first = dot4(u.q[j], x0.v[j], first); second = dot4(u.q[4 + j], x1.v[j], second); }
    return __fmaf_rn(u.a, (float)first, __fmaf_rn(u.b, (float)second, u.c * total));
}

extern "C" __global__ void __launch_bounds__(256) block_fast(const __grid_constant__ Args a) {
    PDL_EARLY
    int which = 0;
#if !GATED
#pragma unroll
    for (int i = 1; i < MATRICES; i++) which = (i64)blockIdx.x >= a.m[i].first ? i : which;
#endif
    const Matrix &m = a.m[which];
    const i64 row = (blockIdx.x - m.first) * (i64)8 + threadIdx.x / 32;
    const u8 *w[GATED + 1];
    w[0] = m.w + row * a.bytes;
#if GATED
    w[1] = a.m[1].w + row * a.bytes;
#endif
    const int lane = threadIdx.x % 32, all = (int)(a.k / 32);
#pragma unroll
    for (int i = 0; i <= GATED; i++)
        if (row < m.n && blockIdx.x < a.wave) ask(a, w[i]);
    PDL_WAIT
    if (row >= m.n) return;
    float sum[GATED + 1][ROWS];
#pragma unroll
    for (int i = 0; i <= GATED; i++)
#pragma unroll
        for (int r = 0; r < ROWS; r++) sum[i][r] = 0;
#pragma unroll UNROLL
    for (int g = PAIR * lane; g < all; g += 32 * PAIR) {
        const u32 at = (u32)g * 32 / BLOCK * BYTES;
        Group u[GATED + 1][PAIR];
#pragma unroll
        for (int i = 0; i <= GATED; i++) unpack(w[i] + at, g * 32 % BLOCK / 32, u[i]);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int p = 0; p < PAIR; p++) {
                const Vec<u32, 4> x0 = a.q[2 * r * all + g + p], x1 = a.q[(2 * r + 1) * all + g + p];
                const float total = a.totals[r * all + g + p], scale = a.scales[r * all + g + p];
#pragma unroll
                for (int i = 0; i <= GATED; i++) sum[i][r] = __fmaf_rn(scale, part(u[i][p], x0, x1, total), sum[i][r]);
            }
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
        for (int i = 0; i <= GATED; i++)
#pragma unroll
            for (int s = 16; s > 0; s /= 2) sum[i][r] += __shfl_xor_sync(~0u, sum[i][r], s);
        if (lane != 0) continue;
        const i64 to = r * m.n + row;
#if GATED
        a.m[1].z[to] = gated(sum[0][r], sum[1][r]);
#else
        m.z[to] = m.residual ? sum[0][r] + m.residual[to] : sum[0][r];
#endif
    }
}
