// Winograd's F(2 x 2, 3 x 3) (A. Lavin, S. Gray, "Fast algorithms for convolutional neural networks", 2016). 4 x 4
// pixels of a channel are transformed, multiplied place by place by the channel's transformed weights, summed over the
// channels and transformed back. The 2 x 2 results take 16 products instead of 36.
// In other words these are 16 products of matrices, one for each place: transformed weights, out x in, times
// transformed pixels, in x tiles. The block's TILE_M output channels of 32 tiles are in the registers of its threads at
// the same time, at all 16 places. A warp has 16 / WARPS places, a lane QUADS x 4 channels x 8 tiles of each.
#pragma once
#include "../common/async.cuh"
#define WARPS (TILE_M / 8)
#define THREADS (32 * WARPS)
#define TILES 32
#define PLACES (16 / WARPS)
#define QUADS (TILE_M / 32)
// Input channels between two barriers.
#define DEPTH 8
// A warp transforms pixels of so many of them.
#define PATCHES (DEPTH / WARPS)

struct Stage {
  float w[DEPTH][16][TILE_M];
  float x[DEPTH][16][TILES];
};
struct Shared {
  Stage stages[2];
  // What the warps exchange at the end, 16 channels of output at a time, while the 16 before them are read.
  float sums[2][16][16][TILES];
};
using Sums = float[PLACES][QUADS * 4][8];

// A lane's place among those of a warp: 8 times 4 channels of output, 4 times 4 tiles. A load of 16 bytes a lane
// takes two cycles instead of four where every two lanes, 1 or 2 apart, want the same.
__device__ __forceinline__ int channelsOf(int lane) { return lane / 2 % 8; }
__device__ __forceinline__ int squaresOf(int lane) { return lane / 16 * 2 + lane % 2; }

// transformed: for each TILE_M channels of output and each channel of input, a multiple of 8, 16 places x TILE_M; a
// thread the 16 of a channel of input (blockIdx.y) and of output.
__device__ __forceinline__ void transformWeights(const float *w, float *transformed, int in, int out, int padded,
                                                 float scale) {
  int to = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
  if (to >= padded) return;
  float g[3][3], t[4][3];
#pragma unroll
  for (int tap = 0; tap < 9; tap++)
    g[tap / 3][tap % 3] = to < out && c < in ? w[((size_t)to * in + c) * 9 + tap] * scale : 0;
#pragma unroll
  for (int i = 0; i < 3; i++)
    t[0][i] = g[0][i], t[1][i] = 0.5f * (g[0][i] + g[1][i] + g[2][i]), t[2][i] = 0.5f * (g[0][i] - g[1][i] + g[2][i]),
        t[3][i] = g[2][i];
  transformed += ((size_t)(to / TILE_M * gridDim.y + c) * 16) * TILE_M + to % TILE_M;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    float *row = transformed + 4 * i * TILE_M;
    row[0] = t[i][0], row[TILE_M] = 0.5f * (t[i][0] + t[i][1] + t[i][2]),
        row[2 * TILE_M] = 0.5f * (t[i][0] - t[i][1] + t[i][2]), row[3 * TILE_M] = t[i][2];
  }
}

// The place of a tile. down, across: tiles of an image.
struct Tile {
  int image, row, column;
};
__device__ __forceinline__ Tile tileOf(int at, int down, int across) {
  return {at / (down * across), at / across % down * 2, at % across * 2};
}

// The one that is so many later.
__device__ __forceinline__ Tile later(Tile at, Tile by, int down, int across) {
  at.column += by.column, at.row += by.row, at.image += by.image;
  if (at.column >= 2 * across) at.column -= 2 * across, at.row += 2;
  if (at.row >= 2 * down) at.row -= 2 * down, at.image++;
  return at;
}

