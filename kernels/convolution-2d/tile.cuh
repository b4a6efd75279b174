// Convolutions of 3 x 3 with a border of one zero, on tiles of pixels in shared memory. A thread has 2 x 2 pixels of
// OUT channels in registers, a block has 2 THREADS_Y x 2 THREADS_X pixels.
#pragma once
#define THREADS (THREADS_X * THREADS_Y)
#define ROWS (2 * THREADS_Y + 2)
#define COLUMNS (2 * THREADS_X + 2)
// Input channels between two barriers.
#define CHANNELS 4

struct Shared {
  float2 pixels[CHANNELS][ROWS][COLUMNS / 2];
  float4 weights[CHANNELS][9][OUT / 4];
};
using Sums = float[OUT][2][2];

// x: in x height x width; w: out x in x 9, of which channels from `first` on; (top, left): the block's first pixel.
__device__ __forceinline__ void convolveTile(Sums &sum, Shared &shared, const float *x, const float *w, int in,
                                               int out, int height, int width, int first, int top, int left) {
  for (int start = 0; start < in; start += CHANNELS) {
    int channels = min(CHANNELS, in - start);
    __syncthreads();
    for (int i = threadIdx.x; i < channels * ROWS * COLUMNS; i += THREADS) {
      int c = start + i / (ROWS * COLUMNS), row = top - 1 + i / COLUMNS % ROWS, column = left - 1 + i % COLUMNS;
      bool there = row >= 0 && row < height && column >= 0 && column < width;
      ((float *)shared.pixels)[i] = there ? x[((size_t)c * height + row) * width + column] : 0;
    }
    for (int i = threadIdx.x; i < channels * 9 * OUT; i += THREADS) {
      int c = start + i / (9 * OUT), tap = i / OUT % 9, to = first + i % OUT;
      ((float *)shared.weights)[i] = to < out ? w[(to * in + c) * 9 + tap] : 0;
    }
    __syncthreads();
#pragma unroll 1
    for (int c = 0; c < channels; c++) {
      float near[4][4];
#pragma unroll
      for (int row = 0; row < 4; row++) {
        const float2 *from = &shared.pixels[c][threadIdx.x / THREADS_X * 2 + row][threadIdx.x % THREADS_X];
        near[row][0] = from[0].x, near[row][1] = from[0].y, near[row][2] = from[1].x, near[row][3] = from[1].y;
      }
#pragma unroll
      for (int tap = 0; tap < 9; tap++)
#pragma unroll
        for (int quad = 0; quad < OUT / 4; quad++) {
          float4 four = shared.weights[c][tap][quad];
          float weight[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
          for (int o = 0; o < 4; o++)
#pragma unroll
            for (int p = 0; p < 4; p++)
              sum[4 * quad + o][p / 2][p % 2] += weight[o] * near[p / 2 + tap / 3][p % 2 + tap % 3];
        }
    }
  }
}
