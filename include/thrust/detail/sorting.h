/*
 * Sorting and searching in sorted ranges. The sort is stable: each thread sorts a short run by insertion, then runs are
 * merged pairwise, each thread making one piece of the output whose beginnings it finds by bisection (Odeh, Green,
 * Mwassi, Shmueli, Birk, "Merge Path", 2012).
 */
#pragma once

#include <algorithm>
#include <vector>

#include "scans.h"

namespace thrust {
namespace detail {

enum { sort_run = 32, merge_piece = 64 };
struct no_value {};

template <typename K, typename V, typename C>
struct sort_runs {
  K *keys; V *values; size_t n; C less;
  __host__ __device__ void operator()(size_t r) {
    const size_t begin = r * sort_run, end = begin + sort_run < n ? begin + sort_run : n;
    for (size_t i = begin + 1; i < end; ++i) {
      const K key = keys[i];
      size_t j = i;
      if constexpr (std::is_same<V, no_value>::value) {
        for (; j > begin && less(key, keys[j - 1]); --j) keys[j] = keys[j - 1];
      } else {
        const V value = values[i];
        for (; j > begin && less(key, keys[j - 1]); --j) {
          keys[j] = keys[j - 1];
          values[j] = values[j - 1];
        }
        values[j] = value;
      }
      keys[j] = key;
    }
  }
};
template <typename K, typename V, typename C>
struct merge_runs {
  const K *keys; const V *values; K *keys_out; V *values_out; size_t n, width; C less;
  __host__ __device__ void operator()(size_t piece) {
    const size_t out = piece * merge_piece, base = out / (2 * width) * (2 * width);
    const size_t middle = base + width < n ? base + width : n, end = base + 2 * width < n ? base + 2 * width : n;
    const size_t diagonal = out - base, left = middle - base, right = end - middle;
    /* How many of the first `diagonal` results come from the left run: an equal key of the left run comes first. */
    size_t low = diagonal > right ? diagonal - right : 0, high = diagonal < left ? diagonal : left;
    while (low < high) {
      const size_t i = (low + high) / 2;
      if (less(keys[middle + diagonal - 1 - i], keys[base + i])) high = i;
      else low = i + 1;
    }
    size_t a = base + low, b = middle + diagonal - low;
    for (size_t o = out; o < out + merge_piece && o < end; ++o) {
      const bool from_right = a >= middle || (b < end && less(keys[b], keys[a]));
      const size_t from = from_right ? b++ : a++;
      keys_out[o] = keys[from];
      if constexpr (!std::is_same<V, no_value>::value) values_out[o] = values[from];
    }
  }
};

/** Sorts n keys in device memory, and values with them. */
template <typename K, typename V, typename C>
void sort_on_device(const device_policy &policy, K *keys, V *values, size_t n, C less) {
  if (n < 2) return;
  constexpr bool has_values = !std::is_same<V, no_value>::value;
  for_each_index(policy, (n + sort_run - 1) / sort_run, sort_runs<K, V, C>{keys, values, n, less});
  if (n <= sort_run) return;
  temporary<K> other_keys(n);
  temporary<V> other_values(has_values ? n : 1);
  K *from = keys, *to = other_keys.data();
  V *values_from = values, *values_to = other_values.data();
  for (size_t width = sort_run; width < n; width *= 2) {
    for_each_index(policy, (n + merge_piece - 1) / merge_piece,
                   merge_runs<K, V, C>{from, values_from, to, values_to, n, width, less});
    std::swap(from, to);
    std::swap(values_from, values_to);
  }
  if (from != keys) {
    check(cudaMemcpy((void *)keys, (const void *)from, n * sizeof(K), cudaMemcpyDeviceToDevice), "sort");
    if (has_values)
      check(cudaMemcpy((void*)values, (const void*)values_from, n * sizeof(V), cudaMemcpyDeviceToDevice), "sort");
  }
}

/** Sorts in place: plain device pointers where they are, other ranges through copies. */
template <typename POLICY, typename K, typename V, typename C>
void sort_pairs(const POLICY &policy, K first, K last, V values, C less) {
  const size_t n = (size_t)(last - first);
  typedef value_of<K> KEY;
  constexpr bool has_values = !std::is_same<V, no_value *>::value;
  typedef typename std::conditional_t<has_values, std::iterator_traits<V>, std::iterator_traits<no_value*>>::value_type
      VALUE;
  if constexpr (on_device<POLICY>) {
    auto keys = unwrap(first);
    auto vals = unwrap(values);
    if constexpr (is_plain_pointer<decltype(keys)> && is_plain_pointer<decltype(vals)>)
      sort_on_device(policy, keys, vals, n, less);
    else {
      temporary<KEY> own_keys(n);
      temporary<VALUE> own_values(has_values ? n : 1);
      for_each_index(policy, n, assign_copy<decltype(keys), KEY *>{keys, own_keys.data()});
      if constexpr (has_values) for_each_index(policy, n, assign_copy<decltype(vals), VALUE*>{vals, own_values.data()});
      sort_on_device(policy, own_keys.data(), own_values.data(), n, less);
      for_each_index(policy, n, assign_copy<KEY *, decltype(keys)>{own_keys.data(), keys});
      if constexpr (has_values) for_each_index(policy, n, assign_copy<VALUE*, decltype(vals)>{own_values.data(), vals});
    }
  } else {
    std::vector<size_t> order(n);
    for (size_t i = 0; i < n; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return less((KEY)first[a], (KEY)first[b]); });
    std::vector<KEY> keys(first, last);
    for (size_t i = 0; i < n; ++i) first[i] = keys[order[i]];
    if constexpr (has_values) {
      std::vector<VALUE> old(values, values + n);
      for (size_t i = 0; i < n; ++i) values[i] = old[order[i]];
    }
  }
}
template <typename K, typename V, typename C>
__THRUST_HD void sort_pairs(const seq_policy &, K first, K last, V values, C less) {
  for (K i = first; i != last; ++i) {
    const value_of<K> key = *i;
    ptrdiff_t j = i - first;
    if constexpr (std::is_same<V, no_value *>::value) {
      for (; j > 0 && less(key, first[j - 1]); --j) first[j] = first[j - 1];
    } else {
      const value_of<V> value = values[j];
      for (; j > 0 && less(key, first[j - 1]); --j) {
        first[j] = first[j - 1];
        values[j] = values[j - 1];
      }
      values[j] = value;
    }
    first[j] = key;
  }
}

/** The first place in a sorted range that does not precede `value` (UPPER: that follows it). */
template <bool UPPER, typename I, typename T, typename C>
__THRUST_HD size_t bound(I first, size_t n, const T &value, C less) {
  size_t low = 0, high = n;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    const bool before = UPPER ? !less(value, (value_of<I>)first[middle]) : less((value_of<I>)first[middle], value);
    if (before) low = middle + 1;
    else high = middle;
  }
  return low;
}
template <bool UPPER, typename I, typename Q, typename O, typename C>
struct bound_one {
  I first;
  size_t n;
  Q queries;
  O out;
  mutable C less;
  __host__ __device__ void operator()(size_t i) { out[i] = bound<UPPER>(first, n, (value_of<Q>)queries[i], less); }
};
template <typename I, typename Q, typename O, typename C>
struct present_one {
  I first; size_t n; Q queries; O out; C less;
  __host__ __device__ void operator()(size_t i) {
    const value_of<Q> value = queries[i];
    const size_t at = bound<false>(first, n, value, less);
    out[i] = at < n && !less(value, (value_of<I>)first[at]);
  }
};
template <bool UPPER, typename I, typename T, typename C>
struct bound_scalar {
  I first;
  size_t n;
  T value;
  mutable C less;
  __host__ __device__ size_t operator()(size_t) const { return bound<UPPER>(first, n, value, less); }
};
/** Where an element of one range lands in the merge with another. */
template <bool UPPER, typename I, typename J, typename O, typename C>
struct merge_one {
  I own;
  J other;
  size_t other_count;
  O out;
  mutable C less;
  __host__ __device__ void operator()(size_t i) {
    out[i + bound<UPPER>(other, other_count, (value_of<I>)own[i], less)] = own[i];
  }
};

}  // namespace detail

