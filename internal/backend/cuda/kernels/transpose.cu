// Transpose of the last two dimensions by 32×32 tiles through shared memory, so that loads and stores are both coalesced.
// in is [batch, n, m] with rows of m contiguous elements, out [batch, m, n].

struct Args { i64 rows, cols; UNIT *out; const UNIT *in; i64 out_batch, in_batch, out_row, in_row; };

extern "C" __global__ void __launch_bounds__(256) transpose(const __grid_constant__ Args a) {
    // Rows are an odd number of words apart: no bank conflicts down columns.
    __shared__ UNIT tile[32][32 + (sizeof(UNIT) < 4 ? 4 / sizeof(UNIT) : 1)];
    const i64 across = (a.cols + 31) / 32;
    const i64 r0 = blockIdx.x / across * 32, c0 = blockIdx.x % across * 32;
    const UNIT *in = a.in + blockIdx.y * a.in_batch;
    UNIT *out = a.out + blockIdx.y * a.out_batch;
    const int x = threadIdx.x % 32, y = threadIdx.x / 32;
#pragma unroll
    for (int k = 0; k < 32; k += 8)
        if (r0 + y + k < a.rows && c0 + x < a.cols) tile[y + k][x] = in[(r0 + y + k) * a.in_row + c0 + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; k += 8)
        if (c0 + y + k < a.cols && r0 + x < a.rows) out[(c0 + y + k) * a.out_row + r0 + x] = tile[x][y + k];
}
