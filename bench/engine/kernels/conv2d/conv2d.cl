#define RADIUS 2

__kernel void conv2d(int width, int height, __global const float* taps, __global const float* in, __global float* out) {
  int x = get_global_id(0);
  int y = get_global_id(1);
  if (x >= width || y >= height) return;
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
