// Gather and scatter. Indices out of range are skipped and reported. Where several values are written to one index, one
// thread writes all of them in the order of the indices, so the result is deterministic.

#ifdef TAKE
// out is [outer, count, inner], x is [outer, n, inner], in units as wide as alignment allows.
struct Args { i64 total, n, count, inner; UNIT *out; const UNIT *x; const i64 *at; Fault *fault; };

// A thread has four units, a block's size apart: all indices are loaded before all units. They are counted in INDEX. With
// SEGMENTS a block has a segment of one slice, so only its number is divided.
extern "C" __global__ void __launch_bounds__(256) take_slices(const __grid_constant__ Args a) {
    const INDEX inner = (INDEX)a.inner, count = (INDEX)a.count;
    UNIT v[4];
    i64 p[4], from[4];
    bool is[4];
#ifdef SEGMENTS
    const INDEX segments = (inner + 1023u) / 1024u, r = (INDEX)blockIdx.x / segments, o = r / count,
        i = ((INDEX)blockIdx.x - r * segments) * 1024u + threadIdx.x;
    const i64 first = (i64)r * a.inner + i, at = a.at[r - o * count];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        is[k] = i + k * 256u < inner;
        p[k] = at;
        from[k] = (o * a.n + at) * a.inner + i + k * 256;
    }
#else
    const i64 first = (i64)blockIdx.x * 1024 + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        const INDEX e = (INDEX)first + k * 256u;
        is[k] = e < (INDEX)a.total;
        const INDEX r = inner == 1 ? e : e / inner, o = r / count;
        p[k] = is[k] ? a.at[r - o * count] : 0;
        from[k] = (o * a.n + p[k]) * a.inner + (e - r * inner);
    }
#endif
#pragma unroll
    for (int k = 0; k < 4; k++) {
        v[k] = UNIT();
        if (is[k] && (u64)p[k] < (u64)a.n) v[k] = a.x[from[k]];
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (!is[k]) continue;
        a.out[first + k * 256] = v[k];
        if ((u64)p[k] >= (u64)a.n) report_fault(a.fault, 1, p[k], a.n);
    }
}
#endif

#ifdef PUT
typedef Rep<T>::R R;
// A block owns 256 columns of the slices and the indices p whose hash it has: they may be far apart by a power of two.
struct Args { i64 columns, n, count, inner; T *out; const S *src; const i64 *at; Fault *fault; };

extern "C" __global__ void __launch_bounds__(256) put_slices(const __grid_constant__ Args a) {
    __shared__ i64 at[256];
    const i64 c = (i64)blockIdx.x * 256 + threadIdx.x, o = (INDEX)c / (INDEX)a.inner, i = c - o * a.inner;
#pragma unroll 1
    for (i64 k0 = 0; k0 < a.count; k0 += 256) {
        __syncthreads();
        if (k0 + threadIdx.x < a.count) at[threadIdx.x] = a.at[k0 + threadIdx.x];
        __syncthreads();
        if (c >= a.columns) continue;
#pragma unroll 1
        for (int k = 0; k < min((i64)256, a.count - k0); k++) {
            const i64 p = at[k];
            if (p < 0 || p >= a.n) { report_fault(a.fault, 1, p, a.n); continue; }
            if (((u32)p * 0x9e3779b1u >> 16) % gridDim.y != blockIdx.y) continue;
            T *to = a.out + (o * a.n + p) * a.inner + i;
            *to = Put<T>::put(COMBINE(get(*to), get(a.src[(o * a.count + k0 + k) * a.inner + i])));
        }
    }
}
#endif

#ifdef SET
// put_slices that only stores, for some thousands of positions: src is [outer, count, inner] with strides of its own, out is
// [outer, n, inner], in units as wide as alignment allows. A block has EACH positions. The last of equal positions wins, so one with an
// equal behind it is skipped: every block looks at all positions behind its own.
// SETS of operands have the same sizes and positions.
struct Set { i64 so, sk; UNIT *out; const UNIT *src; };
struct Args { i64 n, count, outer, inner; const i64 *at; Fault *fault; Set set[SETS]; };

