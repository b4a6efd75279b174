// A tree in shared memory whose active threads are every second, fourth, …, and a sum by shuffles.
// @flawed 1024 256 divergence if (t % (2 * step)
// @repaired 512 256
__global__ void flawed(float* out, const float* in, int n) {
  __shared__ float sums[256];
  int t = threadIdx.x;
  float2 v = ((const float2*)in)[blockIdx.x * blockDim.x + t];
  sums[t] = v.x + v.y;
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    if (t % (2 * step) == 0) sums[t] += sums[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

__global__ void repaired(float* out, const float* in, int n) {
  __shared__ float parts[8];
  float4 v = ((const float4*)in)[blockIdx.x * blockDim.x + threadIdx.x];
  float sum = v.x + v.y + v.z + v.w;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; w++) sum += parts[w];
    out[blockIdx.x] = sum;
  }
}
