// A thread stays with eight elements of one position and does them for SEQUENCES sequences of the batch: the position's
// vector is read once for all of them, and their words' vectors are asked for together. The tokens' loads, which those
// wait for, are waited for together, too.
#include "../common/packed.cuh"

typedef __nv_bfloat16 Element;

template <bool WIDE>
__global__ void encode(Element *out, const int *tokens, const Element *words, const Element *positions, int batch,
                       int time, int columns) {
  constexpr int SIZE = Packed<Element>::size;
  unsigned packs = (columns + SIZE - 1) / SIZE, index = blockIdx.x * blockDim.x + threadIdx.x, t = index / packs,
      c = SIZE * (index % packs), first = blockIdx.y * SEQUENCES;
  if (t >= time) return;
  Packed<Element> word[SEQUENCES], position = loadPart<WIDE>(positions + (size_t)t * columns, c, columns);
  int token[SEQUENCES];
#pragma unroll
  for (int s = 0; s < SEQUENCES; s++) token[s] = first + s < batch ? tokens[(first + s) * time + t] : 0;
#pragma unroll
  for (int s = 0; s < SEQUENCES; s++) word[s] = loadPart<WIDE>(words + (size_t)token[s] * columns, c, columns);
#pragma unroll
  for (int s = 0; s < SEQUENCES; s++) {
    if (first + s >= batch) return;
#pragma unroll
    for (int e = 0; e < SIZE; e++) word[s].set(e, word[s][e] + position[e]);
    storePart<WIDE>(out + (size_t)((first + s) * time + t) * columns, c, columns, word[s]);
  }
}
