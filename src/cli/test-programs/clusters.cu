// Thread block clusters: launches that ask for them, other blocks' shared memory, barriers, questions about occupancy. On a device without clusters each block is one, and
// launches that ask for more are refused.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

const int BLOCK = 64;
struct Seen { int rank, blocks, threads, threadRank, clusterOfGrid, clusters, value, owner, sum; };

// A pointer that is shared memory or not, for the compiler to find out.
__device__ __noinline__ int total(const int *values, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += values[i];
  return s;
}

__global__ void ring(Seen *out) {
  __shared__ int mine[BLOCK];
  __shared__ int hits;
  cg::cluster_group cluster = cg::this_cluster();
  cg::grid_group grid = cg::this_grid();
  mine[threadIdx.x] = 1000 * blockIdx.x + threadIdx.x;
  if (threadIdx.x == 0) hits = 0;
  cluster.sync();
  int next = (cluster.block_rank() + 1) % cluster.num_blocks();
  int *other = cluster.map_shared_rank(mine, next);
  if (threadIdx.x < 8) atomicAdd(cluster.map_shared_rank(&hits, next), threadIdx.x + 1);
  int sum = total(threadIdx.x & 1 ? mine : other, BLOCK);
  cluster.barrier_wait(cluster.barrier_arrive());
  if (threadIdx.x == 5) {
    out[blockIdx.x] = {(int)cluster.block_rank(), (int)cluster.num_blocks(), (int)cluster.num_threads(), (int)cluster.thread_rank(), (int)grid.cluster_rank(), (int)grid.num_clusters(), other[9] + hits,
                       (int)cluster.query_shared_rank(other), sum};
  }
}

#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)
#define OF_TWO __cluster_dims__(2, 1, 1)
#else
#define OF_TWO
#endif
__global__ void OF_TWO pairs(int *out) {
  __shared__ int word;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0) word = blockIdx.x;
  cluster.sync();
  if (threadIdx.x == 0) out[blockIdx.x] = 100 * cluster.num_blocks() + *cluster.map_shared_rank(&word, cluster.num_blocks() - 1);
  cluster.sync();
}
__global__ void oblivious(int *out) {
  __shared__ int word;
  if (threadIdx.x == 0) word = blockIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = total(&word, 1);
}

static int wrong(const Seen *seen, int blocks, int size) {
  int errors = 0;
  for (int b = 0; b < blocks; b++) {
    int first = b / size * size, rank = b - first, next = first + (rank + 1) % size;
    const Seen s = seen[b], right = {rank, size, size * BLOCK, rank * BLOCK + 5, b / size, blocks / size, 1000 * next + 9 + 36, (rank + 1) % size, 1000 * b * BLOCK + BLOCK * (BLOCK - 1) / 2};
    const int *x = &s.rank, *y = &right.rank;
    for (int i = 0; i < 9; i++) if (x[i] != y[i]) printf("clusters of %d, block %d, member %d: %d, not %d\n", size, b, i, x[i], y[i]), errors++;
  }
  return errors;
}

int main() {
  const int BLOCKS = 16;
  Seen *out, seen[BLOCKS];
  int *numbers, host[8], errors = 0, hasClusters = 0;
  cudaMalloc(&out, sizeof seen);
  cudaMalloc(&numbers, sizeof host);
  cudaDeviceGetAttribute(&hasClusters, cudaDevAttrClusterLaunch, 0);
  ring<<<BLOCKS, BLOCK>>>(out);
  cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost);
  errors += wrong(seen, BLOCKS, 1);

  cudaLaunchConfig_t config = {};
  config.gridDim = BLOCKS;
  config.blockDim = BLOCK;
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeClusterDimension;
  config.attrs = attribute;
  config.numAttrs = 1;
  for (unsigned size : {1u, 2u, 4u, 8u}) {
    attribute[0].val.clusterDim.x = size;
    attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    cudaError_t error = cudaLaunchKernelEx(&config, ring, out);
    if (!hasClusters && size > 1) {
      if (error != cudaErrorNotSupported) printf("without clusters: %s\n", cudaGetErrorName(error)), errors++;
      cudaGetLastError();
      continue;
    }
    if (error != cudaSuccess) printf("clusters of %u: %s\n", size, cudaGetErrorName(error)), errors++;
    cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost);
    errors += wrong(seen, BLOCKS, size);
  }
  if (hasClusters) {
    int most = 0, active = 0;
    attribute[0].val.clusterDim.x = 4;
    cudaError_t first = cudaOccupancyMaxPotentialClusterSize(&most, ring, &config), second = cudaOccupancyMaxActiveClusters(&active, ring, &config);
    if (first != cudaSuccess || second != cudaSuccess || most < 8 || active < 1) printf("occupancy: %s %d, %s %d\n", cudaGetErrorName(first), most, cudaGetErrorName(second), active), errors++;
    config.gridDim = 8;
    if (cudaLaunchKernelEx(&config, oblivious, numbers) != cudaSuccess) printf("oblivious: %s\n", cudaGetErrorName(cudaGetLastError())), errors++;
    cudaMemcpy(host, numbers, sizeof host, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; i++) if (host[i] != i) printf("oblivious, block %d: %d\n", i, host[i]), errors++;
    pairs<<<4, 32>>>(numbers);
    cudaMemcpy(host, numbers, 16, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; i++) if (host[i] != 200 + (i | 1)) printf("pairs, block %d: %d\n", i, host[i]), errors++;
  }
  cudaError_t last = cudaDeviceSynchronize();
  if (last != cudaSuccess) printf("%s\n", cudaGetErrorName(last)), errors++;
  printf(hasClusters ? "with clusters\n" : "without clusters\n");
  printf(errors ? "FAILED\n" : "PASSED\n");
  return errors != 0;
}
