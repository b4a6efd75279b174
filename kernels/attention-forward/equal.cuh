// Sequences of one length, a head after the other: maps and results have heads x length x SIZE.
#pragma once
#include "wgmma.cuh"

struct Equal {
  int length, heads;
  __device__ __forceinline__ int tiles() const { return (length + QUERIES - 1) / QUERIES * heads; }
  // HEADS heads at a time, whose keys and values stay in L2. With a mask, tiles with many keys first: what is left at
  // the end is short.
  template <bool CAUSAL> __device__ __forceinline__ Work workOf(int tile) const {
    int down = (length + QUERIES - 1) / QUERIES, section = tile / (HEADS * down), rest = tile % (HEADS * down);
    int in = min(HEADS, heads - section * HEADS), row = rest / in, head = section * HEADS + rest % in;
    return Work::of<CAUSAL>(head, head, 0, length, (CAUSAL ? down - 1 - row : row) * QUERIES);
  }
  // What lies below the last query is outside of the map.
  __device__ __forceinline__ bool isWhole(const Work &, int) const { return true; }
  __device__ __forceinline__ void store(const Work &, int, const float (&)[SIZE / 2], const float (&)[2]) const {}
};

template <bool CAUSAL>
__global__ void __launch_bounds__(WARPGROUP * (WARPGROUPS + 1), 1)
    attention(const __grid_constant__ TensorMap mapQ, const __grid_constant__ TensorMap mapK,
              const __grid_constant__ TensorMap mapV, const __grid_constant__ TensorMap mapO, int length, int heads,
              unsigned *taken) {
  attend<CAUSAL>(mapQ, mapK, mapV, mapO, Equal{length, heads}, taken);
}
