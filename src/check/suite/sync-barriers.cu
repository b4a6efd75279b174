// Pairs of kernels for synccheck: barriers of the block. Launches and marks as in memory.cu.

#include <cooperative_groups.h>

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<2, 64>>> 100: threads without work return in front of a barrier
PAIR(early_return_wrong) ARGS {
  __shared__ int tile[64];
  int i = ROW;
  if (i >= n) return;
  tile[threadIdx.x] = in[i];
  __syncthreads(); // ! divergent-barrier
  out[i] = tile[threadIdx.x ^ 1];
}
PAIR(early_return_right) ARGS {
  __shared__ int tile[64];
  int i = ROW;
  tile[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = tile[threadIdx.x ^ 1];
}

// <<<1, 64>>> 64: a barrier inside of a condition on the thread
PAIR(conditional_wrong) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 48) {
    tile[threadIdx.x] += 1;
    __syncthreads(); // ! divergent-barrier
    out[threadIdx.x] = tile[47 - threadIdx.x];
  }
}
PAIR(conditional_right) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 48) tile[threadIdx.x] += 1;
  __syncthreads();
  if (threadIdx.x < 48) out[threadIdx.x] = tile[47 - threadIdx.x];
}

// <<<1, 64>>> 64: the barrier of a cluster, of one block here, inside of a condition on the thread
PAIR(cluster_wrong) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 48) {
    cooperative_groups::this_cluster().sync(); // ! divergent-barrier
    out[threadIdx.x] = tile[47 - threadIdx.x];
  }
}
PAIR(cluster_right) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  cooperative_groups::this_cluster().sync();
  if (threadIdx.x < 48) out[threadIdx.x] = tile[47 - threadIdx.x];
}

// <<<1, 64>>> 64: whole warps take different sides, each with a barrier of its own
PAIR(two_sides_wrong) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 32) {
    tile[threadIdx.x] += 1;
    __syncthreads(); // ! divergent-barrier
    out[threadIdx.x] = tile[threadIdx.x + 32];
  } else {
    tile[threadIdx.x] *= 2;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x - 32] + 3;
  }
}
PAIR(two_sides_right) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  if (threadIdx.x < 32) tile[threadIdx.x] += 1;
  else tile[threadIdx.x] *= 2;
  __syncthreads();
  if (threadIdx.x < 32) out[threadIdx.x] = tile[threadIdx.x + 32];
  else out[threadIdx.x] = tile[threadIdx.x - 32] + 3;
}

// <<<1, 64>>> 64: odd and even threads of a warp at different barriers
PAIR(odd_even_wrong) ARGS {
  __shared__ int tile[64];
  if (threadIdx.x & 1) {
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads(); // ! divergent-barrier
    out[threadIdx.x] = tile[threadIdx.x - 1];
  } else {
    tile[threadIdx.x] = -in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = 7 * tile[threadIdx.x + 1];
  }
}
PAIR(odd_even_right) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x & 1 ? in[threadIdx.x] : -in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = threadIdx.x & 1 ? tile[threadIdx.x - 1] : 7 * tile[threadIdx.x + 1];
}

// <<<1, 64>>> 64: a loop with a barrier that threads run differently often
PAIR(uneven_loop_wrong) ARGS {
  __shared__ int sum[64];
  sum[threadIdx.x] = 0;
  for (int i = threadIdx.x; i < 96; i += 64) {
    sum[threadIdx.x] += in[i & 63];
    __syncthreads(); // ! divergent-barrier
  }
  out[threadIdx.x] = sum[threadIdx.x];
}
PAIR(uneven_loop_right) ARGS {
  __shared__ int sum[64];
  sum[threadIdx.x] = 0;
  for (int first = 0; first < 96; first += 64) {
    int i = first + threadIdx.x;
    if (i < 96) sum[threadIdx.x] += in[i & 63];
    __syncthreads();
  }
  out[threadIdx.x] = sum[threadIdx.x];
}

// <<<1, 64>>> 64: how often a loop runs is read, and differs
PAIR(data_loop_wrong) ARGS {
  __shared__ int token;
  int rounds = in[threadIdx.x] < 60 ? 3 : 2;
  for (int k = 0; k < rounds; k++) {
    if (threadIdx.x == k) token = k;
    __syncthreads(); // ! divergent-barrier
  }
  out[threadIdx.x] = rounds;
}
PAIR(data_loop_right) ARGS {
  __shared__ int token;
  int rounds = in[threadIdx.x] < 60 ? 3 : 2;
  for (int k = 0; k < 3; k++) {
    if (k < rounds && threadIdx.x == k) token = k;
    __syncthreads();
  }
  out[threadIdx.x] = rounds;
}

