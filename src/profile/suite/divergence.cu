// Every other thread does long work; in the repaired one whole warps do.
// @flawed 256 256 divergence if (threadIdx.x % 2
// @repaired 256 256
__global__ void flawed(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  if (threadIdx.x % 2 == 0) {
#pragma unroll 1
    for (int k = 0; k < 100; k++)
      x = x * 1.01f + 0.5f;
  }
  out[i] = x;
}

__global__ void repaired(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  if (threadIdx.x / 32 % 2 == 0) {
#pragma unroll 1
    for (int k = 0; k < 100; k++)
      x = x * 1.01f + 0.5f;
  }
  out[i] = x;
}
