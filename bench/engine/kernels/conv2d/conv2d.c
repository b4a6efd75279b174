#include "loop.h"

#define RADIUS 2

static void conv2d(int width, int height, const float *restrict taps, const float *restrict in, float *restrict out) {
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      float sum = 0.0f;
      for (int dy = -RADIUS; dy <= RADIUS; dy++) {
        for (int dx = -RADIUS; dx <= RADIUS; dx++) {
          int column = x + dx, row = y + dy;
          if (column >= 0 && column < width && row >= 0 && row < height) {
            sum += taps[(dy + RADIUS) * (2 * RADIUS + 1) + dx + RADIUS] * in[row * width + column];
          }
        }
      }
      out[y * width + x] = sum;
    }
  }
}

void loop(const union argument *args) { conv2d(args[0].i, args[1].i, args[2].data, args[3].data, args[4].data); }
