// Eigenvalues of Hermitian matrices and singular values by Jacobi's rotations; included after factor.cu. In a round every column is
// in one pair, so that all pairs are rotated at the same time; a sweep is a round for each way to pair them.

// pair_of is pair k of a round; n is even.
DEV void pair_of(int n, int round, int k, int &p, int &q) {
    const int last = n - 1;
    p = round + k;
    if (p >= last) p -= last;
    if (k == 0) p = last;
    q = round + last - k;
    if (q >= last) q -= last;
    if (p > q) { const int x = p; p = q; q = x; }
}

// Phase is what a column is multiplied by so that its product with another one is real: 1 for real numbers.
template <class F> struct Phase {
    static DEV F signed_size(F x, F) { return x; }
    static DEV F of(F, F) { return 1; }
    static DEV F times(F, F x) { return x; }
};
template <class F> struct Phase<Cx<F>> {
    static DEV F signed_size(Cx<F>, F g) { return g; }
    static DEV Cx<F> of(Cx<F> x, F g) { return cx(x.re / g, -x.im / g); }
    static DEV Cx<F> times(Cx<F> e, Cx<F> x) { return e * x; }
};

// rotation makes x·y zero: x' = c·x - s·e·y, y' = s·x + c·e·y, for their squares xx, yy and product xy of magnitude g.
DEV void rotation(R xx, R yy, T xy, R g, R &c, R &s, T &e) {
    const R z = (yy - xx) / (2 * Phase<T>::signed_size(xy, g));
    const R t = copysign((R)1, z) / (fabs(z) + sqrt(1 + z * z));
    c = 1 / sqrt(1 + t * t);
    s = t * c;
    e = Phase<T>::of(xy, g);
}

#define SWEEPS 24

// ROWS loops over the rows of a lane: neighbours in a warp, so that the lanes of other columns find other banks; every L-th in a block,
// so that a warp reads neighbours.
#ifdef SIZE
// A matrix of 32×32 in a warp. The columns of a pair differ in the bits of round + 1, and in the highest of these, step, every p has a 0.
// Its two lanes have rows that are `step` apart: with the columns of a round these are all banks.
DEV int step_of(int round) { return 1 << (31 - __clz(round + 1)); }
DEV void pair_at(int, int round, int k, int &p, int &q) {
    p = k + (k & -step_of(round));
    q = p ^ (round + 1);
}
#define ROWS(r, n) for (int nth = 0, r = lane * step; nth < 16; nth++, r = lane * step + nth + (nth & -step))
#define OWNS(r, n) (((r) & step) == lane * step)
#elif GROUP == 32
#define ROWS(r, n) for (int r = lane * (((n) + L - 1) / L), end = min(n, r + ((n) + L - 1) / L); r < end; r++)
#define OWNS(r, n) ((r) / (((n) + L - 1) / L) == lane)
#else
#define ROWS(r, n) for (int r = lane; r < n; r += L)
#define OWNS(r, n) ((r) % L == lane)
#endif
#ifndef SIZE
#define pair_at pair_of
#endif