extern "C" __global__ void __launch_bounds__(256) set_slices(const __grid_constant__ Args a) {
    __shared__ i64 at[EACH];
    __shared__ u32 skipped; // a bit a position
    const int first = blockIdx.x * EACH, here = min(EACH, (int)a.count - first), t = threadIdx.x;
    if (t == 0) skipped = 0;
    if (t < here) {
        at[t] = a.at[first + t];
        if ((u64)at[t] >= (u64)a.n && blockIdx.y == 0) report_fault(a.fault, 1, at[t], a.n);
    }
    __syncthreads();
    u32 again = t < here && (u64)at[t] >= (u64)a.n ? 1u << t : 0;
#pragma unroll 1
    for (int k = first + 1 + t; k < (int)a.count; k += 256) {
        const i64 p = a.at[k];
#pragma unroll
        for (int j = 0; j < EACH; j++)
            if (j < here && first + j < k && at[j] == p) again |= 1u << j;
    }
    if (again) atomicOr(&skipped, again);
    __syncthreads();
    const u32 inner = (u32)a.inner, width = (u32)a.outer * inner, total = here * width;
    const Set &s = a.set[SETS == 1 ? 0 : blockIdx.y % SETS];
#pragma unroll 4
    for (u32 e = blockIdx.y / SETS * 256 + t; e < total; e += gridDim.y / SETS * 256) {
        const u32 j = EACH == 1 ? 0 : e / width, c = e - j * width, o = c / inner, i = c - o * inner;
        if (!(skipped >> j & 1)) s.out[(o * a.n + at[j]) * a.inner + i] = s.src[o * s.so + (first + j) * s.sk + i];
    }
}
#endif

#ifdef GATHER
// Indices are contiguous; the source has strides xs in RANK dimensions, and `by` along the indexed axis.
struct Args { i64 total, n, by; T *out; const T *x; const i64 *at; Fault *fault; i64 dims[RANK], xs[RANK]; };

// As in take_slices, a thread has four elements.
extern "C" __global__ void __launch_bounds__(256) gather(const __grid_constant__ Args a) {
    const INDEX first = (INDEX)blockIdx.x * 1024u + threadIdx.x;
    T v[4];
    i64 p[4];
#pragma unroll
    for (int k = 0; k < 4; k++) p[k] = first + k * 256u < (INDEX)a.total ? a.at[first + k * 256u] : -1;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        INDEX rest = first + k * 256u;
        i64 from = p[k] * a.by;
#pragma unroll
        for (int d = RANK - 1; d >= 0; d--) {
            const INDEX q = d > 0 ? rest / (INDEX)a.dims[d] : 0;
            from += (i64)(rest - q * (INDEX)a.dims[d]) * a.xs[d];
            rest = q;
        }
        v[k] = T();
        if ((u64)p[k] < (u64)a.n) v[k] = a.x[from];
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (first + k * 256u >= (INDEX)a.total) continue;
        a.out[first + k * 256u] = v[k];
        if ((u64)p[k] >= (u64)a.n) report_fault(a.fault, 1, p[k], a.n);
    }
}
#endif

#if defined(SCATTER) || defined(SCATTER_ADD)
typedef Rep<T>::R R;
// Indices are [dims...] contiguous; x and src have strides of their own, axis is the indexed one.
struct Args { i64 total, n, rank, axis, step, count; T *out; const S *src; const i64 *at; Fault *fault; i64 dims[16], xs[16], ss[16]; };

#endif

#ifdef SCATTER
extern "C" __global__ void __launch_bounds__(256) scatter(const __grid_constant__ Args a) {
    const i64 line = (i64)blockIdx.x * 256 + threadIdx.x;
    if (line >= a.total) return;
    const i64 first = line / a.step * a.step * a.count + line % a.step; // of the line's indices
    i64 rest = first, to = 0, from = 0;
    for (int d = (int)a.rank - 1; d >= 0; d--) {
        const i64 r = rest % a.dims[d];
        if (d != a.axis) { to += r * a.xs[d]; from += r * a.ss[d]; }
        rest /= a.dims[d];
    }
    for (i64 k = 0; k < a.count; k++) {
        const i64 p = a.at[first + k * a.step];
        if (p < 0 || p >= a.n) { report_fault(a.fault, 1, p, a.n); continue; }
        T *z = a.out + to + p * a.xs[a.axis];
        *z = Put<T>::put(COMBINE(get(*z), get(a.src[from + k * a.ss[a.axis]])));
    }
}
#endif

