// Products of few rows of x with MLX's quantized rows, by tensor cores: every number is read once, at the speed of memory. Included after
// group_values.cu. z = x·wᵀ for x of rows×k of type X and n rows w.
//
// A tile is 16 rows of w, the left operand of mma: numbers before their scale, which T, a half type, holds exactly. x is the right one, a
// column a row; float32 is three columns of bfloat16 whose sum it is, so that no bit of it is lost. Sums of a group are multiplied by its
// scale in float32. SPLIT warps share the elements of a tile, PART of a row at a time.
//
// A multiprocessor has one block, and room for one of the next kernel. x is held in its shared memory, in the order in which threads need
// it. A warp copies what it needs of w to a ring of its own, far ahead of its use and across tiles, UNIT bytes of numbers and SUNIT of
// scales at a time: STAGES parts. TILES is how many times 8 columns there are. Sums are in an order that k alone decides.
#define THREADS (32 * WARPS)
#define TEAMS (WARPS / SPLIT)
#define COLUMNS (WIDE ? 3 : 1)                           // of a row of x
#define WROW (PART * BITS / 8 + (BITS == 8 ? 32 : 16))   // bytes of a row of a part; the last ones are not used, for the banks
#define SROW (PART / GROUP * (int)sizeof(S))
#define SPAN (GROUP < 32 ? 1 : GROUP / 32)               // of 32 elements, a group
#define STAGE (16 * (WROW + SROW * (AFFINE + 1)))

struct Args {
    i64 rows, n, k, early; // early: nothing that may still run writes w
    const X *x;
    const u8 *w;
    const S *scales, *biases;
    X *z;
};

DEV void mma(float (&c)[4], u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32." MMA "." MMA ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// fma2 is v·by + add for pairs, each twice the same.
DEV u32 fma2(u32 v, u32 by, u32 add) {
    u32 r;
    asm("fma.rn." MMA "x2 %0, %1, %2, %3;" : "=r"(r) : "r"(v), "r"(by * 0x10001u), "r"(add * 0x10001u));
    return r;
}

// numbers makes T of the number in the low bits of each half of z.
DEV u32 numbers(u32 z) {
#if AFFINE
    const u32 mask = ((1u << BITS) - 1) * 0x10001u;
#if HALF16 // 1024 + q
    return fma2(z & mask | 0x64006400u, 0x3c00, 0xe400);
#elif BITS < 8 // 128 + q
    return fma2(z & mask | 0x43004300u, 0x3f80, 0xc300);
#else // 128 + the lower seven bits, less 128 without the eighth
    const u32 less = (~z & 0x00800080u) * 0x186u; // -128 or 0
    u32 r;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(z & 0x007f007fu | 0x43004300u), "r"(0x3f803f80u), "r"(less));
    return r;
#endif
#elif BITS == 4 // the same bits have an exponent that is too small
#if HALF16
    return fma2((z & 0x00070007u) << 9 | (z & 0x00080008u) << 12, 0x7400, 0);
#else
    return fma2((z & 0x00070007u) << 6 | (z & 0x00080008u) << 12, 0x7e80, 0);
#endif
#else
    const u32 nan = ((z & 0x007f007fu) + 0x00010001u & 0x00800080u) * 0xffu; // 0x7f80 for what is not a number
#if HALF16
    return fma2((z & 0x007f007fu) << 7 | (z & 0x00800080u) << 8 | nan, 0x5c00, 0);
#else
    return fma2((z & 0x007f007fu) << 4 | (z & 0x00800080u) << 8 | nan, 0x7b80, 0);
#endif
#endif
}

