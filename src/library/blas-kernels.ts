/** Matrix products on devices that have no cuBLAS. One kernel does every layout: elements are found by strides. */
export const BLAS_SOURCE = `
#include <cuda_fp16.h>
#include <cuda_bf16.h>
template <class Sum> __device__ Sum activated(Sum x, int) { return x; }
__device__ float activated(float x, int activation) {
  if (activation == 1) return x > 0 ? x : 0;
  return activation == 2 ? 0.5f * x * (1.0f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))) : x;
}
template <class In, class Sum, class Out>
__global__ void gemm(int m, int n, int k, Sum alpha, const In* a, long long aRow, long long aColumn, long long aMatrix,
                     const In* b, long long bRow, long long bColumn, long long bMatrix,
                     Sum beta, Out* c, long long cRow, long long cColumn, long long cMatrix,
                     const Out* bias, int biasAlongRows, int activation) {
  __shared__ Sum left[16][17], right[16][17];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  a += blockIdx.z * aMatrix;
  b += blockIdx.z * bMatrix;
  c += blockIdx.z * cMatrix;
  Sum sum = 0;
  for (int at = 0; at < k; at += 16) {
    left[y][x] = row < m && at + x < k ? (Sum)a[row * aRow + (at + x) * aColumn] : (Sum)0;
    right[y][x] = at + y < k && column < n ? (Sum)b[(at + y) * bRow + column * bColumn] : (Sum)0;
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += left[y][i] * right[i][x];
    __syncthreads();
  }
  if (row >= m || column >= n) return;
  Out* target = c + row * cRow + column * cColumn;
  Sum value = alpha * sum;
  if (beta != (Sum)0) value += beta * (Sum)*target;
  if (bias) value += (Sum)bias[biasAlongRows ? row : column];
  *target = (Out)activated(value, activation);
}
`;

/** Those that Blas asks for, so that they are compiled together. */
export const BLAS_KERNELS: readonly string[] = [
  "gemm<float, float, float>",
  "gemm<double, double, double>",
  "gemm<__half, float, __half>",
  "gemm<__half, float, float>",
  "gemm<__nv_bfloat16, float, __nv_bfloat16>",
  "gemm<__nv_bfloat16, float, float>",
  "gemm<signed char, int, int>",
];
