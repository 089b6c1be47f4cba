// Reductions as structs: A is the accumulator; none is that of no elements, add takes element i, merge combines two (the
// second came later), done gives the result for n elements. W is the accumulator type of sums: float for half types and
// floats, 64 bits for integers.

template <class R> struct Wide { typedef i64 W; };
template <> struct Wide<u8> { typedef u64 W; };
template <> struct Wide<u16> { typedef u64 W; };
template <> struct Wide<u32> { typedef u64 W; };
template <> struct Wide<u64> { typedef u64 W; };
template <> struct Wide<float> { typedef float W; };
template <> struct Wide<double> { typedef double W; };
template <> struct Wide<c64> { typedef c64 W; };
template <> struct Wide<c128> { typedef c128 W; };

template <class R> struct Sum {
    typedef typename Wide<R>::W A;
    static DEV A none() { return A(); }
    static DEV void add(A &a, R v, i64, double) { a = op_add<A>(a, Conv<A, R>::to(v)); }
    static DEV void merge(A &a, A b) { a = op_add<A>(a, b); }
    static DEV A done(A a, i64, double) { return a; }
};
template <class F> DEV F over(F a, i64 n) { return a / (F)n; }
template <class F> DEV Cx<F> over(Cx<F> a, i64 n) { return cx(a.re / (F)n, a.im / (F)n); }
template <class R> struct Mean : Sum<R> {
    typedef typename Wide<R>::W A;
    static DEV A done(A a, i64 n, double) { return over(a, n); }
};
// Complex products use a wider accumulator: a part that overflows would make the other one NaN.
template <class R> struct Product { typedef typename Wide<R>::W W; };
template <> struct Product<c64> { typedef c128 W; };
template <class R> struct Prod {
    typedef typename Product<R>::W A;
    static DEV A none() { return Conv<A, i32>::to(1); }
    static DEV void add(A &a, R v, i64, double) { a = op_mul<A>(a, Conv<A, R>::to(v)); }
    static DEV void merge(A &a, A b) { a = op_mul<A>(a, b); }
    static DEV A done(A a, i64, double) { return a; }
};

// The first extremum, or the first NaN, and its index.
template <class R> struct Indexed { R v; i64 i; };
template <class R, int MAX> struct Best {
    typedef Indexed<R> A;
    static DEV A none() { A a; a.v = R(); a.i = -1; return a; }
    static DEV bool better(R x, R y) { return MAX ? x > y : x < y; }
    static DEV void join(A &a, R v, i64 i) {
        if (a.i < 0) { a.v = v; a.i = i; return; }
        const bool an = a.v != a.v, vn = v != v;
        const bool wins = an ? vn && i < a.i : vn || better(v, a.v) || (v == a.v && i < a.i);
        if (wins) { a.v = v; a.i = i; }
    }
    static DEV void add(A &a, R v, i64 i, double) { join(a, v, i); }
    static DEV void merge(A &a, A b) { if (b.i >= 0) join(a, b.v, b.i); }
};
template <class R> struct Amax : Best<R, 1> { static DEV R done(Indexed<R> a, i64, double) { return a.v; } };
template <class R> struct Amin : Best<R, 0> { static DEV R done(Indexed<R> a, i64, double) { return a.v; } };
template <class R> struct Argmax : Best<R, 1> { static DEV i64 done(Indexed<R> a, i64, double) { return a.i; } };
template <class R> struct Argmin : Best<R, 0> { static DEV i64 done(Indexed<R> a, i64, double) { return a.i; } };

template <class R> struct Count {
    typedef i64 A;
    static DEV A none() { return 0; }
    static DEV void add(A &a, R v, i64, double) { a += v != R(); }
    static DEV void merge(A &a, A b) { a += b; }
};
template <class R> struct CountNonzero : Count<R> { static DEV i64 done(i64 a, i64, double) { return a; } };
template <class R> struct Any : Count<R> { static DEV bool done(i64 a, i64, double) { return a > 0; } };
template <class R> struct All : Count<R> { static DEV bool done(i64 a, i64 n, double) { return a == n; } };

// Welford's mean and squares, merged as by Chan et al.; M is the type of the squares.
template <class R, class M> struct Moments {
    struct A { M m2; R n, mean; };
    static DEV A none() { A a; a.n = a.mean = 0; a.m2 = 0; return a; }
    static DEV void add(A &a, R v, i64, double) {
        a.n += 1;
        const R d = v - a.mean;
        a.mean += d / a.n;
        a.m2 += (M)d * (M)(v - a.mean);
    }
    static DEV void merge(A &a, A b) {
        if (b.n == 0) return;
        if (a.n == 0) { a = b; return; }
        const R n = a.n + b.n, d = b.mean - a.mean;
        a.mean += d * (b.n / n);
        a.m2 += b.m2 + (M)d * (M)d * (M)(a.n * (b.n / n));
        a.n = n;
    }
    static DEV M over(A a, i64 n, double correction) { return a.m2 / (M)fmax((double)n - correction, 0.0); }
};

