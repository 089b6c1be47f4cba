// The last node of a captured graph that may report device errors: the outcome of the run goes to pinned memory, and the
// fault records are cleared.
struct Status { u64 seq, mask; Fault first; };
struct Args { i64 words; Fault *block; Status *ring; u64 *seq; i64 size; };

extern "C" __global__ void graph_status(const __grid_constant__ Args a) {
    __shared__ u64 mask;
    __shared__ int first;
    if (threadIdx.x == 0) { mask = 0; first = 1 << 30; }
    __syncthreads();
    for (int i = threadIdx.x; i < a.words; i += blockDim.x) {
        if (a.block[i].code) { atomicOr(&mask, 1ull << (i & 63)); atomicMin(&first, i); }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const u64 n = *a.seq + 1;
        Status *s = a.ring + n % a.size;
        s->mask = mask;
        if (mask) s->first = a.block[first];
        __threadfence_system();
        *(volatile u64 *)&s->seq = n;
        *a.seq = n;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < a.words; i += blockDim.x) a.block[i].code = 0;
}
