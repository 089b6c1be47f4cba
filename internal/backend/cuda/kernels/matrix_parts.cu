// Passes over matrices before and behind the factorisations; included after factor.cu. Matrices are row-major unless a comment says
// otherwise.

#define EACH const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x

// check_info reports the first matrix whose info is not 0: m is the code, n is 1 if the batch is one matrix.
#ifdef KERNEL_check_info
extern "C" __global__ void __launch_bounds__(256) check_info(const __grid_constant__ Args a) {
    __shared__ i64 best;
    if (threadIdx.x == 0) best = a.count;
    __syncthreads();
    i64 mine = a.count;
    for (i64 i = threadIdx.x; i < a.count; i += blockDim.x)
        if (a.info[i] != 0) { mine = i; break; }
    if (mine < a.count) atomicMin((unsigned long long *)&best, (unsigned long long)mine);
    __syncthreads();
    if (threadIdx.x == 0 && best < a.count) report_fault(a.fault, (u32)a.m, a.info[best], a.n ? -1 : best);
}
#endif

// hermitian_columns writes the matrix of a lower triangle by columns. What is not finite is 0, and info tells.
#ifdef KERNEL_hermitian_columns
extern "C" __global__ void __launch_bounds__(256) hermitian_columns(const __grid_constant__ Args a) {
    EACH;
    const i64 n = a.n;
    if (i >= a.count * n * n) return;
    const i64 k = i / (n * n), c = i / n % n, r = i % n;
    T x = r >= c ? a.a[(k * n + r) * n + c] : conjugate(a.a[(k * n + c) * n + r]);
    if (r == c) x = of(re(x), 0);
    if (!finite(x)) { a.info[k] = 1; x = T(); }
    a.z[i] = x;
}
#endif

// only_finite sets what is not finite to 0, and info tells.
#ifdef KERNEL_only_finite
extern "C" __global__ void __launch_bounds__(256) only_finite(const __grid_constant__ Args a) {
    EACH;
    if (i >= a.count * a.m * a.n || finite(a.z[i])) return;
    a.z[i] = T();
    a.info[i / (a.m * a.n)] = 1;
}
#endif

// blank makes the values s of a matrix NaN that has an info word, in either list.
#ifdef KERNEL_blank
extern "C" __global__ void __launch_bounds__(256) blank(const __grid_constant__ Args a) {
    EACH;
    if (i >= a.count * a.n) return;
    const i64 k = i / a.n;
    if (a.info[k] == 0 && a.piv[k] == 0) return;
    a.s[i] = (R)NAN_;
    if (i % a.n == 0 && a.info[k] == 0) a.info[k] = a.piv[k];
}
#endif

#ifdef KERNEL_conjugate_all
extern "C" __global__ void __launch_bounds__(256) conjugate_all(const __grid_constant__ Args a) {
    EACH;
    if (i < a.count * a.m * a.n) a.z[i] = conjugate(a.z[i]);
}
#endif

// identity makes matrices of n×n the identity.
#ifdef KERNEL_identity
extern "C" __global__ void __launch_bounds__(256) identity(const __grid_constant__ Args a) {
    EACH;
    if (i < a.count * a.n * a.n) a.z[i] = of(i % a.n == i / a.n % a.n, 0);
}
#endif

// clear_upper sets what is above the diagonal to 0.
#ifdef KERNEL_clear_upper
extern "C" __global__ void __launch_bounds__(256) clear_upper(const __grid_constant__ Args a) {
    EACH;
    if (i < a.count * a.n * a.n && i % a.n > i / a.n % a.n) a.z[i] = T();
}
#endif

// upper_of_columns is the upper triangle of m×n matrices stored by columns, cols rows of it.
#ifdef KERNEL_upper_of_columns
extern "C" __global__ void __launch_bounds__(256) upper_of_columns(const __grid_constant__ Args a) {
    EACH;
    if (i >= a.count * a.cols * a.n) return;
    const i64 k = i / (a.cols * a.n), r = i / a.n % a.cols, c = i % a.n;
    a.y[i] = r <= c && r < a.m ? a.a[(k * a.n + c) * a.m + r] : T();
}
#endif

