// Pairs of kernels for racecheck: what orders blocks of a launch. Counters of blocks that are done, flags, locks, with fences or with cuda::atomic, and the
// barrier of the grid. NAME_wrong races in the line marked "// ! KIND"; NAME_right does the same and does not. How launches and marks are read:
// suite.test-helper.ts.
#include <cooperative_groups.h>
#include <cuda/atomic>

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

template <int PLACE> __device__ unsigned counter_of = 0;
template <int PLACE> __device__ int word_of = 0;

// <<<8, 64>>> 512: the last block sums what each block has stored (CUDA C++ Programming Guide, "Memory Fence Functions"): no fence behind the store
PAIR(last_block_wrong) ARGS {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    out[blockIdx.x] = in[ROW];
    last = atomicInc(&counter_of<0>, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += out[b]; // ! read-after-write
    out[gridDim.x] = sum;
  }
}
PAIR(last_block_right) ARGS {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    out[blockIdx.x] = in[ROW];
    __threadfence();
    last = atomicInc(&counter_of<1>, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += out[b];
    out[gridDim.x] = sum;
  }
}

// <<<8, 64>>> 512: all threads store, one takes the ticket: the others may not have stored yet
PAIR(ticket_without_barrier_wrong) ARGS {
  __shared__ bool last;
  out[ROW] = in[ROW] + 1;
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(&counter_of<2>, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last) {
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += 64) sum += out[i ^ 1]; // ! read-after-write
    if (sum == -7) counter_of<2> = 0;
  }
}
PAIR(ticket_without_barrier_right) ARGS {
  __shared__ bool last;
  out[ROW] = in[ROW] + 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(&counter_of<3>, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last) {
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += 64) sum += out[i ^ 1];
    if (sum == -7) counter_of<3> = 0;
  }
}

// <<<8, 64>>> 512: each thread has its own fence, and the barrier hands them to the thread that takes the ticket; without the fences nothing is handed on
PAIR(fence_of_each_wrong) ARGS {
  __shared__ bool last;
  out[ROW] = in[ROW] + 1;
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&counter_of<4>, 1) % gridDim.x == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  if (last) {
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += 64) sum += out[i]; // ! read-after-write
    if (sum == -7) counter_of<4> = 0;
  }
}
PAIR(fence_of_each_right) ARGS {
  __shared__ bool last;
  out[ROW] = in[ROW] + 1;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&counter_of<5>, 1) % gridDim.x == gridDim.x - 1;
  __syncthreads();
  if (last) {
    int sum = 0;
    for (int i = threadIdx.x; i < n; i += 64) sum += out[i];
    if (sum == -7) counter_of<5> = 0;
  }
}

// <<<8, 64>>> 512: the fence stands before the last store
PAIR(fence_too_early_wrong) ARGS {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    out[blockIdx.x] = in[ROW];
    __threadfence();
    out[64 + blockIdx.x] = in[ROW + 1];
    last = atomicAdd(&counter_of<6>, 1) % gridDim.x == gridDim.x - 1;
    __threadfence();
    if (last) {
      int sum = 0;
      for (int b = 0; b < gridDim.x; b++) sum += out[b];
      for (int b = 0; b < gridDim.x; b++) sum += out[64 + b]; // ! read-after-write
      out[128] = sum;
    }
  }
}
PAIR(fence_too_early_right) ARGS {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    out[blockIdx.x] = in[ROW];
    out[64 + blockIdx.x] = in[ROW + 1];
    __threadfence();
    last = atomicAdd(&counter_of<7>, 1) % gridDim.x == gridDim.x - 1;
    __threadfence();
    if (last) {
      int sum = 0;
      for (int b = 0; b < gridDim.x; b++) sum += out[b];
      for (int b = 0; b < gridDim.x; b++) sum += out[64 + b];
      out[128] = sum;
    }
  }
}

