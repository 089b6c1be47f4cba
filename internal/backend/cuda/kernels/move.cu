// Moves of elements between layouts. UNIT is the type that is moved, as wide as alignment allows; ND the number of
// dimensions left. A block reads and writes in the order of the destination.

struct Args { i64 n; UNIT *out; const UNIT *in; i64 dims[ND], to[ND], from[ND]; };

extern "C" __global__ void __launch_bounds__(256) move_strided(const __grid_constant__ Args a) {
    const INDEX e = (INDEX)blockIdx.x * 256u + threadIdx.x;
    if (e >= (INDEX)a.n) return;
    INDEX rest = e;
    i64 to = 0, from = 0;
#pragma unroll
    for (int d = ND - 1; d >= 0; d--) {
        INDEX r = rest;
        if (d > 0) {
            const INDEX q = rest / (INDEX)a.dims[d];
            r = rest - q * (INDEX)a.dims[d];
            rest = q;
        }
        to += (i64)r * a.to[d];
        from += (i64)r * a.from[d];
    }
    a.out[to] = a.in[from];
}
