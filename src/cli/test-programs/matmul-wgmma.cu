// Version 10 of the ladder matmul-bf16, as a program: tiles by TMA, products by wgmma, clusters. Its values are small
// integers, so that every order of sums gives the same; the result begins as NaN, so that what is not written shows.
#define GROUP 8
#ifndef TILE_N
#define TILE_N 256
#define ROWS 64
#define OUT_N 128
#define STAGES 4
#define CLUSTER 2
#endif
#include "../../../kernels/matmul-bf16/10-clusters.cu"
#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static TensorMap mapOf(void *data, int rows, int columns, int boxRows) {
  cuuint64_t extents[] = {(cuuint64_t)columns, (cuuint64_t)rows}, strides[] = {(cuuint64_t)columns * 2};
  cuuint32_t box[] = {64, (cuuint32_t)boxRows}, steps[] = {1, 1};
  alignas(64) CUtensorMap made;
  CUresult result = cuTensorMapEncodeTiled(&made, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, data, extents, strides, box,
                                           steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                           CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) printf("cuTensorMapEncodeTiled: %d\n", (int)result);
  TensorMap map;
  memcpy(&map, &made, sizeof map);
  return map;
}
static int valueOf(unsigned i, unsigned seed) { return (int)((i * 2654435761u + seed) >> 29) - 3; }

static bool run(int m, int n, int k, int clusters) {
  size_t aBytes = 2 * m * k, bBytes = 2 * k * n, cBytes = 2 * m * n;
  __nv_bfloat16 *a = (__nv_bfloat16 *)malloc(aBytes), *b = (__nv_bfloat16 *)malloc(bBytes);
  __nv_bfloat16 *c = (__nv_bfloat16 *)malloc(cBytes);
  for (int i = 0; i < m * k; i++) a[i] = __float2bfloat16((float)valueOf(i, 1));
  for (int i = 0; i < k * n; i++) b[i] = __float2bfloat16((float)valueOf(i, 77));
  void *da, *db, *dc;
  cudaMalloc(&da, aBytes);
  cudaMalloc(&db, bBytes);
  cudaMalloc(&dc, cBytes);
  cudaMemcpy(da, a, aBytes, cudaMemcpyHostToDevice);
  cudaMemcpy(db, b, bBytes, cudaMemcpyHostToDevice);
  cudaMemset(dc, 0xff, cBytes);
  int bytes = 1024 + STAGES * STAGE_BYTES + CONSUMERS * OUT_BYTES;
  cudaFuncSetAttribute(matmul, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  matmul<<<clusters * CLUSTER, (CONSUMERS + 1) * WARPGROUP, bytes>>>(mapOf(da, m, k, TILE_M), mapOf(db, k, n, 64 / CLUSTER),
                                                          mapOf(dc, m, n, 64), m, n, k);
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
  cudaMemcpy(c, dc, cBytes, cudaMemcpyDeviceToHost);
  int wrong = 0, nan = 0, first = -1;
  for (int row = 0; row < m; row++)
    for (int column = 0; column < n; column++) {
      float sum = 0;
      for (int i = 0; i < k; i++) sum += __bfloat162float(a[row * k + i]) * __bfloat162float(b[i * n + column]);
      float got = __bfloat162float(c[row * n + column]), expected = __bfloat162float(__float2bfloat16(sum));
      if (got == expected) continue;
      wrong++;
      nan += got != got;
      if (first < 0) first = row * n + column;
    }
  printf("%d x %d x %d: ", m, n, k);
  if (wrong == 0) printf("right\n");
  else printf("%d wrong, %d of them NaN, the first at row %d, column %d\n", wrong, nan, first / n, first % n);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  free(a);
  free(b);
  free(c);
  return wrong == 0 && error == cudaSuccess;
}

int main() {
  // More tiles than clusters, more steps than stages, edges in every direction.
  bool right = run(136, TILE_N + 8, 264, 1);
  printf(right ? "PASSED\n" : "FAILED\n");
  return !right;
}
