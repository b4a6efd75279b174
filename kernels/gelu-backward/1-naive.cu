// One thread does one element, by the derivative as it is written (of the approximation by tanh: D. Hendrycks, K.
// Gimpel, "Gaussian error linear units", 2016): a hyperbolic tangent and a hyperbolic cosine.
#include <cuda_bf16.h>

__global__ void gelu(__nv_bfloat16 *dinp, const __nv_bfloat16 *inp, const __nv_bfloat16 *dout, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = __bfloat162float(inp[i]), u = 0.7978845608f * (x + 0.044715f * x * x * x),
      slope = 0.7978845608f * (1 + 3 * 0.044715f * x * x), c = coshf(u);
  dinp[i] = __float2bfloat16_rn(__bfloat162float(dout[i]) * (0.5f * (1 + tanhf(u)) + 0.5f * x * slope / (c * c)));
}
