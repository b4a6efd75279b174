// A filter of 5 by 5 taps over an image, zero outside: one thread a pixel.
#define RADIUS 2

__global__ void conv2d(int width, int height, const float* taps, const float* in, float* out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
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
