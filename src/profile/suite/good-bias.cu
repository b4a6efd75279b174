// A bias for each column.
// @good 4x1024 256
__global__ void good(float* out, const float* in, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  out[blockIdx.y * n + x] += in[x];
}
