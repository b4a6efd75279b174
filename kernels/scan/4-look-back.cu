// One pass (D. Merrill, M. Garland, "Single-pass parallel prefix scan with decoupled look-back", 2016). A block scans
// its part in registers and publishes the sum of the part. Then it adds the published sums of the blocks before it,
// back to the first block that has published its whole prefix. x is read once, y is written once.
#define WARPS (BLOCK / 32)
// A state is one word of 64 bits, so that a status and its value arrive together: 0 for nothing yet, else the value
// with one of these above it.
#define SUM (1ull << 32)
#define PREFIX (2ull << 32)

__global__ void clear(unsigned long long *states, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) states[i] = 0;
}

__device__ int warpScan(int value) {
  int lane = threadIdx.x % 32;
  for (int distance = 1; distance < 32; distance *= 2) {
    int other = __shfl_up_sync(0xffffffff, value, distance);
    if (lane >= distance) value += other;
  }
  return value;
}

// What comes before a part, by the 32 lanes of a warp, which look at 32 parts at a time.
__device__ int lookBack(volatile unsigned long long *states, int part) {
  int lane = threadIdx.x % 32, before = 0;
  for (int first = part - 1;; first -= 32) {
    int at = first - lane;
    unsigned long long state;
    do state = at < 0 ? PREFIX : states[at];
    while (__any_sync(0xffffffff, state == 0));
    unsigned known = __ballot_sync(0xffffffff, state >= PREFIX);
    int nearest = known == 0 ? 31 : __ffs(known) - 1, value = lane <= nearest ? (int)(unsigned)state : 0;
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
    before += value;
    if (known != 0) return before;
  }
}

__global__ void __launch_bounds__(BLOCK) scan(const int *x, int *y, unsigned long long *states, int n) {
  __shared__ int warps[32], parts;
  // Blocks take parts in the order in which they begin, so the block that another waits for is running.
  if (threadIdx.x == 0) parts = atomicAdd((unsigned *)states, 1);
  __syncthreads();
  int part = parts, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  states++;
  // A warp's elements are neighbours, QUADS times four from each lane.
  int first = ((part * WARPS + warp) * QUADS * 32 + lane) * 4, sum = 0;
  int4 v[QUADS];
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    int i = first + q * 128;
    v[q] = i + 3 < n ? *(const int4 *)(x + i)
        : make_int4(i < n ? x[i] : 0, i + 1 < n ? x[i + 1] : 0, i + 2 < n ? x[i + 2] : 0, 0);
  }
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    v[q].y += v[q].x, v[q].z += v[q].y, v[q].w += v[q].z;
    int upTo = warpScan(v[q].w), before = sum + upTo - v[q].w;
    v[q].x += before, v[q].y += before, v[q].z += before, v[q].w += before;
    sum += __shfl_sync(0xffffffff, upTo, 31);
  }
  if (lane == 0) warps[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    int own = lane < WARPS ? warps[lane] : 0, upTo = warpScan(own), all = __shfl_sync(0xffffffff, upTo, 31);
    volatile unsigned long long *published = states;
    if (lane == 0) published[part] = (part == 0 ? PREFIX : SUM) | (unsigned)all;
    int before = part == 0 ? 0 : lookBack(published, part);
    if (lane == 0 && part > 0) published[part] = PREFIX | (unsigned)(before + all);
    warps[lane] = before + upTo - own;
  }
  __syncthreads();
  int before = warps[warp];
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    int i = first + q * 128;
    v[q].x += before, v[q].y += before, v[q].z += before, v[q].w += before;
    if (i + 3 < n) *(int4 *)(y + i) = v[q];
    else {
      if (i < n) y[i] = v[q].x;
      if (i + 1 < n) y[i + 1] = v[q].y;
      if (i + 2 < n) y[i + 2] = v[q].z;
    }
  }
}
