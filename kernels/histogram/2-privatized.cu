// A block counts PER_THREAD bytes a thread in bins of its own in shared memory, and adds them to the global ones once:
// atomic operations on chip are many times as fast, and only 256 of a block go out.
__global__ void zero(unsigned *bins) { bins[threadIdx.x] = 0; }

__global__ void histogram(const unsigned char *x, unsigned *bins, int n) {
  __shared__ unsigned own[256];
  for (int b = threadIdx.x; b < 256; b += BLOCK) own[b] = 0;
  __syncthreads();
  int first = blockIdx.x * BLOCK * PER_THREAD + threadIdx.x;
  for (int k = 0; k < PER_THREAD; k++) {
    int i = first + k * BLOCK;
    if (i < n) atomicAdd(&own[x[i]], 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += BLOCK)
    if (own[b] != 0) atomicAdd(&bins[b], own[b]);
}
