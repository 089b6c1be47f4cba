// The cotangent of class_nll's input: exp(x - lse)·s, less g at the target, along a dimension whose elements lie `step` apart.
// A thread takes V neighbours of one row, or one element where rows are not contiguous.

typedef Rep<T>::R R;

struct Args { i64 total, n, step; T *out; const T *x; const T *lse; const i64 *target; const T *s; const T *g; Fault *fault; };

extern "C" __global__ void __launch_bounds__(256) class_nll_grad(const __grid_constant__ Args a) {
    const i64 e = ((i64)blockIdx.x * 256 + threadIdx.x) * V;
    if (e >= a.total) return;
    const i64 q = e / a.step, row = q / a.n * a.step + e % a.step, i = q % a.n, t = a.target[row];
    if (i == 0 && (t < 0 || t >= a.n)) complain(a.fault, 1, t, a.n);
    R v[V];
    load_vec<T, V>(v, a.x + e, V);
    const R lse = get(a.lse[row]), s = get(a.s[row]), g = get(a.g[row]);
#pragma unroll
    for (int j = 0; j < V; j++) v[j] = op_exp(v[j] - lse) * s - (i + j == t ? g : (R)0);
    store_vec<T, V>(a.out + e, v, V);
}
