// Inclusive sums of a block by doubling distances (W. D. Hillis, G. Steele, "Data parallel algorithms", 1986):
// log2(BLOCK) steps with two barriers each. The sums of blocks are scanned by one thread of a second launch, and added
// by a third. Sums are of integers, so that their order does not matter.
__device__ int blockScan(int value) {
  __shared__ int part[BLOCK];
  int t = threadIdx.x;
  part[t] = value;
  __syncthreads();
  for (int distance = 1; distance < BLOCK; distance *= 2) {
    int other = t >= distance ? part[t - distance] : 0;
    __syncthreads();
    part[t] += other;
    __syncthreads();
  }
  return part[t];
}

__global__ void scanBlocks(const int *x, int *y, int *totals, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x, sum = blockScan(i < n ? x[i] : 0);
  if (i < n) y[i] = sum;
  if (threadIdx.x == BLOCK - 1) totals[blockIdx.x] = sum;
}

__global__ void scanTotals(int *totals, int count) {
  int sum = 0;
  for (int i = 0; i < count; i++) {
    int value = totals[i];
    totals[i] = sum;
    sum += value;
  }
}

__global__ void addTotals(int *y, const int *totals, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] += totals[blockIdx.x];
}
