// Statistics of channels. MOMENTS: sums of x - p and of its square, p being a channel's first element: a pivot close to the
// mean avoids cancellation. DOTS: sums of g and of g·(x - mean). Work is split into chunks by sizes alone and combined in a
// fixed order.
//
// channel_cols: channels are adjacent in memory (NHWC); X threads take V of them each, 256/X rows at a time.
//
// channel_rows: a channel's elements are adjacent; 256 threads take V of them each.
//
// channel_finish: a warp combines the chunks of a channel.

typedef Rep<T>::R R;

struct Args {
    i64 channels, inner, chunk, chunks; // inner: elements of a channel
    i64 cst;                            // stride between channels
    i64 fdims[FD], fst[FD];             // the other dimensions
    const T *x, *g;
    const R *mean;
    R *part; // chunks × 2 × channels
    R *out0, *out1;
};

DEV i64 offset(i64 i, const i64 *dims, const i64 *st) {
    i64 at = 0;
    for (int d = FD - 1; d > 0; d--) {
        i64 q;
        if ((i | dims[d]) >> 31 == 0) q = (u32)i / (u32)dims[d]; else q = i / dims[d];
        at += (i - q * dims[d]) * st[d];
        i = q;
    }
    return at + i * st[0];
}

#ifdef MOMENTS
DEV void add(R &s, R &t, R x, R g, R p) { const R d = x - p; s += d; t += d * d; }
#else
DEV void add(R &s, R &t, R x, R g, R p) { s += g; t += g * (x - p); }
#endif

DEV R pivot(const Args &a, i64 c) {
#ifdef MOMENTS
    return get(a.x[c * a.cst]);
#else
    return a.mean[c];
#endif
}

#ifdef COLS
extern "C" __global__ void __launch_bounds__(256) channel_cols(const __grid_constant__ Args a) {
    __shared__ R share[2][256 * V];
    const int Y = 256 / X;
    const int x = threadIdx.x % X, y = threadIdx.x / X;
    const i64 c = ((i64)blockIdx.x * X + x) * V;
    R s[V], t[V], p[V];
#pragma unroll
    for (int j = 0; j < V; j++) s[j] = t[j] = p[j] = 0;
    if (c < a.channels) {
#pragma unroll
        for (int j = 0; j < V; j++) p[j] = pivot(a, c + j);
        const i64 lo = blockIdx.y * a.chunk, hi = min(lo + a.chunk, a.inner);
        i64 i = lo + y;
        for (; i + 3 * Y < hi; i += 4 * Y) {
            R v[4][V], w[4][V];
#pragma unroll
            for (int u = 0; u < 4; u++) {
                const i64 at = offset(i + u * Y, a.fdims, a.fst) + c * a.cst;
                load_vec<T, V>(v[u], a.x + at, V);
#ifndef MOMENTS
                load_vec<T, V>(w[u], a.g + at, V);
#endif
            }
#pragma unroll
            for (int u = 0; u < 4; u++)
#pragma unroll
                for (int j = 0; j < V; j++) add(s[j], t[j], v[u][j], w[u][j], p[j]);
        }
        for (; i < hi; i += Y) {
            R v[V], w[V];
            const i64 at = offset(i, a.fdims, a.fst) + c * a.cst;
            load_vec<T, V>(v, a.x + at, V);
#ifndef MOMENTS
            load_vec<T, V>(w, a.g + at, V);
#endif
#pragma unroll
            for (int j = 0; j < V; j++) add(s[j], t[j], v[j], w[j], p[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < V; j++) { share[0][(y * X + x) * V + j] = s[j]; share[1][(y * X + x) * V + j] = t[j]; }
    __syncthreads();
    for (int k = threadIdx.x; k < 2 * X * V; k += 256) {
        const int which = k / (X * V), col = k % (X * V);
        const i64 to = (i64)blockIdx.x * X * V + col;
        if (to >= a.channels) continue;
        R sum = 0;
        for (int r = 0; r < Y; r++) sum += share[which][r * X * V + col];
        a.part[(blockIdx.y * 2 + which) * a.channels + to] = sum;
    }
}
#endif

#ifdef ROWS
extern "C" __global__ void __launch_bounds__(256) channel_rows(const __grid_constant__ Args a) {
    __shared__ R share[2][256];
    const i64 c = blockIdx.x;
    const R p = pivot(a, c);
    R s = 0, t = 0;
    const i64 lo = blockIdx.y * a.chunk, hi = min(lo + a.chunk, a.inner);
    for (i64 i = lo + (i64)threadIdx.x * V; i < hi; i += 256 * V) { // the last dimension is whole vectors
        R v[V], w[V];
        const i64 at = offset(i, a.fdims, a.fst) + c * a.cst;
        if (V > 1) {
            load_vec<T, V>(v, a.x + at, V);
#ifndef MOMENTS
            load_vec<T, V>(w, a.g + at, V);
#endif
        } else {
            v[0] = get(a.x[at]);
#ifndef MOMENTS
            w[0] = get(a.g[at]);
#endif
        }
#pragma unroll
        for (int j = 0; j < V; j++) add(s, t, v[j], w[j], p);
    }
    share[0][threadIdx.x] = s;
    share[1][threadIdx.x] = t;
    for (int k = 128; k > 0; k /= 2) {
        __syncthreads();
        if (threadIdx.x < k)
            for (int q = 0; q < 2; q++) share[q][threadIdx.x] += share[q][threadIdx.x + k];
    }
    if (threadIdx.x < 2) {
        __syncwarp(3);
        a.part[(blockIdx.y * 2 + threadIdx.x) * a.channels + c] = share[threadIdx.x][0];
    }
}
#endif

#ifdef FINISH
extern "C" __global__ void __launch_bounds__(256) channel_finish(const __grid_constant__ Args a) {
    const int lane = threadIdx.x % 32;
    const i64 c = (i64)blockIdx.x * 8 + threadIdx.x / 32;
    if (c >= a.channels) return;
    R s = 0, t = 0;
    for (i64 k = lane; k < a.chunks; k += 32) { s += a.part[2 * k * a.channels + c]; t += a.part[(2 * k + 1) * a.channels + c]; }
#pragma unroll
    for (int k = 16; k > 0; k /= 2) {
        s += __shfl_xor_sync(0xffffffffu, s, k);
        t += __shfl_xor_sync(0xffffffffu, t, k);
    }
    if (lane) return;
#ifdef MOMENTS
    const R n = (R)a.inner, m = s / n, v = t / n - m * m;
    a.out0[c] = pivot(a, c) + m;
    a.out1[c] = v > 0 || v != v ? v : 0;
#else
    a.out0[c] = s;
    a.out1[c] = t;
#endif
}
#endif
