// Copies between layouts. UNIT is the type that is copied, as wide as alignment allows; ND the rank after merging
// dimensions. A block reads and writes in the order of the destination. PARTS copies of one form are made by the rows of a grid, the
// blocks of each that it has work for.

struct Part { i64 n, segments, blocks; UNIT *out; const UNIT *in; i64 dims[ND], to[ND], from[ND]; };
struct Args { Part part[PARTS]; };
#define PART \
    const Part &a = all.part[PARTS > 1 ? blockIdx.y : 0]; \
    if (PARTS > 1 && blockIdx.x >= (u32)a.blocks) return;

// offsets computes the offset of element number rest on both sides, over the dimensions before `last`.
DEV void offsets(const Part &a, INDEX rest, int last, i64 &to, i64 &from) {
#pragma unroll
    for (int d = ND - 1; d >= 0; d--) {
        if (d >= last) continue;
        INDEX r = rest;
        if (d > 0) {
            const INDEX q = rest / (INDEX)a.dims[d];
            r = rest - q * (INDEX)a.dims[d];
            rest = q;
        }
        to += (i64)r * a.to[d];
        from += (i64)r * a.from[d];
    }
}

#if EACH > 0
// A block has a segment of one row, EACH elements a thread: only the number of the row is divided.
extern "C" __global__ void __launch_bounds__(256) move_rows(const __grid_constant__ Args all) {
    PART
    const INDEX row = blockIdx.x / (u32)a.segments, first = (blockIdx.x - row * (u32)a.segments) * (256u * EACH) + threadIdx.x,
        n = (INDEX)a.dims[ND - 1];
    i64 to = 0, from = 0;
    offsets(a, row, ND - 1, to, from);
    UNIT *out = a.out + to;
    const UNIT *in = a.in + from;
    const i64 by = a.from[ND - 1], step = a.to[ND - 1];
    UNIT v[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (first + k * 256 < n) v[k] = in[(i64)(first + k * 256) * by];
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (first + k * 256 < n) out[(i64)(first + k * 256) * step] = v[k];
}
#elif RUN > 1
// The destination is contiguous: a thread has RUN elements of it. The offset of the first is found by division, the others
// by increments.
extern "C" __global__ void __launch_bounds__(256) move_strided(const __grid_constant__ Args all) {
    PART
    const INDEX first = ((INDEX)blockIdx.x * 256u + threadIdx.x) * RUN;
    if (first >= (INDEX)a.n) return;
    INDEX at[ND], rest = first;
    i64 from = 0;
#pragma unroll
    for (int d = ND - 1; d >= 0; d--) {
        const INDEX q = d > 0 ? rest / (INDEX)a.dims[d] : 0;
        at[d] = rest - q * (INDEX)a.dims[d];
        from += (i64)at[d] * a.from[d];
        rest = q;
    }
    const i64 left = a.n - (i64)first;
    UNIT v[RUN];
#pragma unroll
    for (int k = 0; k < RUN; k++) {
        v[k] = UNIT();
        if (k < left) v[k] = a.in[from];
        bool carry = true;
#pragma unroll
        for (int d = ND - 1; d >= 0; d--) {
            if (!carry) continue;
            from += a.from[d];
            carry = ++at[d] == (INDEX)a.dims[d] && d > 0;
            if (carry) {
                from -= a.dims[d] * a.from[d];
                at[d] = 0;
            }
        }
    }
    store_vec<UNIT, RUN>(a.out + first, v, left);
}
#else
extern "C" __global__ void __launch_bounds__(256) move_strided(const __grid_constant__ Args all) {
    PART
    const INDEX e = (INDEX)blockIdx.x * 256u + threadIdx.x;
    if (e >= (INDEX)a.n) return;
    i64 to = 0, from = 0;
    offsets(a, e, ND, to, from);
    a.out[to] = a.in[from];
}
#endif
