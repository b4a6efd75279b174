// A block adds its elements up in shared memory, halving the number of threads at every step, and leaves one number; a
// second launch of one block adds those. Additions no longer wait for each other across the GPU, and the active threads
// stay together, so that whole warps end.
__device__ float blockSum(float value) {
  __shared__ float part[BLOCK];
  part[threadIdx.x] = value;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  return part[0];
}

__global__ void reduce(const float *x, float *partial, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  float sum = blockSum(i < n ? x[i] : 0);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void finish(const float *partial, float *result, int count) {
  float mine = 0;
  for (int i = threadIdx.x; i < count; i += BLOCK) mine += partial[i];
  float sum = blockSum(mine);
  if (threadIdx.x == 0) *result = sum;
}
