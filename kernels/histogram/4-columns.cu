// A counter for each byte and lane: lane l counts in column l, which is a bank of its own, so that the 32 atomic
// operations of a warp never meet, neither at an address nor in a bank. Of random bytes three or four of 32 meet
// otherwise. It takes 32 KiB, so blocks are few, stay as long as there are bytes, and add theirs up once, at the end.
__global__ void zero(unsigned *bins) { bins[threadIdx.x] = 0; }

// `column`: where the lane's counters begin; a byte's is 32 words, 2^7 bytes, further on than the one before.
__device__ __forceinline__ void count(unsigned char *column, unsigned byteTimes128) {
  atomicAdd((unsigned *)(column + byteTimes128), 1);
}
__device__ __forceinline__ void count4(unsigned char *column, unsigned word) {
  count(column, word << 7 & 0x7f80);
  count(column, word >> 1 & 0x7f80);
  count(column, word >> 9 & 0x7f80);
  count(column, word >> 17 & 0x7f80);
}

__global__ void __launch_bounds__(BLOCK) histogram(const unsigned char *x, unsigned *bins, int n) {
  __shared__ unsigned own[256 * 32];
  for (int i = threadIdx.x; i < 256 * 32; i += BLOCK) own[i] = 0;
  __syncthreads();
  int lane = threadIdx.x % 32, quads = n / 16, stride = gridDim.x * BLOCK;
  unsigned char *column = (unsigned char *)(own + lane);
#pragma unroll 2
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < quads; i += stride) {
    uint4 q = ((const uint4 *)x)[i];
    count4(column, q.x), count4(column, q.y), count4(column, q.z), count4(column, q.w);
  }
  int rest = quads * 16 + threadIdx.x;
  if (blockIdx.x == 0 && rest < n) count(column, x[rest] * 128u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += BLOCK) {
    unsigned sum = 0;
    for (int i = 0; i < 32; i++) sum += own[b * 32 + (lane + i) % 32];
    if (sum != 0) atomicAdd(&bins[b], sum);
  }
}
