// A thread adds PER_THREAD quads of floats, loaded 16 bytes at a time, before it talks to anybody: the exchange between
// threads costs the same for many elements as for one, and a block that has more to do hides the latency of memory
// better.
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
  const float4 *quads = (const float4 *)x;
  int count = n / 4, first = blockIdx.x * BLOCK * PER_THREAD + threadIdx.x;
  float mine = 0;
#pragma unroll
  for (int k = 0; k < PER_THREAD; k++) {
    int i = first + k * BLOCK;
    if (i < count) {
      float4 q = quads[i];
      mine += (q.x + q.y) + (q.z + q.w);
    }
  }
  int rest = count * 4 + threadIdx.x;
  if (blockIdx.x == 0 && rest < n) mine += x[rest];
  float sum = blockSum(mine);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void finish(const float *partial, float *result, int count) {
  float mine = 0;
  for (int i = threadIdx.x; i < count; i += BLOCK) mine += partial[i];
  float sum = blockSum(mine);
  if (threadIdx.x == 0) *result = sum;
}
