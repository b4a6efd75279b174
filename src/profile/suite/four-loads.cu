// Each thread loads four neighbours one by one, and as a float4.
// @flawed 1024 256 vector-load in[4 * i
// @repaired 1024 256
__global__ void flawed(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3];
}

__global__ void repaired(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 x = ((const float4*)in)[i];
  out[i] = x.x + x.y + x.z + x.w;
}
