// A version of the ladder grouped-matmul: SOURCE, with the -D of its configuration.
#include <cudaTypedefs.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
#include "contender.h"
#define matmul KERNEL
#include SOURCE
static TensorMap mapOf(const void *at, int dims, const cuuint64_t *shape, const cuuint32_t *box) {
  static PFN_cuTensorMapEncodeTiled_v12000 encode = nullptr;
  if (!encode) {
    cudaDriverEntryPointQueryResult r;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &r);
  }
  cuuint64_t strides[2] = {shape[0] * 2, shape[0] * shape[1] * 2};
  cuuint32_t steps[3] = {1, 1, 1};
  CUtensorMap map;
  CUresult s = encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, dims, (void *)at, shape, strides, box, steps,
                      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (s) printf("tensor map: %d\n", s);
  TensorMap out;
  memcpy(&out, &map, sizeof out);
  return out;
}
std::function<void()> NAME(const Inputs &in) {
  cuuint64_t sa[2] = {(cuuint64_t)in.k, (cuuint64_t)in.m}, sc[2] = {(cuuint64_t)in.n, (cuuint64_t)in.m};
  cuuint64_t sb[3] = {(cuuint64_t)in.n, (cuuint64_t)in.k, (cuuint64_t)in.groups};
  cuuint32_t ba[2] = {64, TILE_M}, bb[3] = {64, 64, 1}, bc[2] = {64, 64};
  TensorMap a = mapOf(in.a, 2, sa, ba), b = mapOf(in.b, 3, sb, bb), c = mapOf(in.c, 2, sc, bc);
  int bytes = 1024 + STAGES * STAGE_BYTES + 2 * OUT_BYTES;
  cudaFuncSetAttribute(matmul, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  Inputs i = in;
  return [=] { matmul<<<132, 384, bytes>>>(a, b, c, i.deviceEnds, (__nv_bfloat16 *)i.c, i.groups, i.n, i.k); };
}