// operand is what a thread has of 32 numbers of a row, as two steps of mma take them: of the 8 of thread t numbers 0 and 4, 1 and 5, and so
// on. With groups of 16 each step has one: 0 and 2, 1 and 3 of four of the first, then of the second.
DEV void operand(const u8 *row, int t, u32 (&a)[4]) {
#if GROUP == 16
#pragma unroll
    for (int s = 0; s < 2; s++) {
        const u32 w = *(const u16 *)(row + 8 * s + 2 * t), z = w & 0xff | (w & 0xff00) << 8;
        a[2 * s] = numbers(z), a[2 * s + 1] = numbers(z >> 4);
    }
#else
    u32 lo, hi;
    eight((const u32 *)row, t, lo, hi);
    const u32 z = BITS == 4 ? lo : BITS < 4 ? lo & (1 << 4 * BITS) - 1 | hi << 16 : __byte_perm(lo, hi, 0x5410);
#if BITS <= 4
#pragma unroll
    for (int j = 0; j < 4; j++) a[j] = numbers(z >> j * BITS);
#else
    const u32 y = __byte_perm(lo >> 2 * BITS, hi >> 2 * BITS, 0x5410);
    a[0] = numbers(z), a[1] = numbers(z >> BITS);
    a[2] = numbers(y), a[3] = numbers(y >> BITS);
#endif
#endif
}

// Ring is what a warp copies of w, and where to.
struct Ring {
    int tile, unit, tiles, units, first;
    const u8 *w, *scales, *biases; // of the tile
    u8 *ring, *to;
    u64 once;

    DEV void aim(const Args &a) {
        const i64 row = (i64)tile * 16;
        w = a.w + row * (a.k / 8 * BITS);
        scales = (const u8 *)(a.scales + row * (a.k / GROUP));
        biases = (const u8 *)(a.biases + row * (a.k / GROUP));
    }

    // rows copies EACH bytes of each row of a part, 16 rows that are `stride` bytes apart and have `left` bytes from here on.
    template <int EACH, int U, int APART> DEV void rows(u8 *to, const u8 *from, int stride, int left, int here) {
#pragma unroll
        for (int i = 0; i < (16 * EACH / U + 31) / 32; i++) {
            const int p = i * 32 + threadIdx.x % 32, r = p / (EACH / U), at = p % (EACH / U) * U;
            if (r < here && at < left) copy<U>(to + r * APART + at, from + r * stride + at);
        }
    }

    template <int U> DEV void copy(u8 *to, const u8 *from) {
        if (U >= 4) {
            const u32 at = (u32)__cvta_generic_to_shared(to);
            if (U == 16)
                asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;"
                    :: "r"(at), "l"(from), "l"(once) : "memory");
            else
                asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3;"
                    :: "r"(at), "l"(from), "n"(U < 4 ? 4 : U == 16 ? 8 : U), "l"(once) : "memory");
        } else if (U == 2) *(u16 *)to = *(const u16 *)from;
        else *to = *from;
    }

    DEV void next(const Args &a) {
        if (tile < tiles) {
            const int bytes = (int)a.k / 8 * BITS, size = (int)a.k / GROUP * (int)sizeof(S);
            const int here = min(16, (int)a.n - tile * 16), at = unit * (PART * BITS / 8), sat = unit * SROW;
            rows<PART * BITS / 8, UNIT, WROW>(to, w + at, bytes, bytes - at, here);
            rows<SROW, SUNIT, SROW>(to + 16 * WROW, scales + sat, size, size - sat, here);
#if AFFINE
            rows<SROW, SUNIT, SROW>(to + 16 * (WROW + SROW), biases + sat, size, size - sat, here);
#endif
            if ((unit += SPLIT) >= units) {
                unit = first;
                tile += gridDim.x * TEAMS;
                aim(a);
            }
            to += STAGE;
            if (to == ring + STAGES * STAGE) to = ring;
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    }
};

// Eight is 8 elements of x, in the order of operand(), as COLUMNS vectors of T.
struct Eight {
    X v[8];

    // load takes number i of all.
    DEV void load(const X *x, int i) {
        const X *p = x + (GROUP == 16 ? i / 4 * 32 + i % 4 * 4 : i * 8), *q = p + (GROUP == 16 ? 16 : 4);
#if ALIGNED
        *(Vec<X, 4> *)v = *(const Vec<X, 4> *)p;
        *(Vec<X, 4> *)(v + 4) = *(const Vec<X, 4> *)q;
#else
#pragma unroll
        for (int j = 0; j < 4; j++) v[j] = p[j], v[4 + j] = q[j];
#endif
    }