// <<<8, 32>>> 256: the last block reads without having acquired
PAIR(read_before_acquire_wrong) ARGS {
  if (threadIdx.x != 0) return;
  out[blockIdx.x] = in[ROW];
  __threadfence();
  if (atomicAdd(&counter_of<8>, 1) % gridDim.x != gridDim.x - 1) return;
  int first = out[0]; // ! read-after-write
  __threadfence();
  for (int b = 1; b < gridDim.x; b++) first += out[b];
  out[64] = first;
}
PAIR(read_before_acquire_right) ARGS {
  if (threadIdx.x != 0) return;
  out[blockIdx.x] = in[ROW];
  __threadfence();
  if (atomicAdd(&counter_of<9>, 1) % gridDim.x != gridDim.x - 1) return;
  __threadfence();
  int first = out[0];
  for (int b = 1; b < gridDim.x; b++) first += out[b];
  out[64] = first;
}

// <<<8, 32>>> 256: the fence is of block scope
PAIR(fence_of_block_wrong) ARGS {
  if (threadIdx.x != 0) return;
  out[blockIdx.x] = in[ROW];
  __threadfence_block();
  if (atomicAdd(&counter_of<10>, 1) % gridDim.x != gridDim.x - 1) return;
  __threadfence();
  int sum = 0;
  for (int b = 0; b < gridDim.x; b++) sum += out[b]; // ! insufficient-scope
  out[64] = sum;
}
PAIR(fence_of_block_right) ARGS {
  if (threadIdx.x != 0) return;
  out[blockIdx.x] = in[ROW];
  __threadfence();
  if (atomicAdd(&counter_of<11>, 1) % gridDim.x != gridDim.x - 1) return;
  __threadfence();
  int sum = 0;
  for (int b = 0; b < gridDim.x; b++) sum += out[b];
  out[64] = sum;
}

// <<<8, 32>>> 256: the fence on the reader's side is of block scope
PAIR(acquire_of_block_wrong) ARGS {
  if (threadIdx.x != 0) return;
  out[blockIdx.x] = in[ROW];
  __threadfence();
  if (atomicAdd(&counter_of<12>, 1) % gridDim.x != gridDim.x - 1) return;
  __threadfence_block();
  int sum = 0;
  for (int b = 0; b < gridDim.x; b++) sum += out[b]; // ! insufficient-scope
  out[64] = sum;
}
PAIR(acquire_of_block_right) ARGS {
  if (threadIdx.x != 0) return;
  out[blockIdx.x] = in[ROW];
  __threadfence();
  if (atomicAdd(&counter_of<13>, 1) % gridDim.x != gridDim.x - 1) return;
  __threadfence_system();
  int sum = 0;
  for (int b = 0; b < gridDim.x; b++) sum += out[b];
  out[64] = sum;
}

// <<<2, 32>>> 64: one block hands a value to the next: the writer has no fence
PAIR(flag_without_release_wrong) ARGS {
  if (threadIdx.x != 0) return;
  volatile int* flag = &word_of<0>;
  if (blockIdx.x == 0) {
    out[0] = in[5];
    *flag = 1;
  } else {
    while (*flag == 0) {}
    __threadfence();
    out[1] = out[0] + 1; // ! read-after-write
  }
}
PAIR(flag_without_release_right) ARGS {
  if (threadIdx.x != 0) return;
  volatile int* flag = &word_of<1>;
  if (blockIdx.x == 0) {
    out[0] = in[5];
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {}
    __threadfence();
    out[1] = out[0] + 1;
  }
}

// <<<2, 32>>> 64: the reader has no fence
PAIR(flag_without_acquire_wrong) ARGS {
  if (threadIdx.x != 0) return;
  volatile int* flag = &word_of<2>;
  if (blockIdx.x == 0) {
    out[0] = in[5];
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {}
    out[1] = out[0] + 1; // ! read-after-write
  }
}
PAIR(flag_without_acquire_right) ARGS {
  if (threadIdx.x != 0) return;
  volatile int* flag = &word_of<3>;
  if (blockIdx.x == 0) {
    out[0] = in[5];
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {}
    __threadfence();
    out[1] = out[0] + 1;
  }
}

