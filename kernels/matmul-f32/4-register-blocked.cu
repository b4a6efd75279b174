// A thread computes MICRO x MICRO elements of C in registers. It reads 2 * MICRO floats from shared memory for MICRO *
// MICRO multiply-adds; version 3 reads two floats for each. A block computes a tile of TILE x TILE with (TILE /
// MICRO)^2 threads, in steps of DEPTH along k.
#define ACROSS (TILE / MICRO)
#define THREADS (ACROSS * ACROSS)

__global__ void __launch_bounds__(THREADS) matmul(const float *a, const float *b, float *c, int m, int n, int k) {
  // A is stored transposed, so that both are read along a row.
  __shared__ float tileA[DEPTH][TILE + 1], tileB[DEPTH][TILE];
  int t = threadIdx.x, x = t % ACROSS, y = t / ACROSS, left = blockIdx.x * TILE, top = blockIdx.y * TILE;
  float sum[MICRO][MICRO] = {};
  for (int start = 0; start < k; start += DEPTH) {
    for (int i = t; i < TILE * DEPTH; i += THREADS) {
      int row = top + i / DEPTH, depth = start + i % DEPTH;
      tileA[i % DEPTH][i / DEPTH] = row < m && depth < k ? a[row * k + depth] : 0;
    }
    for (int i = t; i < TILE * DEPTH; i += THREADS) {
      int depth = start + i / TILE, column = left + i % TILE;
      tileB[i / TILE][i % TILE] = depth < k && column < n ? b[depth * n + column] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int d = 0; d < DEPTH; d++) {
      float p[MICRO], q[MICRO];
#pragma unroll
      for (int i = 0; i < MICRO; i++) p[i] = tileA[d][y * MICRO + i];
#pragma unroll
      for (int j = 0; j < MICRO; j++) q[j] = tileB[d][x + j * ACROSS];
#pragma unroll
      for (int i = 0; i < MICRO; i++)
#pragma unroll
        for (int j = 0; j < MICRO; j++) sum[i][j] += p[i] * q[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < MICRO; i++)
#pragma unroll
    for (int j = 0; j < MICRO; j++) {
      int row = top + y * MICRO + i, column = left + x + j * ACROSS;
      if (row < m && column < n) c[row * n + column] = sum[i][j];
    }
}
