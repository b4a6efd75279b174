// One launch of as many blocks as run at the same time: they wait for one another once all sums of their rows are in
// memory, and then each warp adds up columns of its own. Blocks of a strip can be as many as there is room for, where a
// cluster has eight; the barrier takes longer than a cluster's.
#include <cooperative_groups.h>
#include "rolling.cuh"

constexpr int COLUMNS = LANES * SIZE, ROWS = BLOCK / LANES;

template <bool WIDE>
__global__ void __launch_bounds__(BLOCK, 1024 / BLOCK)
    biasGradient(Element *dbias, float *partial, const Element *dout, int rows, int columns) {
  __shared__ float part[ROWS][SIZE][LANES];
  int lane = threadIdx.x % LANES, first = blockIdx.x * COLUMNS, parts = gridDim.y;
  float sum[SIZE] = {};
  addRows<WIDE>(sum, dout, first + lane * SIZE, blockIdx.y * ROWS + threadIdx.x / LANES, parts * ROWS, rows, columns);
#pragma unroll
  for (int e = 0; e < SIZE; e++) part[threadIdx.x / LANES][e][lane] = sum[e];
  __syncthreads();
  for (int i = threadIdx.x; i < COLUMNS; i += BLOCK) {
    int column = first + i;
    float added = 0;
#pragma unroll
    for (int r = 0; r < ROWS; r++) added += part[r][i % SIZE][i / SIZE];
    if (column < columns) __stcg(partial + (size_t)column * parts + blockIdx.y, added);
  }
  cooperative_groups::this_grid().sync();
  int warp = (blockIdx.y * gridDim.x + blockIdx.x) * (BLOCK / 32) + threadIdx.x / 32,
      warps = gridDim.x * parts * (BLOCK / 32);
  for (int column = warp; column < columns; column += warps) {
    float all = 0;
    for (int p = threadIdx.x % 32; p < parts; p += 32) all += __ldcg(partial + (size_t)column * parts + p);
    for (int distance = 16; distance > 0; distance /= 2) all += __shfl_xor_sync(0xffffffff, all, distance);
    if (threadIdx.x % 32 == 0) dbias[column] = __float2bfloat16_rn(__bfloat162float(dbias[column]) + all);
  }
}