// count_up writes 1, 2, …, n for each matrix.
#ifdef KERNEL_count_up
extern "C" __global__ void __launch_bounds__(256) count_up(const __grid_constant__ Args a) {
    EACH;
    if (i < a.count * a.n) a.piv[i] = i % a.n + 1;
}
#endif

// check_pivots copies pivots of matrices with n rows, and reports those out of range.
#ifdef KERNEL_check_pivots
extern "C" __global__ void __launch_bounds__(256) check_pivots(const __grid_constant__ Args a) {
    EACH;
    if (i >= a.count * a.n) return;
    i32 p = a.pivots[i];
    if (p < 1 || p > a.n) { report_fault(a.fault, 1, p, a.n); p = i % a.n + 1; }
    a.piv[i] = p;
}
#endif

// permutation writes the rows of m in their new order for n exchanges, as int64; a block has a matrix.
#ifdef KERNEL_permutation
extern "C" __global__ void __launch_bounds__(256) permutation(const __grid_constant__ Args a) {
    extern __shared__ i64 rows[];
    i64 *out = (i64 *)a.z;
    for (i64 k = blockIdx.x; k < a.count; k += gridDim.x) {
        i64 *p = a.room ? rows : out + k * a.m;
        const i32 *by = a.pivots + k * a.n;
        if (a.room) { // the exchanges follow each other, so what they read must be near
            i32 *near = (i32 *)(rows + a.m);
            for (i64 r = threadIdx.x; r < a.n; r += blockDim.x) near[r] = by[r];
            by = near;
        }
        for (i64 r = threadIdx.x; r < a.m; r += blockDim.x) p[r] = r;
        __syncthreads();
        if (threadIdx.x == 0)
            for (i64 r = 0; r < a.n; r++) {
                const i64 s = by[r] - 1;
                if (s < 0 || s >= a.m) { report_fault(a.fault, 1, s + 1, a.m); continue; }
                const i64 x = p[r];
                p[r] = p[s];
                p[s] = x;
            }
        __syncthreads();
        if (a.room)
            for (i64 r = threadIdx.x; r < a.m; r += blockDim.x) out[k * a.m + r] = p[r];
        __syncthreads();
    }
}
#endif

// normalize brings the larger part of a complex number to [0.5, 1) and moves its exponent to power.
DEV void normalize(f64 &x, f64 &y, int &power) {
    const f64 m = fmax(fabs(x), fabs(y));
    if (!(m > 0 && m <= Limits<f64>::max())) return;
    int e;
    frexp(m, &e);
    x = ldexp(x, -e);
    y = ldexp(y, -e);
    power += e;
}

