// (1 + tanh u) / 2 is s = 1 / (1 + exp(-2u)), and (1 - tanh^2 u) / 4 is s (1 - s): one exponential and one quotient,
// both from the unit for special functions, whose error of 2^-21 is nothing beside bfloat16's 2^-9. tanhf has branches
// and takes twice as long. Far out the exponential is infinite and s zero, and x * s * (1 - s) is zero, as it should.
// Loads are marked as streaming.
#include "../common/packed.cuh"

typedef __nv_bfloat16 Element;
constexpr int SIZE = Packed<Element>::size;

__device__ __forceinline__ float derivative(float x) {
  float square = 0.044715f * x * x, s = __fdividef(1, 1 + __expf(-1.5957691216f * x * (1 + square)));
  return s + s * (1 - s) * x * 1.5957691216f * (1 + 3 * square);
}

__global__ void gelu(Element *dinp, const Element *inp, const Element *dout, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, packs = n / SIZE;
  if (i < packs) {
    Packed<Element> x = loadStreaming(inp + SIZE * i), d = loadStreaming(dout + SIZE * i);
#pragma unroll
    for (int e = 0; e < SIZE; e++) d.set(e, d[e] * derivative(x[e]));
    store(dinp + SIZE * i, d);
  }
  int rest = packs * SIZE + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1 && rest < n)
    dinp[rest] = fromFloat<Element>(toFloat(dout[rest]) * derivative(toFloat(inp[rest])));
}
