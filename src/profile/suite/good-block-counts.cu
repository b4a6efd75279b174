// Counts by votes, one atomic a block, on different words.
// @good 432 256
__global__ void good(float* out, const float* in, int n) {
  int passed = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n / 4; i += gridDim.x * blockDim.x) {
    float4 x = ((const float4*)in)[i];
    passed += (x.x > 0.5f) + (x.y > 0.5f) + (x.z > 0.5f) + (x.w > 0.5f);
  }
  passed = __reduce_add_sync(~0u, passed);
  if (threadIdx.x % 32 == 0) atomicAdd((int*)out + blockIdx.x, passed);
}
