// A sum of products, one result a block.
// @good 432 256
__global__ void good(float* out, const float* in, int n) {
  __shared__ float parts[8];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n / 4; i += gridDim.x * blockDim.x) {
    float4 x = ((const float4*)in)[i];
    sum += x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w;
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; w++) sum += parts[w];
    out[blockIdx.x] = sum;
  }
}
