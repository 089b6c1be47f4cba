// What attention's kernels share: tiles of rows in shared memory, and their tensor-core products. A warp has MR times 16
// rows; a tile row has HD half-precision elements, of which the first `used` exist. The 16-byte chunks of a row are
// swizzled by its number, so that eight rows of a column of chunks are in different banks.
#if HALF_IS_BF16
#define MMA_TYPE "bf16"
#define PACK "cvt.rn.bf16x2.f32 %0, %1, %2;"
#else
#define MMA_TYPE "f16"
#define PACK "cvt.rn.f16x2.f32 %0, %1, %2;"
#endif
#define CHUNKS (HD / 8)

DEV u32 pack(float low, float high) { u32 r; asm(PACK : "=r"(r) : "f"(high), "f"(low)); return r; }
DEV u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }
DEV u32 chunk_at(u32 tile, int row, int chunk) { return tile + row * (HD * 2) + ((chunk ^ (row & 7)) << 4); }
DEV void copy_chunk(u32 to, const void *from, bool there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(to), "l"(from), "r"(there ? 16 : 0));
}
DEV void commit() { asm volatile("cp.async.commit_group;"); }
template <int N> DEV void arrived() { asm volatile("cp.async.wait_group %0;" :: "n"(N)); }
DEV void load4(u32 r[4], u32 at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]),
        "=r"(r[3]) : "r"(at));
}
DEV void load4_transposed(u32 r[4], u32 at) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]),
        "=r"(r[3]) : "r"(at));
}
DEV void mma(float c[4], const u32 a[4], u32 b0, u32 b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." MMA_TYPE "." MMA_TYPE ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// bring loads rows from..from+ROWS-1 of a matrix whose rows are `stride` elements apart; rows from count on are zeros.
template <int ROWS> DEV void bring(u32 tile, const u16 *m, i64 stride, int from, int count, int used) {
    for (int i = threadIdx.x; i < ROWS * CHUNKS; i += WARPS * 32) {
        const int row = i / CHUNKS, chunk = i % CHUNKS;
        const bool there = from + row < count && chunk * 8 < used;
        copy_chunk(chunk_at(tile, row, chunk), m + (there ? (i64)(from + row) * stride + chunk * 8 : 0), there);
    }
}

// rows_of loads a warp's 16 rows of a tile as the left operand, chunks 2k and 2k+1.
DEV void rows_of(u32 a[4], u32 tile, int row, int k) {
    const int lane = threadIdx.x & 31;
    load4(a, chunk_at(tile, row + (lane & 15), 2 * k + (lane >> 4)));
}

// multiply_transposed adds A·Bᵀ: the rows of B are the columns of c.
DEV void multiply_transposed(float c[MR][BN / 8][4], u32 a_tile, int a_row, u32 b_tile) {
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int k = 0; k < HD / 16; k++) {
        u32 a[MR][4];
#pragma unroll
        for (int m = 0; m < MR; m++) rows_of(a[m], a_tile, a_row + 16 * m, k);
#pragma unroll
        for (int n = 0; n < BN / 16; n++) {
            u32 b[4];
            load4(b, chunk_at(b_tile, 16 * n + (lane & 7) + ((lane >> 4) << 3), 2 * k + ((lane >> 3) & 1)));
#pragma unroll
            for (int m = 0; m < MR; m++) {
                mma(c[m][2 * n], a[m], b[0], b[1]);
                mma(c[m][2 * n + 1], a[m], b[2], b[3]);
            }
        }
    }
}

// multiply adds P·B; P has BN columns in accumulators, rounded to the half type.
DEV void multiply(float c[MR][HD / 8][4], const float p[MR][BN / 8][4], u32 b_tile) {
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int k = 0; k < BN / 16; k++) {
        u32 a[MR][4];
#pragma unroll
        for (int m = 0; m < MR; m++) {
            const float *l = p[m][2 * k], *r = p[m][2 * k + 1];
            a[m][0] = pack(l[0], l[1]); a[m][1] = pack(l[2], l[3]); a[m][2] = pack(r[0], r[1]); a[m][3] = pack(r[2], r[3]);
        }
#pragma unroll
        for (int n = 0; n < HD / 16; n++) {
            u32 b[4];
            load4_transposed(b, chunk_at(b_tile, 16 * k + (lane & 15), 2 * n + (lane >> 4)));
#pragma unroll
            for (int m = 0; m < MR; m++) {
                mma(c[m][2 * n], a[m], b[0], b[1]);
                mma(c[m][2 * n + 1], a[m], b[2], b[3]);
            }
        }
    }
}

// put stores a warp's 16 rows of accumulators, scaled by factors of its two rows, to a contiguous matrix.
DEV void put(u16 *m, i64 stride, int row, int count, int used, const float c[HD / 8][4], float low, float high) {
    const int lane = threadIdx.x & 31, r = row + (lane >> 2);
#pragma unroll
    for (int n = 0; n < HD / 8; n++) {
        const int col = 8 * n + 2 * (lane & 3);
        if (col >= used) continue;
        if (r < count) *(u32 *)(m + r * stride + col) = pack(c[n][0] * low, c[n][1] * low);
        if (r + 8 < count) *(u32 *)(m + (r + 8) * stride + col) = pack(c[n][2] * high, c[n][3] * high);
    }
}
DEV float exp2_fast(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
template <class F> DEV float among4(float x, F f) {
    x = f(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return f(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
