// A version of the ladder matmul-bf16 as a program, launched once: for `heddle profile` and for Nsight Compute.
// VERSION: the version's file; KIND: 0 without tensor maps, 1 with maps of A and B, 2 with one of C, too.
#include VERSION
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if KIND > 0
static TensorMap mapOf(void *data, int rows, int columns, int boxRows) {
  cuuint64_t extents[] = {(cuuint64_t)columns, (cuuint64_t)rows}, strides[] = {(cuuint64_t)columns * 2};
  cuuint32_t box[] = {64, (cuuint32_t)boxRows}, steps[] = {1, 1};
  alignas(64) CUtensorMap made;
  CUresult result = cuTensorMapEncodeTiled(&made, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, data, extents, strides, box,
                                           steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) printf("cuTensorMapEncodeTiled: %d\n", (int)result), exit(1);
  TensorMap map;
  memcpy(&map, &made, sizeof map);
  return map;
}
#endif
static int valueOf(unsigned i, unsigned seed) { return (int)((i * 2654435761u + seed) >> 29) - 3; }

int main() {
  const int m = SIZE, n = SIZE, k = SIZE;
  __nv_bfloat16 *a, *b, *c;
  cudaMalloc(&a, 2 * m * k);
  cudaMalloc(&b, 2 * k * n);
  cudaMalloc(&c, 2 * m * n);
  __nv_bfloat16 *values = (__nv_bfloat16 *)malloc(2 * SIZE * SIZE);
  for (int i = 0; i < m * k; i++) values[i] = __float2bfloat16((float)valueOf(i, 1));
  cudaMemcpy(a, values, 2 * m * k, cudaMemcpyHostToDevice);
  for (int i = 0; i < k * n; i++) values[i] = __float2bfloat16((float)valueOf(i, 77));
  cudaMemcpy(b, values, 2 * k * n, cudaMemcpyHostToDevice);
#if KIND == 0
  const int bytes = STAGES * DEPTH * (TILE_M + TILE_N) * 2;
  const dim3 grid(n / TILE_N, m / TILE_M), block(32 * (TILE_M / 64) * (TILE_N / WARP_N));
#elif KIND == 1
  const int bytes = 1024 + STAGES * STAGE_BYTES;
  const dim3 grid(GRID_X, GRID_Y), block(BLOCK);
#else
  const int bytes = 1024 + STAGES * STAGE_BYTES + CONSUMERS * OUT_BYTES;
  const int tiles = (m / (TILE_M * CLUSTER)) * (n / TILE_N) * CLUSTER;
  const dim3 grid(tiles < 132 ? tiles : 132), block((CONSUMERS + 1) * WARPGROUP);
#endif
  cudaFuncSetAttribute(matmul, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
#if KIND == 0
  matmul<<<grid, block, bytes>>>(a, b, c, m, n, k);
#elif KIND == 1
  matmul<<<grid, block, bytes>>>(mapOf(a, m, k, TILE_M), mapOf(b, k, n, 64), c, m, n, k);
#else
  matmul<<<grid, block, bytes>>>(mapOf(a, m, k, TILE_M), mapOf(b, k, n, 64 / CLUSTER), mapOf(c, m, n, 64), m, n, k);
#endif
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error)), exit(1);
  __nv_bfloat16 *result = (__nv_bfloat16 *)malloc(2 * SIZE * SIZE);
  cudaMemcpy(result, c, 2 * m * n, cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < m * n; i++) sum += __bfloat162float(result[i]) * (i % 7);
  printf("%.0f\n", sum);
}
