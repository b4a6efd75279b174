// A thread goes through the whole batch with its eight elements of a position: the next word's vector is asked for
// before the last one is written, SEQUENCES of them under way, and the token that its address waits for has come a
// round before. So nobody waits for two loads one after the other but at the beginning, and the position's vector is
// read once in all.
#include "../common/packed.cuh"

typedef __nv_bfloat16 Element;

template <bool WIDE>
__global__ void __launch_bounds__(BLOCK)
    encode(Element *out, const int *tokens, const Element *words, const Element *positions, int batch, int time,
           int columns) {
  constexpr int SIZE = Packed<Element>::size;
  unsigned packs = (columns + SIZE - 1) / SIZE, index = blockIdx.x * BLOCK + threadIdx.x, t = index / packs,
      c = SIZE * (index % packs);
  if (t >= time) return;
  Packed<Element> word[SEQUENCES], position = loadPart<WIDE>(positions + (size_t)t * columns, c, columns);
  int token[SEQUENCES];
  // Behind the last sequence the last one is read again.
  auto tokenOf = [&](int s) { return tokens[min(s, batch - 1) * time + t]; };
  auto wordOf = [&](int token) { return loadPart<WIDE>(words + (size_t)token * columns, c, columns); };
#pragma unroll
  for (int s = 0; s < SEQUENCES; s++) token[s] = tokenOf(s);
#pragma unroll
  for (int s = 0; s < SEQUENCES; s++) word[s] = wordOf(token[s]), token[s] = tokenOf(SEQUENCES + s);
  for (int first = 0; first < batch; first += SEQUENCES)
#pragma unroll
    for (int s = 0; s < SEQUENCES; s++) {
      Packed<Element> sum = word[s];
      word[s] = wordOf(token[s]);
      token[s] = tokenOf(first + 2 * SEQUENCES + s);
      if (first + s >= batch) return;
#pragma unroll
      for (int e = 0; e < SIZE; e++) sum.set(e, sum[e] + position[e]);
      storePart<WIDE>(out + (size_t)((first + s) * time + t) * columns, c, columns, sum);
    }
}
