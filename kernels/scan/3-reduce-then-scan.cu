// Blocks only add in the first launch, and scan in the last one, when they know what comes before them: y is written
// once and never read back, so that three accesses of memory an element are left of four. A thread takes four
// neighbouring elements by one load.
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

__device__ int4 load(const int *x, int i, int n) {
  if (i + 3 < n) return *(const int4 *)(x + i);
  return make_int4(i < n ? x[i] : 0, i + 1 < n ? x[i + 1] : 0, i + 2 < n ? x[i + 2] : 0, 0);
}

__global__ void addBlocks(const int *x, int *totals, int n) {
  int4 v = load(x, 4 * (blockIdx.x * BLOCK + threadIdx.x), n);
  int sum = blockScan(v.x + v.y + v.z + v.w);
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

__global__ void scanBlocks(const int *x, int *y, const int *totals, int n) {
  int i = 4 * (blockIdx.x * BLOCK + threadIdx.x);
  int4 v = load(x, i, n);
  int own = v.x + v.y + v.z + v.w, before = totals[blockIdx.x] + blockScan(own) - own;
  v.x += before, v.y += v.x, v.z += v.y, v.w += v.z;
  if (i + 3 < n) *(int4 *)(y + i) = v;
  else {
    if (i < n) y[i] = v.x;
    if (i + 1 < n) y[i + 1] = v.y;
    if (i + 2 < n) y[i + 2] = v.z;
  }
}
