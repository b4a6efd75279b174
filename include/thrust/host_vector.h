/*
 * host_vector: std::vector that takes device_vectors; device_vector: an array that grows, in device memory unless its
 * allocator says otherwise (universal_allocator.h).
 */
#pragma once

#include <algorithm>
#include <vector>

#include "detail/elementwise.h"

namespace thrust {

template <typename T, typename ALLOCATOR = void>
class device_vector;

template <typename T, typename ALLOCATOR = void>
class host_vector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  host_vector() = default;
  host_vector(const host_vector &) = default;
  host_vector(host_vector &&) = default;
  host_vector &operator=(const host_vector &) = default;
  host_vector &operator=(host_vector &&) = default;
  host_vector(const std::vector<T> &other) : std::vector<T>(other) {}
  template <typename U, typename A>
  host_vector(const device_vector<U, A> &other) { *this = other; }
  template <typename U, typename A>
  host_vector &operator=(const device_vector<U, A> &other) {
    this->resize(other.size());
    thrust::copy(other.begin(), other.end(), this->begin());
    return *this;
  }
  template <typename U>
  host_vector(device_ptr<U> first, device_ptr<U> last) : std::vector<T>((size_t)(last - first)) {
    thrust::copy(first, last, this->begin());
  }
};

namespace detail {
/** Where a vector's elements lie, and what points and refers to them. */
template <typename T>
struct device_memory {
  typedef device_ptr<T> pointer;
  typedef device_ptr<const T> const_pointer;
  typedef device_reference<T> reference;
  typedef device_reference<const T> const_reference;
  static T *allocate(size_t count) { return device_malloc<T>(count).get(); }
  static void free(T *p) { cudaFree((void *)p); }
};
template <typename T, typename ALLOCATOR, typename = void>
struct memory_of { typedef device_memory<T> type; };
template <typename T, typename ALLOCATOR>
struct memory_of<T, ALLOCATOR, std::void_t<typename ALLOCATOR::__memory>> {
  typedef typename ALLOCATOR::__memory type;
};
}  // namespace detail

template <typename T, typename ALLOCATOR>
class device_vector {
  typedef typename detail::memory_of<T, ALLOCATOR>::type __memory;
  T *__data = nullptr;
  size_t __size = 0, __capacity = 0;

  void __grow(size_t capacity) {
    if (capacity <= __capacity) return;
    T *data = __memory::allocate(capacity);
    if (__size > 0)
      detail::check(cudaMemcpy((void*)data, (const void*)__data, __size * sizeof(T), cudaMemcpyDeviceToDevice),
                    "device_vector");
    if (__data) __memory::free(__data);
    __data = data;
    __capacity = capacity;
  }
  /* Elements are made on the host and copied: no kernel is needed for it. A value may be an element of this vector:
     who grows it takes a copy of the value before. */
  void __set(size_t first, size_t count, const T &value) {
    if (count == 0) return;
    std::vector<T> values(count, value);
    if constexpr (std::is_same<T, bool>::value) {
      for (size_t i = 0; i < count; ++i) (*this)[first + i] = value;
    } else
      detail::check(
          cudaMemcpy((void*)(__data + first), (const void*)values.data(), count * sizeof(T), cudaMemcpyHostToDevice),
          "device_vector");
  }

 public:
  typedef T value_type;
  typedef typename __memory::pointer pointer;
  typedef typename __memory::const_pointer const_pointer;
  typedef pointer iterator;
  typedef const_pointer const_iterator;
  typedef typename __memory::reference reference;
  typedef typename __memory::const_reference const_reference;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;

