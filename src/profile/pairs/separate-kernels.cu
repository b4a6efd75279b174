// A bias, then an activation: two kernels, or one.
// @flawed_bias 1024 256
// @flawed 1024 256 separate-kernels __global__ void flawed(
// @repaired 1024 256
__global__ void flawed_bias(float4* out, const float4* in, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float4 x = in[i];
  out[i] = make_float4(x.x + 1, x.y + 1, x.z + 1, x.w + 1);
}
__global__ void flawed(float4* out, const float4* in, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float4 x = out[i];
  out[i] = make_float4(fmaxf(x.x, 0), fmaxf(x.y, 0), fmaxf(x.z, 0), fmaxf(x.w, 0));
}

__global__ void repaired(float4* out, const float4* in, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  float4 x = in[i];
  out[i] = make_float4(fmaxf(x.x + 1, 0), fmaxf(x.y + 1, 0), fmaxf(x.z + 1, 0), fmaxf(x.w + 1, 0));
}
