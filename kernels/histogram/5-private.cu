// Each thread counts for itself, in bytes: 256 of them in the bank of its lane, so that a count is a load, an addition and a store without conflicts instead of an atomic operation, whose units take
// several cycles for a warp. Two counts are loaded before the first is stored, as it takes long to come back; a second one of the same byte is then told. What a byte cannot hold any more, one time in 256, is added to counters of the block. Addresses of four bytes are made from a word at once.
#define WARPS (BLOCK / 32)
#define QUADS 4
__global__ void zero(unsigned *bins) { bins[threadIdx.x] = 0; }

// A byte of bits 76543210 is counted at 0 0 0 6 5 4 3 2 | 7 l l l l l 1 0, where l is the lane: words of a lane are in one bank. Its upper byte and its lower one, from those of four bytes.
__device__ __forceinline__ unsigned place(unsigned upper, unsigned lower, int k) {
  unsigned at;
  // The two highest bytes are the sign of one that has none.
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(at) : "r"(upper), "r"(lower), "r"(0x8804 + k * 0x1111));
  return at;
}
__device__ __forceinline__ void count4(unsigned char *own, unsigned *block, unsigned lane4, unsigned word) {
  unsigned upper = word >> 2 & 0x1f1f1f1f, lower = (word & 0x83838383) | lane4, at[4], now[4];
#pragma unroll
  for (int k = 0; k < 4; k += 2) {
    at[k] = place(upper, lower, k), at[k + 1] = place(upper, lower, k + 1);
    unsigned first = own[at[k]], second = own[at[k + 1]];
    now[k] = first + 1, now[k + 1] = second + (at[k] == at[k + 1] ? 2 : 1);
    own[at[k]] = now[k], own[at[k + 1]] = now[k + 1];
  }
  if ((now[0] | now[1] | now[2] | now[3]) & 256)
#pragma unroll
    for (int k = 0; k < 4; k++)
      // Of two of the same byte the second has what both are.
      if ((now[k] & 256) && (k % 2 == 1 || at[k] != at[k + 1])) atomicAdd(&block[word >> 8 * k & 255], 256);
}

__global__ void __launch_bounds__(BLOCK) histogram(const unsigned char *x, unsigned *bins, int n) {
  extern __shared__ __align__(16) unsigned char counters[];
  __shared__ unsigned block[256];
  int lane = threadIdx.x % 32, chunks = n / 16, stride = gridDim.x * BLOCK;
  unsigned char *own = counters + threadIdx.x / 32 * 8192;
  unsigned lane4 = lane * 0x04040404;
  for (int i = threadIdx.x; i < WARPS * 512; i += BLOCK) ((uint4 *)counters)[i] = make_uint4(0, 0, 0, 0);
  for (int b = threadIdx.x; b < 256; b += BLOCK) block[b] = 0;
  __syncthreads();
  for (int first = blockIdx.x * BLOCK + threadIdx.x; first < chunks; first += QUADS * stride) {
    uint4 q[QUADS];
#pragma unroll
    for (int k = 0; k < QUADS; k++)
      if (first + k * stride < chunks) q[k] = ((const uint4 *)x)[first + k * stride];
#pragma unroll
    for (int k = 0; k < QUADS; k++)
      if (first + k * stride < chunks) count4(own, block, lane4, q[k].x), count4(own, block, lane4, q[k].y), count4(own, block, lane4, q[k].z), count4(own, block, lane4, q[k].w);
  }
  int rest = chunks * 16 + threadIdx.x;
  if (blockIdx.x == 0 && rest < n) atomicAdd(&block[x[rest]], 1);
  __syncthreads();
  // A lane adds up two rows of its warp's words, each with four bytes, in halves that hold two sums of 32 bytes each.
#pragma unroll
  for (int row = lane; row < 64; row += 32) {
    unsigned even = 0, odd = 0;
    for (int i = 0; i < 32; i++) {
      unsigned word = ((const unsigned *)own)[row * 32 + (lane + i) % 32];
      even += word & 0x00ff00ff, odd += word >> 8 & 0x00ff00ff;
    }
    unsigned *to = block + ((row >> 1) << 2 | (row & 1) << 7);
    atomicAdd(to, even & 0xffff), atomicAdd(to + 1, odd & 0xffff), atomicAdd(to + 2, even >> 16), atomicAdd(to + 3, odd >> 16);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += BLOCK)
    if (block[b] != 0) atomicAdd(&bins[b], block[b]);
}
