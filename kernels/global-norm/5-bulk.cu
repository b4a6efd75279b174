// Copies of whole chunks by the accelerator (cp.async.bulk): no register holds what is on its way, so that STAGES
// chunks of each block are. The blocks wait for one another at the end, and the first adds their sums: a second launch
// would begin only when the last block has ended, which takes a tenth of the time.
#include <cooperative_groups.h>
#include "../common/hopper.cuh"
#include "../common/packed.cuh"
#include "../common/sums.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size;

__device__ __forceinline__ void copyChunk(unsigned to, const Element *from, unsigned barrier) {
  arriveAndExpect(barrier, 2 * CHUNK);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               ::"r"(to), "l"(from), "r"(2 * CHUNK), "r"(barrier) : "memory");
}

__global__ void __launch_bounds__(BLOCK) squares(float *norm, float *partial, const Element *x, int n) {
  extern __shared__ __align__(128) Element chunks[];
  __shared__ float part[BLOCK / 32];
  __shared__ __align__(8) unsigned long long barriers[STAGES];
  unsigned full = addressOf(barriers), to = addressOf(chunks);
  int count = n / CHUNK, step = gridDim.x, own = blockIdx.x < count ? (count - 1 - blockIdx.x) / step + 1 : 0;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) initBarrier(full + 8 * s, 1);
    publishBarriers();
    for (int s = 0; s < STAGES && s < own; s++)
      copyChunk(to + 2 * CHUNK * s, x + (size_t)CHUNK * (blockIdx.x + s * step), full + 8 * s);
  }
  __syncthreads();
  float mine = 0;
  for (int i = 0; i < own; i++) {
    int stage = i % STAGES;
    waitFor(full + 8 * stage, i / STAGES & 1);
#pragma unroll
    for (int at = 0; at < CHUNK; at += SIZE * BLOCK) {
      Packed<Element> value = load(chunks + CHUNK * stage + at + SIZE * threadIdx.x);
#pragma unroll
      for (int e = 0; e < SIZE; e++) mine += value[e] * value[e];
    }
    // All have read the chunk: its place takes the next one.
    __syncthreads();
    if (threadIdx.x == 0 && i + STAGES < own)
      copyChunk(to + 2 * CHUNK * stage, x + (size_t)CHUNK * (blockIdx.x + (i + STAGES) * step), full + 8 * stage);
  }
  for (int i = count * CHUNK + blockIdx.x * BLOCK + threadIdx.x; i < n; i += step * BLOCK)
    mine += toFloat(x[i]) * toFloat(x[i]);
  mine = blockSum<BLOCK>(mine, part);
  if (threadIdx.x == 0) partial[blockIdx.x] = mine;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x != 0) return;
  mine = 0;
  for (int i = threadIdx.x; i < step; i += BLOCK) mine += partial[i];
  mine = blockSum<BLOCK>(mine, part);
  if (threadIdx.x == 0) *norm = sqrtf(mine);
}
