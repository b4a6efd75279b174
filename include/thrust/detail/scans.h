/*
 * Prefix sums and what follows from them: scans by key, selections (copy_if, remove_if, partition, unique),
 * reduce_by_key. device_scan.h has the scan itself.
 */
#pragma once

#include "device_scan.h"
#include "reductions.h"

namespace thrust {
namespace detail {

/** out[i] = f(0) op … op f(i), or up to f(i - 1) where not inclusive. */
template <typename T, typename POLICY, typename F, typename O, typename OP>
void scan_indices(const POLICY &policy, size_t n, F f, O out, OP op, bool inclusive, bool has_init, T init) {
  if (n == 0) return;
  if constexpr (on_device<POLICY>) {
    scan_on_device<T, F, O, OP>(policy.stream, n, f, out, op, inclusive, has_init, init);
  } else {
    bool any = has_init;
    T before = any ? init : (T)f(0);
    for (size_t i = 0; i < n; ++i) {
      const T own = f(i);
      const T after = any ? (T)op(before, own) : own;
      out[i] = inclusive ? after : before;
      before = after;
      any = true;
    }
  }
}

/* Segments: an element that begins a segment forgets what came before. */
template <typename T>
struct segmented { T value; bool head; };
template <typename T, typename OP>
struct segmented_op {
  mutable OP op;
  __host__ __device__ segmented<T> operator()(const segmented<T> &a, const segmented<T> &b) const {
    if (b.head) return segmented<T>{b.value, true};
    return segmented<T>{op(a.value, b.value), a.head};
  }
};
template <typename K, typename P>
struct begins_segment {
  K keys;
  mutable P same;
  __host__ __device__ bool operator()(size_t i) const {
    return i == 0 || !same((value_of<K>)keys[i - 1], (value_of<K>)keys[i]);
  }
};
template <typename K, typename V, typename P, typename T>
struct segmented_element {
  begins_segment<K, P> begins;
  V values;
  __host__ __device__ segmented<T> operator()(size_t i) const { return segmented<T>{(T)values[i], begins(i)}; }
};
template <typename T, typename O>
struct value_out { segmented<T> *in; O out; __host__ __device__ void operator()(size_t i) { out[i] = in[i].value; } };
template <typename K, typename P, typename T, typename O, typename OP>
struct exclusive_out {
  begins_segment<K, P> begins;
  segmented<T>* in;
  O out;
  T init;
  mutable OP op;
  __host__ __device__ void operator()(size_t i) {
    if (begins(i)) out[i] = init;
    else out[i] = op(init, in[i - 1].value);
  }
};

/** Memory for an algorithm's intermediate elements, where the policy works. */
template <typename POLICY, typename T>
class workspace {
  T *__data;

