// What versions 2 and 3 share: the kernel of attention-forward for sequences of any lengths and grouped queries. Token
// t of sequence s is row starts[s] + t; q and o have tokens x heads x SIZE, k and v tokens x kvHeads x SIZE: `heads /
// kvHeads` neighbours share a head of keys and values. The maps have heads x tokens x SIZE, with the strides of what
// lies in memory. A tile whose last queries are of the next sequence is stored by the threads. Keys and values behind a
// sequence's end are of the next one, too: their weights are 0, so values must be finite.
//
// SORTED: tiles come from a list, those with the most keys first. Else each sequence has as many as the longest one.
#pragma once
#include "../attention-forward/wgmma.cuh"

struct Varlen {
  const int *starts;
  // Of SORTED: the number of tiles of a head, and for each its sequence and its number in it.
  const int *list;
  __nv_bfloat16 *o;
  int sequences, longest, heads, kvHeads;

  __device__ __forceinline__ int down(int length) const { return (length + QUERIES - 1) / QUERIES; }
  __device__ __forceinline__ int tiles() const { return (SORTED ? list[0] : down(longest) * sequences) * heads; }
  // All heads of a tile together: those that share keys and values run beside one another.
  template <bool CAUSAL> __device__ __forceinline__ Work workOf(int tile) const {
    int head = tile % heads, at = tile / heads;
    int sequence = SORTED ? list[1 + 2 * at] : at / down(longest), row = SORTED ? list[2 + 2 * at] : at % down(longest);
    int start = starts[sequence], length = starts[sequence + 1] - start;
    // With a mask, tiles with many keys first.
    if (CAUSAL && !SORTED) row = down(longest) - 1 - row;
    return Work::of<CAUSAL>(head, head / (heads / kvHeads), start, length, row * QUERIES);
  }
  __device__ __forceinline__ bool isWhole(const Work &w, int group) const {
    return w.top + 64 * group + 64 <= w.length;
  }
  // Lane 4 g + t of a warp has the columns 8 j + 2 t and 8 j + 2 t + 1 of rows g and g + 8 of the warp's 16.
  __device__ __forceinline__ void store(const Work &w, int row, const float (&sum)[SIZE / 2],
                                        const float (&factor)[2]) const {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int half = 0; half < 2; half++) {
      if (row + 8 * half >= w.length) continue;
      unsigned *to = (unsigned *)(o + ((size_t)(w.start + row + 8 * half) * heads + w.head) * SIZE) + lane % 4;
#pragma unroll
      for (int j = 0; j < SIZE / 8; j++)
        to[4 * j] = packed(sum[4 * j + 2 * half] * factor[half], sum[4 * j + 2 * half + 1] * factor[half]);
    }
  }
};

template <bool CAUSAL>
__global__ void __launch_bounds__(WARPGROUP * (WARPGROUPS + 1), 1)
    attention(const __grid_constant__ TensorMap mapQ, const __grid_constant__ TensorMap mapK,
              const __grid_constant__ TensorMap mapV, const __grid_constant__ TensorMap mapO, const int *starts,
              const int *list, __nv_bfloat16 *o, int sequences, int longest, int heads, int kvHeads, unsigned *taken) {
  attend<CAUSAL>(mapQ, mapK, mapV, mapO, Varlen{starts, list, o, sequences, longest, heads, kvHeads}, taken);
}
