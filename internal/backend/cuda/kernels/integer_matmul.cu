// Products of integer matrices, one thread per element of z: sums wrap.

struct Args { i64 n, m, cols, k; T *z; const T *x; const T *y; };

extern "C" __global__ void __launch_bounds__(256) integer_matmul(const __grid_constant__ Args a) {
    const i64 e = (i64)blockIdx.x * 256 + threadIdx.x;
    if (e >= a.n) return;
    const i64 col = e % a.cols, row = e / a.cols;
    const T *x = a.x + row * a.k, *y = a.y + row / a.m * a.k * a.cols + col;
    typedef Rep<T>::R R;
    R s = R();
    for (i64 l = 0; l < a.k; l++) s = op_add<R>(s, op_mul<R>(get(x[l]), get(y[l * a.cols])));
    a.z[e] = Put<T>::put(s);
}
