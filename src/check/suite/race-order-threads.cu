// Pairs of kernels for racecheck: what orders threads of a block beside barriers of all. Lanes that meet under a mask, tiles and coalesced groups, numbered
// barriers, cuda::barrier and cuda::pipeline, locks and flags between warps. NAME_wrong races in the line marked "// ! KIND"; NAME_right does the same and does
// not. How launches and marks are read: suite.test-helper.ts.
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

// <<<1, 32>>> 32: the lower half meets, the upper half writes what it reads
PAIR(half_warp_wrong) ARGS {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = in[t];
  __syncwarp(t < 16 ? 0x0000ffff : 0xffff0000);
  out[t] = tile[t ^ 16]; // ! read-after-write
}
PAIR(half_warp_right) ARGS {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = in[t];
  __syncwarp(t < 16 ? 0x0000ffff : 0xffff0000);
  out[t] = tile[t ^ 8];
}

// <<<1, 64>>> 64: lanes 0 to 7 of each warp meet
PAIR(first_lanes_wrong) ARGS {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = in[t];
  if (t % 32 < 8) {
    __syncwarp(0xff);
    out[t] = tile[(t + 1) % 64]; // ! read-after-write
  }
}
PAIR(first_lanes_right) ARGS {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = in[t];
  if (t % 32 < 8) {
    __syncwarp(0xff);
    out[t] = tile[t ^ 1];
  }
}

// <<<1, 64>>> 64: a cluster, of one block here: who has arrived has not waited
PAIR(cluster_wrong) ARGS {
  __shared__ int tile[64];
  auto cluster = cg::this_cluster();
  int t = threadIdx.x;
  tile[t] = in[t];
  cluster.barrier_arrive();
  int x = tile[63 - t]; // ! read-after-write
  cluster.barrier_wait();
  out[t] = x;
}
PAIR(cluster_right) ARGS {
  __shared__ int tile[64];
  auto cluster = cg::this_cluster();
  int t = threadIdx.x;
  tile[t] = in[t];
  cluster.barrier_arrive();
  cluster.barrier_wait();
  int x = tile[63 - t];
  cluster.sync();
  tile[t] = x;
  cluster.sync();
  out[t] = tile[63 - t];
}

// <<<1, 64>>> 64: the same as instructions, beside a fence
PAIR(cluster_asm_wrong) ARGS {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = in[t];
  __threadfence_block();
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  int x = tile[63 - t]; // ! read-after-write
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  out[t] = x;
}
PAIR(cluster_asm_right) ARGS {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = in[t];
  __threadfence_block();
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  out[t] = tile[63 - t];
}

// <<<1, 32>>> 32: even and odd lanes meet among themselves, twice
PAIR(even_odd_wrong) ARGS {
  __shared__ int tile[32];
  int t = threadIdx.x;
  unsigned mine = t % 2 ? 0xaaaaaaaau : 0x55555555u;
  tile[t] = in[t];
  __syncwarp(mine);
  int x = tile[(t + 2) % 32];
  tile[t] = x; // ! write-after-read
  __syncwarp(mine);
  out[t] = tile[(t + 4) % 32];
}
PAIR(even_odd_right) ARGS {
  __shared__ int tile[32];
  int t = threadIdx.x;
  unsigned mine = t % 2 ? 0xaaaaaaaau : 0x55555555u;
  tile[t] = in[t];
  __syncwarp(mine);
  int x = tile[(t + 2) % 32];
  __syncwarp(mine);
  tile[t] = x;
  __syncwarp(mine);
  out[t] = tile[(t + 4) % 32];
}

// <<<1, 64>>> 64: tiles of 8, one of which reads the next one's
PAIR(tiles_wrong) ARGS {
  __shared__ int tile[64];
  int t = threadIdx.x;
  auto group = cg::tiled_partition<8>(cg::this_thread_block());
  tile[t] = in[t];
  group.sync();
  out[t] = tile[(t + 1) % 64]; // ! read-after-write
}
PAIR(tiles_right) ARGS {
  __shared__ int tile[64];
  int t = threadIdx.x;
  auto group = cg::tiled_partition<8>(cg::this_thread_block());
  tile[t] = in[t];
  group.sync();
  out[t] = tile[t / 8 * 8 + (t + 1) % 8];
}

// <<<1, 64>>> 64: a sum within tiles of 16, without the barrier in the loop
PAIR(tile_sum_wrong) ARGS {
  __shared__ int sum[64];
  int t = threadIdx.x;
  auto group = cg::tiled_partition<16>(cg::this_thread_block());
  sum[t] = in[t];
  group.sync();
  for (int s = 8; s > 0; s /= 2)
    if (group.thread_rank() < s) sum[t] += sum[t + s]; // ! read-after-write
  if (group.thread_rank() == 0) out[t / 16] = sum[t];
}
PAIR(tile_sum_right) ARGS {
  __shared__ int sum[64];
  int t = threadIdx.x;
  auto group = cg::tiled_partition<16>(cg::this_thread_block());
  sum[t] = in[t];
  group.sync();
  for (int s = 8; s > 0; s /= 2) {
    if (group.thread_rank() < s) sum[t] += sum[t + s];
    group.sync();
  }
  if (group.thread_rank() == 0) out[t / 16] = sum[t];
}

