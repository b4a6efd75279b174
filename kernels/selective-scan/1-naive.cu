// A thread has a channel and goes along the sequence, its state in registers. Threads of a warp read rows that lie far
// apart, two bytes at a time, and there are few threads: a GPU waits for memory most of the time.
#include "scan.cuh"

__global__ void __launch_bounds__(BLOCK)
    scan(const __nv_bfloat16 *u, const __nv_bfloat16 *delta, const __nv_bfloat16 *z, const float *a,
         const __nv_bfloat16 *b, const __nv_bfloat16 *c, const float *d, const float *bias, __nv_bfloat16 *y, int dim,
         int length) {
  int channel = blockIdx.x * BLOCK + threadIdx.x, batch = blockIdx.y;
  if (channel >= dim) return;
  float h[STATE] = {}, rate[STATE];
  for (int n = 0; n < STATE; n++) rate[n] = a[channel * STATE + n];
  size_t row = ((size_t)batch * dim + channel) * length, weights = (size_t)batch * STATE * length;
  for (int t = 0; t < length; t++) {
    float x = __bfloat162float(u[row + t]), step = stepOf(__bfloat162float(delta[row + t]) + bias[channel]);
    float sum = d[channel] * x;
    for (int n = 0; n < STATE; n++) {
      size_t at = weights + (size_t)n * length + t;
      h[n] = expf(step * rate[n]) * h[n] + step * x * __bfloat162float(b[at]);
      sum += h[n] * __bfloat162float(c[at]);
    }
    y[row + t] = __float2bfloat16(gated(sum, __bfloat162float(z[row + t])));
  }
}