// determinant is that of factored matrices, a warp each: z is the determinant, or with VECTORS its sign, and s the logarithm of its
// magnitude. Products are computed in float64 and normalized, so that only the result can overflow.
#ifdef KERNEL_determinant
extern "C" __global__ void __launch_bounds__(256) determinant(const __grid_constant__ Args a) {
    const i64 k = blockIdx.x * (i64)(blockDim.x / 32) + threadIdx.x / 32, n = a.n;
    if (k >= a.count) return;
    f64 x = 1, y = 0, sum = 0;
    int power = 0, swaps = 0;
    bool zero = false;
    for (i64 j = threadIdx.x % 32; j < n; j += 32) {
        const T d = a.a[(k * n + j) * n + j];
        const i32 p = a.pivots[k * n + j];
        if (p < 1 || p > n) report_fault(a.fault, 1, p, n);
        swaps += p != j + 1;
        f64 u = re(d), v = im(d);
        if (a.flags & VECTORS) {
            const f64 m = hypot(u, v);
            zero |= m == 0;
            sum += log(m);
            u /= m;
            v /= m;
        }
        const f64 w = x * u - y * v;
        y = x * v + y * u;
        x = w;
        normalize(x, y, power);
    }
    zero = __any_sync(~0u, zero);
    f64 p = 1, q = 0, all = 0;
    int exponent = 0, exchanges = 0;
    for (int o = 0; o < 32; o++) {
        const f64 u = __shfl_sync(~0u, x, o), v = __shfl_sync(~0u, y, o), w = p * u - q * v;
        q = p * v + q * u;
        p = w;
        exponent += __shfl_sync(~0u, power, o);
        exchanges += __shfl_sync(~0u, swaps, o);
        all += __shfl_sync(~0u, sum, o);
        normalize(p, q, exponent);
    }
    if (threadIdx.x % 32 != 0) return;
    if (exchanges % 2 != 0) { p = -p; q = -q; }
    if (!(a.flags & VECTORS)) {
        a.z[k] = of((R)ldexp(p, exponent), (R)ldexp(q, exponent));
        return;
    }
    const f64 m = hypot(p, q);
    a.z[k] = zero ? T() : of((R)(p / m), (R)(q / m));
    a.s[k] = zero ? (R)-INF : (R)all;
}
#endif

// factors_of writes what the columns of an orthogonal factor are multiplied by, for the values s of n columns: m is what for.
#define PSEUDO 0
#define ROOT 1
#define ADJUGATE 2
#ifdef KERNEL_factors_of
extern "C" __global__ void __launch_bounds__(256) factors_of(const __grid_constant__ Args a) {
    EACH;
    const i64 n = a.n;
    if (i >= a.count * n) return;
    const i64 k = i / n;
    const R *s = a.s + k * n, x = a.s[i];
    f64 big = 0, others = 1;
    for (i64 j = 0; j < n; j++) {
        big = fmax(big, (f64)fabs(s[j]));
        if (j != i % n) others *= s[j];
    }
    T f;
    if (a.m == PSEUDO) { // a and b are the tolerances, float32 where a flag says so
        const f64 atol = a.flags & 1 ? ((const f32 *)a.a)[k] : ((const f64 *)a.a)[k];
        const f64 rtol = a.flags & 2 ? ((const f32 *)a.b)[k] : ((const f64 *)a.b)[k];
        const f64 cut = fmax(atol, rtol * big);
        f = of(fabs(x) > cut ? 1 / x : (R)0, 0);
    } else if (a.m == ROOT) {
        if (x < -10 * (f64)n * Limits<R>::eps() * big) a.info[k] = 1;
        f = of(sqrt(x > 0 ? x : (R)0), 0);
    } else // a and b are the determinants of the two factors
        f = conjugate(N::times(a.a[k] * a.b[k], (R)others));
    if (x != x) f = of((R)NAN_, 0);
    a.z[i] = f;
}
#endif

// scale_columns multiplies the columns of m×n matrices by factors b, n for each matrix.
#ifdef KERNEL_scale_columns
extern "C" __global__ void __launch_bounds__(256) scale_columns(const __grid_constant__ Args a) {
    EACH;
    if (i < a.count * a.m * a.n) a.z[i] = a.a[i] * a.b[i / (a.m * a.n) * a.n + i % a.n];
}
#endif

