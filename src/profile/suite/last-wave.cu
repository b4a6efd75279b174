// 240 blocks where 216 fit at once: the last 24 take as long as all others.
// @flawed 240 1024 tail
// @repaired 216 1024
__global__ void flawed(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
#pragma unroll 4
  for (int k = 0; k < 2000; k++) x = x * 0.999f + 0.5f;
  out[i] = x;
}

__global__ void repaired(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
#pragma unroll 4
  for (int k = 0; k < 2000; k++) x = x * 0.999f + 0.5f;
  out[i] = x;
}
