// MLX's quantized rows: BITS bits a number, GROUP of them with one scale of type S, numbers packed from the low bits on. AFFINE numbers
// are levels with a bias for each group; the modes of floats are FORMAT_MXFP4, FORMAT_MXFP8 and FORMAT_NVFP4. Values are those of package
// quantize.

DEV float e4m3(u32 x) {
    if ((x & 0x7f) == 0x7f) return __uint_as_float(0x7fc00000u);
    // The same bits in a float have an exponent that is 120 too small.
    return __uint_as_float((x & 0x7f) << 20 | (x & 0x80) << 24) * 1.329227995784916e36f;
}

// scale_of is the value of a group's scale.
#if AFFINE
DEV float scale_of(S s) { return get(s); }
#elif defined(FORMAT_NVFP4)
DEV float scale_of(u8 s) { return e4m3(s); }
#else
DEV float scale_of(u8 s) { return __uint_as_float(s == 0 ? 0x00400000u : (u32)s << 23); }
#endif

// eight are the bits of numbers 8·t to 8·t+7 of 32 that begin with the word at w: those of the first four in lo, of the others in hi. A
// word is read only if it has some of them.
DEV void eight(const u32 *w, int t, u32 &lo, u32 &hi) {
#if BITS == 8
    lo = w[2 * t], hi = w[2 * t + 1];
#elif BITS == 4
    lo = w[t], hi = lo >> 16;
#elif BITS == 2
    lo = w[t / 2] >> t % 2 * 16, hi = lo >> 8;
#else
    const int at = t * BITS, shift = at % 4 * 8; // bytes, bits
    const u32 first = w[at / 4], next = at % 4 + BITS > 4 ? w[at / 4 + 1] : 0;
    lo = __funnelshift_r(first, next, shift);
    hi = __funnelshift_r(lo, next >> shift, 4 * BITS);
#endif
}

// value is what a number stands for, before its scale.
DEV float value(u32 q) {
    q &= (1u << BITS) - 1;
#if AFFINE
    return (float)q;
#elif BITS == 8
    return e4m3(q);
#else
    // The same bits in a float have an exponent that is 126 too small.
    return __uint_as_float((q & 7) << 22 | (q & 8) << 28) * 8.507059173023462e37f + 0.0f; // there is no -0
#endif
}
