// Vectors go from memory to shared memory and from there to their words by the accelerator (cp.async.bulk,
// cp.reduce.async.bulk; PTX ISA 8.5, 9.7.8.24): one instruction for a vector, and no warp waits behind additions that
// miss the L2 cache. A block goes through the batch with the vectors of one position; AHEAD of them are on their way,
// and STAGES - AHEAD are being added. A word's vector is asked for as soon as its token's gradient is, so that the
// addition finds it in the L2 cache. FIRST_OUT: the gradients (1), and also the words (2), are the first to leave that
// cache. As before, the last bits differ from run to run.
#include "../common/async.cuh"
#include "../common/hopper.cuh"
#define AHEAD (STAGES / 2)

__device__ __forceinline__ void copyVector(unsigned to, const float *from, int bytes, unsigned barrier,
                                           unsigned long long policy) {
  arriveAndExpect(barrier, bytes);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
               "[%0], [%1], %2, [%3], %4;"
               ::"r"(to), "l"(from), "r"(bytes), "r"(barrier), "l"(policy) : "memory");
}
__device__ __forceinline__ void addVector(float *to, unsigned from, int bytes, unsigned long long policy) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.L2::cache_hint.add.f32 [%0], [%1], %2, %3;"
               ::"l"(to), "r"(from), "r"(bytes), "l"(policy) : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ __forceinline__ void prefetchVector(const float *from, int bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}

// A part of at most 4 BLOCK columns of a position, blockIdx.y; columns are a multiple of four.
__device__ __forceinline__ void addAll(float *words, float *positions, const float *dout, const int *tokens, int batch,
                                       int time, int columns) {
  extern __shared__ __align__(128) float4 vectors[];
  __shared__ __align__(8) unsigned long long barriers[STAGES];
  unsigned full = addressOf(barriers), to = addressOf(vectors);
  int t = blockIdx.x, first = blockIdx.y * 4 * BLOCK, bytes = 4 * min(4 * BLOCK, columns - first);
  bool isThere = 16 * threadIdx.x < bytes, leads = threadIdx.x == 0;
  unsigned long long policy = FIRST_OUT > 0 ? evictFirst() : evictNormal();
  unsigned long long wordPolicy = FIRST_OUT > 1 ? evictFirst() : evictNormal();
  auto begin = [&](int b) {
    copyVector(to + b % STAGES * (16 * BLOCK), dout + (size_t)(b * time + t) * columns + first, bytes,
               full + 8 * (b % STAGES), policy);
    prefetchVector(words + (size_t)tokens[b * time + t] * columns + first, bytes);
  };
  if (leads) {
    for (int s = 0; s < STAGES; s++) initBarrier(full + 8 * s, 1);
    publishBarriers();
    for (int b = 0; b < AHEAD && b < batch; b++) begin(b);
  }
  __syncthreads();
  float4 *position = (float4 *)(positions + (size_t)t * columns + first) + threadIdx.x, sum;
  if (isThere) sum = *position;
  for (int b = 0; b < batch; b++) {
    if (leads && b + AHEAD < batch) {
      // The place of the next copy: all have read it STAGES - AHEAD iterations ago, and the accelerator has, too.
      asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(STAGES - AHEAD - 1) : "memory");
      begin(b + AHEAD);
    }
    waitFor(full + 8 * (b % STAGES), b / STAGES & 1);
    if (leads)
      addVector(words + (size_t)tokens[b * time + t] * columns + first, to + b % STAGES * (16 * BLOCK), bytes,
                wordPolicy);
    if (isThere) {
      float4 d = vectors[b % STAGES * BLOCK + threadIdx.x];
      sum.x += d.x, sum.y += d.y, sum.z += d.z, sum.w += d.w;
    }
    // Nobody is more than an iteration behind the one that copies.
    __syncthreads();
  }
  if (isThere) *position = sum;
  // Shared memory belongs to the block until all of it has been read.
  if (leads) asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

__global__ void __launch_bounds__(BLOCK) backward(float *words, float *positions, const float *dout, const int *tokens,
                                                  int batch, int time, int columns) {
  if (columns % 4 == 0) return addAll(words, positions, dout, tokens, batch, time, columns);
  // Vectors that do not begin at multiples of 16 bytes: element by element.
  int first = blockIdx.y * 4 * BLOCK;
  for (int c = first + threadIdx.x; c < min(first + 4 * BLOCK, columns); c += BLOCK) {
    float sum = 0;
    for (int b = 0; b < batch; b++) {
      size_t i = (size_t)b * time + blockIdx.x;
      float d = dout[i * columns + c];
      atomicAdd(&words[(size_t)tokens[i] * columns + c], d);
      sum += d;
    }
    positions[(size_t)blockIdx.x * columns + c] += sum;
  }
}
