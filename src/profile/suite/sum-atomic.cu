// A sum with one atomic for each element, and with one for each block.
// @flawed 4096 256 atomics atomicAdd
// @repaired 432 256
__global__ void flawed(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(out, in[i]);
}

__global__ void repaired(float* out, const float* in, int n) {
  __shared__ float parts[8];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; w++) sum += parts[w];
    atomicAdd(out, sum);
  }
}
