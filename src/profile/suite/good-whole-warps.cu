// A branch that whole warps take.
// @good 1024 256
__global__ void good(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 x = ((const float4*)in)[i];
  if (threadIdx.x / 32 % 2 == 0) x.x = __expf(x.x), x.y = __expf(x.y);
  else x.z = __logf(x.z + 1), x.w = __logf(x.w + 1);
  ((float4*)out)[i] = x;
}
