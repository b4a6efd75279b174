// A block does one row: neighbouring threads read neighbouring logits, and the block's largest and sum meet by shuffles
// and shared memory. A multiprocessor works on a few rows at a time instead of on thousands, so that what the second
// and third pass read again is still in the L2 cache.
#include <math.h>

__device__ float blockReduce(float value, bool isMaximum) {
  __shared__ float part[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int offset = 16; offset > 0; offset /= 2) {
    float other = __shfl_xor_sync(0xffffffff, value, offset);
    value = isMaximum ? fmaxf(value, other) : value + other;
  }
  if (lane == 0) part[warp] = value;
  __syncthreads();
  value = lane < BLOCK / 32 ? part[lane] : isMaximum ? -INFINITY : 0;
  for (int offset = 16; offset > 0; offset /= 2) {
    float other = __shfl_xor_sync(0xffffffff, value, offset);
    value = isMaximum ? fmaxf(value, other) : value + other;
  }
  // What comes next uses `part` again.
  __syncthreads();
  return value;
}

__global__ void __launch_bounds__(BLOCK)
    classify(float *dlogits, float *losses, const float *logits, const float *dlosses, const int *targets, int rows,
             int classes, int stride) {
  int row = blockIdx.x, target = targets[row];
  const float *in = logits + (size_t)row * stride;
  float *out = dlogits + (size_t)row * stride;
  float largest = -INFINITY, sum = 0;
  for (int c = threadIdx.x; c < classes; c += BLOCK) largest = fmaxf(largest, in[c]);
  largest = blockReduce(largest, true);
  for (int c = threadIdx.x; c < classes; c += BLOCK) sum += expf(in[c] - largest);
  sum = blockReduce(sum, false);
  if (threadIdx.x == 0) losses[row] = logf(sum) - (in[target] - largest);
  float scale = dlosses[row];
  for (int c = threadIdx.x; c < stride; c += BLOCK)
    out[c] = c < classes ? (expf(in[c] - largest) / sum - (c == target)) * scale : 0;
}
