// The implicit product of gemm.cuh with its depth in another order: eight input channels of one tap, then of the next
// tap. Whether a pixel's neighbour is there is one bit for all eight, found before the loop; addresses are one plane
// apart. Weights lie in memory in that order (`arrange`), with zeros up to whole tiles, so that they are copied
// unchanged.
#pragma once
#include "../common/async.cuh"
#include "gemm.cuh"

// arranged: for each TILE_M channels of output and eight channels of input, 9 taps x 8 x TILE_M; a thread an element
// (blockIdx.y: in the depth).
__device__ __forceinline__ void arrangeWeight(const float *w, float *arranged, int in, int out, int padded,
                                              float scale) {
  int to = blockIdx.x * blockDim.x + threadIdx.x, depth = blockIdx.y, c = depth / (9 * DEPTH) * DEPTH + depth % DEPTH,
      tap = depth / DEPTH % 9;
  if (to < padded)
    arranged[((size_t)(to / TILE_M) * gridDim.y + depth) * TILE_M + to % TILE_M] =
        to < out && c < in ? w[((size_t)to * in + c) * 9 + tap] * scale : 0;
}

// Where a column of the product's second matrix comes from. Results are pixels of all images one after the other, or of
// WINDOWS, four pixels that are pooled; rows and columns behind the last window are left out.
struct Column {
  int image, row, column;
};
template <bool WINDOWS> __device__ __forceinline__ Column columnOf(int at, int height, int width) {
  if (!WINDOWS) return {at / (height * width), at / width % height, at % width};
  int window = at / 4, across = width / 2, down = height / 2;
  return {window / (across * down), window / across % down * 2 + at / 2 % 2, window % across * 2 + at % 2};
}

// The eight inputs of a step that a thread copies, one below the other in the tile.
struct Source {
  const float *x;
  // A bit for each tap: whether its pixel is in the image.
  int taps;
};
__device__ __forceinline__ Source sourceOf(const float *x, Column at, int in, int height, int width, int images) {
  int taps = 0;
  for (int tap = 0; tap < 9; tap++)
    taps |= (int)(at.image < images && (unsigned)(at.row + tap / 3 - 1) < height
                  && (unsigned)(at.column + tap % 3 - 1) < width) << tap;
  return {x + ((size_t)at.image * in * height + at.row) * width + at.column, taps};
}

__device__ __forceinline__ void beginCopies(Tiles &tiles, const Source &source, const float *arranged, int in,
                                            int height, int width, int step) {
#pragma unroll
  for (int q = 0; q < W_QUADS; q++) {
    int i = threadIdx.x + q * THREADS, depth = i / (TILE_M / 4), to = i % (TILE_M / 4) * 4;
    copyAsync((uint4 *)&tiles.w[depth][to], arranged + step * DEPTH * TILE_M + 4 * i, true);
  }
  int tap = step % 9, c = step / 9 * DEPTH + threadIdx.x / TILE_N, plane = height * width;
  bool there = source.taps >> tap & 1;
  const float *from = source.x + (ptrdiff_t)c * plane + (tap / 3 - 1) * width + tap % 3 - 1;
#pragma unroll
  for (int q = 0; q < PIXELS; q++)
    copyFloatAsync(&tiles.x[q * (THREADS / TILE_N) + threadIdx.x / TILE_N][threadIdx.x % TILE_N],
                   from + q * (THREADS / TILE_N) * plane, there && c + q * (THREADS / TILE_N) < in);
}

// Sums of the block's tile. source: the column that the thread copies.
__device__ __forceinline__ void convolveTile(float (&sum)[8][8], Tiles (&tiles)[STAGES], const Source &source,
                                               const float *arranged, int in, int height, int width, Place at) {
  int steps = (in + DEPTH - 1) / DEPTH * 9;
  arranged += (size_t)blockIdx.y * steps * DEPTH * TILE_M;
#pragma unroll
  for (int s = 0; s < STAGES - 1; s++) {
    beginCopies(tiles[s], source, arranged, in, height, width, s);
    endGroup();
  }
  int now = 0, next = STAGES - 1;
  for (int step = 0; step < steps; step++) {
    waitForAllBut<STAGES - 2>();
    __syncthreads();
    if (step + STAGES - 1 < steps) beginCopies(tiles[next], source, arranged, in, height, width, step + STAGES - 1);
    endGroup();
    multiply(tiles[now], sum, at);
    now = now + 1 == STAGES ? 0 : now + 1, next = next + 1 == STAGES ? 0 : next + 1;
  }
}
