// Much arithmetic for each element.
// @good 1024 256
__global__ void good(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 x = ((const float4*)in)[i], p = x;
  for (int k = 1; k < 64; k++) {
    p.x = p.x * x.x + k, p.y = p.y * x.y + k, p.z = p.z * x.z + k, p.w = p.w * x.w + k;
  }
  ((float4*)out)[i] = p;
}
