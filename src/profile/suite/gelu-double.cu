// GELU with literals of double precision.
// @flawed 1024 256 double-precision 0.7978845608
// @repaired 1024 256
__global__ void flawed(float* out, const float* in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n; i += gridDim.x * blockDim.x) {
    float x = in[i];
    float t = __expf(-2 * (0.7978845608 * (x + 0.044715 * x * x * x)));
    out[i] = x / (1.0f + t);
  }
}

__global__ void repaired(float* out, const float* in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n; i += gridDim.x * blockDim.x) {
    float x = in[i];
    float t = __expf(-2 * (0.7978845608f * (x + 0.044715f * x * x * x)));
    out[i] = x / (1.0f + t);
  }
}
