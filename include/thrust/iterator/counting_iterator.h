/* counting_iterator, constant_iterator and discard_iterator: ranges that need no memory. */
#pragma once

#include "../detail/config.h"

namespace thrust {

template <typename T, typename = void, typename = void, typename = void>
class counting_iterator : public detail::facade<counting_iterator<T>, T, T> {
  T __value = T();
  friend struct detail::facade<counting_iterator<T>, T, T>;
  __THRUST_HD T __at(ptrdiff_t n) const { return (T)(__value + (T)n); }
  __THRUST_HD void __advance(ptrdiff_t n) { __value = (T)(__value + (T)n); }
  __THRUST_HD ptrdiff_t __distance(const counting_iterator& other) const {
    return (ptrdiff_t)(__value - other.__value);
  }

 public:
  typedef any_system_tag __system;
  counting_iterator() = default;
  __THRUST_HD explicit counting_iterator(T value) : __value(value) {}
};
template <typename T>
__THRUST_HD counting_iterator<T> make_counting_iterator(T value) { return counting_iterator<T>(value); }

template <typename T, typename = void, typename = void>
class constant_iterator : public detail::facade<constant_iterator<T>, T, T> {
  T __value = T();
  ptrdiff_t __index = 0;
  friend struct detail::facade<constant_iterator<T>, T, T>;
  __THRUST_HD T __at(ptrdiff_t) const { return __value; }
  __THRUST_HD void __advance(ptrdiff_t n) { __index += n; }
  __THRUST_HD ptrdiff_t __distance(const constant_iterator &other) const { return __index - other.__index; }

 public:
  typedef any_system_tag __system;
  constant_iterator() = default;
  __THRUST_HD explicit constant_iterator(T value, ptrdiff_t index = 0) : __value(value), __index(index) {}
};
template <typename T>
__THRUST_HD constant_iterator<T> make_constant_iterator(T value) { return constant_iterator<T>(value); }

namespace detail {
struct discarded {
  template <typename T>
  __THRUST_HD const discarded &operator=(const T &) const { return *this; }
};
}  // namespace detail
template <typename = void>
class discard_iterator : public detail::facade<discard_iterator<>, detail::discarded, detail::discarded> {
  ptrdiff_t __index = 0;
  friend struct detail::facade<discard_iterator<>, detail::discarded, detail::discarded>;
  __THRUST_HD detail::discarded __at(ptrdiff_t) const { return {}; }
  __THRUST_HD void __advance(ptrdiff_t n) { __index += n; }
  __THRUST_HD ptrdiff_t __distance(const discard_iterator &other) const { return __index - other.__index; }

 public:
  typedef any_system_tag __system;
  __THRUST_HD discard_iterator(ptrdiff_t index = 0) : __index(index) {}
};
__THRUST_HD discard_iterator<> make_discard_iterator(ptrdiff_t index = 0) { return discard_iterator<>(index); }

}  // namespace thrust
