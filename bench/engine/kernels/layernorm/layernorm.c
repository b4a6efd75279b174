#include <math.h>
#include "loop.h"

static void layernorm(int rows, int columns, const float *restrict in, const float *restrict weight,
                      const float *restrict bias, float *restrict out) {
  for (int row = 0; row < rows; row++) {
    const float *x = in + row * columns;
    float *y = out + row * columns;
    float sum = 0.0f, squares = 0.0f;
    for (int i = 0; i < columns; i++) sum += x[i];
    float mean = sum / columns;
    for (int i = 0; i < columns; i++) squares += (x[i] - mean) * (x[i] - mean);
    float scale = 1.0f / sqrtf(squares / columns + 1e-5f);
    for (int i = 0; i < columns; i++) y[i] = (x[i] - mean) * scale * weight[i] + bias[i];
  }
}

void loop(const union argument *args) {
  layernorm(args[0].i, args[1].i, args[2].data, args[3].data, args[4].data, args[5].data);
}
