// Eigenvectors of tridiagonal matrices, by parts that are joined (internal/backend/lapack/divide.go says how); included after factor.cu
// and factor_tridiagonal.cu. A matrix has N rows, a power of two: those behind the last one are solutions already. Vectors are in rows.
// n is how many rows it has itself, m the rows of a part; flags is the side that vectors are read from.

#define LEAF 16

// leaves solves parts of LEAF rows by QL steps, a warp each: every lane computes the same, and rotates one element of the vectors.
#ifdef KERNEL_leaves
extern "C" __global__ void __launch_bounds__(64) leaves(const __grid_constant__ Args a) {
    __shared__ f64 values[2][LEAF][32], others[2][LEAF + 1][32], vectors[2][LEAF][33];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, N = a.cols, n = a.n;
    const i64 id = blockIdx.x * 2ll + warp, matrix = id / (N / LEAF);
    const int o = id % (N / LEAF) * LEAF;
    const Spectrum s(a, matrix);
#define D(i) values[warp][i][lane]
#define E(i) others[warp][i][lane]
    for (int i = 0; i < LEAF; i++) {
        f64 x = BEYOND, y = 0;
        const int r = o + i;
        if (r < n) {
            x = s.d()[r];
            if (r + 1 < n) y = s.e()[r];
            if (i == LEAF - 1) { x -= fabs(y); y = 0; }
            if (i == 0 && r > 0) x -= fabs(s.e()[r - 1]);
        }
        D(i) = x;
        E(i) = y;
        vectors[warp][i][lane] = i == lane;
    }
    E(LEAF) = 0;
    const f64 eps = Limits<f64>::eps() / 2;
    for (int l = 0; l < LEAF; l++)
        for (int step = 0; step < 60; step++) {
            int m = l;
            for (; m < LEAF - 1; m++)
                if (fabs(E(m)) <= eps * (fabs(D(m)) + fabs(D(m + 1))) || fabs(E(m)) < 1e-100) break;
            if (m == l) break;
            if (step == 59 && lane == 0) a.info[matrix] = 1;
            f64 g = (D(l + 1) - D(l)) / (2 * E(l));
            g = D(m) - D(l) + E(l) / (g + copysign(sqrt(fma(g, g, 1)), g));
            f64 sine = 1, cosine = 1, p = 0;
            int i = m - 1;
            for (; i >= l; i--) {
                const f64 f = sine * E(i), b = cosine * E(i), square = fma(f, f, g * g);
                if (square < NEGLIGIBLE) { // what is left here is nothing
                    E(i + 1) = 0;
                    D(i + 1) -= p;
                    E(m) = 0;
                    break;
                }
                const f64 r = rsqrt(square);
                E(i + 1) = r * square;
                sine = f * r;
                cosine = g * r;
                g = D(i + 1) - p;
                const f64 t = fma(D(i) - g, sine, 2 * cosine * b);
                p = sine * t;
                D(i + 1) = g + p;
                g = fma(cosine, t, -b);
                const f64 x = vectors[warp][i][lane], y = vectors[warp][i + 1][lane];
                vectors[warp][i + 1][lane] = fma(sine, x, cosine * y);
                vectors[warp][i][lane] = fma(cosine, x, -sine * y);
            }
            if (i >= l) continue;
            D(l) -= p;
            E(l) = g;
            E(m) = 0;
        }
    __syncwarp();
    // The columns of the part next to it are zero.
    const int column = o & ~(2 * LEAF - 1), own = o - column;
    f64 *to = s.vectors(a.flags) + (i64)o * N + column;
    for (int i = 0; i < LEAF; i++) {
        const int c = lane - own;
        if (column + lane < N) to[(i64)i * N + lane] = c >= 0 && c < LEAF ? vectors[warp][i][c] : 0;
        if (lane == 0) s.near()[o + i] = D(i);
    }
}
#endif

