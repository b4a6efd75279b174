// Eight elements a thread by 16-byte loads and stores, an eighth of the memory instructions; and 1 / cosh^2 is 1 -
// tanh^2, so that the hyperbolic cosine and a division are not needed.
#include "../common/packed.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size;

__device__ __forceinline__ float derivative(float x) {
  float square = 0.044715f * x * x, t = tanhf(0.7978845608f * x * (1 + square));
  return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * 0.7978845608f * (1 + 3 * square);
}

__global__ void gelu(Element *dinp, const Element *inp, const Element *dout, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, packs = n / SIZE;
  if (i < packs) {
    Packed<Element> x = load(inp + SIZE * i), d = load(dout + SIZE * i);
#pragma unroll
    for (int e = 0; e < SIZE; e++) d.set(e, d[e] * derivative(x[e]));
    store(dinp + SIZE * i, d);
  }
  int rest = packs * SIZE + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1 && rest < n)
    dinp[rest] = fromFloat<Element>(toFloat(dout[rest]) * derivative(toFloat(inp[rest])));
}
