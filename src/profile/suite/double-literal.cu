// A literal without its f makes the arithmetic double precision.
// @flawed 256 256 double-precision 0.7071 * in
// @repaired 256 256
__global__ void flawed(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float scaled = in[i] * 3.0f;
  out[i] = scaled * (1.0f + scaled) + 0.7071 * in[i] * (scaled + 0.5);
}

__global__ void repaired(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float scaled = in[i] * 3.0f;
  out[i] = scaled * (1.0f + scaled) + 0.7071f * in[i] * (scaled + 0.5f);
}
