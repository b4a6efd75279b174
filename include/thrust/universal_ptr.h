/* universal_ptr: a pointer into memory that the host and kernels read and write; algorithms run on the device. */
#pragma once

#include "device_ptr.h"

namespace thrust {

template <typename T>
class universal_ptr : public detail::facade<universal_ptr<T>, std::remove_const_t<T>, T &, universal_ptr<T>> {
  T *__address = nullptr;
  friend struct detail::facade<universal_ptr<T>, std::remove_const_t<T>, T &, universal_ptr<T>>;
  __THRUST_HD T &__at(ptrdiff_t n) const { return __address[n]; }
  __THRUST_HD void __advance(ptrdiff_t n) { __address += n; }
  __THRUST_HD ptrdiff_t __distance(const universal_ptr &other) const { return __address - other.__address; }

 public:
  typedef T element_type;
  typedef T *raw_pointer;
  typedef device_system_tag __system;
  typedef T *__raw_type;
  universal_ptr() = default;
  __THRUST_HD universal_ptr(std::nullptr_t) {}
  __THRUST_HD explicit universal_ptr(T *address) : __address(address) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible<U *, T *>::value>>
  __THRUST_HD universal_ptr(const universal_ptr<U> &other) : __address(other.get()) {}
  __THRUST_HD T *get() const { return __address; }
  __THRUST_HD T *__raw() const { return __address; }
  __THRUST_HD T *operator->() const { return __address; }
  __THRUST_HD explicit operator bool() const { return __address != nullptr; }
};
template <typename T>
__THRUST_HD T *raw_pointer_cast(const universal_ptr<T> &p) { return p.get(); }

}  // namespace thrust
