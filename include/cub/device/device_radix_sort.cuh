/* cub::DeviceRadixSort: see device_reduce.cuh. */
#pragma once

#include <tuple>
#include "device_reduce.cuh"

namespace cub {

namespace detail {
/** Bits of all members that a decomposer names. */
template <typename T>
struct bits_of_members;
template <template <typename...> class TUPLE, typename... T>
struct bits_of_members<TUPLE<T...>> {
  static constexpr int value = (0 + ... + (int)(8 * sizeof(std::remove_reference_t<T>)));
};

/** The bits that count. */
struct digit_range {
  int begin, end;
  cudaStream_t stream;
};

/**
 * Keys of a user's type by the members that a decomposer names, as one number: the last member has the lowest bits.
 */
template <typename K, typename D, bool DESCENDING>
struct decomposed_less {
  typedef std::decay_t<decltype(std::declval<const D&>()(std::declval<K&>()))> members;
  static constexpr int count = (int)std::tuple_size<members>::value;
  static constexpr int bits = bits_of_members<members>::value;
  D decompose;
  int begin, end;

  __CUB_HD bool operator()(const K &a, const K &b) const {
    K x = a, y = b;
    return order<0>(decompose(x), decompose(y), bits) == (DESCENDING ? 1 : -1);
  }

