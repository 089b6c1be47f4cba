// What the factorisations share. GROUP threads factor a matrix: a warp, with the matrix in shared memory, or a block of 256 with
// the matrix in shared memory if it fits, else in global memory. Matrices are stored by columns in that memory, and L lanes of a
// warp work on a column, so that sums over a column need shuffles alone. T is the element type.

template <class F> struct RealOf { typedef F R; };
template <class F> struct RealOf<Cx<F>> { typedef F R; };
typedef RealOf<T>::R R;

template <class F> struct Limits {};
template <> struct Limits<float> {
    static DEV float eps() { return 1.1920929e-7f; }
    static DEV float max() { return 3.40282347e38f; }
};
template <> struct Limits<double> {
    static DEV double eps() { return 2.220446049250313e-16; }
    static DEV double max() { return 1.7976931348623157e308; }
};

template <class F> struct Number {
    static DEV F of(F r, F) { return r; }
    static DEV F re(F x) { return x; }
    static DEV F im(F) { return 0; }
    static DEV F conj(F x) { return x; }
    static DEV F times(F x, F f) { return x * f; }
    static DEV F magnitude(F x) { return fabs(x); }
    static DEV F down(F x, int o) { return __shfl_xor_sync(~0u, x, o); }
};
template <class F> struct Number<Cx<F>> {
    static DEV Cx<F> of(F r, F i) { return cx(r, i); }
    static DEV F re(Cx<F> x) { return x.re; }
    static DEV F im(Cx<F> x) { return x.im; }
    static DEV Cx<F> conj(Cx<F> x) { return cx(x.re, -x.im); }
    static DEV Cx<F> times(Cx<F> x, F f) { return cx(x.re * f, x.im * f); }
    static DEV F magnitude(Cx<F> x) { return hypot(x.re, x.im); }
    static DEV Cx<F> down(Cx<F> x, int o) { return cx(__shfl_xor_sync(~0u, x.re, o), __shfl_xor_sync(~0u, x.im, o)); }
};
typedef Number<T> N;
DEV R re(T x) { return N::re(x); }
DEV R im(T x) { return N::im(x); }
DEV T conjugate(T x) { return N::conj(x); }
DEV T of(R r, R i) { return N::of(r, i); }
DEV R square(T x) { return re(x) * re(x) + im(x) * im(x); }
DEV R size(T x) { return fabs(re(x)) + fabs(im(x)); }
DEV bool finite(T x) { return fabs(re(x)) <= Limits<R>::max() && fabs(im(x)) <= Limits<R>::max(); }

// Flags of Args.
#define UPPER 1
#define UNIT 2
#define ADJOINT 4
#define IN_PLACE 8
#define VECTORS 16
#define COMPACT 32
#define INVERSE 64

// Args: count matrices of m×n; cols: columns of the right side, or of an orthogonal factor; room: elements of memory a group has.
struct Args {
    i64 count, m, n, cols, flags, room;
    const T *a, *b;
    const i32 *pivots;
    T *z, *y;
    R *s;
    i32 *piv, *info;
    T *scratch;
    Fault *fault;
};

#ifdef GROUP
#if GROUP == 32
DEV void sync() { __syncwarp(); }
DEV i64 first() { return blockIdx.x * (i64)(blockDim.x / 32) + threadIdx.x / 32; }
DEV i64 stride() { return gridDim.x * (i64)(blockDim.x / 32); }
DEV T *memory(const Args &a) {
    extern __shared__ w16 pool[];
    return (T *)pool + threadIdx.x / 32 * a.room;
}
#else
DEV void sync() { __syncthreads(); }
DEV i64 first() { return blockIdx.x; }
DEV i64 stride() { return gridDim.x; }
DEV T *memory(const Args &a) {
    extern __shared__ w16 pool[];
    return a.scratch ? a.scratch + blockIdx.x * a.room : (T *)pool;
}
#endif
DEV int rank() { return threadIdx.x % GROUP; }

// lanes is how many lanes work on one of so many columns: a power of two, all columns at once where a warp has enough.
DEV int lanes(int columns) {
    if (GROUP > 32) return 32;
    int l = 32;
    while (l > 1 && 32 / l < columns) l /= 2;
    return l;
}

