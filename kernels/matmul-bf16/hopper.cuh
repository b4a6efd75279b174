// Tiles and products, as versions 6 to 10 use them.
//
// A tile of A is TILE_M x 64 elements by rows: 128 bytes each. A tile of B is 64 x TILE_N, in boxes of 64 columns:
// their rows have 128 bytes, too. The copies exchange the 16-byte chunks of a row by the row's number (the swizzle of
// 128 bytes), so that the tensor cores read eight rows without bank conflicts. Swizzled tiles begin at multiples of
// 1024.
#pragma once
#include "../common/hopper.cuh"
#define DEPTH 64
#define BOX_BYTES (64 * DEPTH * 2)
#define A_BYTES (TILE_M * DEPTH * 2)
#define B_BYTES (TILE_N * DEPTH * 2)
#define STAGE_BYTES (A_BYTES + B_BYTES)
// B_ALONG_K: B is n x k by rows, and a tile of it as one of A: TILE_N x 64 elements.
#ifndef B_ALONG_K
#define B_ALONG_K 0
#endif
#if B_ALONG_K
#define ORDER_OF_B "0"
#else
#define ORDER_OF_B "1"
#endif

__device__ __forceinline__ void loadTiles(unsigned to, const TensorMap &a, const TensorMap &b, int top, int left,
                                          int depth, unsigned barrier) {
  loadBox(to, a, depth, top, barrier);
#pragma unroll
  for (int box = 0; box < TILE_N / 64; box++)
    loadBox(to + A_BYTES + box * BOX_BYTES, b, left + 64 * box, depth, barrier);
}

__device__ __forceinline__ void multiplyAdd(float (&sum)[64], unsigned long long a, unsigned long long b, int keep) {
  asm volatile(
      "{\n.reg .pred keep;\nsetp.ne.b32 keep, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63}, "
      "%64, %65, keep, 1, 1, 0, " ORDER_OF_B ";\n}\n"
      : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24), SUMS8(32), SUMS8(40), SUMS8(48), SUMS8(56)
      : "l"(a), "l"(b), "r"(keep));
}
__device__ __forceinline__ void multiplyAdd(float (&sum)[96], unsigned long long a, unsigned long long b, int keep) {
  asm volatile(
      "{\n.reg .pred keep;\nsetp.ne.b32 keep, %98, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
      "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95}, "
      "%96, %97, keep, 1, 1, 0, " ORDER_OF_B ";\n}\n"
            : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24), SUMS8(32), SUMS8(40), SUMS8(48), SUMS8(56), SUMS8(64),
        SUMS8(72), SUMS8(80), SUMS8(88)
      : "l"(a), "l"(b), "r"(keep));
}
__device__ __forceinline__ void multiplyAdd(float (&sum)[128], unsigned long long a, unsigned long long b, int keep) {
  asm volatile(
      "{\n.reg .pred keep;\nsetp.ne.b32 keep, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
      "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, "
      "%102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, "
      "%119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, keep, 1, 1, 0, " ORDER_OF_B ";\n}\n"
            : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24), SUMS8(32), SUMS8(40), SUMS8(48), SUMS8(56), SUMS8(64),
        SUMS8(72), SUMS8(80), SUMS8(88), SUMS8(96), SUMS8(104), SUMS8(112), SUMS8(120)
      : "l"(a), "l"(b), "r"(keep));
}
// Number `part` of a step's products of 16: `b` is all of B.
__device__ __forceinline__ unsigned long long descriptorOfB(unsigned b, int part) {
  return B_ALONG_K ? descriptorOf(b + 32 * part, 0, 1024) : descriptorOf(b + 2048 * part, BOX_BYTES, 1024);
}
// 64 x TILE_N sums and DEPTH of K: `a` is 64 rows of A, `b` all of B.
__device__ __forceinline__ void multiplyTiles(float (&sum)[TILE_N / 2], unsigned a, unsigned b, int keep) {
#pragma unroll
  for (int part = 0; part < DEPTH / 16; part++)
    multiplyAdd(sum, descriptorOf(a + 32 * part, 0, 1024), descriptorOfB(b, part), part > 0 || keep);
}
// Lane 4 g + t of a warp has the columns 8 j + 2 t and 8 j + 2 t + 1 of rows g and g + 8 of the warp's 16.
__device__ __forceinline__ void storeSums(__nv_bfloat16 *c, const float (&sum)[TILE_N / 2], int m, int n, int top,
                                          int left) {
  int lane = threadIdx.x % 32, row = top + threadIdx.x % WARPGROUP / 32 * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < TILE_N / 8; j++)
#pragma unroll
    for (int half = 0; half < 2; half++) {
      int column = left + 8 * j + lane % 4 * 2;
      if (row + 8 * half < m && column < n)
        *(__nv_bfloat162 *)(c + (size_t)(row + 8 * half) * n + column) =
            __floats2bfloat162_rn(sum[4 * j + 2 * half], sum[4 * j + 2 * half + 1]);
    }
}
