/* The pipeline of CUDA 11's first releases: nvcuda::experimental::pipeline, a thread's own. */
#pragma once

#include "cuda_pipeline_primitives.h"

namespace nvcuda {
namespace experimental {
class pipeline {
  size_t __committed = 0;

 public:
  __device__ size_t commit() {
    ::__heddle::commit_copies();
    return __committed++;
  }
  __device__ void commit_and_wait() { wait(commit()); }
  __device__ void wait(size_t stage) { ::__heddle::wait_for_copies((unsigned)(__committed - stage - 1)); }
  template <unsigned N>
  __device__ void wait_prior() { ::__heddle::wait_for_copies(N); }
};
template <typename T>
__device__ inline void memcpy_async(T &destination, const T &source, pipeline &) {
  ::__heddle::copy_bytes_async<alignof(T)>(0, 1, &destination, &source, sizeof(T));
}
}  // namespace experimental
}  // namespace nvcuda
