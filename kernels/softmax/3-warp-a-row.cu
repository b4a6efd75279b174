// A warp does one row, and a block as many rows as it has warps: lanes exchange maximum and sum by shuffles, so that no
// barrier is left and rows do not wait for each other.
#include <math.h>

__global__ void softmax(const float *x, float *y, int rows, int columns) {
  int lane = threadIdx.x % 32, row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  const float *in = x + (size_t)row * columns;
  float *out = y + (size_t)row * columns;

  float largest = -INFINITY;
  for (int i = lane; i < columns; i += 32) largest = fmaxf(largest, in[i]);
  for (int offset = 16; offset > 0; offset /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, offset));
  float sum = 0;
  for (int i = lane; i < columns; i += 32) sum += expf(in[i] - largest);
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  float scale = 1 / sum;
  for (int i = lane; i < columns; i += 32) out[i] = expf(in[i] - largest) * scale;
}
