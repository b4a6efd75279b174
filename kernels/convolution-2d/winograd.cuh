// Winograd's F(2 x 2, 3 x 3) (A. Lavin, S. Gray, "Fast algorithms for convolutional neural networks", 2016): 4 x 4 pixels of a channel, transformed, times a channel's transformed weights, place by
// place, summed over the channels and transformed back, are 2 x 2 results: 16 products where there were 36. In other words 16 products of matrices, one for each place: transformed weights, out x
// in, times transformed pixels, in x squares. All 16 of a block's TILE_M channels of output and 32 squares are in its threads' registers at the same time: a warp has 16 / WARPS places, a lane
// QUADS x 4 channels x 8 squares of each.
#pragma once
#include "../common/async.cuh"
#define THREADS (32 * WARPS)
#define SQUARES 32
#define PLACES (16 / WARPS)
#define QUADS (TILE_M / 32)
// Input channels between two barriers.
#define DEPTH 8
// Each of up to eight warps transforms pixels of so many channels. Of sixteen, the others copy weights.
#define PATCHES (WARPS < DEPTH ? DEPTH / WARPS : 1)
#define COPYING (WARPS > DEPTH ? THREADS / 2 : THREADS)

struct Stage {
  float w[DEPTH][16][TILE_M];
  float x[DEPTH][16][SQUARES];
};
// What the warps exchange at the end, 16 channels of output at a time. Channel 4 i + j of 32 is in row 8 j + i, and rows are four floats longer, so that what a warp stores goes to different banks.
struct Shared {
  Stage stages[2];
  float sums[16][16][SQUARES + 4];
};
using Sums = float[PLACES][QUADS * 4][8];

// transformed: for each TILE_M channels of output and each channel of input, a multiple of 8, 16 places x TILE_M; a thread the 16 of a channel of input (blockIdx.y) and of output.
__device__ __forceinline__ void transformWeights(const float *w, float *transformed, int in, int out, int padded, float scale) {
  int to = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
  if (to >= padded) return;
  float g[3][3], t[4][3];
#pragma unroll
  for (int tap = 0; tap < 9; tap++) g[tap / 3][tap % 3] = to < out && c < in ? w[((size_t)to * in + c) * 9 + tap] * scale : 0;
#pragma unroll
  for (int i = 0; i < 3; i++) t[0][i] = g[0][i], t[1][i] = 0.5f * (g[0][i] + g[1][i] + g[2][i]), t[2][i] = 0.5f * (g[0][i] - g[1][i] + g[2][i]), t[3][i] = g[2][i];
  transformed += ((size_t)(to / TILE_M * gridDim.y + c) * 16) * TILE_M + to % TILE_M;
#pragma unroll
  for (int i = 0; i < 4; i++) {
    float *row = transformed + 4 * i * TILE_M;
    row[0] = t[i][0], row[TILE_M] = 0.5f * (t[i][0] + t[i][1] + t[i][2]), row[2 * TILE_M] = 0.5f * (t[i][0] - t[i][1] + t[i][2]), row[3 * TILE_M] = t[i][2];
  }
}

// A square's place. down, across: squares of an image.
struct Square {
  int image, row, column;
};
__device__ __forceinline__ Square squareOf(int at, int down, int across) { return {at / (down * across), at / across % down * 2, at % across * 2}; }

// The 4 x 4 pixels of one square.
struct Source {
  // The first one, of channel 0; it may be outside of the image.
  const float *x;
  // A bit for each pixel: whether it is in the image.
  int there;
};
__device__ __forceinline__ Source sourceOf(const float *x, Square at, int in, int height, int width, int images) {
  // Of a row; the square's first pixel is in the image, if the image is there.
  int columns = (at.column > 0) | 2 | (at.column + 1 < width) << 2 | (at.column + 2 < width) << 3;
  int there = (at.row > 0 ? columns : 0) | columns << 4 | (at.row + 1 < height ? columns << 8 : 0) | (at.row + 2 < height ? columns << 12 : 0);
  if (at.image >= images) there = 0;
  return {x + ((ptrdiff_t)at.image * in * height + at.row - 1) * width + at.column - 1, there};
}

struct Patch { float x[16]; };
// x: of the thread's first channel.
__device__ __forceinline__ void fetch(Patch (&patches)[PATCHES], const float *x, int there, int in, int plane, int width, int start) {
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
    for (int i = 0; i < 4; i++) t[i] = x[i] - x[8 + i], t[4 + i] = x[4 + i] + x[8 + i], t[8 + i] = x[8 + i] - x[4 + i], t[12 + i] = x[4 + i] - x[12 + i];
    float (*to)[SQUARES] = stage.x[threadIdx.x / 32 + q * WARPS];
#pragma unroll
    for (int i = 0; i < 16; i += 4) {
      int lane = threadIdx.x % 32;
      to[i][lane] = t[i] - t[i + 2], to[i + 1][lane] = t[i + 1] + t[i + 2], to[i + 2][lane] = t[i + 2] - t[i + 1], to[i + 3][lane] = t[i + 1] - t[i + 3];
    }
  }
}