// Sums over the L lanes of a column, over a group, and the like. Every lane of a warp takes part.
DEV T column_sum(T v, int L) {
    for (int o = L / 2; o; o /= 2) v = v + N::down(v, o);
    return v;
}
DEV R column_real(R v, int L) {
    for (int o = L / 2; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    return v;
}
DEV R group_sum(R v) {
    v = column_real(v, 32);
#if GROUP > 32
    __shared__ R part[GROUP / 32];
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = 0;
    for (int k = 0; k < GROUP / 32; k++) v += part[k];
#endif
    return v;
}
DEV R group_max(R v) {
    for (int o = 16; o; o /= 2) v = fmax(v, __shfl_xor_sync(~0u, v, o));
#if GROUP > 32
    __shared__ R part[GROUP / 32];
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[0];
    for (int k = 1; k < GROUP / 32; k++) v = fmax(v, part[k]);
#endif
    return v;
}
DEV bool group_any(bool v) {
#if GROUP > 32
    return __syncthreads_or(v);
#else
    return __any_sync(~0u, v);
#endif
}
// group_first finds the largest value, and the lowest index that has it.
DEV int group_first(R v, int at) {
    for (int o = 16; o; o /= 2) {
        const R w = __shfl_xor_sync(~0u, v, o);
        const int b = __shfl_xor_sync(~0u, at, o);
        if (w > v || w == v && b < at) { v = w; at = b; }
    }
#if GROUP > 32
    __shared__ R part[GROUP / 32];
    __shared__ int where[GROUP / 32];
    __syncthreads();
    if (threadIdx.x % 32 == 0) { part[threadIdx.x / 32] = v; where[threadIdx.x / 32] = at; }
    __syncthreads();
    v = part[0];
    at = where[0];
    for (int k = 1; k < GROUP / 32; k++)
        if (part[k] > v || part[k] == v && where[k] < at) { v = part[k]; at = where[k]; }
#endif
    return at;
}

// load stores a row-major matrix by columns; store writes one back. Division of 32 bits takes a fifth of the time.
DEV void load(T *w, int ld, const T *a, int m, int n) {
    for (u32 i = rank(), size = m * n; i < size; i += GROUP) w[i % (u32)n * ld + i / (u32)n] = a[i];
}
DEV void store(T *z, const T *w, int ld, int m, int n) {
    for (u32 i = rank(), size = m * n; i < size; i += GROUP) z[i] = w[i % (u32)n * ld + i / (u32)n];
}

// scale makes the largest part of some elements about 1 by a power of two, and returns what it was; 0: an element is not finite.
DEV R scale(T *w, int ld, int m, int n) {
    R big = 0;
    bool bad = false;
    for (int c = 0; c < n; c++)
        for (int r = rank(); r < m; r += GROUP) {
            const T x = w[c * ld + r];
            bad |= !finite(x);
            big = fmax(big, fmax(fabs(re(x)), fabs(im(x))));
        }
    if (group_any(bad)) return 0;
    big = group_max(big);
    if (big == 0) return 1;
    int e;
    frexp(big, &e);
    e--;
    // The power is split: it may be beyond the range of R.
    const R f = ldexp((R)1, -e / 2), g = ldexp((R)1, -e + e / 2);
    for (int c = 0; c < n; c++)
        for (int r = rank(); r < m; r += GROUP) w[c * ld + r] = N::times(N::times(w[c * ld + r], f), g);
    sync();
    return ldexp((R)1, e);
}

// reflect makes H = 1 - tau·v·vᴴ with Hᴴ·x = beta·e₁ for the elements of x: beta is real, v begins with 1, which is not stored.
DEV void reflect(T *x, int len, R &beta, T &tau) {
    const T top = x[0];
    R s = 0;
    for (int r = 1 + rank(); r < len; r += GROUP) s += square(x[r]);
    s = group_sum(s);
    if (s == 0 && im(top) == 0) {
        beta = re(top);
        tau = T();
        return;
    }
    beta = -copysign(sqrt(square(top) + s), re(top));
    tau = of((beta - re(top)) / beta, -im(top) / beta);
    const T g = of(1, 0) / (top - of(beta, 0));
    for (int r = 1 + rank(); r < len; r += GROUP) x[r] = x[r] * g;
    if (rank() == 0) x[0] = of(beta, 0);
    sync();
}

// apply subtracts f·v·vᴴ·x from a column x. v begins at row j. A row belongs to the same lane whatever j is.
DEV void apply(const T *v, T f, int j, int m, T *x, bool on, int L) {
    const int from = j + ((int)(threadIdx.x - j) & (L - 1));
    T s = T();
    if (on)
        for (int r = from; r < m; r += L) s = s + (r == j ? x[r] : conjugate(v[r]) * x[r]);
    s = column_sum(s, L) * f;
    if (on)
        for (int r = from; r < m; r += L) x[r] = x[r] - (r == j ? s : v[r] * s);
}

// factor_qr factors w in place: R on and above the diagonal, the vectors below it.
DEV void factor_qr(T *w, int ld, int m, int n, T *tau) {
    const int k = m < n ? m : n, L = lanes(n), groups = GROUP / L;
    for (int j = 0; j < k; j++) {
        R beta;
        T t;
        reflect(w + j * ld + j, m - j, beta, t);
        if (rank() == 0) tau[j] = t;
        if (!(t == T()))
            for (int c0 = j + 1; c0 < n; c0 += groups) {
                const int c = c0 + rank() / L;
                apply(w + j * ld, conjugate(t), j, m, w + c * ld, c < n, L);
            }
        sync();
    }
}

// form_q writes the first cols columns of the product of the reflectors in w to q.
DEV void form_q(const T *w, int ld, int m, int k, const T *tau, T *q, int cols) {
    const int L = lanes(cols), groups = GROUP / L;
    for (int c0 = 0; c0 < cols; c0 += groups) {
        const int c = c0 + rank() / L;
        T *x = q + c * ld;
        if (c < cols)
            for (int r = threadIdx.x & (L - 1); r < m; r += L) x[r] = of(r == c, 0);
        for (int j = k - 1; j >= 0; j--) apply(w + j * ld, tau[j], j, m, x, c < cols && c >= j, L);
    }
    sync();
}
#endif
