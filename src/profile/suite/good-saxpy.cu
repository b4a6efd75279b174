// y = a x + y.
// @good 4096 256
__global__ void good(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 2.5f * in[i] + out[i];
}
