// Convolution over SD spatial dimensions; included after tile.cu. Output position y reads, for tap k, position y·stride +
// k·taps - low of an input whose elements are `between` apart; the rest is zero. The sum of a channel's taps over all
// channels is split into chunks by sizes alone and combined in a fixed order.
//
// conv_tiled: implicit GEMM, rows are output positions and columns output channels.
//
// conv_direct: a thread per output, for groups of few channels. conv_finish: combines the chunks.

struct Args {
    i64 positions, outs, groups, terms, chunk, chunks; // positions: of all images; outs: channels of a group; terms: of a sum
    T *out; const T *x; const T *w; R *part;
    i64 size[SD], from[SD], taps[SD], stride[SD], low[SD], dilation[SD], between[SD], flip;
    i64 xn, xc, xs[SD], wo, wc, ws[SD], area, channels; // strides of x and w; area: positions of an image; channels: of a group in x
};

// Position is an output's position: its image and where its window begins in each dimension.
struct Position { i64 n, at[SD]; };
DEV Position position_of(const Args &a, i64 m) {
    Position p;
    p.n = m / a.area;
    i64 rest = m % a.area;
#pragma unroll
    for (int d = SD - 1; d >= 0; d--) {
        p.at[d] = rest % a.size[d] * a.stride[d] - a.low[d];
        rest /= a.size[d];
    }
    return p;
}
// Term is one product of a sum: its channel and tap.
struct Term { INDEX channel, tap[SD]; };
DEV Term term_of(const Args &a, INDEX k) {
    Term t;
#pragma unroll
    for (int d = SD - 1; d >= 0; d--) {
        const INDEX n = (INDEX)a.taps[d], q = k / n;
        t.tap[d] = k - q * n;
        k = q;
    }
    t.channel = k;
    return t;
}
DEV R input(const Args &a, const Position &p, const Term &t, i64 group) {
    i64 at = p.n * a.xn + (group * a.channels + t.channel) * a.xc;
#pragma unroll
    for (int d = 0; d < SD; d++) {
        i64 i = p.at[d] + (i64)t.tap[d] * a.dilation[d];
        if (a.between[d] != 1) {
            if (i < 0 || i % a.between[d] != 0) return R();
            i /= a.between[d];
        }
        if (i < 0 || i >= a.from[d]) return R();
        at += i * a.xs[d];
    }
    return get(a.x[at]);
}
DEV R weight(const Args &a, const Term &t, i64 o) {
    i64 at = o * a.wo + t.channel * a.wc;
#pragma unroll
    for (int d = 0; d < SD; d++) at += (a.flip ? a.taps[d] - 1 - (i64)t.tap[d] : (i64)t.tap[d]) * a.ws[d];
    return get(a.w[at]);
}
// leave stores a sum: of channel o of all groups at position m.
DEV void leave(const Args &a, i64 m, i64 o, R sum) {
    const i64 at = (m / a.area * a.groups * a.outs + o) * a.area + m % a.area;
    if (a.chunks == 1) a.out[at] = Put<T>::put(sum);
    else a.part[(i64)blockIdx.y * a.positions * a.groups * a.outs + at] = sum;
}

#ifdef CONV_TILED
extern "C" __global__ void __launch_bounds__(256) conv_tiled(const __grid_constant__ Args a) {
    __shared__ Tiles t;
    const i64 across = (a.outs + 63) / 64, group = blockIdx.x % (across * a.groups) / across;
    const i64 m0 = blockIdx.x / (across * a.groups) * 64, o0 = blockIdx.x % across * 64;
    const i64 lo = blockIdx.y * a.chunk, hi = min(lo + a.chunk, a.terms);
    const int row = threadIdx.x % 64;
    const bool here = m0 + row < a.positions;
    const Position p = position_of(a, here ? m0 + row : 0);
    R sum[4][4];
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) sum[i][j] = R();
    for (i64 k0 = lo; k0 < hi; k0 += 16) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int k = threadIdx.x / 64 + 4 * i;
            t.x[k][row] = here && k0 + k < hi ? input(a, p, term_of(a, (INDEX)(k0 + k)), group) : R();
        }
        const int k = threadIdx.x % 16;
        const Term term = term_of(a, (INDEX)min(k0 + k, hi - 1));
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const i64 o = o0 + threadIdx.x / 16 + 16 * i;
            t.y[k][threadIdx.x / 16 + 16 * i] = o < a.outs && k0 + k < hi ? weight(a, term, group * a.outs + o) : R();
        }
        __syncthreads();
        multiply(t, sum);
    }
    const int r = threadIdx.x / 16 * 4, c = threadIdx.x % 16 * 4;
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (m0 + r + i < a.positions && o0 + c + j < a.outs) leave(a, m0 + r + i, group * a.outs + o0 + c + j, sum[i][j]);
}
#endif

#ifdef CONV_DIRECT
extern "C" __global__ void __launch_bounds__(256) conv_direct(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x, all = a.groups * a.outs;
    if (e >= a.positions * all) return;
    const i64 o = e / a.area % all, m = e / (a.area * all) * a.area + e % a.area;
    const i64 lo = blockIdx.y * a.chunk, hi = min(lo + a.chunk, a.terms);
    const Position p = position_of(a, m);
    R sum = R();
    for (i64 k = lo; k < hi; k++) {
        const Term t = term_of(a, (INDEX)k);
        mad(sum, input(a, p, t, o / a.outs), weight(a, t, o));
    }
    leave(a, m, o, sum);
}
#endif

#ifdef CONV_FINISH
extern "C" __global__ void __launch_bounds__(256) conv_finish(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x, n = a.positions * a.groups * a.outs;
    if (e >= n) return;
    R sum = a.part[e];
    for (i64 c = 1; c < a.chunks; c++) sum = sum + a.part[c * n + e];
    a.out[e] = Put<T>::put(sum);
}
#endif
