// A kernel for each operation, an element of its output a thread: a convolution's sums go to memory, come back to be
// scaled and shifted, again for the maximum with zero and again for the maximum of four.
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

__global__ void normalize(float *y, const float *mean, const float *variance, const float *gamma, const float *beta,
                          int out, int plane, int count) {
  int i = blockIdx.x * BLOCK + threadIdx.x, c = i / plane % out;
  if (i < count) y[i] = (y[i] - mean[c]) * (gamma[c] * rsqrtf(variance[c] + 1e-5f)) + beta[c];
}

__global__ void relu(float *y, int count) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < count) y[i] = fmaxf(y[i], 0);
}

// Of height x width; an odd row or column at the end is left out.
__global__ void pool(const float *y, float *z, int height, int width, int count) {
  int i = blockIdx.x * BLOCK + threadIdx.x, across = width / 2, down = height / 2;
  if (i >= count) return;
  const float *from = y + ((size_t)(i / across / down) * height + i / across % down * 2) * width + i % across * 2;
  z[i] = fmaxf(fmaxf(from[0], from[1]), fmaxf(from[width], from[width + 1]));
}
