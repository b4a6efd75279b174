// Each load has eight elements, 16 bytes instead of 2. Each block writes its sum to a place of its own, and one more
// block adds the sums. Without atomic operations the result is the same in every run, so that two runs of a training
// can be compared, and nothing has to be set to zero before.
#include "../common/packed.cuh"
#include "finish.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size;

__global__ void __launch_bounds__(BLOCK) squares(float *partial, const Element *x, int n) {
  __shared__ float part[BLOCK / 32];
  int packs = n / SIZE, rest = packs * SIZE + threadIdx.x;
  float mine = 0;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < packs; i += gridDim.x * BLOCK) {
    Packed<Element> value = load(x + (size_t)SIZE * i);
#pragma unroll
    for (int e = 0; e < SIZE; e++) mine += value[e] * value[e];
  }
  if (blockIdx.x == 0 && rest < n) mine += toFloat(x[rest]) * toFloat(x[rest]);
  mine = blockSum<BLOCK>(mine, part);
  if (threadIdx.x == 0) partial[blockIdx.x] = mine;
}