// <<<1, 64>>> 64: a tree whose barrier stands inside of the guard
PAIR(reduction_wrong) ARGS {
  __shared__ int part[64];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      part[threadIdx.x] += part[threadIdx.x + half];
      __syncthreads(); // ! divergent-barrier
    }
  }
  if (threadIdx.x == 0) out[0] = part[0];
}
PAIR(reduction_right) ARGS {
  __shared__ int part[64];
  part[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = part[0];
}

// <<<1, 64>>> 64: threads that have found what they look for leave a loop with a barrier
PAIR(search_wrong) ARGS {
  __shared__ int window[64];
  for (int k = 0; k < 4; k++) {
    window[threadIdx.x] = in[(threadIdx.x + k) & 63];
    __syncthreads(); // ! divergent-barrier
    if (window[threadIdx.x] == 2) break;
    out[threadIdx.x] += window[threadIdx.x];
  }
}
PAIR(search_right) ARGS {
  __shared__ int window[64];
  bool found = false;
  for (int k = 0; k < 4; k++) {
    window[threadIdx.x] = in[(threadIdx.x + k) & 63];
    __syncthreads();
    found = found || window[threadIdx.x] == 2;
    if (!found) out[threadIdx.x] += window[63 - threadIdx.x];
    __syncthreads();
  }
}

// <<<1, dim3(8, 8)>>> 64: a border of a tile is loaded, with a barrier, by its own threads
PAIR(halo_wrong) ARGS {
  __shared__ int tile[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  if (x > 0 && x < 7 && y > 0 && y < 7) {
    tile[y][x] = in[y * 8 + x];
    __syncthreads(); // ! divergent-barrier
    out[y * 8 + x] = tile[x][y];
  }
}
PAIR(halo_right) ARGS {
  __shared__ int tile[8][8];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[y * 8 + x];
  __syncthreads();
  if (x > 0 && x < 7 && y > 0 && y < 7) out[y * 8 + x] = tile[x][y];
}

__device__ __noinline__ void exchange(int* tile, const int* in) {
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads(); // ! divergent-barrier in call_wrong
}

// <<<1, 64>>> 64: a function with a barrier, called by a part of the block
PAIR(call_wrong) ARGS {
  __shared__ int tile[64];
  if (threadIdx.x >= 16) exchange(tile, in);
  out[threadIdx.x] = threadIdx.x;
}
PAIR(call_right) ARGS {
  __shared__ int tile[64];
  exchange(tile, in);
  if (threadIdx.x >= 16) out[threadIdx.x] = tile[threadIdx.x - 16];
}

// <<<1, 64>>> 64: a barrier with a count, reached by some
PAIR(count_wrong) ARGS {
  int value = in[threadIdx.x];
  if (value % 3 != 0) out[threadIdx.x] = __syncthreads_count(value > 5); // ! divergent-barrier
}
PAIR(count_right) ARGS {
  int value = in[threadIdx.x];
  int larger = __syncthreads_count(value > 5);
  if (value % 3 != 0) out[threadIdx.x] = larger;
}

// <<<1, 64>>> 64: block.sync() of cooperative groups, by a part of the block
PAIR(group_wrong) ARGS {
  auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() % 8 != 0) {
    block.sync(); // ! divergent-barrier
    out[threadIdx.x] = 1;
  }
}
PAIR(group_right) ARGS {
  auto block = cooperative_groups::this_thread_block();
  block.sync();
  if (block.thread_rank() % 8 != 0) out[threadIdx.x] = 1;
}

// <<<1, 96>>> 96: two warps meet at a barrier of their own that counts three
PAIR(counted_wrong) ARGS {
  if (threadIdx.x < 64) asm volatile("bar.sync 1, 96;" ::: "memory"); // ! deadlock
  out[threadIdx.x] = in[threadIdx.x];
}
PAIR(counted_right) ARGS {
  if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  out[threadIdx.x] = in[threadIdx.x];
}

// <<<1, 64>>> 64: a barrier for a number of threads that is no number of warps
PAIR(odd_count_wrong) ARGS {
  asm volatile("bar.sync 1, %0;" ::"r"(n - 4) : "memory"); // ! bad-barrier
  out[threadIdx.x] = in[threadIdx.x];
}
PAIR(odd_count_right) ARGS {
  asm volatile("bar.sync 1, %0;" ::"r"(n) : "memory");
  out[threadIdx.x] = in[threadIdx.x];
}

// <<<1, 64>>> 64: a value from memory decides over a barrier, and is the same for all
PAIR(flag_wrong) ARGS {
  __shared__ int flags[64];
  flags[threadIdx.x] = in[threadIdx.x] > 40;
  __syncthreads();
  if (flags[threadIdx.x]) __syncthreads(); // ! divergent-barrier
  out[threadIdx.x] = flags[63 - threadIdx.x];
}
PAIR(flag_right) ARGS {
  __shared__ int flags[64];
  flags[threadIdx.x] = in[threadIdx.x] > 40;
  __syncthreads();
  if (flags[63]) __syncthreads();
  out[threadIdx.x] = flags[63 - threadIdx.x];
}

// <<<4, 32>>> 128 cooperative: the last block leaves in front of the grid's barrier
PAIR(grid_wrong) ARGS {
  auto grid = cooperative_groups::this_grid();
  if (blockIdx.x == 3) return;
  out[ROW] = in[ROW];
  grid.sync(); // ! divergent-grid-sync
  out[ROW] += 1;
}
PAIR(grid_right) ARGS {
  auto grid = cooperative_groups::this_grid();
  if (blockIdx.x != 3) out[ROW] = in[ROW];
  grid.sync();
  if (blockIdx.x != 3) out[ROW] += 1;
}

// <<<1, 128>>> 128: the last warp has nothing to do, and does not come
PAIR(idle_warp_wrong) ARGS {
  __shared__ int tile[96];
  if (threadIdx.x / 32 == 3) return;
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads(); // ! divergent-barrier
  out[threadIdx.x] = tile[95 - threadIdx.x];
}
PAIR(idle_warp_right) ARGS {
  __shared__ int tile[96];
  if (threadIdx.x < 96) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < 96) out[threadIdx.x] = tile[95 - threadIdx.x];
}

