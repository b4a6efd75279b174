// Lanes of a warp pass their sums to each other by shuffles, without shared memory and without barriers; only one
// number of each warp goes through shared memory, and a block waits once.
__device__ float warpSum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
  return value;
}

__device__ float blockSum(float value) {
  __shared__ float part[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warpSum(value);
  if (lane == 0) part[warp] = value;
  __syncthreads();
  if (warp == 0) value = warpSum(lane < BLOCK / 32 ? part[lane] : 0);
  return value;
}

__global__ void reduce(const float *x, float *partial, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  float sum = blockSum(i < n ? x[i] : 0);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void finish(const float *partial, float *result, int count) {
  float mine = 0;
  for (int i = threadIdx.x; i < count; i += BLOCK) mine += partial[i];
  float sum = blockSum(mine);
  if (threadIdx.x == 0) *result = sum;
}
