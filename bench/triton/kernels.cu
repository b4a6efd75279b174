// The CUDA side of the bench: the same work, as it is usually written.
__global__ void add(const float* x, const float* y, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}

__device__ float reduce(float value, bool isMaximum) {
  __shared__ float partial[32];
  for (int d = 16; d > 0; d /= 2) {
    float other = __shfl_xor_sync(0xffffffff, value, d);
    value = isMaximum ? fmaxf(value, other) : value + other;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = partial[0];
  for (int w = 1; w < blockDim.x / 32; w++) value = isMaximum ? fmaxf(value, partial[w]) : value + partial[w];
  return value;
}

constexpr int EACH = 8;

// A block a row; a thread keeps its elements in registers.
__global__ void softmax(const float* x, float* out, int n) {
  float values[EACH];
  float best = -__int_as_float(0x7f800000);
  for (int i = 0; i < EACH; i++) {
    int at = i * blockDim.x + threadIdx.x;
    values[i] = at < n ? x[blockIdx.x * n + at] : -__int_as_float(0x7f800000);
    best = fmaxf(best, values[i]);
  }
  best = reduce(best, true);
  float sum = 0;
  for (int i = 0; i < EACH; i++) sum += values[i] = expf(values[i] - best);
  sum = reduce(sum, false);
  for (int i = 0; i < EACH; i++) {
    int at = i * blockDim.x + threadIdx.x;
    if (at < n) out[blockIdx.x * n + at] = values[i] / sum;
  }
}

__global__ void layer_norm(const float* x, const float* weight, const float* bias, float* out, int n) {
  float values[EACH];
  float sum = 0;
  for (int i = 0; i < EACH; i++) {
    int at = i * blockDim.x + threadIdx.x;
    values[i] = at < n ? x[blockIdx.x * n + at] : 0;
    sum += values[i];
  }
  float mean = reduce(sum, false) / n;
  float squares = 0;
  for (int i = 0; i < EACH; i++) {
    int at = i * blockDim.x + threadIdx.x;
    values[i] = at < n ? values[i] - mean : 0;
    squares += values[i] * values[i];
  }
  float scale = 1 / sqrtf(reduce(squares, false) / n + 1e-5f);
  for (int i = 0; i < EACH; i++) {
    int at = i * blockDim.x + threadIdx.x;
    if (at < n) out[blockIdx.x * n + at] = values[i] * scale * weight[at] + bias[at];
  }
}

// A tile of 64 × 64 a block of 256 threads, 4 × 4 elements a thread, staged through shared memory.
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[16][64], bs[16][64];
  int row = blockIdx.y * 64, column = blockIdx.x * 64;
  int ty = threadIdx.x / 16, tx = threadIdx.x % 16;
  float sums[4][4] = {};
  for (int start = 0; start < k; start += 16) {
    for (int i = threadIdx.x; i < 1024; i += 256) {
      as[i % 16][i / 16] = a[(row + i / 16) * k + start + i % 16];
      bs[i / 64][i % 64] = b[(start + i / 64) * n + column + i % 64];
    }
    __syncthreads();
    for (int s = 0; s < 16; s++)
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) sums[i][j] += as[s][ty * 4 + i] * bs[s][tx + 16 * j];
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) c[(row + ty * 4 + i) * n + column + tx + 16 * j] = sums[i][j];
}

// A block of 128 threads has 32 rows of queries; keys come in tiles of 32 through shared memory.
__global__ void attention(const float* q, const float* k, const float* v, float* out, int n, float scale) {
  constexpr int ROWS = 32, KEYS = 32, D = 64;
  __shared__ float qs[ROWS][D + 1], ks[KEYS][D + 1], vs[KEYS][D], ps[ROWS][KEYS + 1], decays[ROWS];
  int base = blockIdx.y * n * D, first = blockIdx.x * ROWS;
  for (int i = threadIdx.x; i < ROWS * D; i += blockDim.x) qs[i / D][i % D] = q[base + first * D + i] * scale;
  // Scores: a thread has 2 × 4 of a tile; the threads of a row are 8 neighbours. Results: 4 × 4, 16 threads a row.
  int sy = threadIdx.x / 8, sx = threadIdx.x % 8, oy = threadIdx.x / 16, ox = threadIdx.x % 16;
  float best[2] = {-INFINITY, -INFINITY}, sums[2] = {}, total[4][4] = {};
  for (int start = 0; start < n; start += KEYS) {
    __syncthreads();
    for (int i = threadIdx.x; i < KEYS * D; i += blockDim.x) {
      ks[i / D][i % D] = k[base + start * D + i];
      vs[i / D][i % D] = v[base + start * D + i];
    }
    __syncthreads();
    float scores[2][4] = {};
    for (int d = 0; d < D; d++)
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++) scores[i][j] += qs[sy * 2 + i][d] * ks[sx + 8 * j][d];
    for (int i = 0; i < 2; i++) {
      float highest = best[i];
      for (int j = 0; j < 4; j++) highest = fmaxf(highest, scores[i][j]);
      for (int d = 4; d > 0; d /= 2) highest = fmaxf(highest, __shfl_xor_sync(0xffffffff, highest, d));
      float decay = expf(best[i] - highest), sum = 0;
      for (int j = 0; j < 4; j++) sum += ps[sy * 2 + i][sx + 8 * j] = expf(scores[i][j] - highest);
      for (int d = 4; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
      sums[i] = sums[i] * decay + sum;
      best[i] = highest;
      if (sx == 0) decays[sy * 2 + i] = decay;
    }
    __syncthreads();
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) total[i][j] *= decays[oy * 4 + i];
    for (int s = 0; s < KEYS; s++)
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) total[i][j] += ps[oy * 4 + i][s] * vs[s][ox + 16 * j];
  }
  __syncthreads();
  for (int i = 0; i < 2; i++)
    if (sx == 0) decays[sy * 2 + i] = sums[i];
  __syncthreads();
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      out[base + (first + oy * 4 + i) * D + ox + 16 * j] = total[i][j] / decays[oy * 4 + i];
}