template <typename POLICY, typename I, typename C, typename = detail::if_policy<POLICY>>
__host__ __device__ void sort(const POLICY& policy, I first, I last, C less) {
  detail::sort_pairs(policy, first, last, (detail::no_value*)nullptr, less);
}
template <typename POLICY, typename I, typename = detail::if_policy<POLICY>>
__host__ __device__ void sort(const POLICY& policy, I first, I last) {
  thrust::sort(policy, first, last, less<detail::value_of<I>>());
}
template <typename POLICY, typename K, typename V, typename C, typename = detail::if_policy<POLICY>>
__host__ __device__ void sort_by_key(const POLICY& policy, K first, K last, V values, C less) {
  detail::sort_pairs(policy, first, last, values, less);
}
template <typename POLICY, typename K, typename V, typename = detail::if_policy<POLICY>>
__host__ __device__ void sort_by_key(const POLICY& policy, K first, K last, V values) {
  thrust::sort_by_key(policy, first, last, values, less<detail::value_of<K>>());
}
template <typename I, typename = detail::if_iterator<I>>
void sort(I first, I last) { thrust::sort(detail::policy_for<I>(), first, last); }
template <typename I, typename C, typename = detail::if_iterator<I>>
void sort(I first, I last, C less) { thrust::sort(detail::policy_for<I>(), first, last, less); }
template <typename K, typename V, typename = detail::if_iterator<K>>
void sort_by_key(K first, K last, V values) { thrust::sort_by_key(detail::policy_for<K, V>(), first, last, values); }
template <typename K, typename V, typename C, typename = detail::if_iterator<K>>
void sort_by_key(K first, K last, V values, C less) {
  thrust::sort_by_key(detail::policy_for<K, V>(), first, last, values, less);
}
template <typename... ARGS>
__host__ __device__ void stable_sort(ARGS... args) { thrust::sort(args...); }
template <typename... ARGS>
__host__ __device__ void stable_sort_by_key(ARGS... args) { thrust::sort_by_key(args...); }

