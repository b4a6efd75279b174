// A convolution as a product of matrices: weights, out x 9 in, times a matrix with a column for each pixel of all
// images and a row for each of the 9 in inputs. That matrix is never in memory; its tiles are built while they are
// loaded. A thread has 8 x 8 of TILE_M x TILE_N results, as four tiles of 4 x 4 that are TILE_M / 2 and TILE_N / 2
// apart.
#pragma once
#define ACROSS (TILE_N / 8)
#define THREADS (TILE_M / 8 * ACROSS)
#define DEPTH 8
#define W_QUADS (TILE_M * DEPTH / 4 / THREADS)
#define PIXELS (TILE_N * DEPTH / THREADS)
// A thread loads inputs of one pixel.
static_assert(THREADS % TILE_N == 0);

struct Tiles {
  // Transposed; four more elements a row, so that what a warp stores goes to different banks.
  float w[DEPTH][TILE_M + 4];
  float x[DEPTH][TILE_N];
};
struct Step { float4 w[W_QUADS]; float x[PIXELS]; };
// Of the column that the thread loads.
struct Pixel {
  const float *x;
  int row, column;
  bool there;
};

__device__ __forceinline__ Pixel pixelOf(const float *x, int in, int height, int width, int images, int at) {
  int plane = height * width, image = at / plane, row = at % plane / width, column = at % width;
  return {x + (size_t)image * in * plane + row * width + column, row, column, image < images};
}

__device__ __forceinline__ float4 load4(const float *row, int at, int length) {
  if (length % 4 == 0 && at < length) return *(const float4 *)(row + at);
  return make_float4(at < length ? row[at] : 0, at + 1 < length ? row[at + 1] : 0, at + 2 < length ? row[at + 2] : 0,
                     at + 3 < length ? row[at + 3] : 0);
}

__device__ __forceinline__ void fetch(Step &step, const Pixel &pixel, const float *w, int in, int out, int height,
                                      int width, int first, int start) {
#pragma unroll
  for (int q = 0; q < W_QUADS; q++) {
    int i = threadIdx.x + q * THREADS, to = first + i / (DEPTH / 4);
    step.w[q] = to < out ? load4(w + (size_t)to * 9 * in, start + i % (DEPTH / 4) * 4, 9 * in)
        : make_float4(0, 0, 0, 0);
  }
#pragma unroll
  for (int q = 0; q < PIXELS; q++) {
    int depth = start + q * (THREADS / TILE_N) + threadIdx.x / TILE_N, c = depth / 9, down = depth % 9 / 3 - 1,
        right = depth % 3 - 1;
    bool there = pixel.there && c < in && (unsigned)(pixel.row + down) < height
        && (unsigned)(pixel.column + right) < width;
    step.x[q] = there ? pixel.x[(long long)c * height * width + down * width + right] : 0;
  }
}

__device__ __forceinline__ void put(Tiles &tiles, const Step &step) {
#pragma unroll
  for (int q = 0; q < W_QUADS; q++) {
    int i = threadIdx.x + q * THREADS, row = i / (DEPTH / 4), depth = i % (DEPTH / 4) * 4;
    tiles.w[depth][row] = step.w[q].x, tiles.w[depth + 1][row] = step.w[q].y, tiles.w[depth + 2][row] = step.w[q].z,
        tiles.w[depth + 3][row] = step.w[q].w;
  }
#pragma unroll
  for (int q = 0; q < PIXELS; q++)
    tiles.x[q * (THREADS / TILE_N) + threadIdx.x / TILE_N][threadIdx.x % TILE_N] = step.x[q];
}

// x, y: the thread's place in the block's tile. Lanes are 8 x 4, in such an order that every two, 1 or 2 apart, load
// the same 16 bytes: a load takes two cycles then instead of four.
struct Place { int x, y; };
__device__ __forceinline__ Place placeOf() {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  return {warp % (ACROSS / 8) * 8 + lane / 2 % 8, warp / (ACROSS / 8) * 4 + lane / 16 * 2 + lane % 2};
}
__device__ __forceinline__ void multiply(const Tiles &tiles, float (&sum)[8][8], Place at) {
#pragma unroll
  for (int d = 0; d < DEPTH; d++) {
    float4 p0 = *(const float4 *)&tiles.w[d][4 * at.y], p1 = *(const float4 *)&tiles.w[d][TILE_M / 2 + 4 * at.y];
    float4 q0 = *(const float4 *)&tiles.x[d][4 * at.x], q1 = *(const float4 *)&tiles.x[d][TILE_N / 2 + 4 * at.x];
    float p[8] = {p0.x, p0.y, p0.z, p0.w, p1.x, p1.y, p1.z, p1.w},
        q[8] = {q0.x, q0.y, q0.z, q0.w, q1.x, q1.y, q1.z, q1.w};
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
      for (int j = 0; j < 8; j++) sum[i][j] += p[i] * q[j];
  }
}

// Four pixels beside each other are of one image, if an image's pixels are a multiple of four.
__device__ __forceinline__ void store(float *y, const float (&sum)[8][8], int out, int plane, int images, int first,
                                      int firstPixel, Place at) {
#pragma unroll
  for (int j = 0; j < 8; j += 4) {
    int pixel = firstPixel + j / 4 * (TILE_N / 2) + 4 * at.x;
#pragma unroll
    for (int i = 0; i < 8; i++) {
      int to = first + i / 4 * (TILE_M / 2) + 4 * at.y + i % 4;
      if (to >= out) continue;
      if (plane % 4 == 0) {
        if (pixel < images * plane)
          *(float4 *)(y + ((size_t)(pixel / plane) * out + to) * plane + pixel % plane) =
              make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
      } else
        for (int e = 0; e < 4; e++)
          if (pixel + e < images * plane)
            y[((size_t)((pixel + e) / plane) * out + to) * plane + (pixel + e) % plane] = sum[i][j + e];
    }
  }
}
