// Element types in memory and in registers. Half types are computed in float and rounded after every op, as on the CPU.
// Nothing is included: NVRTC then needs no headers, and compiles in a tenth of the time.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char i8;
typedef short i16;
typedef int i32;
typedef long long i64;
typedef float f32;
typedef double f64;

struct b8 { u8 v; };
struct f16 { u16 v; };
struct bf16 { u16 v; };
template <class F> struct alignas(2 * sizeof(F)) Cx { F re, im; };
typedef Cx<float> c64;
typedef Cx<double> c128;
struct alignas(16) w16 { u64 a, b; };

#define DEV __device__ __forceinline__
// Long functions are compiled once, not for every element of a vector.
#define FAR static __device__ __noinline__

// Every kernel begins so (dependent_launch.go inserts it). With programmatic dependent launch it may be scheduled while its
// predecessor still runs, and lets its successor be scheduled as early; it touches no memory before all work it depends on
// is done.
// A kernel that begins with PDL_EARLY has PDL_WAIT itself, behind what it may do before: load what nothing in the graph writes.
#if __CUDA_ARCH__ >= 900 && defined(__CUDACC_RTC__)
#define PDL_EARLY asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#define PDL_WAIT asm volatile("griddepcontrol.wait;" ::: "memory");
#else
#define PDL_EARLY
#define PDL_WAIT
#endif
#define PDL_ENTRY PDL_EARLY PDL_WAIT

// read_once tells the cache to give up first what is loaded with it.
DEV u64 read_once() {
    u64 policy = 0;
#if __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

// A quotient of zeros would be computed at run time.
#define INF __longlong_as_double(0x7ff0000000000000ll)
#define NAN_ __longlong_as_double(0x7ff8000000000000ll)

// Rep is the type an element is computed in.
template <class M> struct Rep { typedef M R; };
template <> struct Rep<b8> { typedef bool R; };
template <> struct Rep<f16> { typedef float R; };
template <> struct Rep<bf16> { typedef float R; };

template <class T> struct Unsigned { typedef T U; };
template <> struct Unsigned<i8> { typedef u8 U; };
template <> struct Unsigned<i16> { typedef u16 U; };
template <> struct Unsigned<i32> { typedef u32 U; };
template <> struct Unsigned<i64> { typedef u64 U; };

template <class M> DEV M get(M m) { return m; }
DEV bool get(b8 m) { return m.v != 0; }
DEV float get(f16 m) { float f; asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(m.v)); return f; }
DEV float get(bf16 m) { return __int_as_float((u32)m.v << 16); }

template <class M> struct Put { static DEV M put(M v) { return v; } };
template <> struct Put<b8> { static DEV b8 put(bool v) { b8 m; m.v = v; return m; } };
template <> struct Put<f16> { static DEV f16 put(float v) { f16 m; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(m.v) : "f"(v)); return m; } };
template <> struct Put<bf16> {
    static DEV bf16 put(float v) {
        bf16 m;
#if __CUDA_ARCH__ >= 800
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(m.v) : "f"(v));
#else
        u32 b = __float_as_int(v);
        m.v = v != v ? 0x7fff : (u16)((b + 0x7fff + (b >> 16 & 1)) >> 16);
#endif
        return m;
    }
};

// rounded rounds a value to its element type.
template <class M> DEV typename Rep<M>::R rounded(typename Rep<M>::R v) { return v; }
template <> DEV float rounded<f16>(float v) { return get(Put<f16>::put(v)); }
template <> DEV float rounded<bf16>(float v) { return get(Put<bf16>::put(v)); }

// Vec moves several elements at once, 16 bytes where they fill them.
template <class M, int V> struct alignas(sizeof(M) * V >= 16 ? 16 : sizeof(M) * V) Vec { M v[V]; };

template <class M, int V, class R> DEV void load_vec(R (&r)[V], const M *p, i64 left) {
    if (left >= V) {
        Vec<M, V> t = *(const Vec<M, V> *)p;
#pragma unroll
        for (int j = 0; j < V; j++) r[j] = get(t.v[j]);
    } else {
#pragma unroll
        for (int j = 0; j < V; j++) r[j] = j < left ? get(p[j]) : R();
    }
}

template <class M, int V, class R> DEV void load_each(R (&r)[V], const M *p, i64 stride, i64 left) {
#pragma unroll
    for (int j = 0; j < V; j++) r[j] = j < left ? get(p[j * stride]) : R();
}

// Pack converts a vector of values to elements; half types are rounded in pairs where the hardware can.
template <class M, int V, class R> struct Pack {
    static DEV void to(Vec<M, V> &t, const R (&r)[V]) {
#pragma unroll
        for (int j = 0; j < V; j++) t.v[j] = Put<M>::put(r[j]);
    }
};
#if __CUDA_ARCH__ >= 800
DEV u32 pair(bf16, float lo, float hi) { u32 w; asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(hi), "f"(lo)); return w; }
DEV u32 pair(f16, float lo, float hi) { u32 w; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(w) : "f"(hi), "f"(lo)); return w; }
template <class M> struct Pack<M, 8, float> {
    static DEV void to(Vec<M, 8> &t, const float (&r)[8]) {
        u32 w[4];
#pragma unroll
        for (int j = 0; j < 4; j++) w[j] = pair(M(), r[2 * j], r[2 * j + 1]);
        memcpy(&t, w, 16);
    }
};
template <> struct Pack<f32, 8, float> {
    static DEV void to(Vec<f32, 8> &t, const float (&r)[8]) {
#pragma unroll
        for (int j = 0; j < 8; j++) t.v[j] = r[j];
    }
};
#endif