// deflate finds the rows of a joint that stay as they are, a block each: those whose link is negligible, and of two with values next to
// each other one, after a rotation that gives the other all of the link.
#ifdef KERNEL_deflate
extern "C" __global__ void __launch_bounds__(256) deflate(const __grid_constant__ Args a) {
    __shared__ f64 raw[MOST], d[MOST], z[MOST], rotation[MOST][2];
    __shared__ i32 id[MOST], staying[MOST], gone[MOST], pair[MOST][2];
    __shared__ f64 part[8];
    __shared__ int counts[3]; // staying, gone, rotations
    const int N = a.cols, m = a.m, half = m / 2, t = threadIdx.x, o = blockIdx.x % (N / m) * m;
    const Spectrum s(a, blockIdx.x / (N / m));
    f64 *q = s.vectors(a.flags) + (i64)o * N + o;
    // The second half may be behind the last row.
    const f64 rho = o + half < a.n ? s.e()[o + half - 1] : 0, sign = copysign(1., rho);
    f64 most = 0;
    for (int i = t; i < m; i += blockDim.x) {
        raw[i] = s.near()[o + i];
        if (raw[i] < BEYOND) most = fmax(most, fabs(raw[i]));
        most = fmax(most, fabs(q[(i64)i * N + (i < half ? half - 1 : half)]) * 0.70710678118654752440);
    }
    for (int x = 16; x; x /= 2) most = fmax(most, __shfl_xor_sync(~0u, most, x));
    if (t % 32 == 0) part[t / 32] = most;
    __syncthreads();
    for (int i = 0; i < 8; i++) most = fmax(most, part[i]);
    const f64 tol = 4 * Limits<f64>::eps() * most, weight = 2 * fabs(rho);
    for (int i = t; i < m; i += blockDim.x) { // in ascending order
        const f64 x = raw[i];
        int at = 0;
        for (int j = 0; j < m; j++) at += raw[j] < x || raw[j] == x && j < i;
        d[at] = x;
        id[at] = i;
        z[at] = (i < half ? q[(i64)i * N + half - 1] : sign * q[(i64)i * N + half]) * 0.70710678118654752440;
    }
    __syncthreads();
    if (t < 32) {
        int keep = 0, drop = 0;
        for (int i = t; i < m; i += 32) {
            const bool live = weight * fabs(z[i]) > tol;
            const u32 all = __ballot_sync(~0u, live), before = (1u << t) - 1;
            if (live) staying[keep + __popc(all & before)] = i;
            else gone[drop + __popc(~all & before)] = i;
            keep += __popc(all);
            drop += 32 - __popc(all);
        }
        if (t == 0) { counts[0] = keep; counts[1] = drop; counts[2] = 0; }
    }
    __syncthreads();
    bool near = false;
    for (int i = t + 1; i < counts[0]; i += blockDim.x) {
        const f64 x = z[staying[i - 1]], y = z[staying[i]];
        near |= fabs((d[staying[i]] - d[staying[i - 1]]) * x * y) <= tol * (x * x + y * y);
    }
    if (__syncthreads_or(near)) {
        if (t == 0) {
            int keep = 0, drop = counts[1], rotations = 0, prev = staying[0];
            for (int p = 1; p < counts[0]; p++) {
                const int i = staying[p];
                const f64 x = z[prev], y = z[i], square = fma(x, x, y * y), u = d[prev], w = d[i];
                if (fabs((w - u) * x * y) > tol * square) {
                    staying[keep++] = prev;
                    prev = i;
                    continue;
                }
                const f64 length = sqrt(square), c = y / length, sn = -x / length;
                z[i] = length;
                z[prev] = 0;
                d[prev] = u * c * c + w * sn * sn;
                d[i] = u * sn * sn + w * c * c;
                rotation[rotations][0] = c;
                rotation[rotations][1] = sn;
                pair[rotations][0] = id[prev];
                pair[rotations++][1] = id[i];
                gone[drop++] = prev;
                prev = i;
            }
            staying[keep++] = prev;
            counts[0] = keep; counts[1] = drop; counts[2] = rotations;
        }
        __syncthreads();
        const int rotations = counts[2];
        for (int c = t; c < m; c += blockDim.x) {
            int open = -1; // the row whose element is in x
            f64 x = 0;
            for (int from = 0; from < rotations; from += 8) {
                f64 y[8];
#pragma unroll
                for (int i = 0; i < 8; i++) y[i] = from + i < rotations ? q[(i64)pair[from + i][1] * N + c] : 0;
#pragma unroll
                for (int i = 0; i < 8; i++) {
                    if (from + i >= rotations) continue;
                    const int u = pair[from + i][0];
                    const f64 cosine = rotation[from + i][0], sine = rotation[from + i][1];
                    if (u != open) {
                        if (open >= 0) q[(i64)open * N + c] = x;
                        x = q[(i64)u * N + c];
                    }
                    q[(i64)u * N + c] = fma(cosine, x, sine * y[i]);
                    x = fma(cosine, y[i], -sine * x);
                    open = pair[from + i][1];
                }
            }
            q[(i64)open * N + c] = x;
        }
    }
    const int k = counts[0];
    if (t == 0) s.live()[o / m] = k;
    for (int i = t; i < m; i += blockDim.x) {
        const int from = i < k ? staying[i] : gone[i - k];
        s.pole()[o + i] = d[from];
        s.link()[o + i] = z[from];
        s.row()[o + i] = id[from];
        if (i >= k) s.d()[o + i] = d[from];
    }
}
#endif

