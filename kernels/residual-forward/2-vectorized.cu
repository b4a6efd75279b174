// Eight elements a thread by 16-byte loads and stores: an eighth of the memory instructions, which are what two bytes a
// load are bound by.
#include "../common/packed.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size;

__global__ void residual(const Element *a, const Element *b, Element *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, packs = n / SIZE;
  if (i < packs) {
    Packed<Element> x = load(a + SIZE * i), y = load(b + SIZE * i);
#pragma unroll
    for (int e = 0; e < SIZE; e++) x.set(e, x[e] + y[e]);
    store(out + SIZE * i, x);
  }
  int rest = packs * SIZE + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1 && rest < n) out[rest] = fromFloat<Element>(toFloat(a[rest]) + toFloat(b[rest]));
}
