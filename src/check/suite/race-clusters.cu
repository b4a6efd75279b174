// Pairs of kernels for racecheck: shared memory of the other blocks of a cluster (distributed shared memory), and what orders the blocks. Clusters have 2
// blocks. NAME_wrong races in the line marked "// ! KIND"; NAME_right does the same and does not. How launches and marks are read: suite.test-helper.ts.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

#define ROW (blockIdx.x * blockDim.x + threadIdx.x)
#define PAIR(name) extern "C" __global__ void name
#define ARGS (int* out, const int* in, int n)

template <class T> __device__ T* of_other(T* mine) {
  cg::cluster_group cluster = cg::this_cluster();
  return cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
}
__device__ unsigned address_of(const void* shared) { return (unsigned)__cvta_generic_to_shared(shared); }
__device__ unsigned mapped(const void* shared, unsigned rank) {
  unsigned remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address_of(shared)), "r"(rank));
  return remote;
}

// <<<4, 64>>> 256 clusters: the other block's tile is read before that block has written it
PAIR(read_other_wrong) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[ROW];
  __syncthreads();
  out[ROW] = of_other(tile)[threadIdx.x]; // ! read-after-write
  cg::this_cluster().sync();
}
PAIR(read_other_right) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[ROW];
  cg::this_cluster().sync();
  out[ROW] = of_other(tile)[threadIdx.x];
  cg::this_cluster().sync();
}

// <<<8, 64>>> 512 clusters: a tile is written anew while the other block may still read it; clusters come one after the other
PAIR(tile_again_wrong) ARGS {
  __shared__ int tile[64];
  int sum = 0;
  for (int round = 0; round < 3; round++) {
    tile[threadIdx.x] = in[ROW] + round; // ! write-after-read
    cg::this_cluster().sync();
    sum += of_other(tile)[63 - threadIdx.x];
    __syncthreads();
  }
  out[ROW] = sum;
}
PAIR(tile_again_right) ARGS {
  __shared__ int tile[64];
  int sum = 0;
  for (int round = 0; round < 3; round++) {
    tile[threadIdx.x] = in[ROW] + round;
    cg::this_cluster().sync();
    sum += of_other(tile)[63 - threadIdx.x];
    cg::this_cluster().sync();
  }
  out[ROW] = sum;
}

// <<<4, 64>>> 256 clusters: a histogram over both blocks (CUDA C++ Programming Guide, "Distributed Shared Memory"): the bins are read while the other block may
// still count
PAIR(histogram_wrong) ARGS {
  __shared__ int bins[64];
  cg::cluster_group cluster = cg::this_cluster();
  bins[threadIdx.x] = 0;
  cluster.sync();
  int bin = in[ROW] * 5 % 128;
  atomicAdd(cluster.map_shared_rank(bins, bin / 64) + bin % 64, 1);
  __syncthreads();
  out[ROW] = bins[threadIdx.x]; // ! atomic-and-plain
  cluster.sync();
}
PAIR(histogram_right) ARGS {
  __shared__ int bins[64];
  cg::cluster_group cluster = cg::this_cluster();
  bins[threadIdx.x] = 0;
  cluster.sync();
  int bin = in[ROW] * 5 % 128;
  atomicAdd(cluster.map_shared_rank(bins, bin / 64) + bin % 64, 1);
  cluster.sync();
  out[ROW] = bins[threadIdx.x];
}

// <<<4, 64>>> 256 clusters: what a thread writes between its arrival and its wait is not released
PAIR(behind_arrival_wrong) ARGS {
  __shared__ int tile[64];
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  cluster.barrier_arrive();
  of_other(tile)[threadIdx.x] = in[ROW];
  cluster.barrier_wait();
  out[ROW] = tile[threadIdx.x]; // ! read-after-write
}
PAIR(behind_arrival_right) ARGS {
  __shared__ int tile[64];
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  of_other(tile)[threadIdx.x] = in[ROW];
  cluster.barrier_arrive();
  int doubled = 2 * in[ROW];
  cluster.barrier_wait();
  out[ROW] = tile[threadIdx.x] + doubled;
}

