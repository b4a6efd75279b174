// Pairs of kernels for racecheck: lanes of a warp, which do not run in step, and warps that take themselves for the whole block. NAME_wrong races in the
// line marked "// ! KIND"; NAME_right does the same and does not. How launches and marks are read: suite.test-helper.ts.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define LANE (threadIdx.x % 32)
#define WARP (threadIdx.x / 32)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<2, 64>>> 128: a tree, with the values of both halves changed by the same statement
PAIR(tree_wrong) ARGS {
  __shared__ int sum[2][64];
  int* own = sum[WARP];
  own[LANE] = in[ROW];
  own[LANE + 32] = 0;
  __syncwarp();
  for (int s = 16; s > 0; s >>= 1) {
    int other = own[LANE + s];
    own[LANE] += other; // ! write-after-read
    __syncwarp();
  }
  out[ROW] = own[LANE];
}
PAIR(tree_right) ARGS {
  __shared__ int sum[2][64];
  int* own = sum[WARP];
  own[LANE] = in[ROW];
  own[LANE + 32] = 0;
  __syncwarp();
  for (int s = 16; s > 0; s >>= 1) {
    int other = own[LANE + s];
    __syncwarp();
    own[LANE] += other;
    __syncwarp();
  }
  out[ROW] = own[LANE];
}

// <<<1, 64>>> 64: warpReduce of the SDK's reduction: volatile keeps the compiler from keeping values, and no lane from running ahead
PAIR(volatile_wrong) ARGS {
  __shared__ volatile int sum[64];
  int t = threadIdx.x;
  sum[t] = in[t];
  __syncthreads();
  if (t < 32) {
    for (int s = 32; s > 0; s >>= 1) {
      if (t < s) sum[t] += sum[t + s]; // ! read-after-write
    }
  }
  if (t == 0) out[0] = sum[0];
}
PAIR(volatile_right) ARGS {
  __shared__ volatile int sum[64];
  int t = threadIdx.x;
  sum[t] = in[t];
  __syncthreads();
  if (t < 32) {
    for (int s = 32; s > 0; s >>= 1) {
      if (t < s) sum[t] += sum[t + s];
      __syncwarp();
    }
  }
  if (t == 0) out[0] = sum[0];
}

// <<<2, 64>>> 128: what the first lane finds, for the others of its warp
PAIR(lane_broadcast_wrong) ARGS {
  __shared__ int first[2];
  if (LANE == 0) first[WARP] = in[ROW];
  out[ROW] = in[ROW] - first[WARP]; // ! read-after-write
}
PAIR(lane_broadcast_right) ARGS {
  __shared__ int first[2];
  if (LANE == 0) first[WARP] = in[ROW];
  __syncwarp();
  out[ROW] = in[ROW] - first[WARP];
}

// <<<1, 64>>> 64: a vote makes lanes meet, but orders no memory
PAIR(vote_wrong) ARGS {
  __shared__ int found[2];
  unsigned hits = __ballot_sync(0xffffffff, in[threadIdx.x] % 7 == 3);
  if (LANE == 0) found[WARP] = __popc(hits);
  int all = __all_sync(0xffffffff, hits != 0);
  out[threadIdx.x] = found[WARP] + all; // ! read-after-write
}
PAIR(vote_right) ARGS {
  __shared__ int found[2];
  unsigned hits = __ballot_sync(0xffffffff, in[threadIdx.x] % 7 == 3);
  if (LANE == 0) found[WARP] = __popc(hits);
  int all = __all_sync(0xffffffff, hits != 0);
  __syncwarp();
  out[threadIdx.x] = found[WARP] + all;
}

// <<<1, 64>>> 64: one warp writes for another, and only lanes wait
PAIR(producer_wrong) ARGS {
  __shared__ int buffer[32];
  if (WARP == 0) buffer[LANE] = in[LANE];
  __syncwarp();
  if (WARP == 1) out[LANE] = buffer[LANE]; // ! read-after-write
}
PAIR(producer_right) ARGS {
  __shared__ int buffer[32];
  if (WARP == 0) buffer[LANE] = in[LANE];
  __syncthreads();
  if (WARP == 1) out[LANE] = buffer[LANE];
}