// <<<2, 64>>> 128: thread 0 waits for the flag, the others go by
PAIR(others_do_not_wait_wrong) ARGS {
  volatile int* flag = &word_of<4>;
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    out[t] = in[t];
    __syncthreads();
    if (t == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (t == 0) {
      while (*flag == 0) {}
      __threadfence();
    }
    out[64 + t] = out[t ^ 1]; // ! read-after-write
  }
}
PAIR(others_do_not_wait_right) ARGS {
  volatile int* flag = &word_of<5>;
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    out[t] = in[t];
    __syncthreads();
    if (t == 0) {
      __threadfence();
      *flag = 1;
    }
  } else {
    if (t == 0) {
      while (*flag == 0) {}
      __threadfence();
    }
    __syncthreads();
    out[64 + t] = out[t ^ 1];
  }
}

// <<<4, 32>>> 128: blocks hand a sum on from one to the next, and store it too late
PAIR(chain_wrong) ARGS {
  if (threadIdx.x != 0) return;
  volatile int* turn = &word_of<6>;
  int b = blockIdx.x;
  while (*turn != b) {}
  __threadfence();
  int before = b == 0 ? 0 : out[b - 1];
  __threadfence();
  *turn = b + 1;
  out[b] = before + in[b]; // ! write-after-read
}
PAIR(chain_right) ARGS {
  if (threadIdx.x != 0) return;
  volatile int* turn = &word_of<7>;
  int b = blockIdx.x;
  while (*turn != b) {}
  __threadfence();
  int before = b == 0 ? 0 : out[b - 1];
  out[b] = before + in[b];
  __threadfence();
  *turn = b + 1;
}

// <<<8, 32>>> 256: a lock, and an update outside of it
PAIR(outside_of_lock_wrong) ARGS {
  if (threadIdx.x != 0) return;
  int* lock = &word_of<8>;
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  out[0] += in[ROW];
  __threadfence();
  atomicExch(lock, 0);
  out[1] += in[ROW]; // ! write-after-write
}
PAIR(outside_of_lock_right) ARGS {
  if (threadIdx.x != 0) return;
  int* lock = &word_of<9>;
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  out[0] += in[ROW];
  out[1] += in[ROW];
  __threadfence();
  atomicExch(lock, 0);
}

// <<<8, 32>>> 256: blocks take different locks for the same word
PAIR(wrong_lock_wrong) ARGS {
  if (threadIdx.x != 0) return;
  int* lock = blockIdx.x % 2 == 0 ? &word_of<10> : &word_of<11>;
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  out[0] += in[ROW]; // ! write-after-write
  __threadfence();
  atomicExch(lock, 0);
}
PAIR(wrong_lock_right) ARGS {
  if (threadIdx.x != 0) return;
  int* lock = blockIdx.x % 2 == 0 ? &word_of<12> : &word_of<13>;
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  out[blockIdx.x % 2] += in[ROW];
  __threadfence();
  atomicExch(lock, 0);
}

// <<<8, 32>>> 256: the lock is given back without a fence
PAIR(unlock_without_fence_wrong) ARGS {
  if (threadIdx.x != 0) return;
  int* lock = &word_of<14>;
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  out[0] += in[ROW]; // ! write-after-write
  atomicExch(lock, 0);
}
PAIR(unlock_without_fence_right) ARGS {
  if (threadIdx.x != 0) return;
  int* lock = &word_of<15>;
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  out[0] += in[ROW];
  __threadfence();
  atomicExch(lock, 0);
}

// <<<8, 32>>> 256: the lock is taken without a fence
PAIR(lock_without_fence_wrong) ARGS {
  if (threadIdx.x != 0) return;
  int* lock = &word_of<16>;
  while (atomicCAS(lock, 0, 1) != 0) {}
  out[0] += in[ROW]; // ! write-after-write
  __threadfence();
  atomicExch(lock, 0);
}
PAIR(lock_without_fence_right) ARGS {
  if (threadIdx.x != 0) return;
  int* lock = &word_of<17>;
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  out[0] += in[ROW];
  __threadfence();
  atomicExch(lock, 0);
}

// <<<8, 64>>> 512: the lock is held by thread 0, but all threads of its block write
PAIR(lock_of_one_wrong) ARGS {
  int* lock = &word_of<18>;
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
  }
  __syncthreads();
  out[threadIdx.x] += in[ROW]; // ! write-after-write
  if (threadIdx.x == 0) {
    __threadfence();
    atomicExch(lock, 0);
  }
}
PAIR(lock_of_one_right) ARGS {
  int* lock = &word_of<19>;
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
  }
  __syncthreads();
  out[threadIdx.x] += in[ROW];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicExch(lock, 0);
  }
}

