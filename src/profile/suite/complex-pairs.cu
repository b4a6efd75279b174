// Complex numbers as pairs of floats: two loads for each, and one of a float2.
// @flawed 2048 256 vector-load in[2 * i
// @repaired 2048 256
__global__ void flawed(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float re = in[2 * i];
  float im = in[2 * i + 1];
  out[i] = re * re + im * im;
}

__global__ void repaired(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 z = ((const float2*)in)[i];
  out[i] = z.x * z.x + z.y * z.y;
}
