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
    out[threadIdx.x] += window[63 - threadIdx.x];
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