template <class F, class M> struct Moments<Cx<F>, M> {
    struct A { M m2; F n, re, im; };
    static DEV A none() { A a; a.n = a.re = a.im = 0; a.m2 = 0; return a; }
    static DEV void add(A &a, Cx<F> v, i64, double) {
        a.n += 1;
        const F x = v.re - a.re, y = v.im - a.im;
        a.re += x / a.n;
        a.im += y / a.n;
        a.m2 += (M)x * (M)(v.re - a.re) + (M)y * (M)(v.im - a.im);
    }
    static DEV void merge(A &a, A b) {
        if (b.n == 0) return;
        if (a.n == 0) { a = b; return; }
        const F n = a.n + b.n, x = b.re - a.re, y = b.im - a.im;
        a.re += x * (b.n / n);
        a.im += y * (b.n / n);
        a.m2 += b.m2 + ((M)x * (M)x + (M)y * (M)y) * (M)(a.n * (b.n / n));
        a.n = n;
    }
    static DEV M over(A a, i64 n, double correction) { return a.m2 / (M)fmax((double)n - correction, 0.0); }
};

template <class R> struct Real { typedef R F; };
template <class G> struct Real<Cx<G>> { typedef G F; };
template <class R> struct Var : Moments<R, typename Real<R>::F> {
    typedef Moments<R, typename Real<R>::F> Base;
    static DEV typename Real<R>::F done(typename Base::A a, i64 n, double correction) { return Base::over(a, n, correction); }
};
// The squares of floats are doubles: their mean may be more than a float holds, whose root it holds.
template <class R> struct Std : Moments<R, double> {
    typedef Moments<R, double> Base;
    static DEV typename Real<R>::F done(typename Base::A a, i64 n, double correction) {
        return (typename Real<R>::F)sqrt(Base::over(a, n, correction));
    }
};

#ifdef FUNCTIONS
// The largest element, and the sum of exp(x - largest).
template <class R> struct Logsumexp {
    struct A { R m, s; };
    static DEV A none() { A a; a.m = -(R)INF; a.s = 0; return a; }
    static DEV R shift(R m) { return m - m == 0 ? m : (R)0; } // an infinite one cannot be subtracted
    static DEV void add(A &a, R v, i64, double) {
        if (v > a.m || v != v) {
            a.s = a.s * op_exp(a.m - shift(v)) + op_exp(v - shift(v));
            a.m = v;
        } else if (a.m == a.m) {
            a.s += op_exp(v - shift(a.m));
        }
    }
    // take adds V elements at once: one exponential each, and one more where the largest rises.
    template <int V> static DEV void take(A &a, const R (&v)[V]) {
        R m = a.m;
#pragma unroll
        for (int j = 0; j < V; j++)
            if (v[j] > m || v[j] != v[j]) m = v[j];
        const R less = shift(m);
        if (m != a.m) {
            a.s *= op_exp(a.m - less);
            a.m = m;
        }
#pragma unroll
        for (int j = 0; j < V; j++) a.s += op_exp(v[j] - less);
    }
    static DEV void merge(A &a, A b) {
        if (b.m > a.m || b.m != b.m) { A t = a; a = b; b = t; }
        if (a.m == a.m) a.s += b.s * op_exp(b.m - shift(a.m));
    }
    static DEV R done(A a, i64, double) { return a.m - a.m == 0 ? a.m + op_log(a.s) : a.m; }
};

#ifdef COMPLEX_FUNCTIONS
// The largest real part is subtracted; an infinite one cannot be, and a NaN propagates.
template <class F> struct Logsumexp<Cx<F>> {
    struct A { double m, re, im; };
    static DEV A none() { A a; a.m = -INF; a.re = a.im = 0; return a; }
    static DEV double shift(double m) { return m == m && m - m != 0 ? 0 : m; }
    static DEV void merge(A &a, A b) {
        if (b.m > a.m || b.m != b.m) { A t = a; a = b; b = t; }
        if (b.re == 0 && b.im == 0) return;
        const double by = exp(shift(b.m) - shift(a.m));
        a.re += b.re * by;
        a.im += b.im * by;
    }
    static DEV void add(A &a, Cx<F> v, i64, double) {
        A b;
        b.m = v.re;
        const c128 e = cexp_(cx((double)v.re - shift(v.re), (double)v.im));
        b.re = e.re;
        b.im = e.im;
        merge(a, b);
    }
    static DEV Cx<F> done(A a, i64, double) {
        const c128 l = clog_(cx(a.re, a.im));
        return cx((F)(l.re + shift(a.m)), (F)l.im);
    }
};
#endif

// Norms of order p, of magnitudes.
template <class R> struct VectorNorm {
    typedef typename Real<R>::F F;
    typedef F A;
    static DEV A none() { return (F)-1; } // no element yet
    static DEV F power(F x, double p) {
        return p == 2 ? x * x : p == 1 || p - p != 0 ? x : p == 0 ? (F)(x != 0) : op_pow(x, (F)p);
    }
    static DEV void add(A &a, R v, i64, double p) { merge(a, power(op_abs(v), p), p); }
    static DEV void merge(A &a, A b, double p) {
        if (b == -1) return;
        if (a == -1) { a = b; return; }
        a = p - p == 0 ? a + b : p > 0 ? op_maximum(a, b) : op_minimum(a, b);
    }
    static DEV F done(A a, i64, double p) {
        if (a == -1) return p < 0 ? (F)INF : (F)0;
        return p == 2 ? op_sqrt(a) : p == 1 || p == 0 || p - p != 0 ? a : op_pow(a, (F)(1 / p));
    }
};
#endif

template <class Op, class A> DEV auto merge2(A &a, A b, double p, int) -> decltype(Op::merge(a, b, p)) { Op::merge(a, b, p); }
template <class Op, class A> DEV void merge2(A &a, A b, double, long) { Op::merge(a, b); }
