// Warps scan by shuffles, which need no barrier, and one warp scans the sums of warps: two barriers a block. The sums
// of blocks are scanned by a whole block, which goes over them BLOCK at a time.
__device__ int warpScan(int value) {
  int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    int other = __shfl_up_sync(0xffffffff, value, distance);
    if (lane >= distance) value += other;
  }
  return value;
}

__device__ int blockScan(int value) {
  __shared__ int warps[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  value = warpScan(value);
  if (lane == 31) warps[warp] = value;
  __syncthreads();
  if (warp == 0) warps[lane] = warpScan(lane < BLOCK / 32 ? warps[lane] : 0);
  __syncthreads();
  return value + (warp == 0 ? 0 : warps[warp - 1]);
}

__global__ void scanBlocks(const int *x, int *y, int *totals, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x, sum = blockScan(i < n ? x[i] : 0);
  if (i < n) y[i] = sum;
  if (threadIdx.x == BLOCK - 1) totals[blockIdx.x] = sum;
}

__global__ void scanTotals(int *totals, int count) {
  __shared__ int last;
  int before = 0;
  for (int start = 0; start < count; start += BLOCK) {
    int i = start + threadIdx.x, own = i < count ? totals[i] : 0, sum = blockScan(own);
    if (i < count) totals[i] = before + sum - own;
    if (threadIdx.x == BLOCK - 1) last = sum;
    __syncthreads();
    before += last;
    __syncthreads();
  }
}

__global__ void addTotals(int *y, const int *totals, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] += totals[blockIdx.x];
}
