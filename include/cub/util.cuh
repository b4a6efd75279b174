/* What all of cub shares: small types, function objects, iterators, the storage protocol. Written after cub's
 * documentation. */
#pragma once

#include "../thrust/detail/sorting.h"
#include "../thrust/iterator/counting_iterator.h"
#include "../thrust/iterator/transform_iterator.h"
#include "../heddle/words.h"
#include <limits>

#define CUB_VERSION 200400
#define CUB_PTX_WARP_THREADS 32
#define CUB_RUNTIME_FUNCTION __host__ __device__
#define __CUB_D __device__ inline __attribute__((always_inline))
#define __CUB_HD __host__ __device__ inline __attribute__((always_inline))
#define CUB_MIN(a, b) (((a) > (b)) ? (b) : (a))
#define CUB_MAX(a, b) (((a) > (b)) ? (a) : (b))
#define CUB_NS_QUALIFIER ::cub

namespace cub {

struct NullType {
  template <typename T>
  __CUB_HD NullType &operator=(const T &) { return *this; }
  __CUB_HD bool operator==(const NullType &) const { return true; }
  __CUB_HD bool operator!=(const NullType &) const { return false; }
};
template <int N>
struct Int2Type { enum { VALUE = N }; };
template <int N>
struct Log2 {
  static constexpr int value(int n) { return n <= 1 ? 0 : 1 + value((n + 1) / 2); }
  enum { VALUE = value(N) };
};
template <typename K, typename V>
struct KeyValuePair {
  typedef K Key;
  typedef V Value;
  K key;
  V value;
  KeyValuePair() = default;
  __CUB_HD KeyValuePair(const K &k, const V &v) : key(k), value(v) {}
  __CUB_HD bool operator!=(const KeyValuePair &other) const { return key != other.key || value != other.value; }
};

struct Equality {
  template <typename T, typename U>
  __CUB_HD bool operator()(const T& a, const U& b) const {
    return a == b;
  }
};
struct Inequality {
  template <typename T, typename U>
  __CUB_HD bool operator()(const T& a, const U& b) const {
    return a != b;
  }
};
struct Sum {
  template <typename T, typename U>
  __CUB_HD auto operator()(const T& a, const U& b) const {
    return a + b;
  }
};
struct Difference {
  template <typename T, typename U>
  __CUB_HD auto operator()(const T& a, const U& b) const {
    return a - b;
  }
};
struct Max {
  template <typename T, typename U>
  __CUB_HD std::common_type_t<T, U> operator()(const T& a, const U& b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <typename T, typename U>
  __CUB_HD std::common_type_t<T, U> operator()(const T& a, const U& b) const {
    return b < a ? b : a;
  }
};
struct ArgMax {
  template <typename K, typename V>
  __CUB_HD KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <typename K, typename V>
  __CUB_HD KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

template <typename T>
struct DoubleBuffer {
  T *d_buffers[2];
  int selector;
  __CUB_HD DoubleBuffer() : d_buffers{nullptr, nullptr}, selector(0) {}
  __CUB_HD DoubleBuffer(T *current, T *alternate) : d_buffers{current, alternate}, selector(0) {}
  __CUB_HD T *Current() { return d_buffers[selector]; }
  __CUB_HD T *Alternate() { return d_buffers[selector ^ 1]; }
};

/** The storage of a collective that needs none but a type. */
template <typename T>
struct Uninitialized {
  alignas(T) unsigned char __bytes[sizeof(T)];
  __CUB_HD T &Alias() { return *(T *)__bytes; }
};

template <typename T, typename OFFSET = ptrdiff_t>
using CountingInputIterator = thrust::counting_iterator<T>;
template <typename T, typename OFFSET = ptrdiff_t>
using ConstantInputIterator = thrust::constant_iterator<T>;
template <typename T, typename F, typename BASE, typename OFFSET = ptrdiff_t>
class TransformInputIterator : public thrust::transform_iterator<F, BASE> {
 public:
  typedef TransformInputIterator __raw_type;
  typedef thrust::any_system_tag __system;
  typedef T value_type;
  __CUB_HD TransformInputIterator(BASE base, F f) : thrust::transform_iterator<F, BASE>(base, f) {}
  __CUB_HD TransformInputIterator __raw() const { return *this; }
  __CUB_HD TransformInputIterator operator+(ptrdiff_t n) const {
    return TransformInputIterator(this->base() + n, this->functor());
  }
};
/** Elements with their index. */
template <typename BASE, typename OFFSET = ptrdiff_t, typename OUT = thrust::detail::value_of<BASE>>
class ArgIndexInputIterator : public thrust::detail::facade<ArgIndexInputIterator<BASE, OFFSET, OUT>,
                                                            KeyValuePair<OFFSET, OUT>, KeyValuePair<OFFSET, OUT>> {
  BASE __base;
  OFFSET __offset;
  friend struct thrust::detail::facade<ArgIndexInputIterator, KeyValuePair<OFFSET, OUT>, KeyValuePair<OFFSET, OUT>>;
  __CUB_HD KeyValuePair<OFFSET, OUT> __at(ptrdiff_t n) const {
    return KeyValuePair<OFFSET, OUT>((OFFSET)(__offset + n), (OUT)__base[__offset + n]);
  }
  __CUB_HD void __advance(ptrdiff_t n) { __offset += (OFFSET)n; }
  __CUB_HD ptrdiff_t __distance(const ArgIndexInputIterator& other) const {
    return (ptrdiff_t)(__offset - other.__offset);
  }

 public:
  typedef thrust::any_system_tag __system;
  __CUB_HD explicit ArgIndexInputIterator(BASE base, OFFSET offset = 0) : __base(base), __offset(offset) {}
};
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier MODIFIER, typename I>
__CUB_D thrust::detail::value_of<I> ThreadLoad(I it) { return *it; }
template <CacheStoreModifier MODIFIER, typename I, typename T>
__CUB_D void ThreadStore(I it, T value) { *it = value; }

__CUB_HD cudaError_t Debug(cudaError_t error, const char *file, int line) {
#ifndef __CUDA_ARCH__
  if (error != cudaSuccess)
    fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", (int)error, file, line, cudaGetErrorString(error));
#endif
  return error;
}
#define CubDebug(e) cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e)                                              \
  if (cub::Debug((cudaError_t)(e), __FILE__, __LINE__)) exit(1)

namespace detail {

__CUB_D unsigned linear_thread(int x, int y) {
  return (threadIdx.z * (unsigned)y + threadIdx.y) * (unsigned)x + threadIdx.x;
}
__CUB_D unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }
/** The lanes of this thread's warp in a block of so many threads. */
__CUB_D unsigned warp_lanes(unsigned threads) {
  const unsigned base = linear_thread((int)blockDim.x, (int)blockDim.y) & ~31u, left = threads - base;
  return left >= 32 ? 0xffffffffu : (1u << left) - 1u;
}

/** Keys as unsigned numbers of the same order, for radix sorts of a range of bits. */
template <typename T>
struct radix {
  typedef std::conditional_t<
      sizeof(T) == 8, unsigned long long,
      std::conditional_t<sizeof(T) == 4, unsigned, std::conditional_t<sizeof(T) == 2, unsigned short, unsigned char>>>
      bits_type;
  __CUB_HD static unsigned long long bits(const T &key) {
    bits_type b;
    __builtin_memcpy(&b, &key, sizeof(T));
    const bits_type sign = (bits_type)((bits_type)1 << (8 * sizeof(T) - 1));
    if (std::is_integral<T>::value) return std::is_signed<T>::value ? (bits_type)(b ^ sign) : b;
    // -0 and 0 are equal keys.
    if (b == sign) b = 0;
    return (bits_type)(b & sign ? ~b : b | sign);
  }
};
template <typename T, bool DESCENDING>
struct radix_less {
  int begin, end;
  __CUB_HD unsigned long long digits(const T &key) const {
    const unsigned long long b = radix<T>::bits(key) >> begin;
    return end - begin >= 64 ? b : b & ((1ull << (end - begin)) - 1);
  }
  __CUB_HD bool operator()(const T& a, const T& b) const {
    return DESCENDING ? digits(b) < digits(a) : digits(a) < digits(b);
  }
};

}  // namespace detail
}  // namespace cub