// exp_scale divides a matrix by a power of two that its 1-norm asks for, a block each; info is the power, -1 if an element is not
// finite.
#ifdef KERNEL_exp_scale
extern "C" __global__ void __launch_bounds__(256) exp_scale(const __grid_constant__ Args a) {
    __shared__ f64 most[256];
    const i64 n = a.n;
    for (i64 k = blockIdx.x; k < a.count; k += gridDim.x) {
        const T *x = a.a + k * n * n;
        f64 norm = 0;
        bool bad = false;
        for (i64 c = threadIdx.x; c < n; c += blockDim.x) {
            f64 sum = 0;
            for (i64 r = 0; r < n; r++) sum += N::magnitude(x[r * n + c]);
            bad |= !(sum <= Limits<f64>::max());
            norm = fmax(norm, sum);
        }
        most[threadIdx.x] = norm;
        bad = __syncthreads_or(bad);
        for (int t = 0; t < 256; t++) norm = fmax(norm, most[t]);
        int e = 0;
        if (!bad && norm > 5.371920351148152) frexp(norm / 5.371920351148152, &e);
        const R f = ldexp((R)1, -(e / 2)), g = ldexp((R)1, -(e - e / 2));
        for (i64 i = threadIdx.x; i < n * n; i += blockDim.x) a.z[k * n * n + i] = bad ? T() : N::times(N::times(x[i], f), g);
        if (threadIdx.x == 0) a.info[k] = bad ? -1 : e;
        __syncthreads();
    }
}
#endif

// pade_sums: the even powers 2 to 12 of matrices follow each other at a; z and y are the sums of the even and odd coefficients of the
// Padé approximant of degree 13 with powers from 0 on.
#ifdef KERNEL_pade_sums
extern "C" __global__ void __launch_bounds__(256) pade_sums(const __grid_constant__ Args a) {
    EACH;
    const f64 c[14] = {64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800., 129060195264000., 10559470521600.,
                       670442572800., 33522128640., 1323241920., 40840800., 960960., 16380., 182., 1.};
    const i64 all = a.count * a.n * a.n;
    if (i >= all) return;
    const bool diagonal = i / a.n % a.n == i % a.n;
    T even = of(diagonal, 0), odd = of(diagonal ? (R)(c[1] / c[0]) : (R)0, 0);
    for (int k = 1; k < 7; k++) {
        const T p = a.a[(k - 1) * all + i];
        even = even + N::times(p, (R)(c[2 * k] / c[0]));
        odd = odd + N::times(p, (R)(c[2 * k + 1] / c[0]));
    }
    a.z[i] = even;
    a.y[i] = odd;
}
#endif

// sum_and_difference of the elements of z and y, in place.
#ifdef KERNEL_sum_and_difference
extern "C" __global__ void __launch_bounds__(256) sum_and_difference(const __grid_constant__ Args a) {
    EACH;
    if (i >= a.count * a.n * a.n) return;
    const T p = a.z[i], q = a.y[i];
    a.z[i] = p + q;
    a.y[i] = p - q;
}
#endif

// take_squared takes the squares y of matrices that are to be squared more than m times; m < 0: matrices that are not finite are NaN.
#ifdef KERNEL_take_squared
extern "C" __global__ void __launch_bounds__(256) take_squared(const __grid_constant__ Args a) {
    EACH;
    if (i >= a.count * a.n * a.n) return;
    const i32 times = a.info[i / (a.n * a.n)];
    if (a.m < 0) {
        if (times < 0) a.z[i] = of((R)NAN_, 0);
    } else if (times > a.m)
        a.z[i] = a.y[i];
}
#endif

// The polar factor of a matrix by products alone: divided by its norm, its singular values are brought to 1 by odd polynomials.

// divide_by_norm divides a matrix by its Frobenius norm, a block each.
#ifdef KERNEL_divide_by_norm
extern "C" __global__ void __launch_bounds__(256) divide_by_norm(const __grid_constant__ Args a) {
    __shared__ f64 part[256];
    const i64 size = a.m * a.n;
    for (i64 k = blockIdx.x; k < a.count; k += gridDim.x) {
        f64 sum = 0;
        for (i64 i = threadIdx.x; i < size; i += blockDim.x) {
            const T x = a.a[k * size + i];
            sum += (f64)re(x) * re(x) + (f64)im(x) * im(x);
        }
        part[threadIdx.x] = sum;
        __syncthreads();
        sum = 0;
        for (int t = 0; t < 256; t++) sum += part[t];
        const R f = sum > 0 ? (R)(1 / sqrt(sum)) : (R)0;
        for (i64 i = threadIdx.x; i < size; i += blockDim.x) a.z[k * size + i] = N::times(a.a[k * size + i], f);
        __syncthreads();
    }
}
#endif