    // store writes them to columns that are `stride` elements apart; total gets the sum of each.
    DEV void store(u16 *to, int stride, float (&total)[COLUMNS]) const {
        Vec<u16, 8> out[COLUMNS];
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) total[c] = 0;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const X e = v[GROUP == 16 ? j / 4 * 4 + (j % 4 / 2 | j % 2 << 1) : j / 2 | j % 2 << 2];
#if WIDE
            // Eight bits of it at a time; what is not finite has only the first.
            const u32 bits = __float_as_uint(e), high = bits & 0xffff0000u;
            const float rest = (bits & 0x7f800000u) != 0x7f800000u ? e - __uint_as_float(high) : 0;
            const u32 middle = __float_as_uint(rest) & 0xffff0000u;
            const float low = rest - __uint_as_float(middle);
            out[0].v[j] = (u16)(high >> 16 | (e != e ? 0x40 : 0));
            out[1].v[j] = (u16)(middle >> 16);
            out[2].v[j] = (u16)(__float_as_uint(low) >> 16);
            total[0] += __uint_as_float(high), total[1] += __uint_as_float(middle), total[2] += low;
#else
            out[0].v[j] = e.v;
            total[0] += get(e);
#endif
        }
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) *(Vec<u16, 8> *)(to + c * stride) = out[c];
    }
};

// hold leaves rows of x in shared memory, `stride` elements apart, and sums of groups of them.
DEV void hold(const Args &a, const X *x, u16 *to, int stride, float *sums) {
    const int row = (int)a.k / 8, all = (int)a.rows * row;
#pragma unroll 1
    for (int from = 0; from < all; from += 4 * THREADS) {
        Eight e[4];
#pragma unroll
        for (int u = 0; u < 4; u++)
            if (const int i = from + u * THREADS + threadIdx.x; i < all) e[u].load(x, i);
#pragma unroll
        for (int u = 0; u < 4; u++) {
            const int i = from + u * THREADS + threadIdx.x, r = i / row, at = i % row;
            float total[COLUMNS];
            if (i < all) e[u].store(to + r * COLUMNS * stride + at * 8, stride, total);
#if AFFINE
#pragma unroll
            for (int c = 0; c < COLUMNS; c++) {
#pragma unroll
                for (int m = GROUP / 16; m > 0; m /= 2) total[c] += __shfl_xor_sync(~0u, total[c], m);
                if (i < all && i % (GROUP / 8) == 0) sums[at / (GROUP / 8) * 8 * TILES + r * COLUMNS + c] = total[c];
            }
#endif
        }
    }
#if AFFINE
    for (int i = threadIdx.x; i < (int)a.k / GROUP * 8 * TILES; i += THREADS)
        if (i % (8 * TILES) >= (int)a.rows * COLUMNS) sums[i] = 0;
#endif
    __syncthreads();
}

