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
template <bool CAUSAL>
__global__ void __launch_bounds__(BINS) listTiles(const int *starts, int *list, int sequences, unsigned *taken) {
  __shared__ int bins[BINS], warps[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  auto forTiles = [&](auto &&use) {
    for (int sequence = warp; sequence < sequences; sequence += BINS / 32) {
      int length = starts[sequence + 1] - starts[sequence];
      for (int row = lane; row * QUERIES < length; row += 32) use(binOf<CAUSAL>(length, row * QUERIES), sequence, row);
    }
  };
  bins[threadIdx.x] = 0;
  __syncthreads();
  forTiles([&](int bin, int, int) { atomicAdd(&bins[bin], 1); });
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
  forTiles([&](int bin, int sequence, int row) {
    int at = atomicAdd(&bins[bin], 1);
    list[1 + 2 * at] = sequence, list[2 + 2 * at] = row;
  });
}
