// Nothing here is used twice before the next step of training: all accesses are marked as streaming, so that lines
// leave the caches as soon as they were used and stores are written to memory early instead of pushing out what is
// still to be read.
#include "adamw.cuh"

__global__ void adamw(float *params, const float *grads, float *m, float *v, int n, float step, float beta1,
                      float beta2, float rootScale, float epsilon, float keep) {
  Constants constants = {step, beta1, beta2, rootScale, epsilon, keep};
  int i = blockIdx.x * blockDim.x + threadIdx.x, quads = n / 4;
  if (i < quads) {
    float4 gradient = __ldcs((const float4 *)grads + i), param = __ldcs((float4 *)params + i),
        mean = __ldcs((float4 *)m + i), square = __ldcs((float4 *)v + i);
    update(param, gradient, mean, square, constants);
    __stcs((float4 *)params + i, param), __stcs((float4 *)m + i, mean), __stcs((float4 *)v + i, square);
  }
  int rest = quads * 4 + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1 && rest < n) update(params[rest], grads[rest], m[rest], v[rest], constants);
}
