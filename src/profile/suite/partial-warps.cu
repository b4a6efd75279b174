// Blocks of 40 threads leave three quarters of every second warp empty.
// @flawed 512 40 small-blocks
// @repaired 512 64
__global__ void flawed(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
}

__global__ void repaired(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2 * in[i];
}