// matrix_polynomial is c₀ + c₁·A + c₂·B for square matrices; the coefficients are float64, in m, cols and flags.
#ifdef KERNEL_matrix_polynomial
extern "C" __global__ void __launch_bounds__(256) matrix_polynomial(const __grid_constant__ Args a) {
    EACH;
    if (i >= a.count * a.n * a.n) return;
    const T y = N::times(a.a[i], (R)__longlong_as_double(a.cols)) + N::times(a.b[i], (R)__longlong_as_double(a.flags));
    a.z[i] = i / a.n % a.n == i % a.n ? y + of((R)__longlong_as_double(a.m), 0) : y;
}
#endif

// from_identity is the largest difference of square matrices from the identity, as the bits of a float32.
#ifdef KERNEL_from_identity
extern "C" __global__ void __launch_bounds__(256) from_identity(const __grid_constant__ Args a) {
    EACH;
    float off = 0;
    if (i < a.count * a.n * a.n) off = (float)size(i / a.n % a.n == i % a.n ? a.a[i] - of(1, 0) : a.a[i]);
    int bits = __float_as_int(off) & 0x7fffffff; // NaN is larger than every number
    for (int o = 16; o; o /= 2) bits = max(bits, __shfl_xor_sync(~0u, bits, o));
    if (threadIdx.x % 32 == 0) atomicMax(a.info, bits);
}
#endif

// descending reverses eigenvalues, at least 0, and the columns of eigenvectors.
#ifdef KERNEL_descending
extern "C" __global__ void __launch_bounds__(256) descending(const __grid_constant__ Args a) {
    EACH;
    const i64 n = a.n;
    if (i < a.count * n && i % n < (n + 1) / 2) {
        const i64 j = i / n * n + n - 1 - i % n;
        const R x = a.s[i], y = a.s[j];
        a.s[i] = y < 0 ? (R)0 : y;
        a.s[j] = x < 0 ? (R)0 : x;
    }
    if (a.z && i < a.count * n * n) a.z[i] = a.a[i - i % n + n - 1 - i % n];
}
#endif

// permute_rows gathers rows of n×cols matrices by int64 indices b; ADJOINT: scatters them.
#ifdef KERNEL_permute_rows
extern "C" __global__ void __launch_bounds__(256) permute_rows(const __grid_constant__ Args a) {
    EACH;
    if (i >= a.count * a.n * a.cols) return;
    const i64 row = i / a.cols, first = row / a.n * a.n, other = (first + ((const i64 *)a.b)[row]) * a.cols + i % a.cols;
    if (a.flags & ADJOINT)
        a.z[other] = a.a[i];
    else
        a.z[i] = a.a[other];
}
#endif

// complex_vectors makes complex eigenvectors of those of real matrices: by columns at a, with the real and imaginary parts of a
// conjugate pair in two of them. The eigenvalues b say which are pairs. The result is row-major, at z.
#ifdef KERNEL_complex_vectors
extern "C" __global__ void __launch_bounds__(256) complex_vectors(const __grid_constant__ Args a) {
    EACH;
    const i64 n = a.n;
    if (i >= a.count * n * n) return;
    const i64 k = i / (n * n), r = i / n % n, c = i % n;
    const R *v = (const R *)a.a + k * n * n + r;
    const R angle = ((const R *)a.b)[2 * (k * n + c) + 1];
    R *z = (R *)a.z + 2 * i;
    z[0] = v[(angle < 0 ? c - 1 : c) * n];
    z[1] = angle == 0 ? (R)0 : angle > 0 ? v[(c + 1) * n] : -v[c * n];
}
#endif
