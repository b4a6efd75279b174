// The kernels of attention-backward for sequences of any lengths and grouped queries: token t of sequence s is row
// starts[s] + t; q, o, go and gq have tokens x heads x SIZE, k, v, gk and gv tokens x kvHeads x SIZE, lse heads x
// tokens. A block goes through the queries of all heads that share its keys, so that their gradients are added up in
// registers. The maps have heads x tokens x SIZE, with the strides of what lies in memory.
//
// Tiles of queries do not cross sequences. Sequence s has those from starts[s] / QUERIES + s on: there is room for all
// of them, and no list is needed.
#pragma once
#include "../attention-backward/overlapped.cuh"

struct Varlen {
  const int *starts;
  int tokens, sequences, heads, kvHeads;
  // Keys behind the end of a sequence are of the next one.
  static constexpr bool IS_SHARED = true;
  __device__ __forceinline__ int headsOfBlock() const { return heads / kvHeads; }
  __device__ __forceinline__ int kvStride() const { return kvHeads * SIZE; }
  __device__ __forceinline__ int firstTile(int sequence) const { return starts[sequence] / QUERIES + sequence; }
  __device__ __forceinline__ int padded() const { return (tokens / QUERIES + sequences) * QUERIES; }
  // The last sequence that begins at the tile or before it.
  __device__ __forceinline__ Tile tileOf(int tile) const {
    int low = 0, high = sequences - 1;
    while (low < high) {
      int middle = (low + high + 1) / 2;
      if (firstTile(middle) <= tile) low = middle;
      else high = middle - 1;
    }
    int first = starts[low] + (tile - firstTile(low)) * QUERIES;
    return {first, starts[low + 1] - first};
  }
  __device__ __forceinline__ size_t row(int head, int token) const { return (size_t)token * heads + head; }
  __device__ __forceinline__ size_t lseAt(int head, int token) const { return (size_t)head * tokens + token; }
  __device__ __forceinline__ size_t kvRow(int head, int token) const { return (size_t)token * kvHeads + head; }
};

__global__ void __launch_bounds__(128) prepare(const __nv_bfloat16 *o, const __nv_bfloat16 *go, const float *lse,
                                               const int *starts, float *stats, float *sums, int tokens,
                                               int sequences, int heads, int kvHeads) {
  Varlen layout = {starts, tokens, sequences, heads, kvHeads};
  prepareQueries(layout, o, go, lse, stats, sums, layout.padded());
}
// Block x has a head of keys of a sequence. With a mask, keys that many queries see come first.
template <bool CAUSAL>
__global__ void __launch_bounds__((CONSUMERS + 1) * WARPGROUP, 1)
    gradients(const __grid_constant__ TensorMap mapQ, const __grid_constant__ TensorMap mapK,
              const __grid_constant__ TensorMap mapV, const __grid_constant__ TensorMap mapGo, const int *starts,
              const float *stats, float *sums, __nv_bfloat16 *gk, __nv_bfloat16 *gv, int tokens, int sequences,
              int heads, int kvHeads) {
  Varlen layout = {starts, tokens, sequences, heads, kvHeads};
  int sequence = blockIdx.x / kvHeads, head = blockIdx.x % kvHeads, top = blockIdx.y * KEYS;
  Place place = {head, head * layout.headsOfBlock(), starts[sequence], starts[sequence + 1] - starts[sequence],
                 layout.firstTile(sequence), layout.padded() / QUERIES};
  if (top >= place.length) return;
  addGradients<CAUSAL>(layout, place, top, mapQ, mapK, mapV, mapGo, stats, sums, gk, gv);
}
__global__ void __launch_bounds__(256) finish(const float *sums, __nv_bfloat16 *gq, const int *starts, int tokens,
                                              int sequences, int heads, int kvHeads) {
  Varlen layout = {starts, tokens, sequences, heads, kvHeads};
  finishQueries(layout, sums, gq, layout.padded());
}
