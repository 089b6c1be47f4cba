// total adds one value of each of L neighbouring threads in a fixed order; all of them get the sum. Every thread of the
// block must come by.
template <class R, int L> DEV R total(R v, int lane) {
    __shared__ R share[256];
    __syncthreads();
    share[threadIdx.x] = v;
    for (int s = L / 2; s > 0; s /= 2) {
        __syncthreads();
        if (lane < s) share[threadIdx.x] = v = v + share[threadIdx.x + s];
    }
    __syncthreads();
    return share[threadIdx.x - lane];
}