#ifdef KERNEL_eigh
extern "C" __global__ void __launch_bounds__(256) eigh(const __grid_constant__ Args a) {
#ifdef SIZE
    const int n = SIZE;
#else
    const int n = a.n;
#endif
    const int ld = n | 1, even = n + (n & 1), pairs = even / 2, L = lanes(pairs), groups = GROUP / L, t = rank();
    const int lane = t & (L - 1);
    const bool vectors = a.flags & VECTORS;
    T *w = memory(a), *phases = w + (i64)n * ld, *v = phases + 3 * pairs + n;
    R *cs = (R *)(phases + pairs), *d = (R *)(phases + 3 * pairs);
    for (i64 i = first(); i < a.count; i += stride()) {
        for (int x = t; x < n * n; x += GROUP) {
            const int r = x / n, c = x % n;
            if (r < c) continue;
            const T y = a.a[i * n * n + x];
            w[c * ld + r] = r == c ? of(re(y), 0) : y;
            if (r > c) w[r * ld + c] = conjugate(y);
        }
        if (vectors)
            for (int c = 0; c < n; c++)
                for (int r = t; r < n; r += GROUP) v[c * ld + r] = of(r == c, 0);
        sync();
        const R back = scale(w, ld, n, n);
        const R tiny = Limits<R>::eps() / 2;
        for (int sweep = 0; sweep < SWEEPS && back != 0 && n > 1; sweep++) {
            bool any = false;
            for (int round = 0; round < even - 1; round++) {
#ifdef SIZE
                const int step = step_of(round);
#endif
                bool some = false;
                for (int k = t; k < pairs; k += GROUP) {
                    int p, q;
                    pair_at(even, round, k, p, q);
                    R c = 1, s = 0;
                    T e = of(1, 0);
                    if (q < n) {
                        const T x = w[q * ld + p];
                        const R g = N::magnitude(x);
                        if (g > tiny) {
                            rotation(re(w[p * ld + p]), re(w[q * ld + q]), x, g, c, s, e);
                            some = true;
                        }
                    }
                    cs[2 * k] = c;
                    cs[2 * k + 1] = s;
                    phases[k] = e;
                }
                if (!group_any(some)) continue;
                any = true;
                sync();
                for (int k = t / L; k < pairs; k += groups) {
                    const R c = cs[2 * k], s = cs[2 * k + 1];
                    if (s == 0) continue;
                    const T e = phases[k];
                    int p, q;
                    pair_at(even, round, k, p, q);
                    T *wp = w + p * ld, *wq = w + q * ld, *vp = v + p * ld, *vq = v + q * ld;
#pragma unroll 4
                    ROWS(r, n) {
                        const T x = wp[r], y = Phase<T>::times(e, wq[r]);
                        wp[r] = N::times(x, c) - N::times(y, s);
                        wq[r] = N::times(x, s) + N::times(y, c);
                        if (!vectors) continue;
                        const T u = vp[r], z = Phase<T>::times(e, vq[r]);
                        vp[r] = N::times(u, c) - N::times(z, s);
                        vq[r] = N::times(u, s) + N::times(z, c);
                    }
                }
                sync();
                for (int k = t / L; k < pairs; k += groups) {
                    const R c = cs[2 * k], s = cs[2 * k + 1];
                    if (s == 0) continue;
                    const T e = conjugate(phases[k]);
                    int p, q;
                    pair_at(even, round, k, p, q);
#pragma unroll 4
                    ROWS(r, n) {
                        const T x = w[r * ld + p], y = Phase<T>::times(e, w[r * ld + q]);
                        w[r * ld + p] = N::times(x, c) - N::times(y, s);
                        w[r * ld + q] = N::times(x, s) + N::times(y, c);
                    }
                    if (OWNS(p, n)) {
                        w[p * ld + p] = of(re(w[p * ld + p]), 0);
                        w[p * ld + q] = T();
                    }
                    if (OWNS(q, n)) {
                        w[q * ld + p] = T();
                        w[q * ld + q] = of(re(w[q * ld + q]), 0);
                    }
                }
                sync();
            }
            if (!any) break;
        }
        for (int j = t; j < n; j += GROUP) d[j] = re(w[j * ld + j]);
        sync();
        // Ascending; w's first column is reused for the order.
        int *order = (int *)w;
        for (int j = t; j < n; j += GROUP) {
            int at = 0;
            for (int x = 0; x < n; x++) at += d[x] < d[j] || d[x] == d[j] && x < j;
            a.s[i * n + at] = back == 0 ? (R)NAN_ : d[j] * back;
            order[j] = back == 0 ? j : at;
        }
        sync();
        if (vectors)
            for (int x = t; x < n * n; x += GROUP) {
                const int r = x / n, c = x % n;
                a.z[i * n * n + r * n + order[c]] = v[c * ld + r];
            }
        if (t == 0) a.info[i] = back == 0;
        if (back == 0)
            for (int j = t; j < n; j += GROUP) a.s[i * n + j] = (R)NAN_;
        sync();
    }
}
#endif

