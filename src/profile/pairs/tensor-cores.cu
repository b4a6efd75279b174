// A product of matrices of halves: by multiply-adds, or by tensor cores.
// @flawed 32x128 32x8 tensor-cores sum +=
// @repaired 16x16 256
#include <cuda_fp16.h>
#include <mma.h>

__global__ void flawed(float* out, const float* numbers, int n) {
  const half* in = (const half*)numbers;
  int row = blockIdx.y * 8 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n / 4; k++) sum += __half2float(in[row * n + k]) * __half2float(in[k * n + column]);
  out[row * n + column] = sum;
}

__global__ void repaired(float* out, const float* numbers, int n) {
  using namespace nvcuda::wmma;
  const half* in = (const half*)numbers;
  __shared__ half a[64][72], b[64][72];
  int t = threadIdx.x, row = t / 64 * 16, column = t / 32 % 2 * 32;
  fragment<accumulator, 16, 16, 16, float> sum[2];
  fill_fragment(sum[0], 0), fill_fragment(sum[1], 0);
  for (int k = 0; k < n / 4; k += 64) {
    for (int i = t; i < 512; i += 256) {
      *(uint4*)&a[i / 8][i % 8 * 8] = *(const uint4*)&in[(blockIdx.y * 64 + i / 8) * n + k + i % 8 * 8];
      *(uint4*)&b[i / 8][i % 8 * 8] = *(const uint4*)&in[(k + i / 8) * n + blockIdx.x * 64 + i % 8 * 8];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 64; i += 16) {
      fragment<matrix_a, 16, 16, 16, half, row_major> left;
      load_matrix_sync(left, &a[row][i], 72);
#pragma unroll
      for (int j = 0; j < 2; j++) {
        fragment<matrix_b, 16, 16, 16, half, row_major> right;
        load_matrix_sync(right, &b[i][column + j * 16], 72);
        mma_sync(sum[j], left, right, sum[j]);
      }
    }
    __syncthreads();
  }
  float* to = out + (blockIdx.y * 64 + row) * n + blockIdx.x * 64 + column;
  store_matrix_sync(to, sum[0], n, mem_row_major);
  store_matrix_sync(to + 16, sum[1], n, mem_row_major);
}