// <<<1, 96>>> 96: a barrier that the first thread alone leaves out
PAIR(leader_wrong) ARGS {
  __shared__ int total;
  if (threadIdx.x == 0) {
    total = n;
  } else {
    __syncthreads(); // ! divergent-barrier
    out[threadIdx.x] = total;
  }
}
PAIR(leader_right) ARGS {
  __shared__ int total;
  if (threadIdx.x == 0) total = n;
  __syncthreads();
  if (threadIdx.x != 0) out[threadIdx.x] = total;
}

// <<<1, 64>>> 64: one case of a switch has no barrier
PAIR(switch_wrong) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  switch (in[threadIdx.x] % 4) {
    case 3: break;
    default:
      __syncthreads(); // ! divergent-barrier
      out[threadIdx.x] = tile[63 - threadIdx.x];
  }
}
PAIR(switch_right) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  switch (in[threadIdx.x] % 4) {
    case 3: break;
    default: out[threadIdx.x] = tile[63 - threadIdx.x];
  }
}

// <<<2, 64>>> 300: a grid-stride loop with a barrier, left by the threads of the last round
PAIR(grid_stride_wrong) ARGS {
  __shared__ int tile[64];
  for (int i = ROW; i < n; i += gridDim.x * blockDim.x) {
    tile[threadIdx.x] = in[i];
    __syncthreads(); // ! divergent-barrier
    out[i] = tile[threadIdx.x];
  }
}
PAIR(grid_stride_right) ARGS {
  __shared__ int tile[64];
  for (int first = 0; first < n; first += gridDim.x * blockDim.x) {
    int i = first + ROW;
    if (i < n) tile[threadIdx.x] = in[i];
    __syncthreads();
    if (i < n) out[i] = tile[threadIdx.x];
  }
}

