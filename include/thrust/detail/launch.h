/* How an algorithm runs on the device: one function of an index for every index below n, or one block for a chunk. */
#pragma once

#include "../device_ptr.h"

namespace thrust {
namespace detail {

enum { for_each_threads = 256, for_each_items = 4 };

/** Whether a function object has a form for several indices, which reads all its inputs before it writes. */
template <typename F, typename = void>
struct has_batches : std::false_type {};
template <typename F>
struct has_batches<F, std::void_t<typename F::batches>> : std::true_type {};

/**
 * Each block has `items` indices a thread. In a full tile the loads of a thread's indices are in flight together: one
 * load a thread would use about half of a GPU's bandwidth.
 */
template <typename F>
__global__ void __launch_bounds__(for_each_threads) for_each_index_kernel(F f, size_t n, int items) {
  const size_t begin = (size_t)blockIdx.x * for_each_threads * items, first = begin + threadIdx.x;
  if (items == for_each_items && n - begin >= (size_t)for_each_threads * for_each_items) {
    if constexpr (has_batches<F>::value) {
      f.template batch<for_each_items>(first, for_each_threads);
    } else {
#pragma unroll
      for (int k = 0; k < for_each_items; ++k) f(first + k * for_each_threads);
    }
  } else {
#pragma unroll 1
    for (int k = 0; k < items; ++k)
      if (first + k * for_each_threads < n) f(first + k * for_each_threads);
  }
}

/** Above this, the blocks fill the largest GPU also with several indices a thread. */
constexpr size_t for_each_many = 1 << 20;

/** Calls f(i) for every i < n: on the device in parallel, else in order. */
template <typename POLICY, typename F>
void for_each_index(const POLICY &policy, size_t n, F f) {
  if (n == 0) return;
  if constexpr (std::is_same<typename POLICY::system, device_system_tag>::value) {
    const int items = n < for_each_many ? 1 : for_each_items;
    const size_t tile = (size_t)for_each_threads * items;
    for_each_index_kernel<<<(unsigned)((n + tile - 1) / tile), for_each_threads, 0, policy.stream>>>(f, n, items);
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
