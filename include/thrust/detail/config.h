/*
 * What all of thrust stands on: where a range lives, and the policies that say it.
 *
 * Thrust here is written after its documentation: the interface of thrust, algorithms of ours. Algorithms on device
 * ranges are kernels, those on host ranges plain loops. Inside, device pointers become raw pointers before a kernel
 * sees them (`unwrap`).
 */
#pragma once

#include "../../cuda_runtime.h"
#include <stddef.h>
#include <iostream> // as in CCCL's, whose error_code.h has it
#include <iterator>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#define THRUST_VERSION 200400
#define THRUST_MAJOR_VERSION 2
#define THRUST_MINOR_VERSION 4
#define THRUST_SUBMINOR_VERSION 0
#define __THRUST_HD __host__ __device__ inline __attribute__((always_inline))
#define THRUST_HOST_DEVICE __host__ __device__

namespace thrust {

/** What algorithms throw where the runtime reports an error; memory that cannot be had is std::bad_alloc's child. */
class error_code {
  int __value;

 public:
  explicit error_code(int value = 0) : __value(value) {}
  int value() const { return __value; }
  std::string message() const { return cudaGetErrorString((cudaError_t)__value); }
};
class system_error : public std::runtime_error {
  error_code __code;

 public:
  system_error(int code, const std::string &what) : std::runtime_error(what), __code(code) {}
  template <typename CATEGORY>
  system_error(int code, const CATEGORY &, const std::string &what) : std::runtime_error(what), __code(code) {}
  const error_code &code() const { return __code; }
};
struct cuda_category_t {};
inline cuda_category_t cuda_category() { return {}; }
namespace system {
using thrust::error_code;
using thrust::system_error;
namespace detail {
class bad_alloc : public std::bad_alloc {
  std::string __what;

 public:
  explicit bad_alloc(const std::string &what) : __what(what) {}
  const char *what() const noexcept override { return __what.c_str(); }
};
}  // namespace detail
}  // namespace system

namespace detail {
inline void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  const std::string text = std::string(what) + ": " + cudaGetErrorString(error);
  if (error == cudaErrorMemoryAllocation) throw system::detail::bad_alloc(text);
  throw system_error((int)error, text);
}
}  // namespace detail

/* Systems. `any` goes with either. */
struct host_system_tag {};
struct device_system_tag {};
struct any_system_tag {};

