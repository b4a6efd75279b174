// Hopper's own instructions (PTX ISA 8.5): copies of boxes by the tensor memory accelerator (9.7.8.24.9), barriers that
// count their bytes (9.7.12.15), and what surrounds the products of a warpgroup (9.7.15).
#pragma once
#include <cuda_bf16.h>
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
__device__ __forceinline__ void loadBox(unsigned to, const TensorMap &map, int x, int y, int z, unsigned barrier) {
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%3, %4, %5}], [%2];"
               ::"r"(to), "l"(&map), "r"(barrier), "r"(x), "r"(y), "r"(z) : "memory");
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
// Registers that products use are not touched before the fence of the next ones, or after the wait.
__device__ __forceinline__ void beginProducts() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ __forceinline__ void commitProducts() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
// Until all but the last GROUPS committed groups are done.
template <int GROUPS> __device__ __forceinline__ void waitForProducts() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(GROUPS) : "memory");
}
// Nothing that reads what products wrote may move up beyond the wait.
template <int N> __device__ __forceinline__ void pin(float (&x)[N]) {
#pragma unroll
  for (int i = 0; i < N; i++) asm volatile("" : "+f"(x[i])::"memory");
}
template <int GROUPS, int N> __device__ __forceinline__ void waitForAllBut(float (&sum)[N]) {
  waitForProducts<GROUPS>();
  if (GROUPS == 0) pin(sum);
}
__device__ __forceinline__ void storeMatrices(unsigned to, unsigned r0, unsigned r1, unsigned r2, unsigned r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};"
               ::"r"(to), "r"(r0), "r"(r1), "r"(r2), "r"(r3) : "memory");
}
__device__ __forceinline__ unsigned packed(float low, float high) {
  __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *(unsigned *)&pair;
}
// Barriers 1 and up of the block, for a part of its threads.
__device__ __forceinline__ void syncNamed(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ __forceinline__ void arriveNamed(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