// svd: m ≥ n, else the conjugate transpose is decomposed. Columns are rotated until they are orthogonal; a QR factorisation of the
// sorted columns then gives vectors of length 1, also for singular values of 0, and the columns of a square factor.
#ifdef KERNEL_svd
extern "C" __global__ void __launch_bounds__(256) svd(const __grid_constant__ Args a) {
    const bool wide = a.m < a.n, vectors = a.flags & VECTORS;
    const int m = wide ? a.n : a.m, n = wide ? a.m : a.n, ld = m | 1, cols = a.cols, t = rank();
    const int even = n + (n & 1), pairs = even / 2, L = lanes(pairs), groups = GROUP / L, lane = t & (L - 1);
    T *w = memory(a), *b = w + (i64)ld * (cols > n ? cols : n), *v = b + (i64)n * ld, *tau = v + (i64)n * ld;
    R *d = (R *)(tau + n);
    int *order = (int *)(tau + n + n);
    for (i64 i = first(); i < a.count; i += stride()) {
        const T *from = a.a + i * m * n;
        if (wide) {
            for (u32 x = t; x < (u32)(m * n); x += GROUP) w[x / (u32)m * ld + x % (u32)m] = conjugate(from[x]);
        } else
            load(w, ld, from, m, n);
        if (vectors)
            for (int c = 0; c < n; c++)
                for (int r = t; r < n; r += GROUP) v[c * ld + r] = of(r == c, 0);
        sync();
        const R back = scale(w, ld, m, n);
        const R near = Limits<R>::eps() * sqrt((R)m);
        for (int sweep = 0; sweep < SWEEPS && back != 0 && n > 1; sweep++) {
            bool any = false;
            for (int round = 0; round < even - 1; round++) {
                for (int k0 = 0; k0 < pairs; k0 += groups) {
                    const int k = k0 + t / L;
                    int p = 0, q = 0;
                    if (k < pairs) pair_of(even, round, k, p, q);
                    const bool on = k < pairs && q < n;
                    T *x = w + p * ld, *y = w + q * ld;
                    R xx = 0, yy = 0;
                    T xy = T();
                    if (on)
                        ROWS(r, m) {
                            xx += square(x[r]);
                            yy += square(y[r]);
                            xy = xy + conjugate(x[r]) * y[r];
                        }
                    xx = column_real(xx, L);
                    yy = column_real(yy, L);
                    xy = column_sum(xy, L);
                    const R g = N::magnitude(xy);
                    if (!on || !(g > near * sqrt(xx) * sqrt(yy)) || g < Limits<R>::eps() * Limits<R>::eps() * Limits<R>::eps()) continue;
                    any = true;
                    R c, s;
                    T e;
                    rotation(xx, yy, xy, g, c, s, e);
                    ROWS(r, m) {
                        const T z = Phase<T>::times(e, y[r]);
                        y[r] = N::times(x[r], s) + N::times(z, c);
                        x[r] = N::times(x[r], c) - N::times(z, s);
                    }
                    if (vectors)
                        ROWS(r, n) {
                            const T u = v[p * ld + r], z = Phase<T>::times(e, v[q * ld + r]);
                            v[p * ld + r] = N::times(u, c) - N::times(z, s);
                            v[q * ld + r] = N::times(u, s) + N::times(z, c);
                        }
                }
                sync();
            }
            if (!group_any(any)) break;
        }
        for (int c0 = 0; c0 < n; c0 += GROUP / 32) {
            const int c = c0 + t / 32;
            R s = 0;
            if (c < n)
                for (int r = t % 32; r < m; r += 32) s += square(w[c * ld + r]);
            s = column_real(s, 32);
            if (c < n && t % 32 == 0) d[c] = sqrt(s);
        }
        sync();
        for (int j = t; j < n; j += GROUP) {
            int at = 0;
            for (int x = 0; x < n; x++) at += d[x] > d[j] || d[x] == d[j] && x < j;
            if (back == 0) at = j;
            a.s[i * n + at] = back == 0 ? (R)NAN_ : d[j] * back;
            order[at] = j;
        }
        if (t == 0) a.info[i] = back == 0;
        sync();
        if (vectors) {
            for (int c = 0; c < n; c++)
                for (int r = t; r < m; r += GROUP) b[c * ld + r] = w[order[c] * ld + r];
            sync();
            factor_qr(b, ld, m, n, tau);
            form_q(b, ld, m, n, tau, w, cols);
            // The sign of the diagonal of R belongs to the vector.
            for (int c = 0; c < n; c++)
                if (re(b[c * ld + c]) < 0)
                    for (int r = t; r < m; r += GROUP) w[c * ld + r] = -w[c * ld + r];
            sync();
            if (wide) {
                for (int x = t; x < n * n; x += GROUP) a.z[i * n * n + x] = v[order[x % n] * ld + x / n];
                for (u32 x = t; x < (u32)(cols * m); x += GROUP) a.y[i * cols * m + x] = conjugate(w[x / (u32)m * ld + x % (u32)m]);
            } else {
                store(a.z + i * m * cols, w, ld, m, cols);
                for (int x = t; x < n * n; x += GROUP) a.y[i * n * n + x] = conjugate(v[order[x / n] * ld + x % n]);
            }
        }
        sync();
    }
}
#endif