  device_vector() = default;
  explicit device_vector(size_t count) { resize(count); }
  device_vector(size_t count, const T &value) { resize(count, value); }
  device_vector(const device_vector &other) { *this = other; }
  device_vector(device_vector &&other) noexcept { swap(other); }
  device_vector(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  template <typename U, typename A>
  device_vector(const device_vector<U, A> &other) { assign(other.begin(), other.end()); }
  template <typename U, typename A>
  device_vector(const host_vector<U, A> &other) { assign(other.begin(), other.end()); }
  template <typename U>
  device_vector(const std::vector<U> &other) { assign(other.begin(), other.end()); }
  template <typename I, typename = typename std::iterator_traits<I>::iterator_category>
  device_vector(I first, I last) { assign(first, last); }
  ~device_vector() {
    if (__data) __memory::free(__data);
  }
  device_vector &operator=(const device_vector &other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  device_vector &operator=(device_vector &&other) noexcept {
    swap(other);
    return *this;
  }
  template <typename U, typename A>
  device_vector &operator=(const device_vector<U, A> &other) { assign(other.begin(), other.end()); return *this; }
  template <typename U, typename A>
  device_vector &operator=(const host_vector<U, A> &other) { assign(other.begin(), other.end()); return *this; }
  template <typename U>
  device_vector &operator=(const std::vector<U> &other) { assign(other.begin(), other.end()); return *this; }
  device_vector &operator=(std::initializer_list<T> values) { assign(values.begin(), values.end()); return *this; }

  template <typename I, typename = typename std::iterator_traits<I>::iterator_category>
  void assign(I first, I last) {
    const size_t count = (size_t)(last - first);
    __size = 0;
    __grow(count);
    __size = count;
    thrust::copy(first, last, begin());
  }
  void assign(size_t count, const T &value) {
    const T copy = value;
    __size = 0;
    resize(count, copy);
  }
  size_t size() const { return __size; }
  size_t capacity() const { return __capacity; }
  bool empty() const { return __size == 0; }
  size_t max_size() const { return (size_t)-1 / sizeof(T); }
  void reserve(size_t count) { __grow(count); }
  void shrink_to_fit() {}
  void resize(size_t count, const T &value = T()) {
    if (count > __size) {
      const T copy = value;
      __grow(count);
      __set(__size, count - __size, copy);
    }
    __size = count;
  }
  void clear() { __size = 0; }
  void push_back(const T &value) {
    const T copy = value;
    if (__size == __capacity) __grow(__capacity ? __capacity * 2 : 8);
    ++__size;
    back() = copy;
  }
  void pop_back() { --__size; }
  iterator erase(iterator position) { return erase(position, position + 1); }
  iterator erase(iterator first, iterator last) {
    std::vector<T> tail((size_t)(end() - last));
    thrust::copy(last, end(), tail.begin());
    thrust::copy(tail.begin(), tail.end(), first);
    __size -= (size_t)(last - first);
    return first;
  }
  iterator insert(iterator position, const T &value) {
    const size_t at = (size_t)(position - begin());
    const T copy = value;
    insert(position, &copy, &copy + 1);
    return begin() + at;
  }
  template <typename I, typename = typename std::iterator_traits<I>::iterator_category>
  void insert(iterator position, I first, I last) {
    const size_t at = (size_t)(position - begin()), count = (size_t)(last - first);
    std::vector<T> tail(__size - at);
    thrust::copy(begin() + at, end(), tail.begin());
    __grow(__size + count);
    __size += count;
    thrust::copy(first, last, begin() + at);
    thrust::copy(tail.begin(), tail.end(), begin() + at + count);
  }
  void swap(device_vector &other) {
    std::swap(__data, other.__data);
    std::swap(__size, other.__size);
    std::swap(__capacity, other.__capacity);
  }
  pointer data() { return pointer(__data); }
  const_pointer data() const { return const_pointer(__data); }
  iterator begin() { return iterator(__data); }
  iterator end() { return iterator(__data + __size); }
  const_iterator begin() const { return const_iterator(__data); }
  const_iterator end() const { return const_iterator(__data + __size); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  reference operator[](size_t i) { return begin()[i]; }
  const_reference operator[](size_t i) const { return begin()[i]; }
  reference front() { return (*this)[0]; }
  reference back() { return (*this)[__size - 1]; }
  const_reference front() const { return (*this)[0]; }
  const_reference back() const { return (*this)[__size - 1]; }
};
template <typename T, typename A, typename U, typename B>
bool operator==(const device_vector<T, A> &a, const device_vector<U, B> &b) {
  const host_vector<T> left = a;
  const host_vector<U> right = b;
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}
template <typename T, typename A, typename U, typename B>
bool operator!=(const device_vector<T, A> &a, const device_vector<U, B> &b) { return !(a == b); }
template <typename T, typename A, typename U, typename B>
bool operator==(const host_vector<T, A> &a, const device_vector<U, B> &b) { return a == host_vector<T, A>(b); }
template <typename T, typename A, typename U, typename B>
bool operator==(const device_vector<T, A> &a, const host_vector<U, B> &b) { return host_vector<U, B>(a) == b; }

}  // namespace thrust