/* Searches: of one value, giving a place; of a range of values, giving a range of places. */
#define __THRUST_BOUND(name, UPPER)                                                                                    \
  template <typename POLICY, typename I, typename Q, typename O, typename C, typename = detail::if_policy<POLICY>>     \
  O name(const POLICY& policy, I first, I last, Q query, Q query_last, O out, C less) {                                \
    const size_t n = (size_t)(query_last - query);                                                                     \
    detail::for_each_index(                                                                                            \
        policy, n,                                                                                                     \
        detail::bound_one<UPPER, detail::raw_of<I>, detail::raw_of<Q>, detail::raw_of<O>, C>{                          \
            detail::unwrap(first), (size_t)(last - first), detail::unwrap(query), detail::unwrap(out), less});         \
    return out + n;                                                                                                    \
  }                                                                                                                    \
  template <typename POLICY, typename I, typename Q, typename O, typename = detail::if_policy<POLICY>>                 \
  O name(const POLICY& policy, I first, I last, Q query, Q query_last, O out) {                                        \
    return thrust::name(policy, first, last, query, query_last, out, less<>());                                        \
  }                                                                                                                    \
  template <typename POLICY, typename I, typename T, typename = detail::if_policy<POLICY>>                             \
  __host__ __device__ I name(const POLICY& policy, I first, I last, const T& value) {                                  \
    const size_t n = (size_t)(last - first);                                                                           \
    return first + (ptrdiff_t)detail::reduce_indices(                                                                  \
                       policy, 1,                                                                                      \
                       detail::bound_scalar<UPPER, detail::raw_of<I>, T, less<>>{detail::unwrap(first), n, value, {}}, \
                       (size_t)0, plus<size_t>());                                                                     \
  }                                                                                                                    \
  template <typename I, typename T, typename = detail::if_iterator<I>>                                                 \
  I name(I first, I last, const T& value) {                                                                            \
    return thrust::name(detail::policy_for<I>(), first, last, value);                                                  \
  }                                                                                                                    \
  template <typename I, typename Q, typename O, typename = detail::if_iterator<I>>                                     \
  O name(I first, I last, Q query, Q query_last, O out) {                                                              \
    return thrust::name(detail::policy_for<I, Q, O>(), first, last, query, query_last, out, less<>());                 \
  }                                                                                                                    \
  template <typename I, typename Q, typename O, typename C, typename = detail::if_iterator<I>>                         \
  O name(I first, I last, Q query, Q query_last, O out, C less) {                                                      \
    return thrust::name(detail::policy_for<I, Q, O>(), first, last, query, query_last, out, less);                     \
  }
__THRUST_BOUND(lower_bound, false)
__THRUST_BOUND(upper_bound, true)
#undef __THRUST_BOUND
template <typename I, typename Q, typename O, typename = detail::if_iterator<I>>
O binary_search(I first, I last, Q query, Q query_last, O out) {
  const size_t n = (size_t)(query_last - query);
  detail::for_each_index(
      detail::policy_for<I, Q, O>(), n,
      detail::present_one<detail::raw_of<I>, detail::raw_of<Q>, detail::raw_of<O>, less<>>{
          detail::unwrap(first), (size_t)(last - first), detail::unwrap(query), detail::unwrap(out), {}});
  return out + n;
}
template <typename I, typename T, typename = detail::if_iterator<I>>
bool binary_search(I first, I last, const T &value) {
  const I at = thrust::lower_bound(first, last, value);
  return at != last && !(value < (detail::value_of<I>)*at);
}

template <typename POLICY, typename I, typename J, typename O, typename C, typename = detail::if_policy<POLICY>>
O merge(const POLICY &policy, I first, I last, J second, J second_last, O out, C less) {
  const size_t n = (size_t)(last - first), m = (size_t)(second_last - second);
  typedef detail::raw_of<I> RI;
  typedef detail::raw_of<J> RJ;
  typedef detail::raw_of<O> RO;
  detail::for_each_index(policy, n,
                         detail::merge_one<false, RI, RJ, RO, C>{detail::unwrap(first), detail::unwrap(second), m,
                                                                 detail::unwrap(out), less});
  detail::for_each_index(policy, m,
                         detail::merge_one<true, RJ, RI, RO, C>{detail::unwrap(second), detail::unwrap(first), n,
                                                                detail::unwrap(out), less});
  return out + (n + m);
}
template <typename I, typename J, typename O, typename = detail::if_iterator<I>>
O merge(I first, I last, J second, J second_last, O out) {
  return thrust::merge(detail::policy_for<I, J, O>(), first, last, second, second_last, out, less<>());
}
template <typename I, typename J, typename O, typename C, typename = detail::if_iterator<I>>
O merge(I first, I last, J second, J second_last, O out, C less) {
  return thrust::merge(detail::policy_for<I, J, O>(), first, last, second, second_last, out, less);
}

}  // namespace thrust