// <<<1, 32>>> 32: the lanes that came here together meet, the others do not
PAIR(coalesced_wrong) ARGS {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = in[t];
  if (in[t] % 3 == 0) {
    auto group = cg::coalesced_threads();
    group.sync();
    out[t] = tile[(t + 1) % 32]; // ! read-after-write
  }
}
PAIR(coalesced_right) ARGS {
  __shared__ int tile[32];
  int t = threadIdx.x;
  tile[t] = in[t];
  if (in[t] % 3 == 0) {
    auto group = cg::coalesced_threads();
    group.sync();
    out[t] = tile[(t + 3) % 33];
  }
}

// <<<1, 32>>> 32: a group by label
PAIR(labelled_wrong) ARGS {
  __shared__ int tile[32];
  int t = threadIdx.x;
  auto group = cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), t % 4);
  tile[t] = in[t];
  group.sync();
  out[t] = tile[(t + 2) % 32]; // ! read-after-write
}
PAIR(labelled_right) ARGS {
  __shared__ int tile[32];
  int t = threadIdx.x;
  auto group = cg::labeled_partition(cg::tiled_partition<32>(cg::this_thread_block()), t % 4);
  tile[t] = in[t];
  group.sync();
  out[t] = tile[(t + 4) % 32];
}

__device__ void wait_at(int barrier, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory"); }
__device__ void come_to(int barrier, int threads) { asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory"); }

// <<<1, 128>>> 128: two warps and two warps each have a barrier
PAIR(two_barriers_wrong) ARGS {
  __shared__ int tile[128];
  int t = threadIdx.x;
  tile[t] = in[t];
  wait_at(1 + t / 64, 64);
  out[t] = tile[(t + 32) % 128]; // ! read-after-write
}
PAIR(two_barriers_right) ARGS {
  __shared__ int tile[128];
  int t = threadIdx.x;
  tile[t] = in[t];
  wait_at(1 + t / 64, 64);
  out[t] = tile[t / 64 * 64 + (t + 32) % 64];
}

// <<<1, 64>>> 64: a warp produces, another consumes: it says that the buffer is empty before it has read it
PAIR(arrive_wrong) ARGS {
  __shared__ int tile[32];
  int t = threadIdx.x;
  for (int k = 0; k < 3; k++) {
    if (t < 32) {
      if (k > 0) wait_at(2, 64);
      tile[t] = in[t] + k;
      come_to(1, 64);
    } else {
      wait_at(1, 64);
      if (k < 2) come_to(2, 64);
      out[t] += tile[63 - t]; // ! read-after-write
    }
  }
}
PAIR(arrive_right) ARGS {
  __shared__ int tile[32];
  int t = threadIdx.x;
  for (int k = 0; k < 3; k++) {
    if (t < 32) {
      if (k > 0) wait_at(2, 64);
      tile[t] = in[t] + k;
      come_to(1, 64);
    } else {
      wait_at(1, 64);
      out[t] += tile[63 - t];
      if (k < 2) come_to(2, 64);
    }
  }
}

// <<<1, 96>>> 96: a third warp is not at the barrier of the two
PAIR(third_warp_wrong) ARGS {
  __shared__ int tile[96];
  int t = threadIdx.x;
  tile[t] = in[t];
  if (t < 64) {
    wait_at(3, 64);
    out[t] = tile[(t + 32) % 96]; // ! read-after-write
  }
}
PAIR(third_warp_right) ARGS {
  __shared__ int tile[96];
  int t = threadIdx.x;
  tile[t] = in[t];
  if (t < 64) {
    wait_at(3, 64);
    out[t] = tile[(t + 32) % 64];
  }
}

// <<<1, 128>>> 128: tiles of two warps
PAIR(tiles_of_warps_wrong) ARGS {
  __shared__ int tile[128];
  int t = threadIdx.x;
  auto group = cg::tiled_partition<64>(cg::this_thread_block());
  tile[t] = in[t];
  group.sync();
  out[t] = tile[127 - t]; // ! read-after-write
}
PAIR(tiles_of_warps_right) ARGS {
  __shared__ int tile[128];
  int t = threadIdx.x;
  auto group = cg::tiled_partition<64>(cg::this_thread_block());
  tile[t] = in[t];
  group.sync();
  out[t] = tile[t ^ 63];
}

// <<<1, 64>>> 64: cuda::barrier: arrives and does not wait before it reads
PAIR(no_wait_wrong) ARGS {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t == 0) init(&ready, 64);
  __syncthreads();
  tile[t] = in[t];
  auto token = ready.arrive();
  int x = tile[63 - t]; // ! read-after-write
  ready.wait(std::move(token));
  out[t] = x;
}
PAIR(no_wait_right) ARGS {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t == 0) init(&ready, 64);
  __syncthreads();
  tile[t] = in[t];
  auto token = ready.arrive();
  ready.wait(std::move(token));
  out[t] = tile[63 - t];
}

