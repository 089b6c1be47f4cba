// What surrounds cuFFT's transforms, and transforms of our own where it is missing. F is the real type, rows are contiguous.

typedef Cx<F> Z;

struct Args { i64 rows, n, bins; const Z *in; Z *out; f64 scale, middle; i64 flags, radix, done, size; const Z *with; };
#define INVERSE 1

// half_factor is the factor of bin k of half a spectrum of n elements.
DEV F half_factor(const Args &a, i64 k) { return (F)(k == 0 || 2 * k == a.n ? a.scale : a.scale * a.middle); }

// fft_scale multiplies rows·n complex numbers.
extern "C" __global__ void __launch_bounds__(256) fft_scale(const __grid_constant__ Args a) {
    const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    if (i < a.rows * a.n) a.out[i] = cx(a.in[i].re * (F)a.scale, a.in[i].im * (F)a.scale);
}

// fft_bins multiplies half spectra by their factors; inverse: and conjugates them.
extern "C" __global__ void __launch_bounds__(256) fft_bins(const __grid_constant__ Args a) {
    const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    if (i >= a.rows * a.bins) return;
    const F f = half_factor(a, i % a.bins);
    const Z z = a.in[i];
    a.out[i] = cx(z.re * f, a.flags & INVERSE ? -z.im * f : z.im * f);
}

// fft_half is fft_bins for a transform to real numbers: bins that stand for one frequency are real.
extern "C" __global__ void __launch_bounds__(256) fft_half(const __grid_constant__ Args a) {
    const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    if (i >= a.rows * a.bins) return;
    const i64 k = i % a.bins;
    const F f = half_factor(a, k);
    const Z z = a.in[i];
    const F im = k == 0 || 2 * k == a.n ? (F)0 : z.im * f;
    a.out[i] = cx(z.re * f, a.flags & INVERSE ? im : -im);
}

// root is exp(∓2πi·k/n) for 0 ≤ k < n.
DEV Z root(i64 k, i64 n, bool inverse) {
    f64 s, c;
    sincospi(2.0 * (f64)k / (f64)n, &s, &c);
    return cx((F)c, (F)(inverse ? s : -s));
}

// fft_pass is one pass of Stockham's algorithm: the passes before it made transforms of length done, this makes them radix times as
// long. A thread makes one element.
extern "C" __global__ void __launch_bounds__(256) fft_pass(const __grid_constant__ Args a) {
    const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    if (i >= a.rows * a.n) return;
    const i64 row = i / a.n, at = i % a.n, len = a.done * a.radix, e = at % len, j = at / len * a.done + e % a.done, step = a.n / a.radix;
    const Z *x = a.in + row * a.n + j;
    Z sum = x[0];
    for (i64 q = 1, angle = e; q < a.radix; q++) {
        sum = sum + x[q * step] * root(angle, len, a.flags & INVERSE);
        angle += e;
        if (angle >= len) angle -= len;
    }
    a.out[i] = sum;
}

// Bluestein's algorithm makes a transform of any length n a convolution of length size, with the chirp exp(∓πi·k²/n).
DEV Z chirp(const Args &a, i64 k) { return root((i64)((u64)k * (u64)k % (2 * (u64)a.n)), 2 * a.n, a.flags & INVERSE); }

extern "C" __global__ void __launch_bounds__(256) chirp_in(const __grid_constant__ Args a) {
    const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    if (i >= a.rows * a.size) return;
    const i64 row = i / a.size, k = i % a.size;
    a.out[i] = k < a.n ? a.in[row * a.n + k] * chirp(a, k) : cx((F)0, (F)0);
}

extern "C" __global__ void __launch_bounds__(256) chirp_filter(const __grid_constant__ Args a) {
    const i64 k = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    if (k >= a.size) return;
    const i64 d = k < a.n ? k : a.size - k;
    const Z z = d < a.n ? chirp(a, d) : cx((F)0, (F)0);
    a.out[k] = cx(z.re, -z.im);
}

extern "C" __global__ void __launch_bounds__(256) chirp_product(const __grid_constant__ Args a) {
    const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    if (i < a.rows * a.size) a.out[i] = a.in[i] * a.with[i % a.size];
}

extern "C" __global__ void __launch_bounds__(256) chirp_out(const __grid_constant__ Args a) {
    const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    if (i >= a.rows * a.n) return;
    const Z z = a.in[i / a.n * a.size + i % a.n] * chirp(a, i % a.n);
    a.out[i] = cx(z.re / (F)a.size, z.im / (F)a.size);
}

// fft_widen and fft_narrow are for real signals: real to complex rows, complex rows to their first bins or to real parts.
extern "C" __global__ void __launch_bounds__(256) fft_widen(const __grid_constant__ Args a) {
    const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    if (i < a.rows * a.n) a.out[i] = cx(((const F *)a.in)[i], (F)0);
}

extern "C" __global__ void __launch_bounds__(256) fft_first(const __grid_constant__ Args a) {
    const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    if (i < a.rows * a.bins) a.out[i] = a.in[i / a.bins * a.n + i % a.bins];
}

// fft_whole completes half spectra.
extern "C" __global__ void __launch_bounds__(256) fft_whole(const __grid_constant__ Args a) {
    const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    if (i >= a.rows * a.n) return;
    const i64 row = i / a.n, k = i % a.n;
    const Z z = a.in[row * a.bins + (k < a.bins ? k : a.n - k)];
    a.out[i] = k < a.bins ? z : cx(z.re, -z.im);
}

extern "C" __global__ void __launch_bounds__(256) fft_real(const __grid_constant__ Args a) {
    const i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x;
    if (i < a.rows * a.n) ((F *)a.out)[i] = a.in[i].re;
}
