// Hopper's own instructions, as versions 6 to 8 use them (PTX ISA 8.5): copies of tiles by the tensor memory
// accelerator (9.7.8.24.9), barriers that count their bytes (9.7.12.15), products of a warpgroup (9.7.15).
//
// A tile of A is TILE_M x 64 elements by rows: 128 bytes each. A tile of B is 64 x TILE_N, in boxes of 64 columns:
// their rows have 128 bytes, too. The copies exchange the 16-byte chunks of a row by the row's number (the swizzle of
// 128 bytes), so that the tensor cores read eight rows without bank conflicts. Swizzled tiles begin at multiples of
// 1024.
#pragma once
#include <cuda_bf16.h>
#define DEPTH 64
#define BOX_BYTES (64 * DEPTH * 2)
#define A_BYTES (TILE_M * DEPTH * 2)
#define B_BYTES (TILE_N * DEPTH * 2)
#define STAGE_BYTES (A_BYTES + B_BYTES)
#define WARPGROUP 128

// CUtensorMap: what device.tensorMap() or cuTensorMapEncodeTiled() made.
struct alignas(64) TensorMap { unsigned long long opaque[16]; };

__device__ __forceinline__ unsigned addressOf(const void *shared) {
  return (unsigned)__cvta_generic_to_shared(shared);
}
// The first multiple of 1024 in shared memory: the launch asks for 1024 bytes more.
__device__ __forceinline__ unsigned alignedTo1024(const void *shared) { return (addressOf(shared) + 1023) & ~1023u; }

// ---- barriers: a phase is over when `count` arrivals and all announced bytes are there
__device__ __forceinline__ void initBarrier(unsigned barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
// The other threads, and the copies, see the initialised barriers.
__device__ __forceinline__ void publishBarriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ void arriveAndExpect(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
__device__ __forceinline__ void waitFor(unsigned barrier, unsigned parity) {
  unsigned done;
  do
    asm volatile("{\n.reg .pred done;\nmbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2;\n"
                 "selp.u32 %0, 1, 0, done;\n}\n"
                 : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
  while (!done);
}

// ---- copies of boxes: `x` runs along the rows
__device__ __forceinline__ void loadBox(unsigned to, const TensorMap &map, int x, int y, unsigned barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];"
               ::"r"(to), "l"(&map), "r"(barrier), "r"(x), "r"(y) : "memory");
}
__device__ __forceinline__ void loadTiles(unsigned to, const TensorMap &a, const TensorMap &b, int top, int left,
                                          int depth, unsigned barrier) {
  loadBox(to, a, depth, top, barrier);
#pragma unroll
  for (int box = 0; box < TILE_N / 64; box++)
    loadBox(to + A_BYTES + box * BOX_BYTES, b, left + 64 * box, depth, barrier);
}

// ---- products of a warpgroup
// Bits 0-13 the address, 16-29 the leading offset, 32-45 the stride offset, all in 16 bytes; bit 62: swizzle of 128
// bytes. Rows of A: K runs along them, eight of them are 1024 bytes apart from the next eight. Columns of B: 64 of them
// are a box, eight rows of which are 1024 bytes.
__device__ __forceinline__ unsigned long long descriptorOf(unsigned address, int leading, int stride) {
  return (unsigned long long)((address & 0x3ffff) >> 4) | (unsigned long long)(leading >> 4) << 16 |
         (unsigned long long)(stride >> 4) << 32 | 1ull << 62;
}
#define SUMS4(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define SUMS8(i) SUMS4(i), SUMS4(i + 4)
__device__ __forceinline__ void multiplyAdd(float (&sum)[64], unsigned long long a, unsigned long long b, int keep) {
  asm volatile(
      "{\n.reg .pred keep;\nsetp.ne.b32 keep, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, "
      "%22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, "
      "%42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, "
      "%62, %63}, "
      "%64, %65, keep, 1, 1, 0, 1;\n}\n"
      : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24), SUMS8(32), SUMS8(40), SUMS8(48), SUMS8(56)
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
      "%128, %129, keep, 1, 1, 0, 1;\n}\n"
      : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24), SUMS8(32), SUMS8(40), SUMS8(48), SUMS8(56), SUMS8(64),
        SUMS8(72), SUMS8(80), SUMS8(88), SUMS8(96), SUMS8(104), SUMS8(112), SUMS8(120)
      : "l"(a), "l"(b), "r"(keep));
}
// 64 x TILE_N sums and DEPTH of K: `a` is 64 rows of A, `b` all of B.
__device__ __forceinline__ void multiplyTiles(float (&sum)[TILE_N / 2], unsigned a, unsigned b, int keep) {
#pragma unroll
  for (int part = 0; part < DEPTH / 16; part++)
    multiplyAdd(sum, descriptorOf(a + 32 * part, 0, 1024), descriptorOf(b + 2048 * part, BOX_BYTES, 1024),
                part > 0 || keep);
}
// Registers that products use are not touched before the fence of the next ones, or after the wait.
__device__ __forceinline__ void beginProducts() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void commitProducts() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int GROUPS> __device__ __forceinline__ void waitForAllBut(float (&sum)[TILE_N / 2]) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(GROUPS) : "memory");
  // Nothing that reads the sums may move up beyond the wait.
  if (GROUPS == 0)
#pragma unroll
    for (int i = 0; i < TILE_N / 2; i++) asm volatile("" : "+f"(sum[i])::"memory");
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
