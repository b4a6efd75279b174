/* c10::irange: `for (auto i : c10::irange(n))`. */
#pragma once
#include <heddle/torch.h>

namespace c10 {
template <typename T> struct IntegerRange {
  struct iterator {
    T value;
    T operator*() const { return value; }
    iterator &operator++() { value++; return *this; }
    bool operator!=(const iterator &other) const { return value != other.value; }
  };
  T first, last;
  iterator begin() const { return {first}; }
  iterator end() const { return {last < first ? first : last}; }
};
template <typename T> IntegerRange<T> irange(T end) { return {T(), end}; }
template <typename A, typename B> IntegerRange<B> irange(A begin, B end) { return {(B)begin, end}; }
} // namespace c10
