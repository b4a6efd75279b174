// One thread moves one element. It reads along a row, as its neighbours do, and writes down a column: each write of a
// warp touches 32 sectors and uses four bytes of each.
__global__ void transpose(const float *x, float *y, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) y[(size_t)column * rows + row] = x[(size_t)row * columns + column];
}
