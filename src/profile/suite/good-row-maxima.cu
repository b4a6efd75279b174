// The greatest of each row, a warp for each.
// @good 128 256
__global__ void good(float* out, const float* in, int n) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float most = -1e30f;
  for (int i = lane; i < n / 4; i += 32) {
    float4 x = ((const float4*)(in + r * n))[i];
    most = fmaxf(most, fmaxf(fmaxf(x.x, x.y), fmaxf(x.z, x.w)));
  }
  for (int step = 16; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, step));
  if (lane == 0) out[r] = most;
}