template <class M, int V, class R> DEV void store_vec(M *p, const R (&r)[V], i64 left) {
    if (left >= V) {
        Vec<M, V> t;
        Pack<M, V, R>::to(t, r);
        *(Vec<M, V> *)p = t;
    } else {
#pragma unroll
        for (int j = 0; j < V; j++)
            if (j < left) p[j] = Put<M>::put(r[j]);
    }
}

// immediate reads a value passed with the launch.
template <class M> DEV M immediate(const u64 *p) {
    u64 w[2] = {p[0], p[1]};
    M m;
    memcpy(&m, w, sizeof(M));
    return m;
}

// Fault is where a kernel reports the first value it refuses: an index, a divisor.
struct Fault { u32 code, pad; i64 value, size; };
DEV void report_fault(Fault *f, u32 code, i64 value, i64 size) {
    if (f && atomicCAS(&f->code, 0u, code) == 0) { f->value = value; f->size = size; }
}

// Complex arithmetic.
template <class F> DEV Cx<F> cx(F re, F im) { Cx<F> z; z.re = re; z.im = im; return z; }
template <class F> DEV Cx<F> operator+(Cx<F> x, Cx<F> y) { return cx(x.re + y.re, x.im + y.im); }
template <class F> DEV Cx<F> operator-(Cx<F> x, Cx<F> y) { return cx(x.re - y.re, x.im - y.im); }
template <class F> DEV Cx<F> operator-(Cx<F> x) { return cx(-x.re, -x.im); }
template <class F> DEV Cx<F> operator*(Cx<F> x, Cx<F> y) { return cx(x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re); }
template <class F> DEV bool operator==(Cx<F> x, Cx<F> y) { return x.re == y.re && x.im == y.im; }
template <class F> DEV bool operator!=(Cx<F> x, Cx<F> y) { return !(x == y); }
// Smith's algorithm: no overflow where the quotient has none. Over an infinity it is NaN unless the divisor's other part is
// a number, as in NumPy and PyTorch.
template <class F> DEV Cx<F> operator/(Cx<F> x, Cx<F> y) {
    if (fabs(y.re) >= fabs(y.im)) {
        if (y.re == 0 && y.im == 0) return cx(x.re / fabs(y.re), x.im / fabs(y.re));
        F r = y.im / y.re, d = y.re + y.im * r;
        return cx((x.re + x.im * r) / d, (x.im - x.re * r) / d);
    }
    F r = y.re / y.im, d = y.re * r + y.im;
    return cx((x.re * r + x.im) / d, (x.im * r - x.re) / d);
}

// Conversions. NaN and floats that the integer type does not hold are what an x86 processor makes of them: those of 32 bits and less go
// through int32, whose minimum stands for what it does not hold, but u8 and u32 through int64; u64 has 0 for what is too large.
DEV i64 whole64(double f) { return f >= -9223372036854775808.0 && f < 9223372036854775808.0 ? (i64)f : (i64)(1ull << 63); }
DEV i32 whole32(double f) { return f > -2147483649.0 && f < 2147483648.0 ? (i32)f : (i32)0x80000000; }
DEV u64 wholeu(double f) { return f >= 9223372036854775808.0 ? (u64)whole64(f - 9223372036854775808.0) ^ 1ull << 63 : (u64)whole64(f); }
// odd rounds to float (round to odd) so that rounding again to a half type is exact.
DEV float odd(double d) {
    float f = __double2float_rz(d);
    return (double)f != d && d == d ? __int_as_float(__float_as_int(f) | 1) : f;
}
template <class To, class S> struct Conv { static DEV To to(S x) { return (To)x; } };
template <class S> struct Conv<bool, S> { static DEV bool to(S x) { return x != S(); } };
#define FROM_FLOAT(I, whole) \
    template <> struct Conv<I, float> { static DEV I to(float x) { return (I)whole(x); } }; \
    template <> struct Conv<I, double> { static DEV I to(double x) { return (I)whole(x); } };
FROM_FLOAT(u8, whole64) FROM_FLOAT(u16, whole32) FROM_FLOAT(u32, whole64) FROM_FLOAT(u64, wholeu)
FROM_FLOAT(i8, whole32) FROM_FLOAT(i16, whole32) FROM_FLOAT(i32, whole32) FROM_FLOAT(i64, whole64)
template <class To, class F> struct Conv<To, Cx<F>> { static DEV To to(Cx<F> x) { return Conv<To, F>::to(x.re); } };
template <class F> struct Conv<bool, Cx<F>> { static DEV bool to(Cx<F> x) { return x.re != 0 || x.im != 0; } };
template <class G, class S> struct Conv<Cx<G>, S> { static DEV Cx<G> to(S x) { return cx((G)x, (G)0); } };
template <class G, class F> struct Conv<Cx<G>, Cx<F>> { static DEV Cx<G> to(Cx<F> x) { return cx((G)x.re, (G)x.im); } };

// cast converts between element types; the caller rounds a half-precision result.
template <class S> struct HalfOf { static DEV float to(S x) { return odd((double)x); } };
template <> struct HalfOf<float> { static DEV float to(float x) { return x; } };
template <> struct HalfOf<bool> { static DEV float to(bool x) { return x; } };
template <class F> struct HalfOf<Cx<F>> { static DEV float to(Cx<F> x) { return HalfOf<F>::to(x.re); } };
template <class M, class S> struct Cast { static DEV typename Rep<M>::R to(S x) { return Conv<typename Rep<M>::R, S>::to(x); } };
template <class S> struct Cast<f16, S> { static DEV float to(S x) { return HalfOf<S>::to(x); } };
template <class S> struct Cast<bf16, S> { static DEV float to(S x) { return HalfOf<S>::to(x); } };
template <class M, class S> DEV typename Rep<M>::R cast(S x) { return Cast<M, S>::to(x); }
