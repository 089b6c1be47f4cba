// LU and Cholesky factorisations and solutions with triangular matrices; included after factor.cu.

#ifdef KERNEL_factor_lu
extern "C" __global__ void __launch_bounds__(256) factor_lu(const __grid_constant__ Args a) {
    const int m = a.m, n = a.n, k = m < n ? m : n, ld = m | 1, L = lanes(n), groups = GROUP / L, t = rank();
    T *w = memory(a);
    for (i64 i = first(); i < a.count; i += stride()) {
        load(w, ld, a.a + i * m * n, m, n);
        sync();
        int info = 0;
        for (int j = 0; j < k; j++) {
            int p = j;
            if (!(a.flags & IN_PLACE)) {
                R best = -1;
                int at = j;
                for (int r = j + t; r < m; r += GROUP) {
                    const R v = size(w[j * ld + r]);
                    if (v > best) { best = v; at = r; }
                }
                p = group_first(best, at);
                if (p != j)
                    for (int c = t; c < n; c += GROUP) {
                        const T x = w[c * ld + j];
                        w[c * ld + j] = w[c * ld + p];
                        w[c * ld + p] = x;
                    }
            }
            if (t == 0) a.piv[i * k + j] = p + 1;
            sync();
            const T d = w[j * ld + j];
            if (d == T()) {
                if (info == 0) info = j + 1;
                continue;
            }
            for (int r = j + 1 + t; r < m; r += GROUP) w[j * ld + r] = w[j * ld + r] / d;
            sync();
            for (int c = j + 1 + t / L; c < n; c += groups) {
                const T u = w[c * ld + j];
                for (int r = j + 1 + (t & (L - 1)); r < m; r += L) w[c * ld + r] = w[c * ld + r] - w[j * ld + r] * u;
            }
            sync();
        }
        store(a.z + i * m * n, w, ld, m, n);
        if (t == 0) a.info[i] = info;
        sync();
    }
}
#endif

#ifdef KERNEL_factor_cholesky
extern "C" __global__ void __launch_bounds__(256) factor_cholesky(const __grid_constant__ Args a) {
    const int n = a.n, ld = n | 1, L = lanes(n), groups = GROUP / L, t = rank();
    T *w = memory(a);
    for (i64 i = first(); i < a.count; i += stride()) {
        load(w, ld, a.a + i * n * n, n, n);
        sync();
        int info = 0;
        for (int j = 0; j < n; j++) {
            const R d = re(w[j * ld + j]);
            if (!(d > 0) || !(d <= Limits<R>::max())) {
                info = j + 1;
                break;
            }
            const R s = sqrt(d);
            sync();
            for (int r = j + t; r < n; r += GROUP) {
                const T x = w[j * ld + r];
                w[j * ld + r] = r == j ? of(s, 0) : of(re(x) / s, im(x) / s);
            }
            sync();
            for (int c = j + 1 + t / L; c < n; c += groups) {
                const T u = conjugate(w[j * ld + c]);
                for (int r = c + (t & (L - 1)); r < n; r += L) w[c * ld + r] = w[c * ld + r] - w[j * ld + r] * u;
            }
            sync();
        }
        for (int x = t; x < n * n; x += GROUP) {
            const int r = x / n, c = x % n;
            a.z[i * n * n + x] = r < c ? T() : w[c * ld + r];
        }
        if (t == 0) a.info[i] = info;
        sync();
    }
}
#endif

// solve_column replaces a column x of the right side, spread over L lanes with a row always in the same one, by the solution with a
// triangle: element (r, c) of the matrix is at w[r·rs + c·cs].
DEV void solve_column(const T *w, int rs, int cs, bool upper, bool unit, bool adjoint, int n, T *x, bool on, int L) {
    const int lane = threadIdx.x & (L - 1);
    for (int step = 0; step < n; step++) {
        const int j = upper ? n - 1 - step : step;
        if (on && !unit && lane == (j & (L - 1))) {
            const T d = w[j * (rs + cs)];
            x[j] = x[j] / (adjoint ? conjugate(d) : d);
        }
        __syncwarp();
        if (on) {
            const T v = x[j];
            // Rows of this lane behind j, or before it.
            for (int r = upper ? lane : j + 1 + ((lane - j - 1) & (L - 1)); r < (upper ? j : n); r += L) {
                const T f = w[r * rs + j * cs];
                x[r] = x[r] - (adjoint ? conjugate(f) : f) * v;
            }
        }
        __syncwarp();
    }
}

// solve_factored solves with LU in a and pivots; the right side is in b. solve_triangular solves with a triangle of a.
DEV void solve(const Args &a, bool factored) {
    const int n = a.n, cols = a.cols, ld = n | 1, L = lanes(cols), groups = GROUP / L, t = rank();
    T *w = memory(a), *x = w + (i64)n * ld;
    const bool adjoint = a.flags & ADJOINT;
    for (i64 i = first(); i < a.count; i += stride()) {
        load(w, ld, a.a + i * n * n, n, n);
        const i32 *p = a.pivots + i * n;
        // As many columns as fit in memory at a time: groups of them.
        for (int c0 = 0; c0 < cols; c0 += groups) {
            const int k = t / L, c = c0 + k;
            T *y = x + k * ld;
            const T *b = a.b + i * n * cols;
            if (c < cols)
                for (int r = t & (L - 1); r < n; r += L) y[r] = a.flags & INVERSE ? of(r == c, 0) : b[(i64)r * cols + c];
            sync();
            if (factored) {
                if (!adjoint && c < cols && (t & (L - 1)) == 0)
                    for (int r = 0; r < n; r++) {
                        const int s = p[r] - 1;
                        if (s < 0 || s >= n) { report_fault(a.fault, 1, p[r], n); continue; }
                        const T v = y[r];
                        y[r] = y[s];
                        y[s] = v;
                    }
                __syncwarp();
                if (adjoint) {
                    solve_column(w, ld, 1, false, false, true, n, y, c < cols, L);
                    solve_column(w, ld, 1, true, true, true, n, y, c < cols, L);
                } else {
                    solve_column(w, 1, ld, false, true, false, n, y, c < cols, L);
                    solve_column(w, 1, ld, true, false, false, n, y, c < cols, L);
                }
                if (adjoint && c < cols && (t & (L - 1)) == 0)
                    for (int r = n - 1; r >= 0; r--) {
                        const int s = p[r] - 1;
                        if (s < 0 || s >= n) { report_fault(a.fault, 1, p[r], n); continue; }
                        const T v = y[r];
                        y[r] = y[s];
                        y[s] = v;
                    }
                __syncwarp();
            } else
                solve_column(w, 1, ld, a.flags & UPPER, a.flags & UNIT, false, n, y, c < cols, L);
            if (c < cols)
                for (int r = t & (L - 1); r < n; r += L) a.z[i * n * cols + (i64)r * cols + c] = y[r];
            sync();
        }
        sync();
    }
}

#ifdef KERNEL_solve_factored
extern "C" __global__ void __launch_bounds__(256) solve_factored(const __grid_constant__ Args a) { solve(a, true); }
#endif

#ifdef KERNEL_solve_triangular
extern "C" __global__ void __launch_bounds__(256) solve_triangular(const __grid_constant__ Args a) { solve(a, false); }
#endif
