/* The C functions of asynchronous copies ("Pipeline Primitives Interface"). */
#pragma once

#include "cuda_runtime.h"
#include "heddle/async_copy.h"

static __device__ inline __attribute__((always_inline)) void __pipeline_memcpy_async(void* destination,
                                                                                     const void* source, size_t size,
                                                                                     size_t zfill = 0) {
  const unsigned available = (unsigned)(size - zfill);
  if (zfill != 0) {
    if (size == 16) ::__heddle::copy_async<16>(destination, source, available);
    else if (size == 8) ::__heddle::copy_async<8>(destination, source, available);
    else ::__heddle::copy_async<4>(destination, source, available);
  } else if (size == 16) ::__heddle::copy_async<16>(destination, source);
  else if (size == 8) ::__heddle::copy_async<8>(destination, source);
  else ::__heddle::copy_async<4>(destination, source);
}
static __device__ inline __attribute__((always_inline)) void __pipeline_commit() { ::__heddle::commit_copies(); }
static __device__ inline __attribute__((always_inline)) void __pipeline_wait_prior(size_t prior) {
  ::__heddle::wait_for_copies((unsigned)prior);
}
