// Sixteen bytes are counted while AHEAD times sixteen are on their way to the thread: where each lane has a column of
// its own a multiprocessor counts 32 bytes in a cycle, and 4-columns only waits for memory, whose latency of a
// microsecond takes 32 KiB under way on each. A counter's address is one shift and one logical operation on a word of
// four bytes.
__global__ void zero(unsigned *bins) { bins[threadIdx.x] = 0; }

// Of a byte that is shifted by seven bits, which is where its counters begin, in bytes: 32 words for each byte, of
// which a lane has one. `lane4` is the lane's: four times its number.
__device__ __forceinline__ void count(unsigned *own, unsigned byteTimes128, unsigned lane4) {
  atomicAdd((unsigned *)((unsigned char *)own + (byteTimes128 & 0x7f80 | lane4)), 1);
}
__device__ __forceinline__ void count16(unsigned *own, uint4 q, unsigned lane4) {
  unsigned words[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
  for (int w = 0; w < 4; w++)
    count(own, words[w] << 7, lane4), count(own, words[w] >> 1, lane4), count(own, words[w] >> 9, lane4),
        count(own, words[w] >> 17, lane4);
}

__global__ void __launch_bounds__(BLOCK) histogram(const unsigned char *x, unsigned *bins, int n) {
  __shared__ unsigned own[256 * 32];
  int lane = threadIdx.x % 32, chunks = n / 16, stride = gridDim.x * BLOCK, i = blockIdx.x * BLOCK + threadIdx.x;
  const uint4 *from = (const uint4 *)x;
  unsigned lane4 = lane * 4;
  uint4 q[AHEAD];
#pragma unroll
  for (int a = 0; a < AHEAD; a++)
    if (i + a * stride < chunks) q[a] = __ldcs(from + i + a * stride);
  for (int k = threadIdx.x; k < 256 * 32; k += BLOCK) own[k] = 0;
  __syncthreads();
  // As long as there is something to load in place of each, nothing has to be tested in between.
  for (; i + (2 * AHEAD - 1) * stride < chunks; i += AHEAD * stride)
#pragma unroll
    for (int a = 0; a < AHEAD; a++) {
      uint4 now = q[a];
      q[a] = __ldcs(from + i + (a + AHEAD) * stride);
      count16(own, now, lane4);
    }
  for (; i < chunks; i += AHEAD * stride)
#pragma unroll
    for (int a = 0; a < AHEAD; a++)
      if (i + a * stride < chunks) {
        uint4 now = q[a];
        if (i + (a + AHEAD) * stride < chunks) q[a] = __ldcs(from + i + (a + AHEAD) * stride);
        count16(own, now, lane4);
      }
  int rest = chunks * 16 + threadIdx.x;
  if (blockIdx.x == 0 && rest < n) count(own, x[rest] << 7, lane4);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += BLOCK) {
    unsigned sum = 0;
    for (int k = 0; k < 32; k++) sum += own[b * 32 + (lane + k) % 32];
    if (sum != 0) atomicAdd(&bins[b], sum);
  }
}
