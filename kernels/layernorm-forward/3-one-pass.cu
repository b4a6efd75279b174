// Mean and variance in one pass (B. P. Welford, "Note on a method for calculating corrected sums of squares and
// products", 1962; parts joined as T. Chan, G. Golub, R. LeVeque do, 1979): the row is read twice instead of three
// times, and unlike a difference of squares nothing cancels.
__global__ void layernorm(const float *x, const float *weight, const float *bias, float *y, float *mean, float *rstd,
                          int rows, int columns) {
  int lane = threadIdx.x % 32, row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  const float *in = x + (size_t)row * columns;
  float m = 0, squares = 0, count = 0;
  for (int i = lane; i < columns; i += 32) {
    float value = in[i], delta = value - m;
    count += 1;
    m += delta / count;
    squares += delta * (value - m);
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    float otherM = __shfl_xor_sync(0xffffffff, m, offset), otherSquares = __shfl_xor_sync(0xffffffff, squares, offset),
        otherCount = __shfl_xor_sync(0xffffffff, count, offset);
    float both = count + otherCount, delta = otherM - m;
    if (both > 0) {
      squares += otherSquares + delta * delta * count * otherCount / both;
      m = (count * m + otherCount * otherM) / both;
      count = both;
    }
  }
  float s = 1 / sqrtf(squares / columns + 1e-5f);
  for (int i = lane; i < columns; i += 32) y[(size_t)row * columns + i] = (in[i] - m) * s * weight[i] + bias[i];
  if (lane == 0) mean[row] = m, rstd[row] = s;
}
