// One thread does one row: largest element, sum of exponentials, division. Neighbouring threads read a whole row apart,
// so that a warp fetches 32 sectors for 32 floats, and a GPU is filled only by very many rows.
#include <math.h>

__global__ void softmax(const float *x, float *y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float *in = x + (size_t)row * columns;
  float *out = y + (size_t)row * columns;
  float largest = -INFINITY, sum = 0;
  for (int i = 0; i < columns; i++) largest = fmaxf(largest, in[i]);
  for (int i = 0; i < columns; i++) sum += expf(in[i] - largest);
  for (int i = 0; i < columns; i++) out[i] = expf(in[i] - largest) / sum;
}
