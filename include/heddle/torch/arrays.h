/* c10::ArrayRef and what goes with it: lists that functions of ATen take and give. */
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <vector>

#include "errors.h"

namespace c10 {

/* Elements that somebody else owns. */
template <typename T> class ArrayRef {
public:
  using value_type = T;
  using iterator = const T *;
  using const_iterator = const T *;
  constexpr ArrayRef() : data_(nullptr), size_(0) {}
  constexpr ArrayRef(const T &one) : data_(&one), size_(1) {}
  constexpr ArrayRef(const T *data, size_t size) : data_(data), size_(size) {}
  constexpr ArrayRef(const T *begin, const T *end) : data_(begin), size_(end - begin) {}
  template <typename A> ArrayRef(const std::vector<T, A> &list) : data_(list.data()), size_(list.size()) {}
  template <size_t N> constexpr ArrayRef(const std::array<T, N> &list) : data_(list.data()), size_(N) {}
  template <size_t N> constexpr ArrayRef(const T (&list)[N]) : data_(list), size_(N) {}
  constexpr ArrayRef(const std::initializer_list<T> &list)
      : data_(list.begin() == list.end() ? nullptr : list.begin()), size_(list.size()) {}

  constexpr iterator begin() const { return data_; }
  constexpr iterator end() const { return data_ + size_; }
  constexpr const T *data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T &operator[](size_t i) const { return data_[i]; }
  const T &at(size_t i) const {
    TORCH_CHECK(i < size_, "ArrayRef: invalid index Index = ", i, "; Length = ", size_);
    return data_[i];
  }
  const T &front() const { return data_[0]; }
  const T &back() const { return data_[size_ - 1]; }
  ArrayRef slice(size_t from, size_t count) const { return ArrayRef(data_ + from, count); }
  ArrayRef slice(size_t from) const { return slice(from, size_ - from); }
  bool equals(ArrayRef other) const {
    if (size_ != other.size_) return false;
    for (size_t i = 0; i < size_; i++)
      if (!(data_[i] == other.data_[i])) return false;
    return true;
  }
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }

private:
  const T *data_;
  size_t size_;
};
template <typename T> bool operator==(ArrayRef<T> a, ArrayRef<T> b) { return a.equals(b); }
template <typename T> bool operator!=(ArrayRef<T> a, ArrayRef<T> b) { return !a.equals(b); }
template <typename T> bool operator==(const std::vector<T> &a, ArrayRef<T> b) { return ArrayRef<T>(a).equals(b); }
template <typename T> bool operator==(ArrayRef<T> a, const std::vector<T> &b) { return a.equals(ArrayRef<T>(b)); }
template <typename T> bool operator!=(ArrayRef<T> a, const std::vector<T> &b) { return !(a == b); }
template <typename T> std::ostream &operator<<(std::ostream &out, ArrayRef<T> list) {
  out << "[";
  for (size_t i = 0; i < list.size(); i++) out << (i == 0 ? "" : ", ") << list[i];
  return out << "]";
}

using IntArrayRef = ArrayRef<int64_t>;
using SymInt = int64_t;
using SymIntArrayRef = IntArrayRef;

/* One number where a list is asked for: the same one for each dimension; so in ATen's `dim` arguments. */
struct OptionalIntArrayRef {
  bool given = false;
  std::vector<int64_t> list;
  OptionalIntArrayRef() = default;
  OptionalIntArrayRef(std::nullopt_t) {}
  OptionalIntArrayRef(int64_t one) : given(true), list{one} {}
  OptionalIntArrayRef(int one) : given(true), list{one} {}
  OptionalIntArrayRef(IntArrayRef dims) : given(true), list(dims.vec()) {}
  OptionalIntArrayRef(std::initializer_list<int64_t> dims) : given(true), list(dims) {}
  OptionalIntArrayRef(const std::vector<int64_t> &dims) : given(true), list(dims) {}
};

template <typename T> using optional = std::optional<T>;
using std::make_optional;
using nullopt_t = std::nullopt_t;
inline constexpr std::nullopt_t nullopt = std::nullopt;

template <typename T, unsigned N = 8> using SmallVector = std::vector<T>;
template <typename T> using List = std::vector<T>;

} // namespace c10
