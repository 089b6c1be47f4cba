// Products of few rows of x with rows of blocks, x rounded to int8: 32 elements with one scale, the largest of which is 127, as package
// qmm of the CPU does. A warp has a row of w, which is read once; sums of 32 products are integers. ROWS is how many rows x has, FORMAT_x
// the format, BLOCK how many elements a block has, BYTES how many bytes.
#define GROUPS 128 // groups of 32 elements of x in shared memory
#define AHEAD 4

struct Args { i64 m, n, k, bytes; const float *x; const u8 *w; float *z; };

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
DEV void unpack(const u8 *b, int k, Group &g) {
    const u8 *p = b + 4;
    int scale, low;
    if (k < 4) {
        scale = p[k] & 63;
        low = p[k + 4] & 63;
    } else {
        scale = p[k + 4] & 15 | p[k - 4] >> 6 << 4;
        low = p[k + 4] >> 4 | p[k] >> 6 << 4;
    }
    g.a = g.b = half_at(b) * (float)scale;
    g.c = -half_at(b + 2) * (float)low;
    u32 w[8];
    *(Vec<u32, 4> *)w = *(const Vec<u32, 4> *)(b + (BYTES - 128) + k / 2 * 32);
    *(Vec<u32, 4> *)(w + 4) = *(const Vec<u32, 4> *)(b + (BYTES - 128) + k / 2 * 32 + 16);
#pragma unroll
    for (int j = 0; j < 8; j++) {
        g.q[j] = w[j] >> (k & 1) * 4 & 0x0f0f0f0fu;
#ifdef FORMAT_Q5_K
        g.q[j] |= (word_at(b + 16 + 4 * j) >> k & 0x01010101u) << 4;
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

DEV int dot4(u32 w, u32 x, int sum) {
#if SIGNED
    asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(w), "r"(x));
#else
    asm("dp4a.u32.s32 %0, %1, %2, %0;" : "+r"(sum) : "r"(w), "r"(x));
#endif
    return sum;
}

extern "C" __global__ void __launch_bounds__(256) block_fast(const __grid_constant__ Args a) {
    // Of each group, the first 16 numbers, then the others: threads that read neighbouring groups use all banks.
    __shared__ Vec<u32, 4> xs[ROWS][2][GROUPS];
    __shared__ float scales[ROWS][GROUPS];
    __shared__ int totals[ROWS][GROUPS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const i64 row = blockIdx.x * (i64)8 + warp, all = a.k / 32;
    const u8 *w = a.w + (row < a.n ? row : 0) * a.bytes;
    if (const i64 line = lane * (i64)128; line < a.bytes) // the row comes while x is rounded
        asm volatile("prefetch.global.L2 [%0];" :: "l"(w + line));
    float sum[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) sum[r] = 0;
    for (i64 from = 0; from < all; from += GROUPS) {
        const int groups = (int)(all - from < GROUPS ? all - from : GROUPS);
        if (from) __syncthreads();
        // Eight threads have a group, four elements each; a warp has four groups at once, and loads ahead.
        for (int i0 = warp * 4 + lane / 8; i0 < groups * ROWS; i0 += 32 * AHEAD) {
            Vec<float, 4> v[AHEAD];
#pragma unroll
            for (int u = 0; u < AHEAD; u++) {
                const int i = i0 + 32 * u, r = i / groups, g = i % groups;
                if (i < groups * ROWS) v[u] = *(const Vec<float, 4> *)(a.x + r * a.k + (from + g) * 32 + lane % 8 * 4);
            }
#pragma unroll
            for (int u = 0; u < AHEAD; u++) {
                const int i = i0 + 32 * u, r = i / groups, g = i % groups;
                const u32 group = 0xffu << (lane & 24); // the threads that share it: others may have left
                if (i >= groups * ROWS) break;
                u32 most = 0;
#pragma unroll
                for (int j = 0; j < 4; j++) most = max(most, __float_as_uint(v[u].v[j]) & 0x7fffffffu);
#pragma unroll
                for (int m = 4; m > 0; m /= 2) most = max(most, __shfl_xor_sync(group, most, m));
                float scale = __uint_as_float(most) / 127, inverse = 127 / __uint_as_float(most);
                if (most >= 0x7f800000u) inverse = 0; // the scale is infinite or NaN, and so is the sum
                if (most < 0x03800000u) scale = inverse = 0;
                u32 word = 0;
                int total = 0;
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    const int q = inverse == 0 ? 0 : __float2int_rn(v[u].v[j] * inverse);
                    word |= (u32)(q & 255) << 8 * j;
                    total += q;
                }
#pragma unroll
                for (int m = 4; m > 0; m /= 2) total += __shfl_xor_sync(group, total, m);
                xs[r][lane % 8 / 4][g].v[lane % 4] = word;
                if (lane % 8 == 0) { scales[r][g] = scale; totals[r][g] = total; }
            }
        }
        __syncthreads();
        if (row >= a.n) continue;
#pragma unroll 4
        for (int g = lane; g < groups; g += 32) {
            Group u;
            const i64 at = (from + g) * 32;
            unpack(w + at / BLOCK * BYTES, (int)(at % BLOCK) / 32, u);
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const Vec<u32, 4> x0 = xs[r][0][g], x1 = xs[r][1][g];
                int first = 0, second = 0;
#pragma unroll
                for (int j = 0; j < 4; j++) { first = dot4(u.q[j], x0.v[j], first); second = dot4(u.q[4 + j], x1.v[j], second); }
                const float part = __fmaf_rn(u.a, (float)first, __fmaf_rn(u.b, (float)second, u.c * (float)totals[r][g]));
                sum[r] = __fmaf_rn(scales[r][g], part, sum[r]);
            }
        }
    }
    if (row >= a.n) return;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
#pragma unroll
        for (int m = 16; m > 0; m /= 2) sum[r] += __shfl_xor_sync(~0u, sum[r], m);
        if (lane == 0) a.z[r * a.n + row] = sum[r];
    }
}
