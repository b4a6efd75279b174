// Elements that pass a test are appended to a list: one atomic for each, and one for each block.
// @flawed 4096 256 atomics atomicAdd
// @repaired 1024 1024
__global__ void flawed(float* out, const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
  if (x > 0.25f) {
    int at = atomicAdd((int*)out, 1);
    out[1 + at] = x;
  }
}

__global__ void repaired(float* out, const float* in, int n) {
  __shared__ int counts[32], first;
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float x = in[i];
  unsigned passed = __ballot_sync(~0u, x > 0.25f);
  if (lane == 0) counts[warp] = __popc(passed);
  __syncthreads();
  if (warp == 0) {
    int own = counts[lane], sum = own;
    for (int step = 1; step < 32; step *= 2) {
      int other = __shfl_up_sync(~0u, sum, step);
      if (lane >= step) sum += other;
    }
    if (lane == 31) first = atomicAdd((int*)out, sum);
    counts[lane] = sum - own;
  }
  __syncthreads();
  int at = first + counts[warp] + __popc(passed & ((1u << lane) - 1));
  if (x > 0.25f) out[1 + at] = x;
}
