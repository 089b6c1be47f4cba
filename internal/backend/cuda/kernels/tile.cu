// A block's product of two tiles in shared memory: 64 rows by 64 columns, 16 deep; each of 256 threads computes a 4×4
// register tile. Sums of half types and floats are accumulated in float, with fma.

typedef Rep<T>::R R;

DEV void mad(float &s, float x, float y) { s = fmaf(x, y, s); }
DEV void mad(double &s, double x, double y) { s = fma(x, y, s); }
template <class F> DEV void mad(Cx<F> &s, Cx<F> x, Cx<F> y) {
    mad(s.re, x.re, y.re);
    mad(s.re, -x.im, y.im);
    mad(s.im, x.re, y.im);
    mad(s.im, x.im, y.re);
}
template <class I> DEV void mad(I &s, I x, I y) { s = (I)(s + x * y); }
DEV void mad(bool &s, bool x, bool y) { s = s || (x && y); }

struct Tiles { R x[16][68], y[16][68]; };

DEV void multiply(const Tiles &t, R (&sum)[4][4]) {
    const int r = threadIdx.x / 16 * 4, c = threadIdx.x % 16 * 4;
#pragma unroll
    for (int k = 0; k < 16; k++) {
        R x[4], y[4];
#pragma unroll
        for (int i = 0; i < 4; i++) { x[i] = t.x[k][r + i]; y[i] = t.y[k][c + i]; }
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) mad(sum[i][j], x[i], y[j]);
    }
}