// <<<1, 64>>> 64: a vote of the block in one side of a branch, a plain barrier in the other
PAIR(vote_and_barrier_wrong) ARGS {
  int value = in[threadIdx.x], any = 0;
  if (value < 32) any = __syncthreads_or(value == 5); // ! divergent-barrier
  else {
    out[threadIdx.x] = 1;
    __syncthreads();
    any = 2;
  }
  out[threadIdx.x] += any;
}
PAIR(vote_and_barrier_right) ARGS {
  int value = in[threadIdx.x];
  if (value >= 32) out[threadIdx.x] = 1;
  int any = __syncthreads_or(value == 5);
  out[threadIdx.x] += value < 32 ? any : 2;
}

// <<<1, dim3(16, 4)>>> 64: a condition on the row of a two-dimensional block
PAIR(row_wrong) ARGS {
  __shared__ int tile[64];
  int at = threadIdx.y * 16 + threadIdx.x;
  tile[at] = in[at];
  if (threadIdx.y != 2) {
    __syncthreads(); // ! divergent-barrier
    out[at] = tile[63 - at];
  }
}
PAIR(row_right) ARGS {
  __shared__ int tile[64];
  int at = threadIdx.y * 16 + threadIdx.x;
  tile[at] = in[at];
  __syncthreads();
  if (threadIdx.y != 2) out[at] = tile[63 - at];
}

// <<<1, 64>>> 64: a barrier skipped by continue
PAIR(continue_wrong) ARGS {
  __shared__ int tile[64];
  for (int k = 0; k < 3; k++) {
    if (in[threadIdx.x] % 5 == k) continue;
    tile[threadIdx.x] = k;
    __syncthreads(); // ! divergent-barrier
  }
  out[threadIdx.x] = tile[threadIdx.x];
}
PAIR(continue_right) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = 0;
  for (int k = 0; k < 3; k++) {
    if (in[threadIdx.x] % 5 != k) tile[threadIdx.x] = k;
    __syncthreads();
  }
  out[threadIdx.x] = tile[threadIdx.x];
}

// <<<1, 64>>> 64: producers and consumers count differently
PAIR(producers_wrong) ARGS {
  __shared__ int ready;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) ready = in[5];
    asm volatile("bar.arrive 3, 96;" ::: "memory");
  } else {
    asm volatile("bar.sync 3, 96;" ::: "memory"); // ! deadlock
    out[threadIdx.x] = ready;
  }
}
PAIR(producers_right) ARGS {
  __shared__ int ready;
  if (threadIdx.x < 32) {
    if (threadIdx.x == 0) ready = in[5];
    asm volatile("bar.arrive 3, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 3, 64;" ::: "memory");
    out[threadIdx.x] = ready;
  }
}

// <<<1, 64>>> 64: a barrier that no block has
PAIR(number_wrong) ARGS {
  asm volatile("bar.sync %0, 64;" ::"r"(in[20]) : "memory"); // ! bad-barrier
  out[threadIdx.x] = 1;
}
PAIR(number_right) ARGS {
  asm volatile("bar.sync %0, 64;" ::"r"(in[2]) : "memory");
  out[threadIdx.x] = 1;
}

// <<<2, 32>>> 64: grid.sync() in a launch that is not cooperative
PAIR(grid_launch_wrong) ARGS {
  out[ROW] = in[ROW];
  cooperative_groups::this_grid().sync(); // ! not-cooperative
}
PAIR(grid_launch_right) ARGS {
  out[ROW] = in[ROW];
  cooperative_groups::this_thread_block().sync();
}

// <<<2, 64>>> 128 cooperative: a part of each block at the grid's barrier
PAIR(grid_threads_wrong) ARGS {
  auto grid = cooperative_groups::this_grid();
  if (threadIdx.x < 32) {
    out[ROW] = in[ROW];
    grid.sync(); // ! divergent-grid-sync
    out[ROW] += 1;
  }
}
PAIR(grid_threads_right) ARGS {
  auto grid = cooperative_groups::this_grid();
  if (threadIdx.x < 32) out[ROW] = in[ROW];
  grid.sync();
  if (threadIdx.x < 32) out[ROW] += 1;
}

// <<<2, 32>>> 64: grid.sync() in a function, in a launch that is not cooperative
__device__ __noinline__ void waitForGrid() {
  cooperative_groups::this_grid().sync(); // ! not-cooperative in grid_function_wrong
}
PAIR(grid_function_wrong) ARGS {
  out[ROW] = in[ROW];
  waitForGrid();
}
PAIR(grid_function_right) ARGS {
  out[ROW] = in[ROW];
  if (n > 64) waitForGrid();
}
