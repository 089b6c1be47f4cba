// Brings rows that are in blocks of a pool together: out is (examples, heads, rows, size), contiguous. T has the size of an element.
struct Args {
    i64 total, heads, rows, size, block, pages;
    i64 hs, rs, es; // strides of the pool: heads, rows, elements
    const T *pool;
    const i64 *table; // blocks of each example, so many
    T *out;
    i64 blocks; // there are
    Fault *fault;
};

extern "C" __global__ void __launch_bounds__(256) attention_pages(const __grid_constant__ Args a) {
    for (i64 i = blockIdx.x * 256ll + threadIdx.x; i < a.total; i += gridDim.x * 256ll) {
        const i64 e = i % a.size, row = i / a.size, j = row % a.rows, matrix = row / a.rows, h = matrix % a.heads, n = matrix / a.heads;
        i64 b = a.table[n * a.pages + j / a.block];
        if ((u64)b >= (u64)a.blocks) { report_fault(a.fault, 1, b, a.blocks); b = 0; }
        a.out[i] = a.pool[h * a.hs + (b * a.block + j % a.block) * a.rs + e * a.es];
    }
}