// flush adds the sums of a group, times its scale, to those of a tile; at is the number of the first group of the part.
DEV void flush(float (&total)[TILES][4], const float (&acc)[TILES][4], const S *factor, const float *sums, int at, int group) {
    const int below = 8 * (PART / GROUP); // rows further down
    const float s0 = scale_of(factor[group]), s1 = scale_of(factor[below + group]);
#if AFFINE
    const float b0 = get(factor[2 * below + group]), b1 = get(factor[3 * below + group]);
#endif
#pragma unroll
    for (int i = 0; i < TILES; i++) {
#if AFFINE
        const Vec<float, 2> x = *(const Vec<float, 2> *)(sums + (at + group) * 8 * TILES + 8 * i);
#endif
#pragma unroll
        for (int j = 0; j < 4; j++) {
#if AFFINE
            total[i][j] += __fmaf_rn(j < 2 ? s0 : s1, acc[i][j], (j < 2 ? b0 : b1) * x.v[j % 2]);
#else
            total[i][j] = __fmaf_rn(j < 2 ? s0 : s1, acc[i][j], total[i][j]);
#endif
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, TILES == 1 ? 2 : 1) group_stream(const __grid_constant__ Args a) {
    PDL_EARLY
    extern __shared__ __align__(16) u8 memory[]; // the rings, x, sums of its groups, sums of warps
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int k = (int)a.k, columns = (int)a.rows * COLUMNS, stride = (k + 63) / 64 * 64 + 32;
    u16 *held = (u16 *)(memory + WARPS * STAGES * STAGE);
    float *sums = (float *)(held + columns * stride), *parts = sums + (AFFINE ? k / GROUP * 8 * TILES : 0);
    Ring f;
    f.tiles = ((int)a.n + 15) / 16, f.units = (k + PART - 1) / PART;
    f.unit = f.first = warp % SPLIT;
    f.tile = warp / SPLIT * gridDim.x + blockIdx.x;
    f.ring = f.to = memory + warp * STAGES * STAGE;
    f.once = read_once();
    f.aim(a);
#pragma unroll 1
    for (int waited = 0; waited < 2; waited++) {
        if (waited) { PDL_WAIT }
        if (waited == (int)a.early) continue;
#pragma unroll 1
        for (int i = 0; i < STAGES - 1; i++) f.next(a);
    }
    hold(a, a.x, held, stride, sums);
    int slot = 0, odd = 0;
#pragma unroll 1
    for (int base = blockIdx.x; base < f.tiles; base += gridDim.x * TEAMS, odd ^= 1) {
        float total[TILES][4];
#pragma unroll
        for (int i = 0; i < TILES * 4; i++) total[i / 4][i % 4] = 0;
        const bool mine = base + warp / SPLIT * (int)gridDim.x < f.tiles;
#pragma unroll 1
        for (int unit = f.first; mine && unit < f.units; unit += SPLIT) {
            asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 2) : "memory");
            __syncwarp();
            const u8 *part = f.ring + slot * STAGE;
            slot = slot + 1 == STAGES ? 0 : slot + 1;
            f.next(a); // to the part of the ring that was used before this one
            const u8 *lo = part + g * WROW, *hi = lo + 8 * WROW;
            const S *factor = (const S *)(part + 16 * WROW) + g * (PART / GROUP);
            const u16 *column = held + g * stride + unit * PART + 8 * t;
            const int blocks = min(PART, k - unit * PART) / 32;
#pragma unroll 2
            for (int from = 0; from < blocks; from += SPAN) {
                float acc[TILES][4];
#pragma unroll
                for (int s = 0; s < 2 * SPAN; s++) {
                    u32 p[4], q[4];
                    Vec<u32, 4> y[TILES];
                    if (s % 2 == 0) {
                        operand(lo + (from + s / 2) * 4 * BITS, t, p);
                        operand(hi + (from + s / 2) * 4 * BITS, t, q);
#pragma unroll
                        for (int i = 0; i < TILES; i++) {
                            y[i] = Vec<u32, 4>();
                            if (8 * i + g < columns) y[i] = *(const Vec<u32, 4> *)(column + 8 * i * stride + (from + s / 2) * 32);
                        }
                    }
                    const int h = s % 2 * 2;
#pragma unroll
                    for (int i = 0; i < TILES; i++) {
                        if (s == 0 || GROUP == 16) acc[i][0] = acc[i][1] = acc[i][2] = acc[i][3] = 0;
                        mma(acc[i], p[h], q[h], p[h + 1], q[h + 1], y[i].v[h], y[i].v[h + 1]);
                    }
                    if (s == 2 * SPAN - 1 || GROUP == 16)
                        flush(total, acc, factor, sums + 2 * t, unit * (PART / GROUP), GROUP == 16 ? 2 * from + s : from / SPAN);
                }
            }
        }
        float *mix = parts + odd * WARPS * columns * 16; // of each warp, column and row of w
#pragma unroll
        for (int i = 0; i < TILES; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (const int c = 8 * i + 2 * t + j % 2; c < columns) mix[(warp * columns + c) * 16 + g + j / 2 * 8] = total[i][j];
        __syncthreads();
        for (int i = threadIdx.x; i < TEAMS * (int)a.rows * 16; i += THREADS) {
            const int c = i % 16, r = i / 16 % (int)a.rows, team = i / 16 / (int)a.rows;
            const int row = (base + team * (int)gridDim.x) * 16 + c;
            if (row >= (int)a.n) continue;
            float sum = 0;
#pragma unroll
            for (int p = COLUMNS - 1; p >= 0; p--) {
                float s = 0;
#pragma unroll
                for (int w = 0; w < SPLIT; w++) s += mix[((team * SPLIT + w) * columns + r * COLUMNS + p) * 16 + c];
                sum += s;
            }
            a.z[r * a.n + row] = Put<X>::put(sum);
        }
    }
}
