// Copies from memory to shared memory that go on while the thread does something else, and need no registers on the way
// (cp.async, PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy").
#pragma once

// Writes zeros where `there` is false. Only waitForAllBut waits, for the copies of the calling thread.
__device__ __forceinline__ void copyAsync(uint4 *to, const void *from, bool there) {
  unsigned target = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target), "l"(from), "r"(there ? 16 : 0)
               : "memory");
}
// As copyAsync, of one float; lines stay in the L1 cache.
__device__ __forceinline__ void copyFloatAsync(float *to, const float *from, bool there) {
  unsigned target = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(target), "l"(from), "r"(there ? 4 : 0) : "memory");
}
// Only the first `bytes` of sixteen, which may be none; zeros behind them. `policy`: of evictFirst.
__device__ __forceinline__ void copyAsyncPart(uint4 *to, const void *from, int bytes, unsigned long long policy) {
  unsigned target = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(target), "l"(from), "r"(bytes),
               "l"(policy) : "memory");
}
// For what is read once: its lines are the first to leave the L2 cache.
__device__ __forceinline__ unsigned long long evictFirst() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
__device__ __forceinline__ unsigned long long evictNormal() {
  unsigned long long policy;
  asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}
// What was asked for since the last one is a group.
__device__ __forceinline__ void endGroup() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int GROUPS>
__device__ __forceinline__ void waitForAllBut() { asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory"); }