// Roots of 1 + rho·Σ z²/(d - x) = 0, a warp each; see internal/backend/lapack/secular.go.
#ifdef KERNEL_roots
struct Secular {
    const f64 *d, *z2; // in shared memory
    f64 rho, origin;
    int k, lane;

    // sums are Σ z²/(d - origin - t), and with another division, of the poles up to left, and of the others, but for two of them.
    DEV void sums(f64 t, int left, int skip, f64 &a, f64 &as, f64 &b, f64 &bs) const {
        a = as = b = bs = 0;
        for (int i = lane; i < k; i += 32) {
            const f64 r = 1 / (d[i] - origin - t), f = z2[i] * r;
            if (i == skip || i == skip + 1 && skip >= 0) continue;
            if (i <= left) { a += f; as = fma(f, r, as); }
            else { b += f; bs = fma(f, r, bs); }
        }
        for (int o = 16; o; o /= 2) {
            a += __shfl_xor_sync(~0u, a, o);
            as += __shfl_xor_sync(~0u, as, o);
            b += __shfl_xor_sync(~0u, b, o);
            bs += __shfl_xor_sync(~0u, bs, o);
        }
    }

    // guess is the root where all but the two poles next to it are a constant, from the first or the second of them.
    static DEV f64 guess(f64 rest, f64 x, f64 y, f64 gap, bool first) {
        if (first) {
            const f64 a = rest * gap + x + y, b = x * gap, root = sqrt(fabs(a * a - 4 * b * rest));
            return a > 0 ? 2 * b / (a + root) : (a - root) / (2 * rest);
        }
        const f64 a = rest * gap - x - y, b = y * gap, root = sqrt(fabs(a * a + 4 * b * rest));
        return a < 0 ? 2 * b / (a - root) : -(a + root) / (2 * rest);
    }

    // step is to the root of c + a/(x - d) + b/(x - d') that has the function's value and takes the slopes of both sides.
    DEV f64 step(int left, bool last, f64 mu, f64 f, f64 dpsi, f64 dphi) const {
        const f64 x = d[left] - origin - mu, y = d[left + 1] - origin - mu;
        f64 c = f - x * dpsi - y * dphi;
        const f64 a = (x + y) * f - x * y * (dpsi + dphi), b = x * y * f;
        if (last) c = fabs(c);
        const f64 root = sqrt(fmax(a * a - 4 * b * c, 0.));
        if (last) return a >= 0 ? (a + root) / (2 * c) : 2 * b / (a - root);
        return a <= 0 ? (a - root) / (2 * c) : 2 * b / (a + root);
    }

