// Reductions over any dimensions. KD remaining and FD reduced dimensions are left after merging. Work is split into chunks by
// sizes alone and combined in a fixed order, so the same input gives the same bits.
//
// reduce_rows: LANES adjacent threads per output, for contiguous reduced dimensions; vector loads of V if there is one
// dimension that allows it.
//
// reduce_cols: a thread per V adjacent outputs walks down their columns, 32 adjacent threads a row: for contiguous remaining
// dimensions.
//
// reduce_finish: combines the chunks' accumulators.

typedef Rep<T>::R R;
typedef OP<R> Op;
typedef Op::A A;

struct Args {
    i64 outer, inner, chunk, chunks;
    OUT *out; const T *in; A *part;
    double p;
    i64 kdims[KD], kst[KD], fdims[FD], fst[FD];
};

DEV i64 offset(i64 i, int n, const i64 *dims, const i64 *st) {
    i64 at = 0;
    for (int d = n - 1; d > 0; d--) {
        i64 q;
        if ((i | dims[d]) >> 31 == 0) q = (u32)i / (u32)dims[d]; else q = i / dims[d];
        at += (i - q * dims[d]) * st[d];
        i = q;
    }
    return at + i * st[0];
}

DEV void leave(const Args &a, i64 o, i64 chunk, A acc) {
    if (a.chunks == 1) a.out[o] = Put<OUT>::put(rounded<OUT>(cast<OUT>(Op::done(acc, a.inner, a.p))));
    else a.part[chunk * a.outer + o] = acc;
}

#if defined(ROWS) || defined(FINISH)
// together combines the accumulators of LANES adjacent threads, for the first of them.
DEV A together(A acc, double p) {
    __shared__ A share[256];
    const int lane = threadIdx.x % LANES;
    share[threadIdx.x] = acc;
    for (int s = LANES / 2; s > 0; s /= 2) {
        __syncthreads();
        if (lane < s) {
            merge2<Op, A>(acc, share[threadIdx.x + s], p, 0);
            share[threadIdx.x] = acc;
        }
    }
    return acc;
}
#endif

#ifdef ROWS
extern "C" __global__ void __launch_bounds__(256) reduce_rows(const __grid_constant__ Args a) {
    const int lane = threadIdx.x % LANES;
    const i64 o = (i64)blockIdx.x * (256 / LANES) + threadIdx.x / LANES;
    A acc = Op::none();
    if (o < a.outer) {
        const T *in = a.in + offset(o, KD, a.kdims, a.kst);
        const i64 lo = blockIdx.y * a.chunk, hi = min(lo + a.chunk, a.inner);
        i64 i = lo + lane;
        if (V > 1) { // chunks are whole vectors
            i64 k = lo + lane * V;
            for (; k + 3 * LANES * V < hi; k += 4 * LANES * V) {
                R v[4][V];
#pragma unroll
                for (int u = 0; u < 4; u++) load_vec<T, V>(v[u], in + k + u * LANES * V, V);
#pragma unroll
                for (int u = 0; u < 4; u++)
#pragma unroll
                    for (int j = 0; j < V; j++) Op::add(acc, v[u][j], k + u * LANES * V + j, a.p);
            }
            for (; k < hi; k += LANES * V) {
                R v[V];
                load_vec<T, V>(v, in + k, V);
#pragma unroll
                for (int j = 0; j < V; j++) Op::add(acc, v[j], k + j, a.p);
            }
            i = hi;
        }
        for (; i + 3 * LANES < hi; i += 4 * LANES) {
            R v[4];
#pragma unroll
            for (int u = 0; u < 4; u++) v[u] = get(in[offset(i + u * LANES, FD, a.fdims, a.fst)]);
#pragma unroll
            for (int u = 0; u < 4; u++) Op::add(acc, v[u], i + u * LANES, a.p);
        }
        for (; i < hi; i += LANES) Op::add(acc, get(in[offset(i, FD, a.fdims, a.fst)]), i, a.p);
    }
    acc = together(acc, a.p);
    if (lane == 0 && o < a.outer) leave(a, o, blockIdx.y, acc);
}
#endif

#ifdef COLS
extern "C" __global__ void __launch_bounds__(256) reduce_cols(const __grid_constant__ Args a) {
    __shared__ A share[8][32 * V];
    const int x = threadIdx.x % 32, y = threadIdx.x / 32;
    const i64 o = ((i64)blockIdx.x * 32 + x) * V;
    A acc[V];
#pragma unroll
    for (int j = 0; j < V; j++) acc[j] = Op::none();
    if (o < a.outer) {
        const T *in = a.in + offset(o, KD, a.kdims, a.kst);
        const i64 lo = blockIdx.y * a.chunk, hi = min(lo + a.chunk, a.inner);
        i64 i = lo + y;
        for (; i + 24 < hi; i += 32) {
            R v[4][V];
#pragma unroll
            for (int u = 0; u < 4; u++) load_vec<T, V>(v[u], in + offset(i + 8 * u, FD, a.fdims, a.fst), V);
#pragma unroll
            for (int u = 0; u < 4; u++)
#pragma unroll
                for (int j = 0; j < V; j++) Op::add(acc[j], v[u][j], i + 8 * u, a.p);
        }
        for (; i < hi; i += 8) {
            R v[V];
            load_vec<T, V>(v, in + offset(i, FD, a.fdims, a.fst), V);
#pragma unroll
            for (int j = 0; j < V; j++) Op::add(acc[j], v[j], i, a.p);
        }
    }
#pragma unroll
    for (int j = 0; j < V; j++) share[y][x * V + j] = acc[j];
    __syncthreads();
    for (int c = threadIdx.x; c < 32 * V; c += 256) {
        const i64 to = (i64)blockIdx.x * 32 * V + c;
        if (to >= a.outer) continue;
        A sum = share[0][c];
        for (int k = 1; k < 8; k++) merge2<Op, A>(sum, share[k][c], a.p, 0);
        leave(a, to, blockIdx.y, sum);
    }
}
#endif

#ifdef FINISH
extern "C" __global__ void __launch_bounds__(256) reduce_finish(const __grid_constant__ Args a) {
    const i64 o = ((i64)blockIdx.x * 256 + threadIdx.x) / LANES;
    const int lane = threadIdx.x % LANES;
    A acc = Op::none();
    if (o < a.outer && lane < a.chunks) {
        acc = a.part[lane * a.outer + o];
        for (i64 c = lane + LANES; c < a.chunks; c += LANES) merge2<Op, A>(acc, a.part[c * a.outer + o], a.p, 0);
    }
    acc = together(acc, a.p);
    if (lane == 0 && o < a.outer) a.out[o] = Put<OUT>::put(rounded<OUT>(cast<OUT>(Op::done(acc, a.inner, a.p))));
}
#endif
