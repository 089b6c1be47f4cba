// Values that depend on an index alone: arithmetic sequences and random words.

#ifdef ARANGE
struct Args { i64 n; OUT *out; i64 start, step; double first, by; };

extern "C" __global__ void __launch_bounds__(256) arange(const __grid_constant__ Args a) {
    const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
    if (i >= a.n) return;
    if (FLOATS) a.out[i] = Put<OUT>::put(rounded<OUT>(cast<OUT>(a.first + (double)i * a.by)));
    else a.out[i] = Put<OUT>::put(rounded<OUT>(cast<OUT>((i64)((u64)a.start + (u64)i * (u64)a.step))));
}
#endif

#ifdef RANDOM
// Included after threefry.cu. Word i and word i+ceil(n/2) of a key's n words are the two outputs of one hash.
struct Args { i64 hashes, bytes; u8 *out; const u32 *keys; };

DEV void put_word(u8 *out, i64 bytes, i64 word, u32 v) {
    if (bytes % 4 == 0) {
        ((u32 *)out)[word] = v;
        return;
    }
    for (int i = 0; i < 4; i++)
        if (4 * word + i < bytes) out[4 * word + i] = (u8)(v >> 8 * i);
}

extern "C" __global__ void __launch_bounds__(256) random_bits(const __grid_constant__ Args a) {
    const i64 i = (i64)blockIdx.x * 256 + threadIdx.x;
    if (i >= a.hashes) return;
    u8 *out = a.out + blockIdx.y * a.bytes;
    const i64 n = (a.bytes + 3) / 4, half = n / 2, step = n - half;
    u32 x = (u32)i, y = i < half ? (u32)(i + step) : 0;
    hash(a.keys[2 * blockIdx.y], a.keys[2 * blockIdx.y + 1], x, y);
    put_word(out, a.bytes, i, x);
    if (i < half) put_word(out, a.bytes, i + step, y);
}
#endif
