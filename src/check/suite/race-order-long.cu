// Pairs of kernels for racecheck: more intervals between barriers, or releases, than there are numbers for (race-state.ts), and parts of a word that threads hand on. NAME_wrong
// races in the line marked "// ! KIND"; NAME_right does the same and does not. How launches and marks are read: suite.test-helper.ts.
#include <cooperative_groups.h>

#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)
#define ROW (blockIdx.x * blockDim.x + threadIdx.x)

// <<<1, 64>>> 64: the numbers run out on the way; what comes behind is seen as before
PAIR(many_barriers_wrong) ARGS {
  __shared__ int tile[64];
  int t = threadIdx.x;
  for (int k = 0; k < 264000; k++) __syncthreads();
  tile[t] = in[t];
  out[t] = tile[63 - t]; // ! read-after-write
}
PAIR(many_barriers_right) ARGS {
  __shared__ int tile[64];
  int t = threadIdx.x;
  for (int k = 0; k < 132000; k++) {
    tile[t] = in[t];
    __syncthreads();
    out[t] = tile[63 - t];
    __syncthreads();
  }
}

// <<<2, 64>>> 128: the numbers run out between two blocks: the second is not accused for what it does alone
PAIR(blocks_apart_wrong) ARGS {
  int t = threadIdx.x;
  for (int k = 0; k < 140000; k++) __syncthreads();
  out[t] = in[t];
  if (t > 0) out[t - 1] = in[t]; // ! write-after-write
}
PAIR(blocks_apart_right) ARGS {
  int t = threadIdx.x;
  for (int k = 0; k < 140000; k++) __syncthreads();
  out[ROW] = in[ROW];
}

// <<<1, 64>>> 64: tiles that meet more often than there are numbers: nobody is accused when they have run out
PAIR(many_meetings_wrong) ARGS {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = in[t];
  out[t] = tile[t ^ 1]; // ! read-after-write
  auto group = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
  group.sync();
}
PAIR(many_meetings_right) ARGS {
  __shared__ int tile[64];
  int t = threadIdx.x;
  auto group = cooperative_groups::tiled_partition<16>(cooperative_groups::this_thread_block());
  for (int k = 0; k < 20000; k++) {
    tile[t] = in[t];
    group.sync();
    if (tile[t ^ 1] == -7) out[t] = k;
    group.sync();
  }
}

// <<<1, 64>>> 64: bytes of a word, each of another thread, handed on under a lock
PAIR(bytes_of_lock_wrong) ARGS {
  __shared__ unsigned char bytes[64];
  __shared__ int lock;
  int t = threadIdx.x;
  bytes[t] = in[t];
  if (t == 0) lock = 0;
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence_block();
      bytes[t / 2] += t; // ! write-after-write
      atomicExch(&lock, 0);
      done = true;
    }
  }
}
PAIR(bytes_of_lock_right) ARGS {
  __shared__ unsigned char bytes[64];
  __shared__ int lock;
  int t = threadIdx.x;
  bytes[t] = in[t];
  if (t == 0) lock = 0;
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence_block();
      bytes[t / 2] += t;
      __threadfence_block();
      atomicExch(&lock, 0);
      done = true;
    }
  }
}

// <<<2, 32>>> 64: halves of a word, each of a block, and the flag that hands one of them on
__device__ volatile int half_ready[2];
__device__ short halves[4];
PAIR(halves_wrong) ARGS {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    halves[0] = in[1];
    half_ready[0] = 1;
  } else {
    while (half_ready[0] == 0) {}
    __threadfence();
    out[0] = halves[0]; // ! read-after-write
    halves[1] = in[2];
  }
}
PAIR(halves_right) ARGS {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    halves[2] = in[1];
    __threadfence();
    half_ready[1] = 1;
  } else {
    halves[3] = in[2];
    while (half_ready[1] == 0) {}
    __threadfence();
    out[0] = halves[2];
  }
}