// <<<1, 64>>> 64: each warp has a piece of its own, and fills it again
PAIR(refill_wrong) ARGS {
  __shared__ int pieces[2][32];
  int sum = 0;
  for (int k = 0; k < 4; k++) {
    pieces[WARP][LANE] = in[(threadIdx.x + k) % n]; // ! write-after-read
    __syncwarp();
    sum += pieces[WARP][31 - LANE];
  }
  out[threadIdx.x] = sum;
}
PAIR(refill_right) ARGS {
  __shared__ int pieces[2][32];
  int sum = 0;
  for (int k = 0; k < 4; k++) {
    pieces[WARP][LANE] = in[(threadIdx.x + k) % n];
    __syncwarp();
    sum += pieces[WARP][31 - LANE];
    __syncwarp();
  }
  out[threadIdx.x] = sum;
}

// <<<1, 64>>> 64: hits of a warp are queued, then taken out in another order
PAIR(queue_wrong) ARGS {
  __shared__ int queue[2][32];
  int x = in[threadIdx.x];
  unsigned hits = __ballot_sync(0xffffffff, x % 2 == 0);
  if (x % 2 == 0) queue[WARP][__popc(hits & ((1u << LANE) - 1))] = x;
  if (LANE < __popc(hits)) out[threadIdx.x] = queue[WARP][LANE]; // ! read-after-write
}
PAIR(queue_right) ARGS {
  __shared__ int queue[2][32];
  int x = in[threadIdx.x];
  unsigned hits = __ballot_sync(0xffffffff, x % 2 == 0);
  if (x % 2 == 0) queue[WARP][__popc(hits & ((1u << LANE) - 1))] = x;
  __syncwarp();
  if (LANE < __popc(hits)) out[threadIdx.x] = queue[WARP][LANE];
}

// <<<1, 64>>> 64: a flag for each warp: cleared by one lane, set by others
PAIR(warp_flag_wrong) ARGS {
  __shared__ int flags[2];
  if (LANE == 31) flags[WARP] = 0;
  if (in[threadIdx.x] % 10 == 3) flags[WARP] = 1; // ! write-after-write
  __syncwarp();
  out[threadIdx.x] = flags[WARP];
}
PAIR(warp_flag_right) ARGS {
  __shared__ int flags[2];
  if (LANE == 31) flags[WARP] = 0;
  __syncwarp();
  if (in[threadIdx.x] % 10 == 3) flags[WARP] = 1;
  __syncwarp();
  out[threadIdx.x] = flags[WARP];
}

// <<<1, 64>>> 64: a counter for each warp, without atomic operations
PAIR(warp_counter_wrong) ARGS {
  __shared__ int counts[2];
  if (LANE == 0) counts[WARP] = 0;
  __syncwarp();
  if (in[threadIdx.x] % 3 == 0) counts[WARP]++; // ! write-after-write
  __syncwarp();
  out[threadIdx.x] = counts[WARP];
}
PAIR(warp_counter_right) ARGS {
  __shared__ int counts[2];
  if (LANE == 0) counts[WARP] = 0;
  __syncwarp();
  if (in[threadIdx.x] % 3 == 0) atomicAdd(&counts[WARP], 1);
  __syncwarp();
  out[threadIdx.x] = counts[WARP];
}

// <<<1, 64>>> 64: index and remainder mixed up: the place of the warp is that of the lane
PAIR(warp_index_wrong) ARGS {
  __shared__ int sums[32];
  int x = in[threadIdx.x];
  for (int s = 16; s > 0; s >>= 1) x += __shfl_xor_sync(0xffffffff, x, s);
  sums[LANE] = x; // ! write-after-write
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sums[0] + sums[1];
}
PAIR(warp_index_right) ARGS {
  __shared__ int sums[32];
  int x = in[threadIdx.x];
  for (int s = 16; s > 0; s >>= 1) x += __shfl_xor_sync(0xffffffff, x, s);
  if (LANE == 0) sums[WARP] = x;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sums[0] + sums[1];
}

