/* How an algorithm runs on the device: one function of an index for every index below n, or one block for a chunk. */
#pragma once

#include "../device_ptr.h"

namespace thrust {
namespace detail {

template <typename F>
__global__ void for_each_index_kernel(F f, size_t n) {
  const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

/** Calls f(i) for every i < n: on the device in parallel, else in order. */
template <typename POLICY, typename F>
void for_each_index(const POLICY &policy, size_t n, F f) {
  if (n == 0) return;
  if constexpr (std::is_same<typename POLICY::system, device_system_tag>::value) {
    for_each_index_kernel<<<(unsigned)((n + 255) / 256), 256, 0, policy.stream>>>(f, n);
    check(cudaGetLastError(), "launching an algorithm");
    check(cudaStreamSynchronize(policy.stream), "running an algorithm");
  } else {
    for (size_t i = 0; i < n; ++i) f(i);
  }
}
/** In device code (thrust::seq inside a kernel) everything is a loop. */
template <typename F>
__THRUST_HD void for_each_index(const seq_policy &, size_t n, F f) {
  for (size_t i = 0; i < n; ++i) f(i);
}

/** Device memory that lives as long as an algorithm. */
template <typename T>
class temporary {
  T *__data = nullptr;

 public:
  explicit temporary(size_t count) {
    void *p = nullptr;
    check(cudaMalloc(&p, (count ? count : 1) * sizeof(T)), "temporary storage");
    __data = (T *)p;
  }
  temporary(const temporary &) = delete;
  ~temporary() { cudaFree((void *)__data); }
  T *data() const { return __data; }
  T read(size_t i) const {
    alignas(T) unsigned char bytes[sizeof(T)];
    check(cudaMemcpy(bytes, (const void *)(__data + i), sizeof(T), cudaMemcpyDeviceToHost), "reading a result");
    return *(T *)bytes;
  }
};

template <typename POLICY>
constexpr bool on_device = std::is_same<typename POLICY::system, device_system_tag>::value;
template <typename POLICY>
using if_policy = std::enable_if_t<is_policy<POLICY>::value>;
template <typename ITERATOR>
using if_iterator = std::enable_if_t<!is_policy<ITERATOR>::value>;

}  // namespace detail
}  // namespace thrust
