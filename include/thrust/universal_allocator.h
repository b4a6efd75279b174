/* Allocators whose memory the host and kernels share: managed memory, and pinned memory of the host. */
#pragma once

#include "universal_ptr.h"

namespace thrust {
namespace detail {

template <typename T>
struct universal_memory {
  typedef universal_ptr<T> pointer;
  typedef universal_ptr<const T> const_pointer;
  typedef T &reference;
  typedef const T &const_reference;
};
template <typename T>
struct managed_memory : universal_memory<T> {
  static T *allocate(size_t count) {
    void *p = nullptr;
    check(cudaMallocManaged(&p, count * sizeof(T)), "managed memory");
    return (T *)p;
  }
  static void free(T *p) { cudaFree((void *)p); }
};
template <typename T>
struct pinned_memory : universal_memory<T> {
  static T *allocate(size_t count) {
    void *p = nullptr;
    check(cudaHostAlloc(&p, count * sizeof(T), cudaHostAllocMapped), "pinned memory");
    return (T *)p;
  }
  static void free(T *p) { cudaFreeHost((void *)p); }
};

/** What both allocators are to C++: no state, so that any two are equal. */
template <typename MEMORY, typename T>
struct universal_allocator_base {
  typedef MEMORY __memory;
  typedef T value_type;
  typedef typename MEMORY::pointer pointer;
  typedef typename MEMORY::const_pointer const_pointer;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  pointer allocate(size_t count) { return pointer(MEMORY::allocate(count)); }
  void deallocate(pointer p, size_t) { MEMORY::free(p.get()); }
  bool operator==(const universal_allocator_base &) const { return true; }
  bool operator!=(const universal_allocator_base &) const { return false; }
};
}  // namespace detail

template <typename T>
struct universal_allocator : detail::universal_allocator_base<detail::managed_memory<T>, T> {
  universal_allocator() = default;
  template <typename U>
  universal_allocator(const universal_allocator<U> &) {}
  template <typename U>
  struct rebind { typedef universal_allocator<U> other; };
};
template <typename T>
struct universal_host_pinned_allocator : detail::universal_allocator_base<detail::pinned_memory<T>, T> {
  universal_host_pinned_allocator() = default;
  template <typename U>
  universal_host_pinned_allocator(const universal_host_pinned_allocator<U> &) {}
  template <typename U>
  struct rebind { typedef universal_host_pinned_allocator<U> other; };
};

}  // namespace thrust
