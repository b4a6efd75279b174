// Thread scopes of atomic operations (CUDA C++ Programming Guide, "Thread Scopes"), as the numbers of
// __NV_THREAD_SCOPE_*.
#pragma once

#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

/// Returns `p`; atomic operations on the result have that scope (src/ir/passes/pass-cuda-atomics.ts).
extern "C" __device__ __attribute__((const, nothrow)) void *__heddle_thread_scope(const volatile void *p, int scope);
