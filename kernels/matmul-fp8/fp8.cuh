// What the versions share. A is m x k and B is n x k, both by rows: fp8 products of a warpgroup take operands along K
// only. A step is 128 of K: 128 bytes of a row, one row of the swizzle. Boxes are 128 bytes wide, and tiles begin at
// multiples of 1024.
#pragma once
#include "../common/hopper.cuh"
#define DEPTH 128
#define A_BYTES (TILE_M * DEPTH)
#define B_BYTES (TILE_N * DEPTH)
#define STAGE_BYTES (A_BYTES + B_BYTES)

// e4m3: four bits of exponent with a bias of 7, three of fraction. Shifted into the place of a float's, the exponent is
// wrong by 120, which a product repairs: for subnormal numbers, too.
__device__ __forceinline__ float decoded(unsigned char byte) {
  return __int_as_float((byte & 0x80) << 24 | (byte & 0x7f) << 20) * 0x1p120f;
}

__device__ __forceinline__ void multiplyAdd(float (&sum)[64], unsigned long long a, unsigned long long b, int keep) {
  asm volatile(
      "{\n.reg .pred keep;\nsetp.ne.b32 keep, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63}, "
      "%64, %65, keep, 1, 1;\n}\n"
      : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24), SUMS8(32), SUMS8(40), SUMS8(48), SUMS8(56)
      : "l"(a), "l"(b), "r"(keep));
}
__device__ __forceinline__ void multiplyAdd(float (&sum)[128], unsigned long long a, unsigned long long b, int keep) {
  asm volatile(
      "{\n.reg .pred keep;\nsetp.ne.b32 keep, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k32.f32.e4m3.e4m3 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, "
      "%82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, "
      "%102, %103, %104, %105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, "
      "%119, %120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, keep, 1, 1;\n}\n"
      : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24), SUMS8(32), SUMS8(40), SUMS8(48), SUMS8(56), SUMS8(64), SUMS8(72),
        SUMS8(80), SUMS8(88), SUMS8(96), SUMS8(104), SUMS8(112), SUMS8(120)
      : "l"(a), "l"(b), "r"(keep));
}
// Number `part` of a step's products of 32: `b` is all of B.
__device__ __forceinline__ unsigned long long descriptorOfB(unsigned b, int part) {
  return descriptorOf(b + 32 * part, 0, 1024);
}
// 64 rows of A, all of B, and DEPTH of K: four products of 32.
template <int N>
__device__ __forceinline__ void multiplyTiles(float (&sum)[N], unsigned a, unsigned b, int keep) {
#pragma unroll
  for (int part = 0; part < DEPTH / 32; part++)
    multiplyAdd(sum, descriptorOf(a + 32 * part, 0, 1024), descriptorOfB(b, part), part > 0 || keep);
}
