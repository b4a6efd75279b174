// The row stays in the registers of a block's threads, QUADS times four elements in each: it is read once and written
// once, sixteen bytes at a time. With all of it at hand, mean and squares take a pass each again, without divisions.
__device__ float blockSum(float value) {
  __shared__ float part[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  if (lane == 0) part[warp] = value;
  __syncthreads();
  value = lane < BLOCK / 32 ? part[lane] : 0;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  // What comes next may use `part` again.
  __syncthreads();
  return value;
}

// Elements at … at + 3 of a row; zeros beyond its end.
__device__ __forceinline__ void load4(float (&v)[4], const float *row, int at, int columns) {
  if (columns % 4 == 0 && at < columns) {
    float4 quad = *(const float4 *)(row + at);
    v[0] = quad.x, v[1] = quad.y, v[2] = quad.z, v[3] = quad.w;
  } else
#pragma unroll
    for (int e = 0; e < 4; e++) v[e] = at + e < columns ? row[at + e] : 0;
}

__global__ void __launch_bounds__(BLOCK)
    layernorm(const float *x, const float *weight, const float *bias, float *y, float *mean, float *rstd, int rows,
              int columns) {
  const float *in = x + (size_t)blockIdx.x * columns;
  float *out = y + (size_t)blockIdx.x * columns;
  float v[QUADS][4], sum = 0, squares = 0;
#pragma unroll
  for (int q = 0; q < QUADS; q++) load4(v[q], in, 4 * (threadIdx.x + q * BLOCK), columns);
#pragma unroll
  for (int q = 0; q < QUADS; q++) sum += (v[q][0] + v[q][1]) + (v[q][2] + v[q][3]);
  float m = blockSum(sum) / columns;
#pragma unroll
  for (int q = 0; q < QUADS; q++)
#pragma unroll
    for (int e = 0; e < 4; e++) {
      v[q][e] -= m;
      if (4 * (threadIdx.x + q * BLOCK) + e < columns) squares += v[q][e] * v[q][e];
    }
  float s = 1 / sqrtf(blockSum(squares) / columns + 1e-5f);
#pragma unroll
  for (int q = 0; q < QUADS; q++) {
    int at = 4 * (threadIdx.x + q * BLOCK);
    float w[4], b[4];
    load4(w, weight, at, columns), load4(b, bias, at, columns);
#pragma unroll
    for (int e = 0; e < 4; e++) v[q][e] = v[q][e] * s * w[e] + b[e];
    if (columns % 4 == 0 && at < columns) *(float4 *)(out + at) = make_float4(v[q][0], v[q][1], v[q][2], v[q][3]);
    else
#pragma unroll
      for (int e = 0; e < 4; e++)
        if (at + e < columns) out[at + e] = v[q][e];
  }
  if (threadIdx.x == 0) mean[blockIdx.x] = m, rstd[blockIdx.x] = s;
}
