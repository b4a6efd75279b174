// Rows of the tile in shared memory are padded by one float. So neighbouring elements of a column lie in neighbouring
// banks, and a warp reads a column at once instead of one element after the other.
__global__ void transpose(const float *x, float *y, int rows, int columns) {
  __shared__ float tile[TILE][TILE + 1];
  int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = x[(size_t)row * columns + column];
  __syncthreads();
  int outRow = blockIdx.x * TILE + threadIdx.y, outColumn = blockIdx.y * TILE + threadIdx.x;
  if (outRow < columns && outColumn < rows) y[(size_t)outRow * rows + outColumn] = tile[threadIdx.x][threadIdx.y];
}
