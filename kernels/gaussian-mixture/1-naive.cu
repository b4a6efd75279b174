// One kernel for each line of the formulas, as array libraries do it: the shares of all points go to memory, and each
// sum reads them again.
#include "mixture.cuh"

__global__ void shareOut(const float2 *points, const int *starts, const float *means, const float *spreads,
                         const float *weights, float *shareOf, float *copies, int cells) {
  int i = blockIdx.x * BLOCK + threadIdx.x, n = starts[cells];
  if (i >= n) return;
  // The cell of a point: the last that begins before it, or with it.
  int cell = 0, end = cells;
  while (end - cell > 1) {
    int middle = (cell + end) / 2;
    if (starts[middle] <= i) cell = middle;
    else end = middle;
  }
  float2 point = points[i];
  float most = -1e30f, sum = 0;
  for (int k = 0; k < COMPONENTS; k++) {
    float level = levelOf(componentAt(means, spreads, k, 0, 0), point.x, point.y) +
                  log2f(weights[cell * COMPONENTS + k]);
    shareOf[(size_t)i * COMPONENTS + k] = level;
    most = fmaxf(most, level);
  }
  for (int k = 0; k < COMPONENTS; k++) sum += exp2f(shareOf[(size_t)i * COMPONENTS + k] - most);
  for (int k = 0; k < COMPONENTS; k++) {
    float &share = shareOf[(size_t)i * COMPONENTS + k];
    share = exp2f(share - most) / sum;
  }
  atomicAdd(copies + i % COPIES * COPY + COPY - 1, most + log2f(sum));
}
// A warp a cell, a lane a component.
__global__ void sumUp(const float2 *points, const int *starts, const float *means, const float *shareOf, float *shares,
                      float *copies, int grid) {
  int cell = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32, k = threadIdx.x % 32;
  if (cell >= grid * grid) return;
  float2 middle = middleOf(cell, grid);
  float s[SUMS] = {};
  for (int i = starts[cell]; i < starts[cell + 1]; i++) {
    float share = shareOf[(size_t)i * COMPONENTS + k], x = points[i].x - middle.x, y = points[i].y - middle.y;
    s[0] += share, s[1] += share * x, s[2] += share * y;
    s[3] += share * x * x, s[4] += share * x * y, s[5] += share * y * y;
  }
  shares[cell * COMPONENTS + k] = s[0];
  addSums(copies, means, k, cell, middle, s);
}
