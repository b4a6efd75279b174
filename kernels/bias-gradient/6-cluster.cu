// One launch: the blocks that share the rows of a strip are a cluster, and each adds up some of the strip's columns
// from the shared memory of all. There are no parts in memory, and no second launch that waits for the slowest block of
// the first. LANES lanes do a row of a strip: narrower strips make more clusters.
#include <cooperative_groups.h>
#include "rolling.cuh"

namespace cg = cooperative_groups;
constexpr int COLUMNS = LANES * SIZE, ROWS = BLOCK / LANES;

// Half as many threads as a multiprocessor has room for, with 64 registers each.
template <bool WIDE>
__global__ void __cluster_dims__(1, CLUSTER, 1) __launch_bounds__(BLOCK, 1024 / BLOCK)
    biasGradient(Element *dbias, const Element *dout, int rows, int columns) {
  __shared__ float part[ROWS][SIZE][LANES], total[COLUMNS];
  int lane = threadIdx.x % LANES, first = blockIdx.x * COLUMNS, row = blockIdx.y * ROWS + threadIdx.x / LANES;
  float sum[SIZE] = {};
  addRows<WIDE>(sum, dout, first + lane * SIZE, row, CLUSTER * ROWS, rows, columns);
#pragma unroll
  for (int e = 0; e < SIZE; e++) part[threadIdx.x / LANES][e][lane] = sum[e];
  __syncthreads();
  // By element of a pack first, as they lie in `part`.
  for (int i = threadIdx.x; i < COLUMNS; i += BLOCK) {
    float added = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) added += part[r][i / LANES][i % LANES];
    total[i] = added;
  }
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  int own = blockIdx.y * (COLUMNS / CLUSTER) + threadIdx.x, target = first + own % LANES * SIZE + own / LANES;
  if (threadIdx.x < COLUMNS / CLUSTER && target < columns) {
    float all = 0;
#pragma unroll
    for (int b = 0; b < CLUSTER; b++) all += cluster.map_shared_rank(total, b)[own];
    dbias[target] = __float2bfloat16_rn(__bfloat162float(dbias[target]) + all);
  }
  // Nobody leaves before its sums have been read.
  cluster.sync();
}