 public:
  explicit workspace(size_t n) {
    void *p = nullptr;
    if (on_device<POLICY>) check(cudaMalloc(&p, (n ? n : 1) * sizeof(T)), "temporary storage");
    else p = malloc((n ? n : 1) * sizeof(T));
    __data = (T *)p;
  }
  workspace(const workspace &) = delete;
  ~workspace() {
    if (on_device<POLICY>) cudaFree((void *)__data);
    else free((void *)__data);
  }
  T *data() const { return __data; }
  T read(size_t i) const {
    if (!on_device<POLICY>) return __data[i];
    alignas(T) unsigned char bytes[sizeof(T)];
    check(cudaMemcpy(bytes, (const void *)(__data + i), sizeof(T), cudaMemcpyDeviceToHost), "reading a result");
    return *(T *)bytes;
  }
};

template <typename P>
struct shifted_index {
  mutable P p;
  size_t by;
  __host__ __device__ bool operator()(size_t i) const { return p(i + by); }
};
template <typename P>
struct as_count { mutable P p; __host__ __device__ size_t operator()(size_t i) const { return p(i) ? 1 : 0; } };
template <typename S, typename P>
struct stencil_holds {
  S stencil;
  mutable P p;
  __host__ __device__ bool operator()(size_t i) const { return p(stencil[i]); }
};
template <typename P>
struct not_index { mutable P p; __host__ __device__ bool operator()(size_t i) const { return !p(i); } };
template <typename I, typename O, typename P>
struct place_selected {
  I first;
  O out;
  P p;
  size_t* place;
  __host__ __device__ void operator()(size_t i) {
    if (p(i)) out[place[i]] = first[i];
  }
};

/** Copies the elements whose index is selected, in order; returns how many. The output must not be the input. */
template <typename POLICY, typename I, typename O, typename P>
size_t select_indices(const POLICY &policy, size_t n, I first, O out, P p) {
  if (n == 0) return 0;
  workspace<POLICY, size_t> place(n);
  scan_indices<size_t>(policy, n, as_count<P>{p}, place.data(), plus<size_t>(), false, true, (size_t)0);
  for_each_index(policy, n, place_selected<I, O, P>{first, out, p, place.data()});
  /* The last index selects itself on the device; ask there. */
  workspace<POLICY, size_t> last(1);
  scan_indices<size_t>(policy, 1, as_count<shifted_index<P>>{{p, n - 1}}, last.data(), plus<size_t>(), true, false,
                       (size_t)0);
  return place.read(n - 1) + last.read(0);
}

}  // namespace detail

template <typename POLICY, typename I, typename O, typename OP, typename = detail::if_policy<POLICY>>
O inclusive_scan(const POLICY &policy, I first, I last, O out, OP op) {
  const size_t n = (size_t)(last - first);
  typedef detail::value_of<I> T;
  detail::scan_indices<T>(policy, n, detail::element<detail::raw_of<I>>{detail::unwrap(first)}, detail::unwrap(out), op,
                          true, false, T());
  return out + n;
}
template <typename POLICY, typename I, typename O, typename = detail::if_policy<POLICY>>
O inclusive_scan(const POLICY& policy, I first, I last, O out) {
  return thrust::inclusive_scan(policy, first, last, out, plus<>());
}
/** From a start value: what the operation makes of it and an item is the type of the sums. */
template <typename POLICY, typename I, typename O, typename T, typename OP, typename = detail::if_policy<POLICY>>
O inclusive_scan(const POLICY &policy, I first, I last, O out, T init, OP op) {
  const size_t n = (size_t)(last - first);
  typedef std::decay_t<decltype(op(init, std::declval<detail::value_of<I>>()))> A;
  detail::scan_indices<A>(policy, n, detail::element<detail::raw_of<I>>{detail::unwrap(first)}, detail::unwrap(out), op,
                          true, true, (A)init);
  return out + n;
}
template <typename POLICY, typename I, typename O, typename T, typename OP, typename = detail::if_policy<POLICY>>
O exclusive_scan(const POLICY &policy, I first, I last, O out, T init, OP op) {
  const size_t n = (size_t)(last - first);
  detail::scan_indices<T>(policy, n, detail::element<detail::raw_of<I>>{detail::unwrap(first)}, detail::unwrap(out), op,
                          false, true, init);
  return out + n;
}
template <typename POLICY, typename I, typename O, typename T, typename = detail::if_policy<POLICY>>
O exclusive_scan(const POLICY& policy, I first, I last, O out, T init) {
  return thrust::exclusive_scan(policy, first, last, out, init, plus<>());
}
template <typename POLICY, typename I, typename O, typename = detail::if_policy<POLICY>>
O exclusive_scan(const POLICY& policy, I first, I last, O out) {
  return thrust::exclusive_scan(policy, first, last, out, detail::value_of<I>(), plus<>());
}
template <typename POLICY, typename I, typename O, typename F, typename OP, typename = detail::if_policy<POLICY>>
O transform_inclusive_scan(const POLICY &policy, I first, I last, O out, F f, OP op) {
  const size_t n = (size_t)(last - first);
  typedef std::decay_t<decltype(f(std::declval<detail::value_of<I>>()))> T;
  detail::scan_indices<T>(policy, n, detail::transformed_element<detail::raw_of<I>, F>{detail::unwrap(first), f},
                          detail::unwrap(out), op, true, false, T());
  return out + n;
}
template <typename POLICY, typename I, typename O, typename F, typename T, typename OP,
          typename = detail::if_policy<POLICY>>
O transform_inclusive_scan(const POLICY& policy, I first, I last, O out, F f, T init, OP op) {
  const size_t n = (size_t)(last - first);
  typedef std::decay_t<decltype(op(init, f(std::declval<detail::value_of<I>>())))> A;
  detail::scan_indices<A>(policy, n, detail::transformed_element<detail::raw_of<I>, F>{detail::unwrap(first), f},
                          detail::unwrap(out), op, true, true, (A)init);
  return out + n;
}
template <typename POLICY, typename I, typename O, typename F, typename T, typename OP,
          typename = detail::if_policy<POLICY>>
O transform_exclusive_scan(const POLICY& policy, I first, I last, O out, F f, T init, OP op) {
  const size_t n = (size_t)(last - first);
  detail::scan_indices<T>(policy, n, detail::transformed_element<detail::raw_of<I>, F>{detail::unwrap(first), f},
                          detail::unwrap(out), op, false, true, init);
  return out + n;
}

template <typename POLICY, typename K, typename V, typename O, typename P, typename OP,
          typename = detail::if_policy<POLICY>>
O inclusive_scan_by_key(const POLICY& policy, K first, K last, V values, O out, P same, OP op) {
  const size_t n = (size_t)(last - first);
  typedef detail::value_of<V> T;
  typedef detail::raw_of<K> RK;
  detail::workspace<POLICY, detail::segmented<T>> scanned(n);
  detail::scan_indices<detail::segmented<T>>(
      policy, n,
      detail::segmented_element<RK, detail::raw_of<V>, P, T>{{detail::unwrap(first), same}, detail::unwrap(values)},
      scanned.data(), detail::segmented_op<T, OP>{op}, true, false, detail::segmented<T>());
  detail::for_each_index(policy, n, detail::value_out<T, detail::raw_of<O>>{scanned.data(), detail::unwrap(out)});
  return out + n;
}
template <typename POLICY, typename K, typename V, typename O, typename T, typename P, typename OP,
          typename = detail::if_policy<POLICY>>
O exclusive_scan_by_key(const POLICY& policy, K first, K last, V values, O out, T init, P same, OP op) {
  const size_t n = (size_t)(last - first);
  typedef detail::raw_of<K> RK;
  detail::workspace<POLICY, detail::segmented<T>> scanned(n);
  detail::scan_indices<detail::segmented<T>>(
      policy, n,
      detail::segmented_element<RK, detail::raw_of<V>, P, T>{{detail::unwrap(first), same}, detail::unwrap(values)},
      scanned.data(), detail::segmented_op<T, OP>{op}, true, false, detail::segmented<T>());
  detail::for_each_index(policy, n,
                         detail::exclusive_out<RK, P, T, detail::raw_of<O>, OP>{
                             {detail::unwrap(first), same}, scanned.data(), detail::unwrap(out), init, op});
  return out + n;
}

template <typename POLICY, typename I, typename S, typename O, typename P, typename = detail::if_policy<POLICY>>
O copy_if(const POLICY &policy, I first, I last, S stencil, O out, P p) {
  return out +
         (ptrdiff_t)detail::select_indices(policy, (size_t)(last - first), detail::unwrap(first), detail::unwrap(out),
                                           detail::stencil_holds<detail::raw_of<S>, P>{detail::unwrap(stencil), p});
}
template <typename POLICY, typename I, typename O, typename P, typename = detail::if_policy<POLICY>>
O copy_if(const POLICY& policy, I first, I last, O out, P p) {
  return thrust::copy_if(policy, first, last, first, out, p);
}
template <typename POLICY, typename I, typename O, typename P, typename = detail::if_policy<POLICY>>
O remove_copy_if(const POLICY& policy, I first, I last, O out, P p) {
  return thrust::copy_if(policy, first, last, first, out, detail::negated<P>{p});
}

namespace detail {
/** Keeps the selected elements of a range in place. */
template <typename POLICY, typename I, typename P>
I compact(const POLICY &policy, I first, I last, P p) {
  const size_t n = (size_t)(last - first);
  workspace<POLICY, value_of<I>> kept(n);
  const size_t count = select_indices(policy, n, unwrap(first), kept.data(), p);
  for_each_index(policy, count, assign_copy<value_of<I> *, raw_of<I>>{kept.data(), unwrap(first)});
  return first + (ptrdiff_t)count;
}
}  // namespace detail
template <typename POLICY, typename I, typename S, typename P, typename = detail::if_policy<POLICY>>
I remove_if(const POLICY &policy, I first, I last, S stencil, P p) {
  return detail::compact(policy, first, last,
                         detail::stencil_holds<detail::raw_of<S>, detail::negated<P>>{detail::unwrap(stencil), {p}});
}
template <typename POLICY, typename I, typename P, typename = detail::if_policy<POLICY>>
I remove_if(const POLICY &policy, I first, I last, P p) { return thrust::remove_if(policy, first, last, first, p); }
template <typename POLICY, typename I, typename T, typename = detail::if_policy<POLICY>>
I remove(const POLICY& policy, I first, I last, const T& value) {
  return thrust::remove_if(policy, first, last, first, detail::equals_value<T>{value});
}
template <typename POLICY, typename I, typename P, typename = detail::if_policy<POLICY>>
I unique(const POLICY& policy, I first, I last, P same) {
  return detail::compact(policy, first, last,
                         detail::begins_segment<detail::raw_of<I>, P>{detail::unwrap(first), same});
}
template <typename POLICY, typename I, typename = detail::if_policy<POLICY>>
I unique(const POLICY &policy, I first, I last) { return thrust::unique(policy, first, last, equal_to<>()); }
template <typename POLICY, typename I, typename O, typename = detail::if_policy<POLICY>>
O unique_copy(const POLICY &policy, I first, I last, O out) {
  return out + (ptrdiff_t)detail::select_indices(
                   policy, (size_t)(last - first), detail::unwrap(first), detail::unwrap(out),
                   detail::begins_segment<detail::raw_of<I>, equal_to<>>{detail::unwrap(first), {}});
}
template <typename POLICY, typename K, typename V, typename = detail::if_policy<POLICY>>
pair<K, V> unique_by_key(const POLICY &policy, K first, K last, V values) {
  const size_t n = (size_t)(last - first);
  detail::workspace<POLICY, detail::value_of<V>> kept(n);
  const detail::begins_segment<detail::raw_of<K>, equal_to<>> begins{detail::unwrap(first), {}};
  const size_t count = detail::select_indices(policy, n, detail::unwrap(values), kept.data(), begins);
  detail::for_each_index(
      policy, count, detail::assign_copy<detail::value_of<V>*, detail::raw_of<V>>{kept.data(), detail::unwrap(values)});
  return pair<K, V>(detail::compact(policy, first, last, begins), values + (ptrdiff_t)count);
}
template <typename POLICY, typename K, typename V, typename KO, typename VO, typename P,
          typename = detail::if_policy<POLICY>>
pair<KO, VO> unique_by_key_copy(const POLICY& policy, K first, K last, V values, KO keys_out, VO values_out, P same) {
  const size_t n = (size_t)(last - first);
  const detail::begins_segment<detail::raw_of<K>, P> begins{detail::unwrap(first), same};
  const ptrdiff_t count =
      (ptrdiff_t)detail::select_indices(policy, n, detail::unwrap(first), detail::unwrap(keys_out), begins);
  detail::select_indices(policy, n, detail::unwrap(values), detail::unwrap(values_out), begins);
  return pair<KO, VO>(keys_out + count, values_out + count);
}
template <typename K, typename V, typename KO, typename VO, typename = detail::if_iterator<K>>
pair<KO, VO> unique_by_key_copy(K first, K last, V values, KO keys_out, VO values_out) {
  return thrust::unique_by_key_copy(detail::policy_for<K, V, KO, VO>(), first, last, values, keys_out, values_out,
                                    equal_to<>());
}
template <typename K, typename V, typename KO, typename VO, typename P, typename = detail::if_iterator<K>>
pair<KO, VO> unique_by_key_copy(K first, K last, V values, KO keys_out, VO values_out, P same) {
  return thrust::unique_by_key_copy(detail::policy_for<K, V, KO, VO>(), first, last, values, keys_out, values_out,
                                    same);
}
/** Stable, as stable_partition. */
template <typename POLICY, typename I, typename S, typename P, typename = detail::if_policy<POLICY>>
I stable_partition(const POLICY &policy, I first, I last, S stencil, P p) {
  const size_t n = (size_t)(last - first);
  detail::workspace<POLICY, detail::value_of<I>> kept(n);
  const detail::stencil_holds<detail::raw_of<S>, P> holds{detail::unwrap(stencil), p};
  const size_t count = detail::select_indices(policy, n, detail::unwrap(first), kept.data(), holds);
  detail::select_indices(policy, n, detail::unwrap(first), kept.data() + count,
                         detail::not_index<detail::stencil_holds<detail::raw_of<S>, P>>{holds});
  detail::for_each_index(
      policy, n, detail::assign_copy<detail::value_of<I>*, detail::raw_of<I>>{kept.data(), detail::unwrap(first)});
  return first + (ptrdiff_t)count;
}
template <typename POLICY, typename I, typename P, typename = detail::if_policy<POLICY>>
I stable_partition(const POLICY& policy, I first, I last, P p) {
  return thrust::stable_partition(policy, first, last, first, p);
}
template <typename POLICY, typename I, typename P, typename = detail::if_policy<POLICY>>
I partition(const POLICY& policy, I first, I last, P p) {
  return thrust::stable_partition(policy, first, last, first, p);
}
template <typename POLICY, typename I, typename A, typename B, typename P, typename = detail::if_policy<POLICY>>
pair<A, B> partition_copy(const POLICY &policy, I first, I last, A yes, B no, P p) {
  A end = thrust::copy_if(policy, first, last, first, yes, p);
  return pair<A, B>(end, thrust::copy_if(policy, first, last, first, no, detail::negated<P>{p}));
}

namespace detail {
template <typename K, typename P, typename T, typename KO, typename VO>
struct segment_out {
  begins_segment<K, P> begins; segmented<T> *scanned; size_t *number; KO keys_out; VO values_out; size_t n;
  __host__ __device__ void operator()(size_t i) {
    if (begins(i)) keys_out[number[i] - 1] = begins.keys[i];
    if (i + 1 == n || begins(i + 1)) values_out[number[i] - 1] = scanned[i].value;
  }
};
}  // namespace detail
template <typename POLICY, typename K, typename V, typename KO, typename VO, typename P, typename OP,
          typename = detail::if_policy<POLICY>>
pair<KO, VO> reduce_by_key(const POLICY& policy, K first, K last, V values, KO keys_out, VO values_out, P same, OP op) {
  const size_t n = (size_t)(last - first);
  if (n == 0) return pair<KO, VO>(keys_out, values_out);
  typedef detail::value_of<V> T;
  typedef detail::raw_of<K> RK;
  const detail::begins_segment<RK, P> begins{detail::unwrap(first), same};
  detail::workspace<POLICY, detail::segmented<T>> scanned(n);
  detail::workspace<POLICY, size_t> number(n);
  detail::scan_indices<detail::segmented<T>>(
      policy, n, detail::segmented_element<RK, detail::raw_of<V>, P, T>{begins, detail::unwrap(values)}, scanned.data(),
      detail::segmented_op<T, OP>{op}, true, false, detail::segmented<T>());
  detail::scan_indices<size_t>(policy, n, detail::as_count<detail::begins_segment<RK, P>>{begins}, number.data(),
                               plus<size_t>(), true, false, (size_t)0);
  detail::for_each_index(
      policy, n,
      detail::segment_out<RK, P, T, detail::raw_of<KO>, detail::raw_of<VO>>{
          begins, scanned.data(), number.data(), detail::unwrap(keys_out), detail::unwrap(values_out), n});
  const ptrdiff_t count = (ptrdiff_t)number.read(n - 1);
  return pair<KO, VO>(keys_out + count, values_out + count);
}
template <typename POLICY, typename K, typename V, typename KO, typename VO, typename P,
          typename = detail::if_policy<POLICY>>
pair<KO, VO> reduce_by_key(const POLICY& policy, K first, K last, V values, KO keys_out, VO values_out, P same) {
  return thrust::reduce_by_key(policy, first, last, values, keys_out, values_out, same, plus<>());
}
template <typename POLICY, typename K, typename V, typename KO, typename VO, typename = detail::if_policy<POLICY>>
pair<KO, VO> reduce_by_key(const POLICY &policy, K first, K last, V values, KO keys_out, VO values_out) {
  return thrust::reduce_by_key(policy, first, last, values, keys_out, values_out, equal_to<>(), plus<>());
}

/* Without a policy. */
template <typename I, typename O, typename... REST, typename = detail::if_iterator<I>>
O inclusive_scan(I first, I last, O out, REST... rest) {
  return thrust::inclusive_scan(detail::policy_for<I, O>(), first, last, out, rest...);
}
template <typename I, typename O, typename... REST, typename = detail::if_iterator<I>>
O exclusive_scan(I first, I last, O out, REST... rest) {
  return thrust::exclusive_scan(detail::policy_for<I, O>(), first, last, out, rest...);
}
template <typename I, typename O, typename F, typename OP, typename = detail::if_iterator<I>>
O transform_inclusive_scan(I first, I last, O out, F f, OP op) {
  return thrust::transform_inclusive_scan(detail::policy_for<I, O>(), first, last, out, f, op);
}
template <typename I, typename O, typename F, typename T, typename OP, typename = detail::if_iterator<I>>
O transform_inclusive_scan(I first, I last, O out, F f, T init, OP op) {
  return thrust::transform_inclusive_scan(detail::policy_for<I, O>(), first, last, out, f, init, op);
}
template <typename I, typename O, typename F, typename T, typename OP, typename = detail::if_iterator<I>>
O transform_exclusive_scan(I first, I last, O out, F f, T init, OP op) {
  return thrust::transform_exclusive_scan(detail::policy_for<I, O>(), first, last, out, f, init, op);
}
template <typename K, typename V, typename O, typename = detail::if_iterator<K>>
O inclusive_scan_by_key(K first, K last, V values, O out) {
  return thrust::inclusive_scan_by_key(detail::policy_for<K, V, O>(), first, last, values, out, equal_to<>(), plus<>());
}
template <typename K, typename V, typename O, typename P, typename OP, typename = detail::if_iterator<K>>
O inclusive_scan_by_key(K first, K last, V values, O out, P same, OP op) {
  return thrust::inclusive_scan_by_key(detail::policy_for<K, V, O>(), first, last, values, out, same, op);
}
template <typename K, typename V, typename O, typename = detail::if_iterator<K>>
O exclusive_scan_by_key(K first, K last, V values, O out) {
  return thrust::exclusive_scan_by_key(detail::policy_for<K, V, O>(), first, last, values, out, detail::value_of<V>(),
                                       equal_to<>(), plus<>());
}
template <typename K, typename V, typename O, typename T, typename = detail::if_iterator<K>>
O exclusive_scan_by_key(K first, K last, V values, O out, T init) {
  return thrust::exclusive_scan_by_key(detail::policy_for<K, V, O>(), first, last, values, out, init, equal_to<>(),
                                       plus<>());
}
template <typename I, typename O, typename P, typename = detail::if_iterator<I>>
O copy_if(I first, I last, O out, P p) {
  return thrust::copy_if(detail::policy_for<I, O>(), first, last, first, out, p);
}
template <typename I, typename S, typename O, typename P, typename = detail::if_iterator<I>>
O copy_if(I first, I last, S stencil, O out, P p) {
  return thrust::copy_if(detail::policy_for<I, S, O>(), first, last, stencil, out, p);
}
template <typename I, typename O, typename P, typename = detail::if_iterator<I>>
O remove_copy_if(I first, I last, O out, P p) {
  return thrust::remove_copy_if(detail::policy_for<I, O>(), first, last, out, p);
}
template <typename I, typename P, typename = detail::if_iterator<I>>
I remove_if(I first, I last, P p) { return thrust::remove_if(detail::policy_for<I>(), first, last, first, p); }
template <typename I, typename S, typename P, typename = detail::if_iterator<I>>
I remove_if(I first, I last, S stencil, P p) {
  return thrust::remove_if(detail::policy_for<I, S>(), first, last, stencil, p);
}
template <typename I, typename T, typename = detail::if_iterator<I>>
I remove(I first, I last, const T &value) { return thrust::remove(detail::policy_for<I>(), first, last, value); }
template <typename I, typename = detail::if_iterator<I>>
I unique(I first, I last) { return thrust::unique(detail::policy_for<I>(), first, last); }
template <typename I, typename P, typename = detail::if_iterator<I>>
I unique(I first, I last, P same) { return thrust::unique(detail::policy_for<I>(), first, last, same); }
template <typename I, typename O, typename = detail::if_iterator<I>>
O unique_copy(I first, I last, O out) { return thrust::unique_copy(detail::policy_for<I, O>(), first, last, out); }
template <typename K, typename V, typename = detail::if_iterator<K>>
pair<K, V> unique_by_key(K first, K last, V values) {
  return thrust::unique_by_key(detail::policy_for<K, V>(), first, last, values);
}
template <typename I, typename P, typename = detail::if_iterator<I>>
I partition(I first, I last, P p) { return thrust::partition(detail::policy_for<I>(), first, last, p); }
template <typename I, typename P, typename = detail::if_iterator<I>>
I stable_partition(I first, I last, P p) {
  return thrust::stable_partition(detail::policy_for<I>(), first, last, first, p);
}
template <typename I, typename A, typename B, typename P, typename = detail::if_iterator<I>>
pair<A, B> partition_copy(I first, I last, A yes, B no, P p) {
  return thrust::partition_copy(detail::policy_for<I, A, B>(), first, last, yes, no, p);
}
template <typename K, typename V, typename KO, typename VO, typename... REST, typename = detail::if_iterator<K>>
pair<KO, VO> reduce_by_key(K first, K last, V values, KO keys_out, VO values_out, REST... rest) {
  return thrust::reduce_by_key(detail::policy_for<K, V, KO, VO>(), first, last, values, keys_out, values_out, rest...);
}

}  // namespace thrust
