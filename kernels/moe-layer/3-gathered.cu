// No copy of the tokens' rows is made: the copying warp of the products asks for each row of a tile by itself, where it
// lies in x. A box of one row lands in the tile with the swizzle of its place, as a part of a whole box would.
#include "layer.cuh"

__global__ void __launch_bounds__(BLOCK)
    place(const int *chosen, const int *counts, int *places, int *sources, int *ends, int tokens, int experts,
          int top) {
  __shared__ int begins[EXPERTS];
  Part part = partOf(tokens);
  findBegins(begins, counts, ends, experts);
  findPlaces(part, begins, chosen, places, experts, top);
  for (int slot = part.first * top + threadIdx.x; slot < part.end * top; slot += BLOCK)
    sources[places[slot]] = slot / top;
}

// Each lane of the copying warp has a row of every 32 of a tile.
struct Gathered : Products {
  static constexpr int COPIERS = 32;
  const int *sources;
  int rows, own[ROWS / 32];
  __device__ __forceinline__ Gathered(const Products &products, const int *sources, int rows)
      : Products(products), sources(sources), rows(rows) {}
  __device__ __forceinline__ bool find(int tile) {
    if (!Products::find(tile)) return false;
#pragma unroll
    for (int i = 0; i < ROWS / 32; i++) own[i] = sources[min(top + 32 * i + (int)threadIdx.x % 32, rows - 1)];
    return true;
  }
  __device__ __forceinline__ void load(unsigned to, int depth, int, unsigned barrier) const {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < ROWS / 32; i++) loadBox(to + (32 * i + lane) * 128, a, depth, own[i], barrier);
    if (lane < TILE_N / 64)
      loadBox(to + A_BYTES + lane * BOX_BYTES, b, left + 64 * lane, depth, walk.group, barrier);
  }
};

__global__ void __launch_bounds__((CONSUMERS + 1) * WARPGROUP, 1)
    products(const __grid_constant__ TensorMap mapX, const __grid_constant__ TensorMap mapB,
             const __grid_constant__ TensorMap mapC, const int *ends, const int *sources, __nv_bfloat16 *c, int rows,
             int groups, int n, int k) {
  computeTiles(Gathered(Products(mapX, mapB, mapC, ends, c, groups, n), sources, rows), k);
}
