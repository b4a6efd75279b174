// A tile has TILE x HEIGHT threads, and each moves TILE / HEIGHT elements. Each thread has several loads in flight
// before the barrier, indices are computed once for all of them, and an SM holds more tiles at a time.
__global__ void transpose(const float *x, float *y, int rows, int columns) {
  __shared__ float tile[TILE][TILE + 1];
  int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
  for (int i = 0; i < TILE; i += HEIGHT)
    if (row + i < rows && column < columns)
      tile[threadIdx.y + i][threadIdx.x] = x[(size_t)(row + i) * columns + column];
  __syncthreads();
  int outRow = blockIdx.x * TILE + threadIdx.y, outColumn = blockIdx.y * TILE + threadIdx.x;
#pragma unroll
  for (int i = 0; i < TILE; i += HEIGHT)
    if (outRow + i < columns && outColumn < rows)
      y[(size_t)(outRow + i) * rows + outColumn] = tile[threadIdx.x][threadIdx.y + i];
}
