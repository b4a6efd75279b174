// Maximum and sum in one pass over the row instead of two (M. Milakov, N. Gimelshein, "Online normalizer calculation
// for softmax", 2018): the sum so far is scaled whenever a larger element comes. A row is read twice, not three times.
// A block of BLOCK threads does a row.
#include <math.h>

__device__ void merge(float &largest, float &sum, float otherLargest, float otherSum) {
  float both = fmaxf(largest, otherLargest);
  // -inf - -inf is no number: a thread that has seen nothing adds nothing.
  sum = (largest == -INFINITY ? 0 : sum * expf(largest - both)) +
      (otherLargest == -INFINITY ? 0 : otherSum * expf(otherLargest - both));
  largest = both;
}

__device__ void mergeWarp(float &largest, float &sum) {
  for (int offset = 16; offset > 0; offset /= 2) {
    float otherLargest = __shfl_xor_sync(0xffffffff, largest, offset),
        otherSum = __shfl_xor_sync(0xffffffff, sum, offset);
    merge(largest, sum, otherLargest, otherSum);
  }
}

__global__ void softmax(const float *x, float *y, int rows, int columns) {
  __shared__ float largestOf[32], sumOf[32];
  const float *in = x + (size_t)blockIdx.x * columns;
  float *out = y + (size_t)blockIdx.x * columns;
  int t = threadIdx.x, lane = t % 32, warp = t / 32;

  float largest = -INFINITY, sum = 0;
  for (int i = t; i < columns; i += BLOCK) {
    float value = in[i];
    if (value > largest) {
      sum = sum * expf(largest - value) + 1;
      largest = value;
    } else sum += expf(value - largest);
  }
  mergeWarp(largest, sum);
  if (BLOCK > 32) {
    if (lane == 0) largestOf[warp] = largest, sumOf[warp] = sum;
    __syncthreads();
    largest = lane < BLOCK / 32 ? largestOf[lane] : -INFINITY;
    sum = lane < BLOCK / 32 ? sumOf[lane] : 0;
    mergeWarp(largest, sum);
  }
  float scale = 1 / sum;
  for (int i = t; i < columns; i += BLOCK) out[i] = expf(in[i] - largest) * scale;
}
