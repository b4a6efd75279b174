#include "loop.h"

static void mandelbrot(int size, int limit, float left, float top, float step, int *restrict out) {
  for (int row = 0; row < size; row++) {
    for (int column = 0; column < size; column++) {
      float cx = left + step * column, cy = top - step * row;
      float x = 0.0f, y = 0.0f;
      int i = 0;
      while (i < limit && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        i++;
      }
      out[row * size + column] = i;
    }
  }
}

void loop(const union argument *args) {
  mandelbrot(args[0].i, args[1].i, args[2].f, args[3].f, args[4].f, args[5].data);
}
