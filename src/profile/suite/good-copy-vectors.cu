// A copy, 16 bytes a thread.
// @good 1024 256
__global__ void good(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  ((float4*)out)[i] = ((const float4*)in)[i];
}
