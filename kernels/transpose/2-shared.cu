// A block reads a tile of TILE x TILE into shared memory row by row, and writes it column by column of the tile. So
// global memory is read and written along rows, and the change of direction happens in shared memory. There, the 32
// threads that read a column hit one bank.
__global__ void transpose(const float *x, float *y, int rows, int columns) {
  __shared__ float tile[TILE][TILE];
  int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
  if (row < rows && column < columns) tile[threadIdx.y][threadIdx.x] = x[(size_t)row * columns + column];
  __syncthreads();
  int outRow = blockIdx.x * TILE + threadIdx.y, outColumn = blockIdx.y * TILE + threadIdx.x;
  if (outRow < columns && outColumn < rows) y[(size_t)outRow * rows + outColumn] = tile[threadIdx.x][threadIdx.y];
}
