// GELU of each element.
// @good 1024 256
__global__ void good(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = ((const float4*)in)[i];
  float x[4] = {v.x, v.y, v.z, v.w};
  for (int k = 0; k < 4; k++) x[k] = x[k] / (1.0f + __expf(-1.702f * x[k]));
  ((float4*)out)[i] = make_float4(x[0], x[1], x[2], x[3]);
}
