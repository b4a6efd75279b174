// One thread does one element: neighbouring threads read and write neighbouring elements, of the same three vectors,
// and there are enough threads to wait for memory at the same time.
#include <cuda_bf16.h>

__global__ void encode(__nv_bfloat16 *out, const int *tokens, const __nv_bfloat16 *words,
                       const __nv_bfloat16 *positions, int batch, int time, int columns) {
  size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= (size_t)batch * time * columns) return;
  int i = at / columns, c = at % columns;
  out[at] = __float2bfloat16_rn(__bfloat162float(words[(size_t)tokens[i] * columns + c]) +
                                __bfloat162float(positions[(size_t)(i % time) * columns + c]));
}
