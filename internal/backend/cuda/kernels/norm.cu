// layer_norm and rms_norm over rows of n contiguous elements, LANES threads a row: the mean, the centred squares, the
// results. Rows that fit stay in registers, HELD vectors a thread; longer ones are read again each time, from the cache.

typedef Rep<T>::R R;

#define ROW \
    const int lane = threadIdx.x % LANES; \
    const i64 row = (i64)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES; \
    const bool here = row < a.rows; \
    const i64 n = here ? a.n : 0, at = here ? row * a.n : 0;

// EACH loops over this thread's vectors of the row; held ones are in v[h], others are loaded again.
#if HELD > 0
#define EACH(LOAD) MINE(h, i)
#else
#define EACH(LOAD) \
    for (i64 i = (i64)lane * V; i < n; i += LANES * V) \
        if (const int h = 0; LOAD(i), true)
#endif

template <class W_, int N> DEV void times(R (&v)[N], const W_ *w, i64 i) {
    typename Rep<W_>::R t[N];
    load_row<W_, N>(t, w, i, 1);
#pragma unroll
    for (int j = 0; j < N; j++) v[j] *= (R)t[j];
}
template <class W_, int N> DEV void plus(R (&v)[N], const W_ *w, i64 i) {
    typename Rep<W_>::R t[N];
    load_row<W_, N>(t, w, i, 1);
#pragma unroll
    for (int j = 0; j < N; j++) v[j] += (R)t[j];
}

#ifdef FORWARD
struct Args { i64 rows, n; double eps; T *out; STAT *mean; STAT *rstd; const T *in; const W *weight; const W *bias; };

extern "C" __global__ void __launch_bounds__(THREADS) row_norm(const __grid_constant__ Args a) {
    ROW
    R v[HELD > 0 ? HELD : 1][V], mean = 0, s = 0;
#define LOAD(i) load_row<T, V>(v[0], a.in + at, i, 1)
#if HELD > 0
    MINE(h, i) load_row<T, V>(v[h], a.in + at, i, 1);
#endif
    if (CENTRED) {
        EACH(LOAD)
#pragma unroll
            for (int j = 0; j < V; j++) s += v[h][j];
        mean = joined<Add, LANES>(s) / (R)a.n;
        s = 0;
    }
    EACH(LOAD)
#pragma unroll
        for (int j = 0; j < V; j++) s += (v[h][j] - mean) * (v[h][j] - mean);
    const R rstd = 1 / op_sqrt(joined<Add, LANES>(s) / (R)a.n + (R)a.eps);
    EACH(LOAD) {
#pragma unroll
        for (int j = 0; j < V; j++) v[h][j] = (v[h][j] - mean) * rstd;
        if (a.weight) times<W, V>(v[h], a.weight, i);
        if (a.bias) plus<W, V>(v[h], a.bias, i);
        store_row<T, V>(a.out + at, v[h], i, 1);
    }
    if (lane == 0 && here) {
        if (CENTRED) a.mean[row] = Put<STAT>::put(mean);
        a.rstd[row] = Put<STAT>::put(rstd);
    }
}
#endif

#ifdef BACKWARD
// With h = g·weight and x̂ the normalised row, the cotangent of x is rstd·(h - mean(h) - x̂·mean(h·x̂)); without centring,
// mean(h) is omitted.
struct Args { i64 rows, n; T *out; const T *g; const T *in; const STAT *mean; const STAT *rstd; const W *weight; };

extern "C" __global__ void __launch_bounds__(THREADS) row_norm_grad(const __grid_constant__ Args a) {
    ROW
    const R mean = CENTRED && here ? (R)get(a.mean[row]) : (R)0, rstd = here ? (R)get(a.rstd[row]) : (R)0;
    R v[HELD > 0 ? HELD : 1][V], x[HELD > 0 ? HELD : 1][V], sum = 0, dot = 0;
// take leaves h in v and x̂ in x.
#define TAKE(k, i) \
    load_row<T, V>(v[k], a.g + at, i, 1), load_row<T, V>(x[k], a.in + at, i, 1); \
    if (a.weight) times<W, V>(v[k], a.weight, i); \
    _Pragma("unroll") for (int j = 0; j < V; j++) x[k][j] = (x[k][j] - mean) * rstd
#if HELD > 0
    MINE(h, i) { TAKE(h, i); }
#endif
#define LOAD(i) [&] { TAKE(0, i); }()
    EACH(LOAD)
#pragma unroll
        for (int j = 0; j < V; j++) {
            sum += v[h][j];
            dot += v[h][j] * x[h][j];
        }
    dot = joined<Add, LANES>(dot) / (R)a.n;
    sum = CENTRED ? joined<Add, LANES>(sum) / (R)a.n : (R)0;
    EACH(LOAD) {
#pragma unroll
        for (int j = 0; j < V; j++) v[h][j] = rstd * (v[h][j] - sum - x[h][j] * dot);
        store_row<T, V>(a.out + at, v[h], i, 1);
    }
}
#endif
