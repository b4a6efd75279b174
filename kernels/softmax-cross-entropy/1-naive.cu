// One thread does one row, in three passes: largest logit, sum of exponentials, gradient. Neighbouring threads read and
// write a whole row apart.
#include <math.h>

__global__ void classify(float *dlogits, float *losses, const float *logits, const float *dlosses, const int *targets,
                         int rows, int classes, int stride) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float *in = logits + (size_t)row * stride;
  float *out = dlogits + (size_t)row * stride;
  float largest = -INFINITY, sum = 0;
  for (int c = 0; c < classes; c++) largest = fmaxf(largest, in[c]);
  for (int c = 0; c < classes; c++) sum += expf(in[c] - largest);
  losses[row] = logf(sum) - (in[targets[row]] - largest);
  for (int c = 0; c < stride; c++)
    out[c] = c < classes ? (expf(in[c] - largest) / sum - (c == targets[row])) * dlosses[row] : 0;
}