// from: the thread's first four.
__device__ __forceinline__ void copyWeights(Stage &stage, const float *from) {
#pragma unroll
  for (int i = 0; i < DEPTH * 16 * TILE_M; i += 4 * COPYING) copyAsync((uint4 *)(&stage.w[0][0][0] + 4 * (threadIdx.x % COPYING) + i), from + i, true);
}

__device__ __forceinline__ void multiply(const Stage &stage, Sums &sum) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int c = 0; c < DEPTH; c++)
#pragma unroll
    for (int p = 0; p < PLACES; p++) {
      const float *w = stage.w[c][warp * PLACES + p] + lane % 8 * 4, *x = stage.x[c][warp * PLACES + p] + lane / 8 * 4;
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

// Calls put(channel of output, the 2 x 2 results) for the square of the thread's lane.
template <typename Put> __device__ __forceinline__ void transformBack(const Sums &sum, float (&sums)[16][16][SQUARES + 4], int first, Put put) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
#pragma unroll
  for (int k = 0; k < QUADS * 2; k++) {
    if (k > 0) __syncthreads();
#pragma unroll
    for (int p = 0; p < PLACES; p++)
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 8; j += 4) {
          const float *four = &sum[p][2 * k + i][j];
          *(float4 *)&sums[warp * PLACES + p][8 * i + lane % 8][4 * j + lane / 8 * 4] = make_float4(four[0], four[1], four[2], four[3]);
        }
    __syncthreads();
#pragma unroll
    for (int row = warp; row < 16; row += WARPS) {
      float m[16], t[2][4];
#pragma unroll
      for (int i = 0; i < 16; i++) m[i] = sums[i][row][lane];
#pragma unroll
      for (int i = 0; i < 4; i++) t[0][i] = m[i] + m[4 + i] + m[8 + i], t[1][i] = m[4 + i] - m[8 + i] - m[12 + i];
      put(first + k / 2 * 32 + row % 8 * 4 + k % 2 * 2 + row / 8, t[0][0] + t[0][1] + t[0][2], t[0][1] - t[0][2] - t[0][3], t[1][0] + t[1][1] + t[1][2], t[1][1] - t[1][2] - t[1][3]);
    }
  }
}

// All squares of the images, 32 after 32, by as many blocks as there are side by side: while a block does one step, its inputs of the next one are on the way, also of the next 32 squares. down,
// across: squares of an image. Calls store(square)(channel of output, the 2 x 2 results).
template <typename Store>
__device__ __forceinline__ void convolveSquares(Shared &shared, const float *x, const float *transformed, int in, int height, int width, int images, int down, int across, Store store) {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, plane = height * width, group = blockIdx.x, groups = (images * down * across + SQUARES - 1) / SQUARES;
  transformed += (size_t)blockIdx.y * ((in + DEPTH - 1) / DEPTH) * DEPTH * 16 * TILE_M + 4 * (threadIdx.x % COPYING);
  Square at = squareOf(group * SQUARES + lane, down, across), next = at;
  Source source = sourceOf(x, at, in, height, width, images);
  const float *from = source.x + warp * plane, *weights = transformed;
  Patch patches[PATCHES];
  Sums sum = {};
  bool copies = WARPS <= DEPTH || warp >= DEPTH, transforms = WARPS <= DEPTH || warp < DEPTH;
  if (copies) copyWeights(shared.stages[0], weights);
  if (transforms) {
    fetch(patches, from, source.there, in, plane, width, 0);
    put(shared.stages[0], patches);
  }
  for (int start = DEPTH, now = 0;; now ^= 1) {
    endGroup();
    waitForAllBut<0>();
    __syncthreads();
    bool isLast = start >= in;
    if (isLast) {
      group += gridDim.x, start = 0;
      next = squareOf(group * SQUARES + lane, down, across);
      source = sourceOf(x, next, in, height, width, images);
      from = source.x + warp * plane, weights = transformed;
    } else from += DEPTH * plane, weights += DEPTH * 16 * TILE_M;
    bool isMore = group < groups;
    if (isMore && copies) copyWeights(shared.stages[now ^ 1], weights);
    if (isMore && transforms) fetch(patches, from, source.there, in, plane, width, start);
    multiply(shared.stages[now], sum);
    if (isMore && transforms) put(shared.stages[now ^ 1], patches);
    start += DEPTH;
    if (!isLast) continue;
    transformBack(sum, shared.sums, blockIdx.y * TILE_M, store(at));
    if (!isMore) return;
#pragma unroll
    for (int i = 0; i < PLACES * QUADS * 4 * 8; i++) (&sum[0][0][0])[i] = 0;
    at = next;
  }
}