// <<<2, 32>>> 64: cuda::atomic, the store is relaxed
PAIR(relaxed_store_wrong) ARGS {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(word_of<20>);
  if (blockIdx.x == 0) {
    out[0] = in[5];
    flag.store(1, cuda::memory_order_relaxed);
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) {}
    out[1] = out[0] + 1; // ! read-after-write
  }
}
PAIR(relaxed_store_right) ARGS {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(word_of<21>);
  if (blockIdx.x == 0) {
    out[0] = in[5];
    flag.store(1, cuda::memory_order_release);
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) {}
    out[1] = out[0] + 1;
  }
}

// <<<2, 32>>> 64: cuda::atomic, the load is relaxed
PAIR(relaxed_load_wrong) ARGS {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(word_of<22>);
  if (blockIdx.x == 0) {
    out[0] = in[5];
    flag.store(1, cuda::memory_order_release);
  } else {
    while (flag.load(cuda::memory_order_relaxed) == 0) {}
    out[1] = out[0] + 1; // ! read-after-write
  }
}
PAIR(relaxed_load_right) ARGS {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(word_of<23>);
  if (blockIdx.x == 0) {
    out[0] = in[5];
    flag.store(1, cuda::memory_order_release);
  } else {
    while (flag.load(cuda::memory_order_relaxed) == 0) {}
    cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
    out[1] = out[0] + 1;
  }
}

// <<<8, 32>>> 256: cuda::atomic as a counter: acquire alone releases nothing
PAIR(acquire_only_wrong) ARGS {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> done(counter_of<14>);
  out[blockIdx.x] = in[ROW];
  if (done.fetch_add(1, cuda::memory_order_acquire) % gridDim.x == gridDim.x - 1) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += out[b]; // ! read-after-write
    out[64] = sum;
  }
}
PAIR(acquire_only_right) ARGS {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> done(counter_of<15>);
  out[blockIdx.x] = in[ROW];
  if (done.fetch_add(1, cuda::memory_order_acq_rel) % gridDim.x == gridDim.x - 1) {
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += out[b];
    out[64] = sum;
  }
}

// <<<8, 32>>> 256: a lock of cuda::atomic, given back relaxed
PAIR(atomic_lock_wrong) ARGS {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> lock(word_of<24>);
  int expected = 0;
  while (!lock.compare_exchange_weak(expected, 1, cuda::memory_order_acquire)) expected = 0;
  out[0] += in[ROW]; // ! write-after-write
  lock.store(0, cuda::memory_order_relaxed);
}
PAIR(atomic_lock_right) ARGS {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> lock(word_of<25>);
  int expected = 0;
  while (!lock.compare_exchange_weak(expected, 1, cuda::memory_order_acquire)) expected = 0;
  out[0] += in[ROW];
  lock.store(0, cuda::memory_order_release);
}

// <<<2, 32>>> 64: the value goes through a third block's flag: order is handed on, unless one link is missing
PAIR(handed_on_wrong) ARGS {
  if (threadIdx.x != 0) return;
  volatile int* done = &word_of<26>;
  if (blockIdx.x == 0) {
    out[0] = in[3];
    __threadfence();
    atomicAdd((int*)done, 1);
    out[1] = in[4];
    atomicAdd((int*)done, 1);
  } else {
    while (*done < 2) {}
    __threadfence();
    out[2] = out[0];
    out[3] = out[1]; // ! read-after-write
  }
}
PAIR(handed_on_right) ARGS {
  if (threadIdx.x != 0) return;
  volatile int* done = &word_of<27>;
  if (blockIdx.x == 0) {
    out[0] = in[3];
    __threadfence();
    atomicAdd((int*)done, 1);
    out[1] = in[4];
    __threadfence();
    atomicAdd((int*)done, 1);
  } else {
    while (*done < 2) {}
    __threadfence();
    out[2] = out[0];
    out[3] = out[1];
  }
}