// The 4 x 4 pixels of one tile.
struct Source {
  // The first one, of channel 0; it may be outside of the image.
  const float *x;
  // A bit for each pixel: whether it is in the image.
  int there;
};
__device__ __forceinline__ Source sourceOf(const float *x, Tile at, int in, int height, int width, int images) {
  // Of a row; the tile's first pixel is in the image, if the image is there.
  int columns = (at.column > 0) | 2 | (at.column + 1 < width) << 2 | (at.column + 2 < width) << 3;
  int there = (at.row > 0 ? columns : 0) | columns << 4 | (at.row + 1 < height ? columns << 8 : 0) |
      (at.row + 2 < height ? columns << 12 : 0);
  if (at.image >= images) there = 0;
  return {x + ((ptrdiff_t)at.image * in * height + at.row - 1) * width + at.column - 1, there};
}

struct Patch { float x[16]; };
// x: of the thread's first channel.
__device__ __forceinline__ void fetch(Patch (&patches)[PATCHES], const float *x, int there, int in, int plane,
                                      int width, int start) {
#pragma unroll
  for (int q = 0; q < PATCHES; q++) {
    int inChannel = start + threadIdx.x / 32 + q * WARPS < in ? there : 0;
    const float *from = x + (ptrdiff_t)q * WARPS * plane;
#pragma unroll
    for (int i = 0; i < 16; i++) patches[q].x[i] = inChannel >> i & 1 ? from[i / 4 * width + i % 4] : 0;
  }
}
__device__ __forceinline__ void put(Stage &stage, const Patch (&patches)[PATCHES]) {
#pragma unroll
  for (int q = 0; q < PATCHES; q++) {
    const float *x = patches[q].x;
    float t[16];
#pragma unroll
    for (int i = 0; i < 4; i++)
      t[i] = x[i] - x[8 + i], t[4 + i] = x[4 + i] + x[8 + i], t[8 + i] = x[8 + i] - x[4 + i],
          t[12 + i] = x[4 + i] - x[12 + i];
    float (*to)[TILES] = stage.x[threadIdx.x / 32 + q * WARPS];
#pragma unroll
    for (int i = 0; i < 16; i += 4) {
      int lane = threadIdx.x % 32;
      to[i][lane] = t[i] - t[i + 2], to[i + 1][lane] = t[i + 1] + t[i + 2], to[i + 2][lane] = t[i + 2] - t[i + 1],
          to[i + 3][lane] = t[i + 1] - t[i + 3];
    }
  }
}

// from: the thread's first four.
__device__ __forceinline__ void copyWeights(Stage &stage, const float *from) {
#pragma unroll
  for (int i = 0; i < DEPTH * 16 * TILE_M; i += 4 * THREADS)
    copyAsync((uint4 *)(&stage.w[0][0][0] + 4 * threadIdx.x + i), from + i, true);
  endGroup();
}

// Half of a stage's channels.
__device__ __forceinline__ void multiply(const Stage &stage, Sums &sum, int half) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int c = half * DEPTH / 2; c < (half + 1) * DEPTH / 2; c++)
#pragma unroll
    for (int p = 0; p < PLACES; p++) {
      const float *w = stage.w[c][warp * PLACES + p] + channelsOf(lane) * 4,
          *x = stage.x[c][warp * PLACES + p] + squaresOf(lane) * 4;
      float a[QUADS * 4], b[8];
#pragma unroll
      for (int k = 0; k < QUADS; k++) *(float4 *)&a[4 * k] = *(const float4 *)(w + 32 * k);
#pragma unroll
      for (int k = 0; k < 2; k++) *(float4 *)&b[4 * k] = *(const float4 *)(x + 16 * k);
#pragma unroll
      for (int i = 0; i < QUADS * 4; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) sum[p][i][j] += a[i] * b[j];
    }
}

