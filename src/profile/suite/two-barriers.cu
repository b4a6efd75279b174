// A barrier directly behind a shuffle reduction waits for nothing that the next one does not wait for.
// @flawed 432 256 needless-barrier // not needed
// @repaired 432 256
__global__ void flawed(float* out, const float* in, int n) {
  __shared__ float parts[8];
  for (int r = blockIdx.x; r < n; r += gridDim.x) {
    float4 v = ((const float4*)(in + r * n))[threadIdx.x];
    float x = v.x + v.y + v.z + v.w;
    for (int step = 16; step > 0; step /= 2) x += __shfl_down_sync(~0u, x, step);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
    __syncthreads();
    float sum = 0;
    for (int w = 0; w < 8; w++) sum += parts[w];
    __syncthreads();
    sum *= 1.0f / n;
    __syncthreads();  // not needed
    if (threadIdx.x == 0) out[r] = sum;
  }
}

__global__ void repaired(float* out, const float* in, int n) {
  __shared__ float parts[8];
  for (int r = blockIdx.x; r < n; r += gridDim.x) {
    float4 v = ((const float4*)(in + r * n))[threadIdx.x];
    float x = v.x + v.y + v.z + v.w;
    for (int step = 16; step > 0; step /= 2) x += __shfl_down_sync(~0u, x, step);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
    __syncthreads();
    float sum = 0;
    for (int w = 0; w < 8; w++) sum += parts[w];
    __syncthreads();
    if (threadIdx.x == 0) out[r] = sum / n;
  }
}
