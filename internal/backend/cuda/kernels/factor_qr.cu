// QR factorisations by reflectors; included after factor.cu.

extern "C" __global__ void __launch_bounds__(256) qr(const __grid_constant__ Args a) {
    const int m = a.m, n = a.n, k = m < n ? m : n, ld = m | 1, cols = a.cols, t = rank();
    T *w = memory(a), *tau = w + (i64)n * ld, *q = tau + k;
    for (i64 i = first(); i < a.count; i += stride()) {
        load(w, ld, a.a + i * m * n, m, n);
        sync();
        const R back = scale(w, ld, m, n);
        factor_qr(w, ld, m, n, tau);
        const R f = back == 0 ? 1 : back; // not finite: as it comes
        if (a.flags & COMPACT) {
            for (u32 x = t; x < (u32)(m * n); x += GROUP) {
                const int r = x / (u32)n, c = x % (u32)n;
                a.z[i * m * n + x] = r <= c ? N::times(w[c * ld + r], f) : w[c * ld + r];
            }
            for (int j = t; j < k; j += GROUP) a.y[i * k + j] = tau[j];
            sync();
            continue;
        }
        for (u32 x = t; x < (u32)(cols * n); x += GROUP) { // R has as many rows as Q has columns
            const int r = x / (u32)n, c = x % (u32)n;
            a.y[i * cols * n + x] = r <= c && r < k ? N::times(w[c * ld + r], f) : T();
        }
        if (a.flags & VECTORS) {
            form_q(w, ld, m, k, tau, q, cols);
            store(a.z + i * m * cols, q, ld, m, cols);
        }
        sync();
    }
}