// Calls put(channel of output, the 2 x 2 results) for the tile of the thread's lane. Channel 4 i + j of 32 is in row
// 8 j + i; in rows, fours of tiles change places, so that what a warp stores at the same time goes to different
// banks.
template <typename Put>
__device__ __forceinline__ void transformBack(const Sums &sum, float (&sums)[2][16][16][TILES], int first, Put put) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int k = 0; k < QUADS * 2; k++) {
#pragma unroll
    for (int p = 0; p < PLACES; p++)
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
          const float *four = &sum[p][2 * k + i][j];
          *(float4 *)&sums[k % 2][warp * PLACES + p][8 * i +
                                                     channelsOf(lane)][((j + squaresOf(lane)) ^
              channelsOf(lane) % 4 * 2) * 4] = make_float4(four[0], four[1], four[2], four[3]);
        }
    __syncthreads();
#pragma unroll
    for (int row = warp; row < 16; row += WARPS) {
      float m[16], t[2][4];
#pragma unroll
      for (int i = 0; i < 16; i++) m[i] = sums[k % 2][i][row][lane ^ row % 4 * 8];
#pragma unroll
      for (int i = 0; i < 4; i++) t[0][i] = m[i] + m[4 + i] + m[8 + i], t[1][i] = m[4 + i] - m[8 + i] - m[12 + i];
      put(first + k / 2 * 32 + row % 8 * 4 + k % 2 * 2 + row / 8, t[0][0] + t[0][1] + t[0][2],
          t[0][1] - t[0][2] - t[0][3], t[1][0] + t[1][1] + t[1][2], t[1][1] - t[1][2] - t[1][3]);
    }
  }
}

// All tiles of the images, 32 after 32, by as many blocks as there are side by side: while a block does one step, its
// inputs of the next one are on the way, also of the next 32 tiles. down, across: tiles of an image. Calls
// store(tile)(channel of output, the 2 x 2 results).
template <typename Store>
__device__ __forceinline__ void convolveTiles(Shared &shared, const float *x, const float *transformed, int in,
                                                int height, int width, int images, int down, int across, Store store) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, plane = height * width, group = blockIdx.x,
      groups = (images * down * across + TILES - 1) / TILES;
  transformed += (size_t)blockIdx.y * ((in + DEPTH - 1) / DEPTH) * DEPTH * 16 * TILE_M + 4 * threadIdx.x;
  Tile at = tileOf(group * TILES + lane, down, across), next = at,
      by = tileOf(gridDim.x * TILES, down, across);
  Source source = sourceOf(x, at, in, height, width, images);
  const float *from = source.x + warp * plane, *weights = transformed;
  Patch patches[PATCHES];
  Sums sum = {};
  copyWeights(shared.stages[0], weights);
  fetch(patches, from, source.there, in, plane, width, 0);
  put(shared.stages[0], patches);
  for (int start = DEPTH, now = 0;; now ^= 1) {
    waitForAllBut<0>();
    __syncthreads();
    bool isLast = start >= in;
    if (isLast) {
      group += gridDim.x, start = 0;
      next = later(at, by, down, across);
      source = sourceOf(x, next, in, height, width, images);
      from = source.x + warp * plane, weights = transformed;
    } else from += DEPTH * plane, weights += DEPTH * 16 * TILE_M;
    bool isMore = group < groups;
    if (isMore) {
      copyWeights(shared.stages[now ^ 1], weights);
      fetch(patches, from, source.there, in, plane, width, start);
    }
    multiply(shared.stages[now], sum, 0);
    // In between: a warp that has its pixels does not keep those that multiply from the barrier.
    if (isMore) put(shared.stages[now ^ 1], patches);
    multiply(shared.stages[now], sum, 1);
    start += DEPTH;
    if (!isLast) continue;
    transformBack(sum, shared.sums, blockIdx.y * TILE_M, store(at));
    if (!isMore) return;
#pragma unroll
    for (int i = 0; i < PLACES * QUADS * 4 * 8; i++) (&sum[0][0][0])[i] = 0;
    at = next;
  }
}
