// Cooperative groups of every kind, cuda::barrier, cuda::pipeline and cuda::atomic against what they promise.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/functional>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda_awbarrier.h>
#include <cuda_pipeline.h>
#include <cstdio>
#include <utility>

namespace cg = cooperative_groups;

static int failures = 0;
#define CHECK(condition) \
  if (!(condition)) printf("line %d: %s\n", __LINE__, #condition), failures++

__device__ int sum_of(cg::thread_group g, int *area, int value) {
  const int rank = (int)g.thread_rank();
  for (int half = (int)g.size() / 2; half > 0; half /= 2) {
    area[rank] = value;
    g.sync();
    if (rank < half) value += area[rank + half];
    g.sync();
  }
  return value;
}

struct Row { int block_sum, tile_reduce, tile_max, inclusive, exclusive, third_sum, third_rank, third_size, parity_size, ballot, match, meta, wide_sum, wide_shuffle, dynamic_rank; };

__global__ void groups(Row *rows) {
  __shared__ int area[256];
  const cg::thread_block block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  const cg::thread_block_tile<8> tile = cg::tiled_partition<8>(warp);
  const int t = (int)block.thread_rank();
  Row row = {};
  row.block_sum = sum_of(block, area, t);
  block.sync();
  row.tile_reduce = cg::reduce(tile, t, cg::plus<int>());
  row.tile_max = cg::reduce(warp, t, cg::greater<int>());
  row.inclusive = cg::inclusive_scan(tile, t);
  row.exclusive = cg::exclusive_scan(warp, 1);
  if (t % 3 == 0) {
    const cg::coalesced_group third = cg::coalesced_threads();
    row.third_sum = cg::reduce(third, t, cg::plus<int>());
    row.third_rank = (int)third.thread_rank();
    row.third_size = (int)third.size();
  }
  row.parity_size = (int)cg::binary_partition(warp, t & 1).size();
  row.ballot = (int)tile.ballot(t % 2);
  row.match = (int)tile.match_any(t / 4);
  row.meta = (int)(warp.meta_group_rank() * 100 + tile.meta_group_rank() * 10 + warp.meta_group_size());
  const auto wide = cg::tiled_partition<64>(block);
  row.wide_sum = cg::reduce(wide, t, cg::plus<int>());
  row.wide_shuffle = wide.shfl(t, 40);
  row.dynamic_rank = (int)cg::tiled_partition(block, 4).thread_rank();
  rows[t] = row;
}

__global__ void whole_grid(int *values, int *sums) {
  const cg::grid_group grid = cg::this_grid();
  const int i = (int)grid.thread_rank(), n = (int)grid.size();
  values[i] = i;
  grid.sync();
  sums[i] = values[(i + n / 2) % n] + (int)grid.num_blocks();
}

__global__ void copies(int *out, const int *in) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ nvcuda::experimental::awbarrier old_barrier;
  __shared__ alignas(16) int stage[2][128];
  const auto block = cg::this_thread_block();
  const unsigned t = threadIdx.x;
  if (t == 0) {
    init(&barrier, block.size());
    init(&old_barrier, block.size());
  }
  block.sync();
  int sum = 0;
  for (int i = 0; i < 4; i++) {
    cuda::memcpy_async(block, stage[0], in + i * 128, sizeof(int) * 128, barrier);
    auto token = barrier.arrive();
    barrier.wait(std::move(token));
    sum += stage[0][(t + 1) % 128];
    barrier.arrive_and_wait();
  }
  auto pipe = cuda::make_pipeline(block, &state);
  for (int fetch = 0, use = 0; use < 4; use++) {
    for (; fetch < 4 && fetch < use + 2; fetch++) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, stage[fetch & 1], in + fetch * 128, cuda::aligned_size_t<16>(512), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += stage[use & 1][(t + 3) % 128];
    pipe.consumer_release();
  }
  old_barrier.arrive_and_wait();
  cg::memcpy_async(block, stage[1], in, sizeof(int) * 128);
  cg::wait(block);
  sum += stage[1][127 - t];
  __pipeline_memcpy_async(&stage[0][t], &in[t], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[t] = sum + stage[0][t];
}

__device__ cuda::atomic<int, cuda::thread_scope_device> tickets;
__global__ void atomics(int *number, float *real, int *flag) {
  cuda::atomic_ref<int, cuda::thread_scope_device>(*number).fetch_add(2, cuda::memory_order_relaxed);
  cuda::atomic_ref<float> sum(*real);
  sum.fetch_add(0.5f);
  tickets++;
  __shared__ cuda::atomic<int, cuda::thread_scope_block> most;
  if (threadIdx.x == 0) most = -1;
  __syncthreads();
  most.fetch_max(threadIdx.x % 64);
  __syncthreads();
  if (most.load() != 63) atomicAdd(flag, 1000);
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> lock;
  __shared__ int guarded;
  if (threadIdx.x == 0) {
    new (&lock) cuda::binary_semaphore<cuda::thread_scope_block>(1);
    guarded = 0;
  }
  __syncthreads();
  lock.acquire();
  guarded = guarded + 1;
  lock.release();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(flag, guarded);
}
__global__ void read_tickets(int *out) {
  cuda::std::tuple<int, float> pair(1, 2.0f);
  cuda::std::array<int, 3> list{1, 2, 3};
  int first[2] = {1, 2}, second[2] = {3, 4};
  cuda::std::swap(first, second);
  {
    using cuda::std::swap;
    swap(first[0], first[1]);
  }
  if (first[0] != 4 || first[1] != 3 || second[1] != 2 || cuda::std::exchange(first[0], 7) != 4 || first[0] != 7) return;
  *out = tickets.load() + cuda::std::get<0>(pair) + list[2] + (cuda::std::numeric_limits<int>::max() == 0x7fffffff) + cuda::maximum<int>()(3, 5);
}

int main() {
  Row *rows;
  cudaMallocManaged(&rows, 128 * sizeof(Row));
  groups<<<1, 128>>>(rows);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(rows[0].block_sum == 127 * 64);
  for (int t = 0; t < 128; t++) {
    const Row &r = rows[t];
    const int tile = t / 8 * 8, warp = t / 32 * 32;
    int inclusive = 0, third = 0, third_rank = 0, third_size = 0;
    for (int u = tile; u <= t; u++) inclusive += u;
    for (int u = warp; u < warp + 32; u++)
      if (u % 3 == 0) third += u, third_size++, third_rank += u < t;
    CHECK(r.tile_reduce == 8 * tile + 28);
    CHECK(r.tile_max == warp + 31);
    CHECK(r.inclusive == inclusive);
    CHECK(r.exclusive == t % 32);
    if (t % 3 == 0) CHECK(r.third_sum == third && r.third_rank == third_rank && r.third_size == third_size);
    CHECK(r.parity_size == 16);
    CHECK(r.ballot == 0xaa);
    CHECK(r.match == (t % 8 < 4 ? 0x0f : 0xf0));
    CHECK(r.meta == t / 32 * 100 + t % 32 / 8 * 10 + 4);
    CHECK(r.wide_sum == t / 64 * 64 * 64 + 63 * 32);
    CHECK(r.wide_shuffle == t / 64 * 64 + 40);
    CHECK(r.dynamic_rank == t % 4);
  }

  int *values, *sums;
  cudaMallocManaged(&values, 512 * 4);
  cudaMallocManaged(&sums, 512 * 4);
  void *args[] = {&values, &sums};
  CHECK(cudaLaunchCooperativeKernel((void *)whole_grid, dim3(4), dim3(128), args, 0, 0) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < 512; i++) CHECK(sums[i] == (i + 256) % 512 + 4);

  for (int i = 0; i < 512; i++) values[i] = i * 3;
  copies<<<1, 128>>>(sums, values);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  for (int t = 0; t < 128; t++) {
    int expected = values[127 - t] + values[t];
    for (int i = 0; i < 4; i++) expected += values[i * 128 + (t + 1) % 128] + values[i * 128 + (t + 3) % 128];
    CHECK(sums[t] == expected);
  }

  float *real;
  cudaMallocManaged(&real, 4);
  *real = 0;
  values[0] = values[1] = 0;
  atomics<<<2, 64>>>(values, real, values + 1);
  read_tickets<<<1, 1>>>(sums);
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(values[0] == 256 && values[1] == 128 && *real == 64.0f && sums[0] == 128 + 1 + 3 + 1 + 5);

  puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}