// <<<1, 64>>> 64: cuda::barrier: writes between arriving and waiting
PAIR(late_write_wrong) ARGS {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t == 0) init(&ready, 64);
  __syncthreads();
  auto token = ready.arrive();
  tile[t] = in[t];
  ready.wait(std::move(token));
  out[t] = tile[63 - t]; // ! read-after-write
}
PAIR(late_write_right) ARGS {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ int tile[64];
  int t = threadIdx.x;
  if (t == 0) init(&ready, 64);
  __syncthreads();
  tile[t] = in[t];
  auto token = ready.arrive();
  out[t] = in[63 - t];
  ready.wait(std::move(token));
  out[t] = tile[63 - t];
}

// <<<1, 64>>> 64: cuda::barrier around a loop, with one phase where two are needed
PAIR(phases_wrong) ARGS {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ int tile[64];
  int t = threadIdx.x, sum = 0;
  if (t == 0) init(&ready, 64);
  __syncthreads();
  for (int k = 0; k < 4; k++) {
    tile[t] = in[t] + k; // ! write-after-read
    ready.arrive_and_wait();
    sum += tile[63 - t];
  }
  out[t] = sum;
}
PAIR(phases_right) ARGS {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  __shared__ int tile[64];
  int t = threadIdx.x, sum = 0;
  if (t == 0) init(&ready, 64);
  __syncthreads();
  for (int k = 0; k < 4; k++) {
    tile[t] = in[t] + k;
    ready.arrive_and_wait();
    sum += tile[63 - t];
    ready.arrive_and_wait();
  }
  out[t] = sum;
}

// <<<1, 64>>> 64: one warp fills, the other empties, with a cuda::barrier for each; the filler does not wait for "empty"
PAIR(full_empty_wrong) ARGS {
  __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
  __shared__ int tile[32];
  int t = threadIdx.x, sum = 0;
  if (t == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  __syncthreads();
  for (int k = 0; k < 4; k++) {
    if (t < 32) {
      tile[t] = in[t] + k;
      (void)full.arrive();
      if (k < 3) full.wait_parity(k % 2);
    } else {
      full.arrive_and_wait();
      sum += tile[63 - t]; // ! read-after-write
      (void)empty.arrive();
    }
  }
  out[t] = sum;
}
PAIR(full_empty_right) ARGS {
  __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
  __shared__ int tile[32];
  int t = threadIdx.x, sum = 0;
  if (t == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  __syncthreads();
  for (int k = 0; k < 4; k++) {
    if (t < 32) {
      tile[t] = in[t] + k;
      (void)full.arrive();
      empty.arrive_and_wait();
    } else {
      full.arrive_and_wait();
      sum += tile[63 - t];
      (void)empty.arrive();
    }
  }
  out[t] = sum;
}

// <<<1, 64>>> 64: cuda::pipeline of the block: consumed before waiting
PAIR(pipeline_wrong) ARGS {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int tile[2][64];
  int t = threadIdx.x, sum = 0;
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
  for (int k = 0; k < 4; k++) {
    pipe.producer_acquire();
    tile[k % 2][t] = in[t] + k;
    pipe.producer_commit();
    sum += tile[k % 2][63 - t]; // ! read-after-write
    pipe.consumer_wait();
    pipe.consumer_release();
  }
  out[t] = sum;
}
PAIR(pipeline_right) ARGS {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int tile[2][64];
  int t = threadIdx.x, sum = 0;
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
  for (int k = 0; k < 4; k++) {
    pipe.producer_acquire();
    tile[k % 2][t] = in[t] + k;
    pipe.producer_commit();
    pipe.consumer_wait();
    sum += tile[k % 2][63 - t];
    pipe.consumer_release();
  }
  out[t] = sum;
}

// <<<1, 64>>> 64: cuda::pipeline: read after the stage has been given back
PAIR(released_stage_wrong) ARGS {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  __shared__ int tile[64];
  int t = threadIdx.x, sum = 0;
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
  for (int k = 0; k < 4; k++) {
    pipe.producer_acquire();
    tile[t] = in[t] + k;
    pipe.producer_commit();
    pipe.consumer_wait();
    pipe.consumer_release();
    sum += tile[63 - t]; // ! read-after-write
  }
  out[t] = sum;
}
PAIR(released_stage_right) ARGS {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 1> state;
  __shared__ int tile[64];
  int t = threadIdx.x, sum = 0;
  auto pipe = cuda::make_pipeline(cg::this_thread_block(), &state);
  for (int k = 0; k < 4; k++) {
    pipe.producer_acquire();
    tile[t] = in[t] + k;
    pipe.producer_commit();
    pipe.consumer_wait();
    sum += tile[63 - t];
    pipe.consumer_release();
  }
  out[t] = sum;
}

// <<<1, 64>>> 64: a lock in shared memory, given back without a fence
PAIR(shared_lock_wrong) ARGS {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence_block();
      sum += in[threadIdx.x]; // ! write-after-write
      atomicExch(&lock, 0);
      done = true;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}
PAIR(shared_lock_right) ARGS {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence_block();
      sum += in[threadIdx.x];
      __threadfence_block();
      atomicExch(&lock, 0);
      done = true;
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) out[0] = sum;
}

// <<<1, 64>>> 64: two locks for one sum
PAIR(two_locks_wrong) ARGS {
  __shared__ int lock[2], sum;
  if (threadIdx.x == 0) lock[0] = lock[1] = sum = 0;
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&lock[threadIdx.x % 2], 0, 1) == 0) {
      __threadfence_block();
      sum += in[threadIdx.x]; // ! write-after-write
      __threadfence_block();
      atomicExch(&lock[threadIdx.x % 2], 0);
      done = true;
    }
  }
}
PAIR(two_locks_right) ARGS {
  __shared__ int lock[2], sum[2];
  if (threadIdx.x == 0) lock[0] = lock[1] = sum[0] = sum[1] = 0;
  __syncthreads();
  for (bool done = false; !done;) {
    if (atomicCAS(&lock[threadIdx.x % 2], 0, 1) == 0) {
      __threadfence_block();
      sum[threadIdx.x % 2] += in[threadIdx.x];
      __threadfence_block();
      atomicExch(&lock[threadIdx.x % 2], 0);
      done = true;
    }
  }
}