// <<<1, 64>>> 64: a transpose within a warp, in place
PAIR(warp_transpose_wrong) ARGS {
  __shared__ int tile[2][4][8];
  int* own = &tile[WARP][0][0];
  own[LANE] = in[threadIdx.x];
  __syncwarp();
  int x = own[LANE % 4 * 8 + LANE / 4];
  own[LANE] = x; // ! write-after-read
  __syncwarp();
  out[threadIdx.x] = own[LANE];
}
PAIR(warp_transpose_right) ARGS {
  __shared__ int tile[2][4][8];
  int* own = &tile[WARP][0][0];
  own[LANE] = in[threadIdx.x];
  __syncwarp();
  int x = own[LANE % 4 * 8 + LANE / 4];
  __syncwarp();
  own[LANE] = x;
  __syncwarp();
  out[threadIdx.x] = own[LANE];
}

// <<<1, 32>>> 32: groups of eight lanes
PAIR(group_wrong) ARGS {
  __shared__ int tile[32];
  cg::thread_block_tile<8> group = cg::tiled_partition<8>(cg::this_thread_block());
  int first = threadIdx.x / 8 * 8;
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = tile[first + 7 - group.thread_rank()]; // ! read-after-write
}
PAIR(group_right) ARGS {
  __shared__ int tile[32];
  cg::thread_block_tile<8> group = cg::tiled_partition<8>(cg::this_thread_block());
  int first = threadIdx.x / 8 * 8;
  tile[threadIdx.x] = in[threadIdx.x];
  group.sync();
  out[threadIdx.x] = tile[first + 7 - group.thread_rank()];
}

// <<<2, 32>>> 64: memory of the grid, not of the block: one warp for each block is in no more step than others
PAIR(grid_memory_wrong) ARGS {
  out[ROW] = in[ROW] * 3;
  int other = out[ROW ^ 1]; // ! read-after-write
  if (other < 0) out[0] = 1;
}
PAIR(grid_memory_right) ARGS {
  out[ROW] = in[ROW] * 3;
  __syncwarp();
  int other = out[ROW ^ 1];
  if (other < 0) out[0] = 1;
}

// <<<2, 64>>> 128 vectors: lanes of a warp write one place by one statement, as after a sum that all of them know: harmless while they agree
PAIR(every_lane_wrong) ARGS {
  __shared__ int sum[2];
  int value = in[ROW];
  for (int s = 16; s > 1; s >>= 1) value += __shfl_xor_sync(~0u, value, s);
  sum[WARP] = value; // ! write-after-write
  __syncthreads();
  out[ROW] = sum[0] + sum[1];
}
PAIR(every_lane_right) ARGS {
  __shared__ int sum[2];
  int value = in[ROW];
  for (int s = 16; s > 0; s >>= 1) value += __shfl_xor_sync(~0u, value, s);
  sum[WARP] = value;
  __syncthreads();
  out[ROW] = sum[0] + sum[1];
}

// <<<2, 64>>> 128 vectors: the same with halves of a word
PAIR(every_lane_narrow_wrong) ARGS {
  __shared__ short sum[2];
  int value = in[ROW];
  for (int s = 16; s > 0; s >>= 1) value += __shfl_xor_sync(~0u, value, s);
  sum[WARP] = value + LANE; // ! write-after-write
  __syncthreads();
  out[ROW] = sum[0] + sum[1];
}
PAIR(every_lane_narrow_right) ARGS {
  __shared__ short sum[2];
  int value = in[ROW];
  for (int s = 16; s > 0; s >>= 1) value += __shfl_xor_sync(~0u, value, s);
  sum[WARP] = value;
  __syncthreads();
  out[ROW] = sum[0] + sum[1];
}

// <<<2, 64>>> 128 vectors: the same with doubles
PAIR(every_lane_wide_wrong) ARGS {
  __shared__ double sum[2];
  double value = in[ROW];
  for (int s = 16; s > 0; s >>= 1) value += __shfl_xor_sync(~0u, value, s);
  sum[WARP] = value + LANE; // ! write-after-write
  __syncthreads();
  out[ROW] = sum[0] + sum[1];
}
PAIR(every_lane_wide_right) ARGS {
  __shared__ double sum[2];
  double value = in[ROW];
  for (int s = 16; s > 0; s >>= 1) value += __shfl_xor_sync(~0u, value, s);
  sum[WARP] = value;
  __syncthreads();
  out[ROW] = sum[0] + sum[1];
}
