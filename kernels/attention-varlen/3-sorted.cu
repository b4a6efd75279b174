// A first kernel lists the tiles that exist, those with the most keys first: the long ones run beside one another, and
// short ones fill the end.
#define TURNS 1
#define QUEUE 1
#define SORTED 1
#include "varlen.cuh"
#define BINS 1024
static_assert(BINS == 1024, "a bin for each thread");

// Tiles by their number of blocks of keys, a counting sort: a bin for each number, the largest first.
template <bool CAUSAL> __device__ __forceinline__ int binOf(int length, int top) {
  return max(0, BINS - 1 - Work::of<CAUSAL>(0, 0, 0, length, top).blocks);
}
// Counts the tiles of each bin; with LISTED, bins say where each bin's tiles go, and the tiles are written there.
template <bool CAUSAL, bool LISTED>
__device__ __forceinline__ void sortTiles(const int *starts, int sequences, int *bins, int *list) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int sequence = warp; sequence < sequences; sequence += BINS / 32) {
    int length = starts[sequence + 1] - starts[sequence];
    for (int row = lane; row * QUERIES < length; row += 32) {
      int at = atomicAdd(&bins[binOf<CAUSAL>(length, row * QUERIES)], 1);
      if (LISTED) list[1 + 2 * at] = sequence, list[2 + 2 * at] = row;
    }
  }
}
template <bool CAUSAL>
__global__ void __launch_bounds__(BINS) listTiles(const int *starts, int *list, int sequences, unsigned *taken) {
  __shared__ int bins[BINS], warps[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  bins[threadIdx.x] = 0;
  __syncthreads();
  sortTiles<CAUSAL, false>(starts, sequences, bins, list);
  __syncthreads();
  int own = bins[threadIdx.x], sum = own;
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(~0u, sum, d);
    if (lane >= d) sum += other;
  }
  if (lane == 31) warps[warp] = sum;
  __syncthreads();
  for (int i = 0; i < warp; i++) sum += warps[i];
  if (threadIdx.x == BINS - 1) list[0] = sum, *taken = 0;
  bins[threadIdx.x] = sum - own;
  __syncthreads();
  sortTiles<CAUSAL, true>(starts, sequences, bins, list);
}
