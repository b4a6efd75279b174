// Eight elements a thread by 16-byte loads and stores: an eighth of the memory instructions, of the divisions that find
// the token, and of its loads.
#include "../common/packed.cuh"

typedef __nv_bfloat16 Element;

template <bool WIDE>
__global__ void encode(Element *out, const int *tokens, const Element *words, const Element *positions, int batch,
                       int time, int columns) {
  constexpr int SIZE = Packed<Element>::size;
  unsigned packs = (columns + SIZE - 1) / SIZE, index = blockIdx.x * blockDim.x + threadIdx.x, i = index / packs,
      c = SIZE * (index % packs);
  if (i >= batch * time) return;
  Packed<Element> word = loadPart<WIDE>(words + (size_t)tokens[i] * columns, c, columns),
      position = loadPart<WIDE>(positions + (size_t)(i % time) * columns, c, columns);
#pragma unroll
  for (int e = 0; e < SIZE; e++) word.set(e, word[e] + position[e]);
  storePart<WIDE>(out + (size_t)i * columns, c, columns, word);
}
