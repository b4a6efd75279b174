/* The asynchronous barrier of CUDA 11's first releases, nvcuda::experimental::awbarrier, and its C functions. */
#pragma once

#include "cuda/barrier"

typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;
static __device__ inline void __mbarrier_init(__mbarrier_t* barrier, unsigned expected) {
  __heddle_mbarrier_init(barrier, expected);
}
static __device__ inline void __mbarrier_inval(__mbarrier_t *) {}
static __device__ inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier) {
  return __heddle_mbarrier_arrive(barrier, 1);
}
static __device__ inline __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier) {
  return __heddle_mbarrier_arrive_drop(barrier, 1);
}
static __device__ inline bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token) {
  return __heddle_mbarrier_test(barrier, token);
}

namespace nvcuda {
namespace experimental {
class awbarrier {
  cuda::barrier<cuda::thread_scope_block> __barrier;

 public:
  typedef cuda::barrier<cuda::thread_scope_block>::arrival_token arrival_token;
  awbarrier() = default;
  __device__ friend void init(awbarrier *target, unsigned expected) { init(&target->__barrier, (ptrdiff_t)expected); }
  __device__ arrival_token arrive() { return __barrier.arrive(); }
  __device__ void wait(arrival_token token) { __barrier.wait(static_cast<arrival_token &&>(token)); }
  __device__ void arrive_and_wait() { __barrier.arrive_and_wait(); }
  __device__ void arrive_and_drop() { __barrier.arrive_and_drop(); }
};
}  // namespace experimental
}  // namespace nvcuda
