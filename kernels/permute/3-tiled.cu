// A tile of 32 x 32 elements waits in shared memory: it is read along the rows of what is there, and written along
// those of what comes, 128 bytes in a row both times. A column more than the tile needs keeps the 32 elements of a
// column in 32 different banks.
__global__ void permute(const float *x, float *y, int d1, int d2, int d3, int d4) {
  __shared__ float tile[32][33];
  int rows = d1 * d2, columns = d3 * d4, column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.x;
#pragma unroll
  for (int k = threadIdx.y; k < 32; k += HEIGHT) {
    int from = blockIdx.y * 32 + k;
    if (column < columns && from < rows) tile[k][threadIdx.x] = x[from * columns + column];
  }
  __syncthreads();
#pragma unroll
  for (int k = threadIdx.y; k < 32; k += HEIGHT) {
    int from = blockIdx.x * 32 + k;
    if (from < columns && row < rows) y[(from % d4 * d3 + from / d4) * rows + row] = tile[threadIdx.x][k];
  }
}
