// A block a row: threads add columns a block apart, then their sums meet by shuffles and shared memory.
__global__ void row_sums(const float *x, float *sums, int columns) {
  __shared__ float partial[BLOCK / 32];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += BLOCK) sum += x[(size_t)blockIdx.x * columns + i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int warp = 1; warp < BLOCK / 32; warp++) sum += partial[warp];
  sums[blockIdx.x] = sum;
}
