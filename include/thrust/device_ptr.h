/* device_ptr and device_reference: a pointer into device memory that the host may follow, one copy at a time. */
#pragma once

#include "detail/config.h"

namespace thrust {

template <typename T>
class device_ptr;

template <typename T>
class device_reference {
  T *__address;

 public:
  typedef std::remove_const_t<T> value_type;
  __THRUST_HD explicit device_reference(T *address) : __address(address) {}
  device_reference(const device_reference &) = default;
  __THRUST_HD device_ptr<T> operator&() const { return device_ptr<T>(__address); }
  __THRUST_HD operator value_type() const {
#ifdef __CUDA_ARCH__
    return *__address;
#else
    alignas(value_type) unsigned char bytes[sizeof(value_type)];
    detail::check(cudaMemcpy(bytes, (const void*)__address, sizeof(value_type), cudaMemcpyDeviceToHost),
                  "reading an element");
    return *(value_type *)bytes;
#endif
  }
  __THRUST_HD const device_reference &operator=(const value_type &value) const {
#ifdef __CUDA_ARCH__
    *(value_type *)__address = value;
#else
    detail::check(cudaMemcpy((void*)__address, &value, sizeof(value_type), cudaMemcpyHostToDevice),
                  "writing an element");
#endif
    return *this;
  }
  __THRUST_HD const device_reference& operator=(const device_reference& other) const {
    return *this = (value_type)other;
  }
  __THRUST_HD const device_reference& operator+=(const value_type& v) const {
    return *this = (value_type)((value_type) * this + v);
  }
  __THRUST_HD const device_reference& operator-=(const value_type& v) const {
    return *this = (value_type)((value_type) * this - v);
  }
  __THRUST_HD const device_reference& operator*=(const value_type& v) const {
    return *this = (value_type)((value_type) * this * v);
  }
  __THRUST_HD const device_reference& operator/=(const value_type& v) const {
    return *this = (value_type)((value_type) * this / v);
  }
  __THRUST_HD const device_reference &operator++() const { return *this += (value_type)1; }
  __THRUST_HD const device_reference &operator--() const { return *this -= (value_type)1; }
  __THRUST_HD value_type operator++(int) const { value_type old = *this; *this += (value_type)1; return old; }
  __THRUST_HD value_type operator--(int) const { value_type old = *this; *this -= (value_type)1; return old; }
  template <typename STREAM>
  friend STREAM &operator<<(STREAM &stream, const device_reference &r) { return stream << (value_type)r, stream; }
};

template <typename T>
class device_ptr : public detail::facade<device_ptr<T>, std::remove_const_t<T>, device_reference<T>, device_ptr<T>> {
  T *__address = nullptr;
  friend struct detail::facade<device_ptr<T>, std::remove_const_t<T>, device_reference<T>, device_ptr<T>>;
  __THRUST_HD device_reference<T> __at(ptrdiff_t n) const { return device_reference<T>(__address + n); }
  __THRUST_HD void __advance(ptrdiff_t n) { __address += n; }
  __THRUST_HD ptrdiff_t __distance(const device_ptr &other) const { return __address - other.__address; }

 public:
  typedef T element_type;
  typedef T *raw_pointer;
  typedef device_system_tag __system;
  typedef T *__raw_type;
  device_ptr() = default;
  __THRUST_HD device_ptr(std::nullptr_t) {}
  __THRUST_HD explicit device_ptr(T *address) : __address(address) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible<U *, T *>::value>>
  __THRUST_HD device_ptr(const device_ptr<U> &other) : __address(other.get()) {}
  __THRUST_HD T *get() const { return __address; }
  __THRUST_HD T *__raw() const { return __address; }
  __THRUST_HD explicit operator bool() const { return __address != nullptr; }
};
template <>
class device_ptr<void> {
  void *__address = nullptr;

 public:
  device_ptr() = default;
  __THRUST_HD explicit device_ptr(void *address) : __address(address) {}
  __THRUST_HD void *get() const { return __address; }
  template <typename U>
  __THRUST_HD explicit operator device_ptr<U>() const { return device_ptr<U>((U *)__address); }
};

template <typename T>
__THRUST_HD device_ptr<T> device_pointer_cast(T *p) { return device_ptr<T>(p); }
template <typename T>
__THRUST_HD device_ptr<T> device_pointer_cast(const device_ptr<T> &p) { return p; }
template <typename T>
__THRUST_HD T *raw_pointer_cast(T *p) { return p; }
template <typename T>
__THRUST_HD T *raw_pointer_cast(const device_ptr<T> &p) { return p.get(); }
template <typename T>
__THRUST_HD T &raw_reference_cast(T &r) { return r; }
template <typename T>
__THRUST_HD T &raw_reference_cast(const device_reference<T> &r) { return *(&r).get(); }

template <typename T>
device_ptr<T> device_malloc(size_t count) {
  void *p = nullptr;
  detail::check(cudaMalloc(&p, count * sizeof(T)), "device_malloc");
  return device_ptr<T>((T *)p);
}
inline device_ptr<void> device_malloc(size_t bytes) {
  void *p = nullptr;
  detail::check(cudaMalloc(&p, bytes), "device_malloc");
  return device_ptr<void>(p);
}
template <typename T>
void device_free(device_ptr<T> p) { detail::check(cudaFree((void *)p.get()), "device_free"); }
template <typename T>
void device_delete(device_ptr<T> p, size_t = 1) { device_free(p); }

}  // namespace thrust
