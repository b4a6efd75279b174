/* The C functions of asynchronous copies: made at the call, so that nothing is left to wait for ("Pipeline Primitives
 * Interface"). */
#pragma once

#include "cuda_runtime.h"

extern "C" __device__ void __heddle_copy_zero_fill(unsigned char* to, const unsigned char* from, unsigned size,
                                                   unsigned available);

static __device__ inline __attribute__((always_inline)) void __pipeline_memcpy_async(void* destination,
                                                                                     const void* source, size_t size,
                                                                                     size_t zfill = 0) {
  if (zfill != 0)
    __heddle_copy_zero_fill((unsigned char*)destination, (const unsigned char*)source, (unsigned)size,
                            (unsigned)(size - zfill));
  else if (size == 16) *(uint4 *)destination = *(const uint4 *)source;
  else if (size == 8) *(uint2 *)destination = *(const uint2 *)source;
  else *(unsigned *)destination = *(const unsigned *)source;
}
static __device__ inline __attribute__((always_inline)) void __pipeline_commit() {}
static __device__ inline __attribute__((always_inline)) void __pipeline_wait_prior(size_t) {}
