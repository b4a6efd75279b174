// Rows picked by an index: whole rows lie side by side.
// @good 1024 256
__global__ void good(float* out, const float* in, int n) {
  int row = (blockIdx.x * 37 + 11) % n;
  ((float4*)(out + blockIdx.x * n))[threadIdx.x] = ((const float4*)(in + row * n))[threadIdx.x];
}