// <<<1, 64>>> 64: a flag from one warp to the other, without the writer's fence
PAIR(warp_flag_wrong) ARGS {
  __shared__ int value;
  __shared__ volatile int flag;
  int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncthreads();
  if (t == 0) {
    value = in[7];
    flag = 1;
  } else if (t == 32) {
    while (flag == 0) {}
    __threadfence_block();
    out[0] = value; // ! read-after-write
  }
}
PAIR(warp_flag_right) ARGS {
  __shared__ int value;
  __shared__ volatile int flag;
  int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncthreads();
  if (t == 0) {
    value = in[7];
    __threadfence_block();
    flag = 1;
  } else if (t == 32) {
    while (flag == 0) {}
    __threadfence_block();
    out[0] = value;
  }
}

// <<<1, 64>>> 64: the lane that sets the flag has not waited for the others of its warp
PAIR(flag_of_warp_wrong) ARGS {
  __shared__ int tile[32];
  __shared__ int ready;
  int t = threadIdx.x;
  if (t == 0) ready = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> flag(ready);
  if (t < 32) {
    tile[t] = in[t];
    if (t == 0) flag.store(1, cuda::memory_order_release);
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) {}
    out[t] = tile[63 - t]; // ! read-after-write
  }
}
PAIR(flag_of_warp_right) ARGS {
  __shared__ int tile[32];
  __shared__ int ready;
  int t = threadIdx.x;
  if (t == 0) ready = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> flag(ready);
  if (t < 32) {
    tile[t] = in[t];
    __syncwarp();
    if (t == 0) flag.store(1, cuda::memory_order_release);
  } else {
    while (flag.load(cuda::memory_order_acquire) == 0) {}
    out[t] = tile[63 - t];
  }
}

// <<<1, 96>>> 96: a counter of warps that have stored: relaxed, or released and acquired
PAIR(warps_done_wrong) ARGS {
  __shared__ int sum[3];
  __shared__ int done;
  int t = threadIdx.x;
  if (t == 0) done = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> count(done);
  if (t % 32 == 0) {
    sum[t / 32] = in[t];
    if (count.fetch_add(1, cuda::memory_order_relaxed) == 2) out[0] = sum[0] + sum[1] + sum[2]; // ! read-after-write
  }
}
PAIR(warps_done_right) ARGS {
  __shared__ int sum[3];
  __shared__ int done;
  int t = threadIdx.x;
  if (t == 0) done = 0;
  __syncthreads();
  cuda::atomic_ref<int, cuda::thread_scope_block> count(done);
  if (t % 32 == 0) {
    sum[t / 32] = in[t];
    if (count.fetch_add(1, cuda::memory_order_acq_rel) == 2) out[0] = sum[0] + sum[1] + sum[2];
  }
}
