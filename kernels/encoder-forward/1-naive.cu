// One thread does one token: its word's vector and its position's, added. Neighbouring threads read and write a whole
// vector apart, and there are few of them.
#include <cuda_bf16.h>

__global__ void encode(__nv_bfloat16 *out, const int *tokens, const __nv_bfloat16 *words,
                       const __nv_bfloat16 *positions, int batch, int time, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch * time) return;
  const __nv_bfloat16 *word = words + (size_t)tokens[i] * columns, *position = positions + (size_t)(i % time) * columns;
  for (int c = 0; c < columns; c++)
    out[(size_t)i * columns + c] = __float2bfloat16_rn(__bfloat162float(word[c]) + __bfloat162float(position[c]));
}
