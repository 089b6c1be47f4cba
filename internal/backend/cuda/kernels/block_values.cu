// Values of rows in a block format of GGUF files, as package ggml computes them. FORMAT_x names the format, BLOCK is how many elements a
// block has, BYTES how many bytes. run writes elements 8·g to 8·g+7 of the block at b.

DEV u32 half_bits(const u8 *b) { return b[0] | (u32)b[1] << 8; }
DEV float half_at(const u8 *b) { f16 h; h.v = (u16)half_bits(b); return get(h); }
DEV u32 word_at(const u8 *b) { return b[0] | (u32)b[1] << 8 | (u32)b[2] << 16 | (u32)b[3] << 24; }

#if defined(FORMAT_Q4_0) || defined(FORMAT_Q4_1) || defined(FORMAT_Q5_0) || defined(FORMAT_Q5_1)
// A scale, a minimum, fifth bits; elements i and i+16 share a byte.
DEV void run(const u8 *b, int g, float (&v)[8]) {
#if defined(FORMAT_Q4_1) || defined(FORMAT_Q5_1)
    const float m = half_at(b + 2);
    const int head = 4;
#else
    const int head = 2;
#endif
#if defined(FORMAT_Q5_0) || defined(FORMAT_Q5_1)
    const u32 high = word_at(b + head) >> (8 * g);
    const int mid = 16;
    const u8 *q = b + head + 4;
#else
    const u32 high = 0;
    const int mid = 8;
    const u8 *q = b + head;
#endif
    const float d = half_at(b);
#pragma unroll
    for (int j = 0; j < 8; j++) {
        const int x = q[(g & 1) * 8 + j] >> (g / 2 * 4) & 15 | (high >> j & 1) << 4;
#if defined(FORMAT_Q4_1) || defined(FORMAT_Q5_1)
        v[j] = d * (float)x + m;
#else
        v[j] = d * (float)(x - mid);
#endif
    }
}
#elif defined(FORMAT_Q8_0) || defined(FORMAT_Q8_1)
DEV void run(const u8 *b, int g, float (&v)[8]) {
    const float d = half_at(b);
    const i8 *q = (const i8 *)b + (BYTES - 32) + 8 * g;
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = (float)q[j] * d;
}
#elif defined(FORMAT_Q2_K)
DEV void run(const u8 *b, int g, float (&v)[8]) {
    const int k = g / 2;
    const float dl = half_at(b + 80) * (float)(b[k] & 15), ml = half_at(b + 82) * (float)(b[k] >> 4);
    const u8 *q = b + 16 + k / 8 * 32 + k % 2 * 16 + g % 2 * 8;
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = dl * (float)(q[j] >> (k % 8 / 2 * 2) & 3) - ml;
}
#elif defined(FORMAT_Q3_K)
DEV void run(const u8 *b, int g, float (&v)[8]) {
    const int k = g / 2;
    const u8 *p = b + 96, *q = b + 32 + k / 8 * 32 + k % 2 * 16 + g % 2 * 8, *m = b + k % 2 * 16 + g % 2 * 8;
    const int scale = p[k % 8] >> (k / 8 * 4) & 15 | (p[8 + k % 4] >> (k / 4 * 2) & 3) << 4;
    const float dl = half_at(b + 108) * (float)(scale - 32);
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = dl * (float)((int)(q[j] >> (k % 8 / 2 * 2) & 3) - (m[j] >> (k / 2) & 1 ? 0 : 4));
}
#elif defined(FORMAT_Q4_K) || defined(FORMAT_Q5_K)
DEV void run(const u8 *b, int g, float (&v)[8]) {
    const int k = g / 4;
    const u8 *p = b + 4;
    int scale, low;
    if (k < 4) {
        scale = p[k] & 63;
        low = p[k + 4] & 63;
    } else {
        scale = p[k + 4] & 15 | p[k - 4] >> 6 << 4;
        low = p[k + 4] >> 4 | p[k] >> 6 << 4;
    }
    const float dl = half_at(b) * (float)scale, ml = half_at(b + 2) * (float)low;
    const u8 *q = b + (BYTES - 128) + k / 2 * 32 + g % 4 * 8;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        int x = q[j] >> (k % 2 * 4) & 15;
#ifdef FORMAT_Q5_K
        x |= (b[16 + g % 4 * 8 + j] >> k & 1) << 4;
#endif
        v[j] = dl * (float)x - ml;
    }
}
#elif defined(FORMAT_Q6_K)
DEV void run(const u8 *b, int g, float (&v)[8]) {
    const int s = g / 2, h = s / 8, k = s % 8 / 2, part = s % 2 * 16 + g % 2 * 8;
    const float dl = half_at(b + 208) * (float)(i8)b[192 + s];
    const u8 *lo = b + h * 64 + k % 2 * 32 + part, *hi = b + 128 + h * 32 + part;
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = dl * (float)((int)(lo[j] >> (k / 2 * 4) & 15 | (hi[j] >> (k * 2) & 3) << 4) - 32);
}
#elif defined(FORMAT_Q8_K)
DEV void run(const u8 *b, int g, float (&v)[8]) {
    const float d = __int_as_float(word_at(b));
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = d * (float)(i8)b[4 + 8 * g + j];
}
#elif defined(FORMAT_IQ4_NL) || defined(FORMAT_IQ4_XS)
__device__ const float nonlinear[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
DEV void run(const u8 *b, int g, float (&v)[8]) {
    float d = half_at(b);
    const u8 *q = b + 2;
#ifdef FORMAT_IQ4_XS
    const int k = g / 4;
    d = d * (float)((int)(b[4 + k / 2] >> (k % 2 * 4) & 15 | (half_bits(b + 2) >> (2 * k) & 3) << 4) - 32);
    q = b + 8 + k * 16;
#endif
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = d * nonlinear[q[(g & 1) * 8 + j] >> (g % 4 / 2 * 4) & 15];
}
#elif defined(FORMAT_MXFP4) || defined(FORMAT_NVFP4)
__device__ const float e2m1[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
DEV void run(const u8 *b, int g, float (&v)[8]) {
#ifdef FORMAT_MXFP4
    const float d = __int_as_float(b[0] < 2 ? 0x00200000u << b[0] : (u32)(b[0] - 1) << 23);
    const u8 *q = b + 1 + (g & 1) * 8;
    const int shift = g / 2 * 4;
#else
    const int x = b[g / 2], e = x >> 3 & 15;
    const float m = (float)(x & 7);
    const float d = x == 0 || x == 0x7f ? 0.0f : e == 0 ? m * 0.0009765625f : (1.0f + m / 8.0f) * __int_as_float((u32)(127 + e - 8) << 23);
    const u8 *q = b + 4 + g / 2 * 8;
    const int shift = g % 2 * 4;
#endif
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = d * e2m1[q[j] >> shift & 15];
}
#elif defined(FORMAT_TQ1_0)
DEV void run(const u8 *b, int g, float (&v)[8]) {
    const float d = half_at(b + 52);
#pragma unroll
    for (int j = 0; j < 8; j++) {
        const int i = 8 * g + j;
        const int at = i < 160 ? i % 32 : i < 240 ? 32 + (i - 160) % 16 : 48 + (i - 240) % 4;
        const int n = i < 160 ? i / 32 : i < 240 ? (i - 160) / 16 : (i - 240) / 4;
        const u32 power = n == 0 ? 1 : n == 1 ? 3 : n == 2 ? 9 : n == 3 ? 27 : 81;
        v[j] = d * (float)((int)((b[at] * power & 255) * 3 >> 8) - 1);
    }
}
#elif defined(FORMAT_TQ2_0)
DEV void run(const u8 *b, int g, float (&v)[8]) {
    const float d = half_at(b + 64);
    const int k = g / 4;
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = d * (float)((int)(b[k / 4 * 32 + g % 4 * 8 + j] >> (k % 4 * 2) & 3) - 1);
}
#elif defined(GRID)
// The formats with tables of points: GRID has them, packed to two or four bits a coordinate.
__device__ const u16 grid[] = {GRID};
DEV int even_signs(u32 seven) { return seven & 127 | (__popc(seven & 127) & 1) << 7; }
DEV float two_bits(u32 point, int j) {
    const int x = point >> (2 * j) & 3;
    return x == 0 ? 8.0f : x == 1 ? 25.0f : x == 2 ? 43.0f : 0.0f;
}
DEV float signed_by(float x, int signs, int j) { return signs >> j & 1 ? x * -1.0f : x; }

DEV void run(const u8 *b, int g, float (&v)[8]) {
#if defined(FORMAT_IQ2_XXS) || defined(FORMAT_IQ2_XS) || defined(FORMAT_IQ2_S)
    const float d = half_at(b);
#ifdef FORMAT_IQ2_XXS
    const int k = g / 4, index = b[2 + k * 8 + g % 4];
    const u32 w = word_at(b + 6 + k * 8), scale = w >> 28;
    const int signs = even_signs(w >> (7 * (g % 4)));
#elif defined(FORMAT_IQ2_XS)
    const u32 w = half_bits(b + 2 + 2 * g), scale = b[66 + g / 4] >> (g / 2 % 2 * 4) & 15;
    const int index = w & 511, signs = even_signs(w >> 9);
#else
    const u32 scale = b[74 + g / 4] >> (g / 2 % 2 * 4) & 15;
    const int index = b[2 + g] | (b[66 + g / 4] >> (g % 4 * 2) & 3) << 8, signs = b[34 + g];
#endif
    const float db = d * (0.5f + (float)scale) * 0.25f;
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = signed_by(db * two_bits(grid[index], j), signs, j);
#elif defined(FORMAT_IQ3_XXS) || defined(FORMAT_IQ3_S)
    const float d = half_at(b);
#ifdef FORMAT_IQ3_XXS
    const u32 w = word_at(b + 66 + g / 4 * 4);
    const float db = d * (0.5f + (float)(w >> 28)) * 0.5f;
    const int signs = even_signs(w >> (7 * (g % 4)));
    const int index[2] = {b[2 + 2 * g], b[3 + 2 * g]};
#else
    const int signs = b[74 + g];
    const float db = d * (float)(1 + 2 * (int)(b[106 + g / 8] >> (g / 4 % 2 * 4) & 15));
    const int high = b[66 + g / 4] >> (2 * g % 8);
    const int index[2] = {b[2 + 2 * g] | (high & 1) << 8, b[3 + 2 * g] | (high >> 1 & 1) << 8};
#endif
#pragma unroll
    for (int j = 0; j < 8; j++) {
        const int x = grid[index[j / 4]] >> (4 * (j % 4)) & 7;
#ifdef FORMAT_IQ3_XXS
        const float p = x == 7 ? 62.0f : (float)(4 + 8 * x);
#else
        const float p = (float)(1 + 2 * x);
#endif
        v[j] = signed_by(db * p, signs, j);
    }
#else
#ifdef FORMAT_IQ1_S
    const u32 high = half_bits(b + 34 + g / 4 * 2);
    const float dl = half_at(b) * (float)(2 * (high >> 12 & 7) + 1), delta = high & 0x8000 ? -0.125f : 0.125f;
    const int index = b[2 + g] | (high >> (3 * (g % 4)) & 7) << 8;
#else
    f16 whole;
    whole.v = (u16)(half_bits(b + 48) >> 12 | half_bits(b + 50) >> 12 << 4 | half_bits(b + 52) >> 12 << 8 | half_bits(b + 54) >> 12 << 12);
    const u32 high = b[32 + g / 2] >> (g % 2 * 4);
    const u32 scale = half_bits(b + 48 + g / 8 * 2) >> (g / 2 % 4 * 3) & 7;
    const float dl = get(whole) * (float)(2 * scale + 1), delta = high & 8 ? -0.125f : 0.125f;
    const int index = b[g] | (high & 7) << 8;
#endif
#pragma unroll
    for (int j = 0; j < 8; j++) {
        const int x = grid[index] >> (2 * j) & 3;
        v[j] = dl * ((float)(x == 3 ? 0 : x - 1) + delta);
    }
#endif
}
#endif

// values writes elements k to k+7 of a row of n, 0 behind its end. k is a multiple of 8.
DEV void values(const u8 *row, i64 k, i64 n, float (&v)[8]) {
#if BLOCK == 1
#pragma unroll
    for (int j = 0; j < 8; j++) {
        v[j] = 0;
        if (k + j < n) {
            const u8 *b = row + (k + j) * BYTES;
#if defined(FORMAT_F32)
            v[j] = __int_as_float(word_at(b));
#elif defined(FORMAT_F16)
            v[j] = half_at(b);
#elif defined(FORMAT_BF16)
            v[j] = __int_as_float(half_bits(b) << 16);
#else
            v[j] = (float)__longlong_as_double((u64)word_at(b) | (u64)word_at(b + 4) << 32);
#endif
        }
    }
#else
    if (k >= n) {
#pragma unroll
        for (int j = 0; j < 8; j++) v[j] = 0;
        return;
    }
    run(row + k / BLOCK * BYTES, (int)(k % BLOCK) / 8, v);
#endif
}
