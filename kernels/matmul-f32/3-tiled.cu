// A block reads TILE x TILE tiles of A and B into shared memory and uses each element TILE times. So it reads global
// memory TILE times less often. Tiles at the edges are padded with zeros.
__global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float tileA[TILE][TILE], tileB[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
  float sum = 0;
  for (int start = 0; start < k; start += TILE) {
    tileA[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0;
    tileB[y][x] = start + y < k && column < n ? b[(start + y) * n + column] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i++) sum += tileA[y][i] * tileB[i][x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}