// <<<3, 32>>> 96: block 0 hands to block 1, which hands to block 2: the second does not acquire what it hands on
PAIR(third_block_wrong) ARGS {
  if (threadIdx.x != 0) return;
  volatile int *first = &word_of<28>, *second = &word_of<29>;
  if (blockIdx.x == 0) {
    out[0] = in[3];
    __threadfence();
    *first = 1;
  } else if (blockIdx.x == 1) {
    __threadfence();
    while (*first == 0) {}
    *second = 1;
  } else {
    while (*second == 0) {}
    __threadfence();
    out[1] = out[0]; // ! read-after-write
  }
}
PAIR(third_block_right) ARGS {
  if (threadIdx.x != 0) return;
  volatile int *first = &word_of<30>, *second = &word_of<31>;
  if (blockIdx.x == 0) {
    out[0] = in[3];
    __threadfence();
    *first = 1;
  } else if (blockIdx.x == 1) {
    while (*first == 0) {}
    __threadfence();
    *second = 1;
  } else {
    while (*second == 0) {}
    __threadfence();
    out[1] = out[0];
  }
}

// <<<4, 64>>> 256 cooperative: neighbours are read before the barrier of the grid
PAIR(grid_barrier_wrong) ARGS {
  out[ROW] = in[ROW] + 1;
  __syncthreads();
  int x = out[(ROW + 64) % n]; // ! read-after-write
  cooperative_groups::this_grid().sync();
  out[ROW] = x;
}
PAIR(grid_barrier_right) ARGS {
  out[ROW] = in[ROW] + 1;
  cooperative_groups::this_grid().sync();
  int x = out[(ROW + 64) % n];
  cooperative_groups::this_grid().sync();
  out[ROW] = x;
}

// <<<4, 64>>> 256 cooperative: the second barrier of a loop is missing
PAIR(grid_steps_wrong) ARGS {
  int x = in[ROW];
  for (int k = 0; k < 3; k++) {
    out[ROW] = x; // ! write-after-read
    cooperative_groups::this_grid().sync();
    x += out[(ROW + 64) % n];
  }
  if (x == -7) out[0] = 0;
}
PAIR(grid_steps_right) ARGS {
  int x = in[ROW];
  for (int k = 0; k < 3; k++) {
    out[ROW] = x;
    cooperative_groups::this_grid().sync();
    x += out[(ROW + 64) % n];
    cooperative_groups::this_grid().sync();
  }
  if (x == -7) out[0] = 0;
}

// <<<4, 64>>> 256: a barrier of the grid made of a counter, without the block's barrier behind it
__device__ void grid_barrier(unsigned* count, bool wholly) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    unsigned ticket = atomicAdd(count, 1);
    unsigned end = (ticket / gridDim.x + 1) * gridDim.x;
    while (*(volatile unsigned*)count < end) {}
    __threadfence();
  }
  if (wholly) __syncthreads();
}
PAIR(own_grid_barrier_wrong) ARGS {
  out[ROW] = in[ROW] + 1;
  grid_barrier(&counter_of<16>, false);
  int x = out[(ROW + 65) % n]; // ! read-after-write
  if (x == -7) out[0] = 0;
}
PAIR(own_grid_barrier_right) ARGS {
  out[ROW] = in[ROW] + 1;
  grid_barrier(&counter_of<17>, true);
  int x = out[(ROW + 65) % n];
  grid_barrier(&counter_of<17>, true);
  out[ROW] = x;
}

// <<<4, 32>>> 128: blocks that wait take turns: each keeps to its own, or does not
PAIR(turns_wrong) ARGS {
  volatile int* turn = &word_of<32>;
  int t = threadIdx.x, b = blockIdx.x;
  __shared__ int tile[32];
  tile[t] = in[ROW];
  if (t == 0) while (*turn != 3 - b) {}
  out[t] = tile[t] + b; // ! write-after-write
  __syncwarp();
  if (t == 0) *turn = 4 - b;
}
PAIR(turns_right) ARGS {
  volatile int* turn = &word_of<33>;
  int t = threadIdx.x, b = blockIdx.x;
  __shared__ int tile[32];
  tile[t] = in[ROW];
  if (t == 0) while (*turn != 3 - b) {}
  out[ROW] = tile[t] + b;
  __syncwarp();
  if (t == 0) *turn = 4 - b;
}