// <<<4, 64>>> 256 clusters: a relaxed arrival releases nothing without a fence
PAIR(relaxed_wrong) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[ROW];
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  out[ROW] = of_other(tile)[threadIdx.x]; // ! read-after-write
  cg::this_cluster().sync();
}
PAIR(relaxed_right) ARGS {
  __shared__ int tile[64];
  tile[threadIdx.x] = in[ROW];
  __threadfence();
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  out[ROW] = of_other(tile)[threadIdx.x];
  cg::this_cluster().sync();
}

// <<<4, 64>>> 256 clusters: an mbarrier of the other block says that its tile is full; mapa and st.shared::cluster
PAIR(remote_arrival_wrong) ARGS {
  __shared__ int tile[64];
  __shared__ unsigned long long full;
  unsigned other = cg::this_cluster().block_rank() ^ 1;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" :: "r"(address_of(&full)) : "memory");
  cg::this_cluster().sync();
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(mapped(&full, other)) : "memory");
  asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(mapped(&tile[threadIdx.x], other)), "r"(in[ROW]) : "memory");
  int done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(address_of(&full)) : "memory");
  out[ROW] = tile[63 - threadIdx.x]; // ! read-after-write
  cg::this_cluster().sync();
}
PAIR(remote_arrival_right) ARGS {
  __shared__ int tile[64];
  __shared__ unsigned long long full;
  unsigned other = cg::this_cluster().block_rank() ^ 1;
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" :: "r"(address_of(&full)) : "memory");
  cg::this_cluster().sync();
  asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(mapped(&tile[threadIdx.x], other)), "r"(in[ROW]) : "memory");
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(mapped(&full, other)) : "memory");
  int done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(address_of(&full)) : "memory");
  out[ROW] = tile[63 - threadIdx.x];
  cg::this_cluster().sync();
}

// <<<4, 64>>> 256 clusters: st.async tells the other block's mbarrier itself, which must be waited for
PAIR(store_async_wrong) ARGS {
  __shared__ int tile[64];
  __shared__ unsigned long long full;
  unsigned other = cg::this_cluster().block_rank() ^ 1;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(address_of(&full)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" :: "r"(address_of(&full)) : "memory");
  }
  cg::this_cluster().sync();
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" :: "r"(mapped(&tile[threadIdx.x], other)), "r"(in[ROW]), "r"(mapped(&full, other)) : "memory");
  out[ROW] = tile[63 - threadIdx.x]; // ! read-after-write
  cg::this_cluster().sync();
}
PAIR(store_async_right) ARGS {
  __shared__ int tile[64];
  __shared__ unsigned long long full;
  unsigned other = cg::this_cluster().block_rank() ^ 1;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(address_of(&full)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" :: "r"(address_of(&full)) : "memory");
  }
  cg::this_cluster().sync();
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" :: "r"(mapped(&tile[threadIdx.x], other)), "r"(in[ROW]), "r"(mapped(&full, other)) : "memory");
  int done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(address_of(&full)) : "memory");
  out[ROW] = tile[63 - threadIdx.x];
  cg::this_cluster().sync();
}

// <<<4, 64>>> 256 clusters: memory of all blocks, which the barrier of the cluster orders as well
PAIR(global_wrong) ARGS {
  out[ROW] = in[ROW];
  __syncthreads();
  int other = out[ROW ^ 64]; // ! read-after-write
  cg::this_cluster().sync();
  if (threadIdx.x == 64) out[ROW] = other;
}
PAIR(global_right) ARGS {
  out[ROW] = in[ROW];
  cg::this_cluster().sync();
  int other = out[ROW ^ 64];
  cg::this_cluster().sync();
  out[ROW] = other;
}
