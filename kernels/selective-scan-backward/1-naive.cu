// A thread has a channel: forward along the sequence, with every state kept in memory, and back again. What all
// channels have in common, the gradients of b and c, they add to memory number by number.
#include "../selective-scan/scan.cuh"

__global__ void clear(float *ga, float *gb, float *gc, float *gd, float *gbias, int dim, int weights) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < weights) gb[i] = gc[i] = 0;
  if (i < dim * STATE) ga[i] = 0;
  if (i < dim) gd[i] = gbias[i] = 0;
}

__global__ void __launch_bounds__(BLOCK)
    gradients(const __nv_bfloat16 *u, const __nv_bfloat16 *delta, const __nv_bfloat16 *z, const float *a,
              const __nv_bfloat16 *b, const __nv_bfloat16 *c, const float *d, const float *bias,
              const __nv_bfloat16 *gy, float *states, __nv_bfloat16 *gu, __nv_bfloat16 *gdelta, __nv_bfloat16 *gz,
              float *ga, float *gb, float *gc, float *gd, float *gbias, int dim, int length) {
  int channel = blockIdx.x * BLOCK + threadIdx.x, batch = blockIdx.y;
  if (channel >= dim) return;
  size_t row = ((size_t)batch * dim + channel) * length, weights = (size_t)batch * STATE * length;
  float h[STATE] = {}, g[STATE] = {}, sumA[STATE] = {}, sumD = 0, sumBias = 0;
  for (int t = 0; t < length; t++) {
    float x = __bfloat162float(u[row + t]), step = stepOf(__bfloat162float(delta[row + t]) + bias[channel]);
    for (int n = 0; n < STATE; n++) {
      h[n] = expf(step * a[channel * STATE + n]) * h[n] +
             step * x * __bfloat162float(b[weights + (size_t)n * length + t]);
      states[(row + t) * STATE + n] = h[n];
    }
  }
  for (int t = length - 1; t >= 0; t--) {
    float x = __bfloat162float(u[row + t]), shifted = __bfloat162float(delta[row + t]) + bias[channel];
    float step = stepOf(shifted), gate = __bfloat162float(z[row + t]), sigmoid = 1 / (1 + expf(-gate));
    float from = __bfloat162float(gy[row + t]), inner = from * gate * sigmoid, y = d[channel] * x, toX = 0, toStep = 0;
    for (int n = 0; n < STATE; n++) {
      size_t at = weights + (size_t)n * length + t;
      float rate = a[channel * STATE + n], decay = expf(step * rate), weight = __bfloat162float(b[at]);
      float now = states[(row + t) * STATE + n], before = t > 0 ? states[(row + t - 1) * STATE + n] : 0;
      y += now * __bfloat162float(c[at]);
      g[n] += inner * __bfloat162float(c[at]);
      atomicAdd(gc + at, inner * now);
      atomicAdd(gb + at, g[n] * step * x);
      toX += g[n] * weight;
      toStep += g[n] * decay * before * rate;
      sumA[n] += g[n] * decay * before * step;
      g[n] *= decay;
    }
    float toDelta = (toStep + toX * x) / (1 + expf(-shifted));
    sumD += inner * x, sumBias += toDelta;
    gu[row + t] = __float2bfloat16(d[channel] * inner + toX * step);
    gdelta[row + t] = __float2bfloat16(toDelta);
    gz[row + t] = __float2bfloat16(from * y * sigmoid * (1 + gate * (1 - sigmoid)));
  }
  for (int n = 0; n < STATE; n++) atomicAdd(ga + channel * STATE + n, sumA[n]);
  atomicAdd(gd + channel, sumD);
  atomicAdd(gbias + channel, sumBias);
}
