// A block does one row: neighbouring threads read neighbouring elements, and each row has enough threads to keep many
// loads in flight. Maximum and sum are exchanged through shared memory, by halving.
#include <math.h>

__global__ void softmax(const float *x, float *y, int rows, int columns) {
  __shared__ float part[BLOCK];
  const float *in = x + (size_t)blockIdx.x * columns;
  float *out = y + (size_t)blockIdx.x * columns;
  int t = threadIdx.x;

  float largest = -INFINITY;
  for (int i = t; i < columns; i += BLOCK) largest = fmaxf(largest, in[i]);
  part[t] = largest;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (t < half) part[t] = fmaxf(part[t], part[t + half]);
    __syncthreads();
  }
  largest = part[0];
  __syncthreads();

  float sum = 0;
  for (int i = t; i < columns; i += BLOCK) sum += expf(in[i] - largest);
  part[t] = sum;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (t < half) part[t] += part[t + half];
    __syncthreads();
  }
  float scale = 1 / part[0];
  for (int i = t; i < columns; i += BLOCK) out[i] = expf(in[i] - largest) * scale;
}
