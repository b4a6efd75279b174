// Gravity between bodies: 1.0 and sqrt make the inner loop double precision.
// @flawed 128 256 double-precision sqrt
// @repaired 128 256
__global__ void flawed(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i], force = 0;
  for (int j = 0; j < 512; j++) {
    float d = in[j] - x;
    force += d * (1.0 / sqrt(d * d + 1e-9));
  }
  out[i] = force;
}

__global__ void repaired(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i], force = 0;
  for (int j = 0; j < 512; j++) {
    float d = in[j] - x;
    force += d * rsqrtf(d * d + 1e-9f);
  }
  out[i] = force;
}