namespace detail {

template <typename SYSTEM>
struct policy_base {
  typedef SYSTEM system;
  cudaStream_t stream = 0;
};
struct host_policy : policy_base<host_system_tag> {};
struct device_policy : policy_base<device_system_tag> {
  device_policy on(cudaStream_t s) const {
    device_policy p;
    p.stream = s;
    return p;
  }
  template <typename ALLOCATOR>
  device_policy operator()(ALLOCATOR &&) const { return *this; }
};
struct seq_policy {
  typedef any_system_tag system;
};
template <typename T>
struct is_policy
    : std::integral_constant<bool, std::is_base_of<host_policy, T>::value || std::is_base_of<device_policy, T>::value ||
                                       std::is_base_of<seq_policy, T>::value> {};

/** The system of an iterator: host unless the iterator says otherwise. */
template <typename ITERATOR, typename = void>
struct system_of { typedef host_system_tag type; };
template <typename ITERATOR>
struct system_of<ITERATOR, std::void_t<typename ITERATOR::__system>> { typedef typename ITERATOR::__system type; };

template <typename... ITERATORS>
struct common_system { typedef any_system_tag type; };
template <typename FIRST, typename... REST>
struct common_system<FIRST, REST...> {
  typedef typename system_of<FIRST>::type first;
  typedef typename common_system<REST...>::type rest;
  typedef std::conditional_t<
      std::is_same<first, device_system_tag>::value || std::is_same<rest, device_system_tag>::value, device_system_tag,
      std::conditional_t<std::is_same<first, host_system_tag>::value, host_system_tag, rest>>
      type;
};
/** The policy for ranges without one. */
template <typename... ITERATORS>
using default_policy =
    std::conditional_t<std::is_same<typename common_system<ITERATORS...>::type, device_system_tag>::value,
                       device_policy, host_policy>;

template <typename T>
using value_of = typename std::iterator_traits<T>::value_type;

/** Device iterators without their proxies; iterators of other kinds have overloads of their own. */
template <typename ITERATOR, typename = void>
struct unwrapper {
  typedef ITERATOR type;
  __THRUST_HD static ITERATOR unwrap(const ITERATOR &it) { return it; }
};
template <typename ITERATOR>
struct unwrapper<ITERATOR, std::void_t<typename ITERATOR::__raw_type>> {
  typedef typename ITERATOR::__raw_type type;
  __THRUST_HD static type unwrap(const ITERATOR &it) { return it.__raw(); }
};
template <typename ITERATOR>
using raw_of = typename unwrapper<ITERATOR>::type;
template <typename ITERATOR>
__THRUST_HD raw_of<ITERATOR> unwrap(const ITERATOR &it) { return unwrapper<ITERATOR>::unwrap(it); }

/** Random access by difference to another iterator of the same type: the arithmetic that all our iterators share. */
template <typename SELF, typename VALUE, typename REFERENCE, typename POINTER = void>
struct facade {
  typedef VALUE value_type;
  typedef REFERENCE reference;
  typedef POINTER pointer;
  typedef ptrdiff_t difference_type;
  typedef std::random_access_iterator_tag iterator_category;
  __THRUST_HD SELF &__self() { return *static_cast<SELF *>(this); }
  __THRUST_HD const SELF &__self() const { return *static_cast<const SELF *>(this); }
  __THRUST_HD REFERENCE operator*() const { return __self().__at(0); }
  __THRUST_HD REFERENCE operator[](ptrdiff_t n) const { return __self().__at(n); }
  __THRUST_HD SELF &operator+=(ptrdiff_t n) { __self().__advance(n); return __self(); }
  __THRUST_HD SELF &operator-=(ptrdiff_t n) { __self().__advance(-n); return __self(); }
  __THRUST_HD SELF &operator++() { return *this += 1; }
  __THRUST_HD SELF &operator--() { return *this -= 1; }
  __THRUST_HD SELF operator++(int) { SELF old = __self(); *this += 1; return old; }
  __THRUST_HD SELF operator--(int) { SELF old = __self(); *this -= 1; return old; }
  __THRUST_HD SELF operator+(ptrdiff_t n) const { SELF r = __self(); r += n; return r; }
  __THRUST_HD SELF operator-(ptrdiff_t n) const { SELF r = __self(); r -= n; return r; }
  __THRUST_HD ptrdiff_t operator-(const SELF &other) const { return __self().__distance(other); }
  __THRUST_HD bool operator==(const SELF &other) const { return __self().__distance(other) == 0; }
  __THRUST_HD bool operator!=(const SELF &other) const { return __self().__distance(other) != 0; }
  __THRUST_HD bool operator<(const SELF &other) const { return __self().__distance(other) < 0; }
  __THRUST_HD bool operator>(const SELF &other) const { return __self().__distance(other) > 0; }
  __THRUST_HD bool operator<=(const SELF &other) const { return __self().__distance(other) <= 0; }
  __THRUST_HD bool operator>=(const SELF &other) const { return __self().__distance(other) >= 0; }
};

}  // namespace detail

static const detail::host_policy host{};
static const detail::device_policy device{};
static const detail::seq_policy seq{};

namespace cuda {
static const detail::device_policy par{};
static const detail::device_policy par_nosync{};
}  // namespace cuda
namespace cuda_cub = cuda;
namespace system {
namespace cuda {
using thrust::cuda::par;
}
}  // namespace system
namespace omp { static const detail::host_policy par{}; }
namespace cpp { static const detail::host_policy par{}; }

template <typename T>
struct iterator_traits : std::iterator_traits<T> {};
template <typename T>
struct iterator_value { typedef typename std::iterator_traits<T>::value_type type; };
template <typename T>
struct iterator_difference { typedef typename std::iterator_traits<T>::difference_type type; };
template <typename T>
struct iterator_reference { typedef typename std::iterator_traits<T>::reference type; };
template <typename T>
struct iterator_system { typedef typename detail::system_of<T>::type type; };

template <typename T>
__THRUST_HD void swap(T &a, T &b) {
  T t = a;
  a = b;
  b = t;
}
template <typename ITERATOR, typename DISTANCE>
__THRUST_HD void advance(ITERATOR &it, DISTANCE n) { it += n; }
template <typename ITERATOR>
__THRUST_HD ptrdiff_t distance(ITERATOR first, ITERATOR last) { return last - first; }
template <typename ITERATOR>
__THRUST_HD ITERATOR next(ITERATOR it, ptrdiff_t n = 1) { return it + n; }
template <typename ITERATOR>
__THRUST_HD ITERATOR prev(ITERATOR it, ptrdiff_t n = 1) { return it - n; }

}  // namespace thrust