    // improve finds the root between lo and hi.
    DEV f64 improve(int left, bool last, f64 lo, f64 hi, f64 mu) const {
        for (int round = 0; round < 200; round++) {
            f64 psi, dpsi, phi, dphi;
            sums(mu, left, -1, psi, dpsi, phi, dphi);
            const f64 f = 1 + rho * (psi + phi);
            if (fabs(f) <= Limits<f64>::eps() / 8 * k * (1 + rho * (fabs(psi) + fabs(phi)))) return mu;
            if (f < 0) lo = mu;
            else hi = mu;
            f64 next = mu + step(left, last, mu, f, rho * dpsi, rho * dphi);
            if (!(next > lo && next < hi)) {
                next = lo + (hi - lo) / 2;
                // Near a pole the root is found by its order of magnitude.
                const f64 small = fmin(fabs(lo), fabs(hi)), big = fmax(fabs(lo), fabs(hi));
                if (small > 0 && big > 16 * small) next = copysign(sqrt(small) * sqrt(big), lo + hi);
            }
            if (next == mu || !(next > lo && next < hi)) return mu;
            mu = next;
        }
        return mu;
    }

    // root finds root j, as what it has over the pole next to it, which becomes the origin.
    DEV f64 root(int j) {
        const bool last = j == k - 1;
        f64 lo = 0, hi = 0, mu, u, x, y;
        origin = d[j];
        if (k == 1) return rho * z2[0];
        if (last) {
            f64 sum = 0;
            for (int i = lane; i < k; i += 32) sum += z2[i];
            hi = rho * warp_sum(sum);
            mu = hi / 2;
        } else {
            const f64 mid = (d[j + 1] - d[j]) / 2;
            f64 before, behind;
            sums(mid, j, j, before, u, behind, u);
            const f64 rest = 1 / rho + before + behind;
            x = z2[j];
            y = z2[j + 1];
            const bool first = rest + (y - x) / mid >= 0;
            if (first) hi = mid;
            else { origin = d[j + 1]; lo = -mid; }
            mu = guess(rest, x, y, 2 * mid, first);
            if (!(mu > lo && mu < hi)) mu = lo / 2 + hi / 2;
        }
        return improve(min(j, k - 2), last, lo, hi, mu);
    }
};

extern "C" __global__ void __launch_bounds__(128) roots(const __grid_constant__ Args a) {
    __shared__ f64 d[MOST], z2[MOST];
    const int N = a.cols, m = a.m, lane = threadIdx.x % 32, per = N / 4, first = blockIdx.x % per * 4;
    const Spectrum s(a, blockIdx.x / per);
    const int o = first / m * m, k = s.live()[o / m], j = first - o + threadIdx.x / 32;
    if (first - o >= k) return;
    for (int i = threadIdx.x; i < k; i += blockDim.x) {
        d[i] = s.pole()[o + i];
        z2[i] = s.link()[o + i] * s.link()[o + i];
    }
    __syncthreads();
    if (j >= k) return;
    Secular q = {d, z2, 2 * fabs(s.e()[o + m / 2 - 1]), 0, k, lane};
    const f64 mu = q.root(j);
    for (int i = lane; i < k; i += 32) s.inner()[(i64)(o + j) * N + o + i] = d[i] - q.origin - mu;
    if (lane == 0) s.d()[o + j] = q.origin + mu;
}
#endif

// nearby is the link for which the roots are exact: vectors that are made with it are orthogonal.
#ifdef KERNEL_nearby
extern "C" __global__ void __launch_bounds__(512) nearby(const __grid_constant__ Args a) {
    __shared__ f64 part[16][32];
    const int N = a.cols, m = a.m, lane = threadIdx.x % 32, warp = threadIdx.x / 32, first = blockIdx.x % (N / 32) * 32;
    const Spectrum s(a, blockIdx.x / (N / 32));
    const int o = first / m * m, k = s.live()[o / m], i = first - o + lane;
    if (first - o >= k) return;
    const f64 *delta = s.inner() + (i64)o * N + o, *d = s.pole() + o;
    f64 x = 1;
    if (i < k)
        for (int j = warp; j < k; j += 16) x *= j == i ? -delta[(i64)i * N + i] : delta[(i64)j * N + i] / (d[i] - d[j]);
    part[warp][lane] = x;
    __syncthreads();
    if (warp > 0 || i >= k) return;
    for (int w = 1; w < 16; w++) x *= part[w][lane];
    s.near()[o + i] = copysign(sqrt(fabs(x)), s.link()[o + i]);
}
#endif

