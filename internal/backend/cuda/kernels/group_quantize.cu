// group_quantize: rows as package quantize makes them; a warp has a group. Included after group_values.cu.
struct Args { i64 groups; const T *x; u32 *w; S *scales, *biases; };

#define MINE(h, e) \
    _Pragma("unroll") for (int h = 0; h < (GROUP + 31) / 32; h++) \
        if (const int e = 32 * h + lane; e < GROUP)

DEV float size_of(float v) { return __uint_as_float(__float_as_uint(v) & 0x7fffffffu); }

#if AFFINE
#define LEVELS (float)((1 << BITS) - 1)
struct Group {
    float scale, bias;

    // find: the end of the range that is farther from zero is a level, and so is zero. What is not a number is not looked at.
    DEV void find(const float *v, int lane) {
        float low = INF, high = -INF;
        MINE(h, e) {
            if (v[h] > high) high = v[h];
            if (v[h] < low) low = v[h];
        }
#pragma unroll
        for (int m = 16; m > 0; m /= 2) {
            low = fminf(low, __shfl_xor_sync(~0u, low, m));
            high = fmaxf(high, __shfl_xor_sync(~0u, high, m));
        }
        scale = (high - low) / LEVELS;
        if (scale < 1e-7f) scale = 1e-7f;
        float edge = low;
        if (!(size_of(low) > size_of(high))) scale = -scale, edge = high;
        const float q = rintf(edge / scale);
        bias = 0;
        if (q != 0) scale = edge / q, bias = edge;
    }

    DEV u32 number(float v) const {
        const float q = rintf((v - bias) / scale);
        if (!(q > 0)) return 0;
        return (u32)(q < LEVELS ? q : LEVELS);
    }
};
#else
DEV u32 to_e4m3(float x) {
    u32 u = __float_as_uint(x);
    const u32 sign = u >> 24 & 0x80;
    u &= 0x7fffffffu;
    const float a = __uint_as_float(u);
    if (!(a < 464)) return (a == a ? sign : 0) | 0x7e; // from here on it would round up
    if (a < 0.015625f) return sign | (u32)rintf(a * 512); // multiples of 2^-9
    u += 0x7ffff + (u >> 20 & 1); // half of what is cut, less one if the result would be even
    return sign | min((u >> 20) - (120u << 3), 0x7eu);
}

struct Group {
    float scale;
    u8 code;

    // find looks at what is behind the last element that is not a number.
    DEV void find(const float *v, int lane) {
        int nan = -1;
        MINE(h, e) if (v[h] != v[h]) nan = e;
#pragma unroll
        for (int m = 16; m > 0; m /= 2) nan = max(nan, __shfl_xor_sync(~0u, nan, m));
        float largest = 0;
        MINE(h, e) if (e > nan && size_of(v[h]) > largest) largest = size_of(v[h]);
#pragma unroll
        for (int m = 16; m > 0; m /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, m));
        if (nan == GROUP - 1) largest = NAN_;
        largest /= BITS == 8 ? 448.0f : 6.0f;
#ifdef FORMAT_NVFP4
        code = (u8)to_e4m3(largest);
#else
        code = 127; // of zero, and of what is not finite
        if (largest > 0 && largest < INF) { // the next power of two that is not smaller
            const u64 d = __double_as_longlong((double)largest);
            code = (u8)((int)(d >> 52) - 1023 + (d << 12 != 0) + 127);
        }
#endif
        scale = scale_of(code);
    }

    DEV u32 number(float v) const {
        const float x = scale != 0 ? v / scale : 0;
#if BITS == 8
        return to_e4m3(x);
#else
        float best = INF; // the nearest; of equally near ones the first
        u32 at = 0;
#pragma unroll
        for (int i = 0; i < 16; i++) {
            const float d = size_of(x - value(i));
            if (d < best) best = d, at = i;
        }
        return at;
#endif
    }
};
#endif

extern "C" __global__ void __launch_bounds__(256) group_quantize(const __grid_constant__ Args a) {
    __shared__ u32 all[8][GROUP];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const i64 g = blockIdx.x * (i64)8 + warp;
    if (g >= a.groups) return;
    float v[(GROUP + 31) / 32];
    MINE(h, e) v[h] = get(a.x[g * GROUP + e]);
    Group by;
    by.find(v, lane);
    MINE(h, e) all[warp][e] = by.number(v[h]);
    __syncwarp();
    for (int j = lane; j < GROUP * BITS / 32; j += 32) {
        u32 word = 0;
        for (int e = 32 * j / BITS; e < GROUP && e * BITS < 32 * j + 32; e++) {
            const int at = e * BITS - 32 * j;
            word |= at < 0 ? all[warp][e] >> -at : all[warp][e] << at;
        }
        a.w[g * (GROUP * BITS / 32) + j] = word;
    }
    if (lane) return;
#if AFFINE
    a.scales[g] = Put<S>::put(by.scale);
    a.biases[g] = Put<S>::put(by.bias);
#else
    a.scales[g] = by.code;
#endif
}
