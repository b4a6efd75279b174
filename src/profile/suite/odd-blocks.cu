// Blocks of 10 x 10 threads fill three warps and an eighth of a fourth.
// @flawed 1024 10x10 small-blocks
// @repaired 1024 16x16
__global__ void flawed(float* out, const float* in, int n) {
  int threads = blockDim.x * blockDim.y, t = threadIdx.y * blockDim.x + threadIdx.x;
  for (int i = blockIdx.x * threads + t; i < n * n; i += gridDim.x * threads) out[i] = 2 * in[i];
}

__global__ void repaired(float* out, const float* in, int n) {
  int threads = blockDim.x * blockDim.y, t = threadIdx.y * blockDim.x + threadIdx.x;
  for (int i = blockIdx.x * threads + t; i < n * n; i += gridDim.x * threads) out[i] = 2 * in[i];
}
