// Weights in 4 bins in shared memory: the lanes of a warp meet at them. The repaired one has bins for each lane.
// @flawed 432 256 atomics atomicAdd(&bins
// @repaired 432 256
__global__ void flawed(float* out, const float* in, int n) {
  __shared__ int bins[4];
  if (threadIdx.x < 4) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[int(in[i] * 4)], int(in[i] * 1000));
  __syncthreads();
  if (threadIdx.x < 4) atomicAdd((int*)out + threadIdx.x, bins[threadIdx.x]);
}

__global__ void repaired(float* out, const float* in, int n) {
  __shared__ int bins[4][32];
  int lane = threadIdx.x % 32;
  if (threadIdx.x < 128) bins[0][threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[int(in[i] * 4)][lane], int(in[i] * 1000));
  __syncthreads();
  if (threadIdx.x < 128) {
    int sum = bins[threadIdx.x / 32][lane];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step);
    if (lane == 0) ((int*)out)[4 * blockIdx.x + threadIdx.x / 32] = sum;
  }
}
