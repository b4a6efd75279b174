// A histogram of 64 bins with atomics on global memory; the repaired one counts in shared memory first.
// @flawed 1024 256 atomics atomicAdd(bins
// @repaired 432 256
__global__ void flawed(float* out, const float* in, int n) {
  int* bins = (int*)out;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n; i += gridDim.x * blockDim.x)
    atomicAdd(bins + int(in[i] * 64), 1);
}

__global__ void repaired(float* out, const float* in, int n) {
  __shared__ int own[8][64];
  int warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 512; i += blockDim.x) own[0][i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[warp][int(in[i] * 64)], 1);
  __syncthreads();
  if (threadIdx.x < 64) {
    int sum = 0;
    for (int w = 0; w < 8; w++) sum += own[w][threadIdx.x];
    atomicAdd((int*)out + threadIdx.x, sum);
  }
}