#ifdef NARROW
// Indices in 32 bits; those out of range become n.
struct Args { i64 total, n; u32 *out; const i64 *at; Fault *fault; };

extern "C" __global__ void __launch_bounds__(256) narrow(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.total) return;
    const i64 p = a.at[e];
    const bool out = p < 0 || p >= a.n;
    if (out) report_fault(a.fault, 1, p, a.n);
    a.out[e] = out ? (u32)a.n : (u32)p;
}
#endif

#ifdef SCATTER_ADD
// Scatter by atomics, in any order: exact for integers, for floats it changes the last bits. WORD is T without its sign.
extern "C" __global__ void __launch_bounds__(256) scatter_add(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    const bool is = e < a.total;
    INDEX rest = is ? (INDEX)e : 0;
    i64 to = 0, from = 0;
    for (int d = (int)a.rank - 1; d >= 0; d--) {
        const INDEX q = d > 0 ? rest / (INDEX)a.dims[d] : 0;
        const i64 r = (i64)(rest - q * (INDEX)a.dims[d]);
        if (d != a.axis) to += r * a.xs[d];
        from += r * a.ss[d];
        rest = q;
    }
    i64 p = is ? a.at[e] : -1;
    if (is && (p < 0 || p >= a.n)) { report_fault(a.fault, 1, p, a.n); p = -1; }
    const i64 at = p < 0 ? -1 : to + p * a.xs[a.axis];
    WORD v = at < 0 ? (WORD)0 : (WORD)a.src[from];
    // Where all lanes of a warp have the same index, one lane adds for all.
    const i64 first = __shfl_sync(~0u, at, 0);
    if (__all_sync(~0u, at == first)) {
#pragma unroll
        for (int s = 16; s > 0; s /= 2) v += __shfl_xor_sync(~0u, v, s);
        if (threadIdx.x % 32 != 0) return;
    }
    if (at >= 0) atomicAdd((WORD *)a.out + at, v);
}
#endif

#ifdef SCATTER_SHARED
// As scatter_add, for few indices: a block accumulates a chunk of values in shared memory, then adds that to out. If the
// values are all the same (UNIFORM), it counts.
#ifdef UNIFORM
typedef u32 SUM;
#else
typedef WORD SUM;
#endif
struct Args { i64 count, n, chunk; WORD *out; const WORD *src; const i64 *at; Fault *fault; i64 by; };

extern "C" __global__ void __launch_bounds__(256) scatter_shared(const __grid_constant__ Args a) {
    extern __shared__ SUM sums[];
    for (i64 p = threadIdx.x; p < a.n; p += 256) sums[p] = 0;
    __syncthreads();
    const i64 lo = blockIdx.x * a.chunk, hi = min(lo + a.chunk, a.count);
    for (i64 e0 = lo + threadIdx.x; e0 < hi; e0 += 1024) {
        i64 p[4];
        SUM v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const i64 e = e0 + k * 256;
            p[k] = e < hi ? a.at[e] : 0;
#ifdef UNIFORM
            v[k] = 1;
#else
            v[k] = e < hi ? a.src[e * a.by] : (WORD)0;
#endif
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (e0 + k * 256 >= hi) continue;
            if ((u64)p[k] < (u64)a.n) atomicAdd(sums + p[k], v[k]);
            else report_fault(a.fault, 1, p[k], a.n);
        }
    }
    __syncthreads();
    for (i64 p = threadIdx.x; p < a.n; p += 256)
#ifdef UNIFORM
        if (sums[p] != 0) atomicAdd(a.out + p, sums[p] * a.src[0]);
#else
        if (sums[p] != 0) atomicAdd(a.out + p, sums[p]);
#endif
}
#endif
