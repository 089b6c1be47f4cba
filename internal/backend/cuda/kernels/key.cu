// Sort keys: unsigned numbers K, u32 or u64, in the order of the elements. NaN comes last, zeros of both signs are equal.

typedef Rep<T>::R R;

// Key converts an element to its key and back; lossy: several elements share a key.
template <class R> struct Key {
    static DEV K of(R v) { return (K)v; }
    static DEV R from(K k) { return (R)k; }
    static DEV bool lossy(K) { return false; }
};
#define SIGNED(I) \
    template <> struct Key<I> { \
        static DEV K of(I v) { return (K)(u32)(i32)v ^ 0x80000000u; } \
        static DEV I from(K k) { return (I)(i32)((u32)k ^ 0x80000000u); } \
        static DEV bool lossy(K) { return false; } \
    };
SIGNED(i8) SIGNED(i16) SIGNED(i32)
template <> struct Key<i64> {
    static DEV K of(i64 v) { return (K)((u64)v ^ 1ull << 63); }
    static DEV i64 from(K k) { return (i64)((u64)k ^ 1ull << 63); }
    static DEV bool lossy(K) { return false; }
};
template <> struct Key<float> {
    static DEV K of(float v) {
        const u32 b = (u32)__float_as_int(v == 0 ? 0.0f : v);
        return v != v ? ~(K)0 : (K)(b >> 31 ? ~b : b | 0x80000000u);
    }
    static DEV float from(K k) { const u32 b = (u32)k; return __int_as_float(b >> 31 ? b & 0x7fffffffu : ~b); }
    static DEV bool lossy(K k) { return k == ~(K)0 || k == (K)0x80000000u; }
};
template <> struct Key<double> {
    static DEV K of(double v) {
        const u64 b = (u64)__double_as_longlong(v == 0 ? 0.0 : v);
        return v != v ? ~(K)0 : (K)(b >> 63 ? ~b : b | 1ull << 63);
    }
    static DEV double from(K k) { const u64 b = (u64)k; return __longlong_as_double(b >> 63 ? b & ~(1ull << 63) : ~b); }
    static DEV bool lossy(K k) { return k == ~(K)0 || k == (K)(1ull << 63); }
};
