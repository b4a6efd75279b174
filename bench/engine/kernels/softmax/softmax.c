#include <math.h>
#include "loop.h"

static void softmax(int rows, int columns, const float *restrict in, float *restrict out) {
  for (int row = 0; row < rows; row++) {
    const float *x = in + row * columns;
    float *y = out + row * columns;
    float largest = -INFINITY, sum = 0.0f;
    for (int i = 0; i < columns; i++) largest = x[i] > largest ? x[i] : largest;
    for (int i = 0; i < columns; i++) sum += y[i] = expf(x[i] - largest);
    float scale = 1.0f / sum;
    for (int i = 0; i < columns; i++) y[i] *= scale;
  }
}

void loop(const union argument *args) { softmax(args[0].i, args[1].i, args[2].data, args[3].data); }