 private:
  /** -1, 0 or 1 for the members from this one on; its bits end below `top`. */
  template <int AT>
  __CUB_HD int order(const members &a, const members &b, int top) const {
    if constexpr (AT == count) {
      return 0;
    } else {
      typedef std::decay_t<std::tuple_element_t<AT, members>> T;
      const int bottom = top - 8 * (int)sizeof(T);
      const int from = begin > bottom ? begin - bottom : 0, to = (end < top ? end : top) - bottom;
      if (from < to) {
        const radix_less<T, false> less = {from, to};
        const unsigned long long x = less.digits(std::get<AT>(a)), y = less.digits(std::get<AT>(b));
        if (x != y) return x < y ? -1 : 1;
      }
      return order<AT + 1>(a, b, bottom);
    }
  }
};

template <typename D>
using if_decomposer = std::enable_if_t<!std::is_convertible<D, int>::value, cudaError_t>;
}  // namespace detail

struct DeviceRadixSort {
  template <typename K>
  static cudaError_t SortKeys(void* storage, size_t& bytes, const K* in, K* out, detail::item_count n,
      int begin = 0, int end = sizeof(K) * 8, cudaStream_t stream = 0, bool = false) {
    thrust::detail::no_value* const none = nullptr;
    return sort(storage, bytes, in, out, none, none, n, detail::radix_less<K, false>{begin, end}, stream);
  }
  template <typename K, typename D, typename... RANGE>
  static detail::if_decomposer<D> SortKeys(void* storage, size_t& bytes, const K* in, K* out, 
      detail::item_count n, D decompose, RANGE... range) {
    thrust::detail::no_value* const none = nullptr;
    const detail::digit_range digits = digits_of<K, D>(range...);
    return sort(storage, bytes, in, out, none, none, n,
                detail::decomposed_less<K, D, false>{decompose, digits.begin, digits.end}, digits.stream);
  }
  template <typename K>
  static cudaError_t SortKeysDescending(void* storage, size_t& bytes, const K* in, K* out, detail::item_count n,
      int begin = 0, int end = sizeof(K) * 8, cudaStream_t stream = 0, bool = false) {
    thrust::detail::no_value* const none = nullptr;
    return sort(storage, bytes, in, out, none, none, n, detail::radix_less<K, true>{begin, end}, stream);
  }
  template <typename K, typename D, typename... RANGE>
  static detail::if_decomposer<D> SortKeysDescending(void* storage, size_t& bytes, const K* in, K* out, 
      detail::item_count n, D decompose, RANGE... range) {
    thrust::detail::no_value* const none = nullptr;
    const detail::digit_range digits = digits_of<K, D>(range...);
    return sort(storage, bytes, in, out, none, none, n,
                detail::decomposed_less<K, D, true>{decompose, digits.begin, digits.end}, digits.stream);
  }
  template <typename K, typename V>
  static cudaError_t SortPairs(void* storage, size_t& bytes, const K* in, K* out, const V* values_in,
      V* values_out, detail::item_count n,
      int begin = 0, int end = sizeof(K) * 8, cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, in, out, values_in, values_out, n, detail::radix_less<K, false>{begin, end}, stream);
  }
  template <typename K, typename V, typename D, typename... RANGE>
  static detail::if_decomposer<D> SortPairs(void* storage, size_t& bytes, const K* in, K* out,
      const V* values_in, V* values_out, 
      detail::item_count n, D decompose, RANGE... range) {
    const detail::digit_range digits = digits_of<K, D>(range...);
    return sort(storage, bytes, in, out, values_in, values_out, n,
                detail::decomposed_less<K, D, false>{decompose, digits.begin, digits.end}, digits.stream);
  }
  template <typename K, typename V>
  static cudaError_t SortPairsDescending(void* storage, size_t& bytes, const K* in, K* out, const V* values_in,
      V* values_out, detail::item_count n,
      int begin = 0, int end = sizeof(K) * 8, cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, in, out, values_in, values_out, n, detail::radix_less<K, true>{begin, end}, stream);
  }
  template <typename K, typename V, typename D, typename... RANGE>
  static detail::if_decomposer<D> SortPairsDescending(void* storage, size_t& bytes, const K* in, K* out,
      const V* values_in, V* values_out, 
      detail::item_count n, D decompose, RANGE... range) {
    const detail::digit_range digits = digits_of<K, D>(range...);
    return sort(storage, bytes, in, out, values_in, values_out, n,
                detail::decomposed_less<K, D, true>{decompose, digits.begin, digits.end}, digits.stream);
  }
  /* Double buffers: the result is in the current one. */
  template <typename K>
  static cudaError_t SortKeys(void* storage, size_t& bytes, DoubleBuffer<K>& keys, detail::item_count n,
      int begin = 0, int end = sizeof(K) * 8, cudaStream_t stream = 0, bool = false) {
    thrust::detail::no_value* const none = nullptr;
    return sort(storage, bytes, keys.Current(), keys.Current(), none, none, n, detail::radix_less<K,
      false>{begin, end}, stream);
  }
  template <typename K, typename D, typename... RANGE>
  static detail::if_decomposer<D> SortKeys(void* storage, size_t& bytes, DoubleBuffer<K>& keys, 
      detail::item_count n, D decompose, RANGE... range) {
    thrust::detail::no_value* const none = nullptr;
    const detail::digit_range digits = digits_of<K, D>(range...);
    return sort(storage, bytes, keys.Current(), keys.Current(), none, none, n,
                detail::decomposed_less<K, D, false>{decompose, digits.begin, digits.end}, digits.stream);
  }
  template <typename K>
  static cudaError_t SortKeysDescending(void* storage, size_t& bytes, DoubleBuffer<K>& keys, detail::item_count n,
      int begin = 0, int end = sizeof(K) * 8, cudaStream_t stream = 0, bool = false) {
    thrust::detail::no_value* const none = nullptr;
    return sort(storage, bytes, keys.Current(), keys.Current(), none, none, n, detail::radix_less<K, true>{begin,
      end}, stream);
  }
  template <typename K, typename D, typename... RANGE>
  static detail::if_decomposer<D> SortKeysDescending(void* storage, size_t& bytes, DoubleBuffer<K>& keys, 
      detail::item_count n, D decompose, RANGE... range) {
    thrust::detail::no_value* const none = nullptr;
    const detail::digit_range digits = digits_of<K, D>(range...);
    return sort(storage, bytes, keys.Current(), keys.Current(), none, none, n,
                detail::decomposed_less<K, D, true>{decompose, digits.begin, digits.end}, digits.stream);
  }
  template <typename K, typename V>
  static cudaError_t SortPairs(void* storage, size_t& bytes, DoubleBuffer<K>& keys, DoubleBuffer<V>& values,
      detail::item_count n,
      int begin = 0, int end = sizeof(K) * 8, cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, keys.Current(), keys.Current(), values.Current(), values.Current(), n,
      detail::radix_less<K, false>{begin, end}, stream);
  }
  template <typename K, typename V, typename D, typename... RANGE>
  static detail::if_decomposer<D> SortPairs(void* storage, size_t& bytes, DoubleBuffer<K>& keys,
      DoubleBuffer<V>& values, 
      detail::item_count n, D decompose, RANGE... range) {
    const detail::digit_range digits = digits_of<K, D>(range...);
    return sort(storage, bytes, keys.Current(), keys.Current(), values.Current(), values.Current(), n,
                detail::decomposed_less<K, D, false>{decompose, digits.begin, digits.end}, digits.stream);
  }
  template <typename K, typename V>
  static cudaError_t SortPairsDescending(void* storage, size_t& bytes, DoubleBuffer<K>& keys,
      DoubleBuffer<V>& values, detail::item_count n,
      int begin = 0, int end = sizeof(K) * 8, cudaStream_t stream = 0, bool = false) {
    return sort(storage, bytes, keys.Current(), keys.Current(), values.Current(), values.Current(), n,
      detail::radix_less<K, true>{begin, end}, stream);
  }
  template <typename K, typename V, typename D, typename... RANGE>
  static detail::if_decomposer<D> SortPairsDescending(void* storage, size_t& bytes, DoubleBuffer<K>& keys,
      DoubleBuffer<V>& values, 
      detail::item_count n, D decompose, RANGE... range) {
    const detail::digit_range digits = digits_of<K, D>(range...);
    return sort(storage, bytes, keys.Current(), keys.Current(), values.Current(), values.Current(), n,
                detail::decomposed_less<K, D, true>{decompose, digits.begin, digits.end}, digits.stream);
  }

 private:
  template <typename K, typename D>
  static detail::digit_range digits_of(cudaStream_t stream = 0) {
    return {0, detail::decomposed_less<K, D, false>::bits, stream};
  }
  template <typename K, typename D>
  static detail::digit_range digits_of(int begin, int end, cudaStream_t stream = 0) {
    return {begin, end, stream};
  }
  template <typename K, typename V, typename LESS>
  static cudaError_t sort(void* storage, size_t& bytes, const K* in, K* out, const V* values_in, V* values_out,
                          detail::item_count n, LESS less, cudaStream_t stream) {
    if (detail::asks(storage, bytes, n)) return n.status;
    copy(in, out, n, stream);
    copy(values_in, values_out, n, stream);
    thrust::detail::sort_on_device(detail::on(stream), out, values_out, n, less);
    return cudaGetLastError();
  }
  template <typename T>
  static void copy(const T* in, T* out, size_t n, cudaStream_t stream) {
    if (in == out) return;
    thrust::detail::check(cudaMemcpyAsync((void*)out, (const void*)in, n * sizeof(T), cudaMemcpyDeviceToDevice,
    stream),
                          "DeviceRadixSort");
  }
};

}  // namespace cub
