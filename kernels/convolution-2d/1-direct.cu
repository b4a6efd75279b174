// A thread computes one element of the output, of nine inputs and weights for each input channel, all of them from
// global memory: neighbours load the same inputs again, and so does every output channel.
__global__ void convolve(const float *x, const float *w, float *y, int in, int out, int height, int width) {
  int pixel = blockIdx.x * BLOCK + threadIdx.x, row = pixel / width, column = pixel % width, image = blockIdx.z,
      to = blockIdx.y;
  if (pixel >= height * width) return;
  float sum = 0;
  for (int c = 0; c < in; c++)
    for (int tap = 0; tap < 9; tap++) {
      int from = row + tap / 3 - 1, at = column + tap % 3 - 1;
      if (from >= 0 && from < height && at >= 0 && at < width)
        sum += w[(to * in + c) * 9 + tap] * x[((size_t)(image * in + c) * height + from) * width + at];
    }
  y[((size_t)(image * out + to) * height + row) * width + column] = sum;
}