// inner makes the vectors of the inner problem of what the poles have over the roots, a warp each.
#ifdef KERNEL_inner
extern "C" __global__ void __launch_bounds__(128) inner(const __grid_constant__ Args a) {
    const int N = a.cols, m = a.m, lane = threadIdx.x % 32, per = N / 4, r = blockIdx.x % per * 4 + threadIdx.x / 32;
    const Spectrum s(a, blockIdx.x / per);
    const int o = r / m * m, k = s.live()[o / m];
    if (r - o >= k) return;
    f64 *row = s.inner() + (i64)r * N + o, x[PIECES], sum = 0;
#pragma unroll
    for (int j = 0; j < PIECES; j++) {
        const int i = lane + 32 * j;
        x[j] = i < k ? s.near()[o + i] / row[i] : 0;
        sum = fma(x[j], x[j], sum);
    }
    const f64 f = 1 / sqrt(warp_sum(sum));
#pragma unroll
    for (int j = 0; j < PIECES; j++)
        if (lane + 32 * j < k) row[lane + 32 * j] = x[j] * f;
}
#endif

// join multiplies the vectors of a joint: a block has 32 of them and 64 columns. Those that stayed as they are are copied, and the
// columns of the part next to it are zero. Values go where the next joint finds them.
#ifdef KERNEL_join
extern "C" __global__ void __launch_bounds__(256) join(const __grid_constant__ Args a) {
    __shared__ f64 left[16][33], right[16][64];
    const int N = a.cols, m = a.m, wide = min(N, 2 * m), tiles = (wide + 63) / 64;
    const int tile = blockIdx.x % tiles, first = blockIdx.x / tiles % (N / 32) * 32;
    const Spectrum s(a, blockIdx.x / tiles / (N / 32));
    const int o = first / m * m, k = s.live()[o / m], column = first / wide * wide + tile * 64;
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
    const f64 *q = s.vectors(a.flags), *f = s.inner();
    f64 *out = s.vectors(1 - a.flags);
    const int *row = s.row() + o;
    if (tile == 0 && threadIdx.x < 32) s.near()[first + threadIdx.x] = s.d()[first + threadIdx.x];
    f64 sum[2][4] = {};
    const bool own = column < o + m && column + 64 > o;
    if (own && first - o < k) {
        f64 l[2], r[4]; // of the next piece
        auto read = [&](int from) {
            const int c = from + threadIdx.x % 16;
#pragma unroll
            for (int i = 0; i < 2; i++) {
                const int y = ty + 16 * i;
                l[i] = c < k && first - o + y < k ? f[(i64)(first + y) * N + o + c] : 0;
            }
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int c = column + threadIdx.x % 64, y = from + threadIdx.x / 64 + 4 * i;
                r[i] = y < k && c >= o && c < o + m ? q[(i64)(o + row[y]) * N + c] : 0;
            }
        };
        read(0);
        for (int from = 0; from < k; from += 16) {
            __syncthreads();
#pragma unroll
            for (int i = 0; i < 2; i++) left[tx][ty + 16 * i] = l[i];
#pragma unroll
            for (int i = 0; i < 4; i++) right[threadIdx.x / 64 + 4 * i][threadIdx.x % 64] = r[i];
            __syncthreads();
            read(from + 16);
#pragma unroll
            for (int i = 0; i < 16; i++)
#pragma unroll
                for (int y = 0; y < 2; y++)
#pragma unroll
                    for (int x = 0; x < 4; x++) sum[y][x] = fma(left[i][ty + 16 * y], right[i][tx + 16 * x], sum[y][x]);
        }
    }
#pragma unroll
    for (int y = 0; y < 2; y++) {
        const int r = first + ty + 16 * y;
#pragma unroll
        for (int x = 0; x < 4; x++) {
            const int c = column + tx + 16 * x;
            if (c >= first / wide * wide + wide) continue;
            if (r - o >= k) sum[y][x] = c >= o && c < o + m ? q[(i64)(o + row[r - o]) * N + c] : 0;
            out[(i64)r * N + c] = sum[y][x];
        }
    }
}
#endif
