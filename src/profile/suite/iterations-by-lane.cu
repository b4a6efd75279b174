// Newton's method with more steps for some lanes than for others, and for some warps than for others.
// @flawed 512 256 divergence for (int k
// @repaired 512 256
__global__ void flawed(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[i] + 1, x = a;
  int steps = 4 + 4 * (threadIdx.x % 32);
#pragma unroll 1
  for (int k = 0; k < steps; k++) x = 0.5f * (x + __fdividef(a, x));
  out[i] = x;
}

__global__ void repaired(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = in[i] + 1, x = a;
  int steps = 4 + 4 * (threadIdx.x / 32);
#pragma unroll 1
  for (int k = 0; k < steps; k++) x = 0.5f * (x + __fdividef(a, x));
  out[i] = x;
}
