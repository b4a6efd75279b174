// Eight blocks leave most multiprocessors idle.
// @flawed 8 256 small-grid
// @repaired 1024 256
__global__ void flawed(float* out, const float* in, int n) {
  int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n; i += threads) out[i] = 2 * in[i];
}

__global__ void repaired(float* out, const float* in, int n) {
  int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n; i += threads) out[i] = 2 * in[i];
}
