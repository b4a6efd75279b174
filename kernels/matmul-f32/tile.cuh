// Shared by versions 5 to 7. Shared memory holds tiles of TILE x DEPTH elements of A and B. Each thread has 8 x 8
// elements of C in registers: four tiles of 4 x 4 whose rows and columns are TILE / 2 apart. So every access to shared
// memory has 16 bytes, and neighbouring threads read neighbouring bytes.
#define ACROSS (TILE / 8)
#define THREADS (ACROSS * ACROSS)
// Of each operand, for each thread and step.
#define QUADS (TILE * DEPTH / 4 / THREADS)

struct Tiles {
  // Transposed; four more elements a row, so that what a warp stores goes to 32 banks.
  float a[DEPTH][TILE + 4];
  float b[DEPTH][TILE];
};

// Elements at, at + 1, at + 2, at + 3 of a row of `length`, with zeros beyond its end; by one load where rows begin at
// multiples of 16 bytes.
__device__ __forceinline__ float4 load4(const float *row, int at, int length) {
  if (length % 4 == 0 && at < length) return *(const float4 *)(row + at);
  return make_float4(at < length ? row[at] : 0, at + 1 < length ? row[at + 1] : 0, at + 2 < length ? row[at + 2] : 0,
                     at + 3 < length ? row[at + 3] : 0);
}

struct Step { float4 a[QUADS], b[QUADS]; };

__device__ __forceinline__ void fetch(Step &step, const float *a, const float *b, int m, int n, int k, int top,
                                      int left, int start) {
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    int i = threadIdx.x + q * THREADS, row = top + i / (DEPTH / 4), depth = start + i / (TILE / 4);
    step.a[q] = row < m ? load4(a + (size_t)row * k, start + i % (DEPTH / 4) * 4, k) : make_float4(0, 0, 0, 0);
    step.b[q] = depth < k ? load4(b + (size_t)depth * n, left + i % (TILE / 4) * 4, n) : make_float4(0, 0, 0, 0);
  }
}

__device__ __forceinline__ void put(Tiles &tiles, const Step &step) {
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    int i = threadIdx.x + q * THREADS, row = i / (DEPTH / 4), depth = i % (DEPTH / 4) * 4;
    tiles.a[depth][row] = step.a[q].x;
    tiles.a[depth + 1][row] = step.a[q].y;
    tiles.a[depth + 2][row] = step.a[q].z;
    tiles.a[depth + 3][row] = step.a[q].w;
    *(float4 *)&tiles.b[i / (TILE / 4)][i % (TILE / 4) * 4] = step.b[q];
  }
}

// x, y: the thread's place in the block's tile.
__device__ __forceinline__ void multiply(const Tiles &tiles, float (&sum)[8][8], int x, int y) {
#pragma unroll
  for (int d = 0; d < DEPTH; d++) {
    float4 p0 = *(const float4 *)&tiles.a[d][4 * y], p1 = *(const float4 *)&tiles.a[d][TILE / 2 + 4 * y];
    float4 q0 = *(const float4 *)&tiles.b[d][4 * x], q1 = *(const float4 *)&tiles.b[d][TILE / 2 + 4 * x];
    float p[8] = {p0.x, p0.y, p0.z, p0.w, p1.x, p1.y, p1.z, p1.w},
        q[8] = {q0.x, q0.y, q0.z, q0.w, q1.x, q1.y, q1.z, q1.w};
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
      for (int j = 0; j < 8; j++) sum[i][j] += p[i] * q[j];
  }
}

__device__ __forceinline__ void store(float *c, const float (&sum)[8][8], int m, int n, int top, int left, int x,
                                      int y) {
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 8; j += 4) {
      int row = top + i / 4 * (TILE / 2) + 4 * y + i % 4, column = left + j / 4 * (TILE / 2) + 4 * x;
      if (row >= m || column >= n) continue;
      float *to = c + (size_t)row * n + column;
      if (n % 4 == 0) *(float4 *)to = make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
      else
        for (int e = 0; e < 4; e++)
          if (column + e < n) to[e] = sum[i][j + e];
    }
}
