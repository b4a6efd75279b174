// Bytes are loaded sixteen at a time: a sixteenth of the load instructions, and all lines of a warp's load are used at
// once.
__global__ void zero(unsigned *bins) { bins[threadIdx.x] = 0; }

__device__ void count4(unsigned *own, unsigned word) {
  atomicAdd(&own[word & 255], 1);
  atomicAdd(&own[word >> 8 & 255], 1);
  atomicAdd(&own[word >> 16 & 255], 1);
  atomicAdd(&own[word >> 24], 1);
}

__global__ void histogram(const unsigned char *x, unsigned *bins, int n) {
  __shared__ unsigned own[256];
  for (int b = threadIdx.x; b < 256; b += BLOCK) own[b] = 0;
  __syncthreads();
  int quads = n / 16, first = blockIdx.x * BLOCK * (PER_THREAD / 16) + threadIdx.x;
  for (int k = 0; k < PER_THREAD / 16; k++) {
    int i = first + k * BLOCK;
    if (i < quads) {
      uint4 q = ((const uint4 *)x)[i];
      count4(own, q.x), count4(own, q.y), count4(own, q.z), count4(own, q.w);
    }
  }
  int rest = quads * 16 + threadIdx.x;
  if (blockIdx.x == 0 && rest < n) atomicAdd(&own[x[rest]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += BLOCK)
    if (own[b] != 0) atomicAdd(&bins[b], own[b]);
}
