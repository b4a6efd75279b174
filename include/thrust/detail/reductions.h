/*
 * Algorithms that make one value of a range: reduce, count, extrema, searches, comparisons. All are one routine: op
 * over f(i) for i < n. On the device each block reduces a chunk in shared memory, and one block reduces the blocks'
 * results: as a tree, so that sums of floats lose as little as with CUB.
 */
#pragma once

#include "elementwise.h"

namespace thrust {
namespace detail {

enum { reduce_threads = 256, reduce_blocks = 528 };

/* Of threads whose values lie in shared memory; the first `count` threads have one. */
template <unsigned THREADS, typename T, typename OP>
__device__ __forceinline__ void reduce_threads_values(T *values, unsigned count, OP op) {
  const unsigned t = threadIdx.x;
  __syncthreads();
  for (unsigned half = THREADS / 2; half > 0; half /= 2) {
    if (t < half && t + half < count) values[t] = op(values[t], values[t + half]);
    __syncthreads();
  }
}

template <typename T, typename F, typename OP>
__global__ void reduce_chunks_kernel(F f, size_t n, size_t chunk, T *partial, OP op) {
  alignas(T) __shared__ unsigned char storage[reduce_threads * sizeof(T)];
  T *values = (T *)storage;
  const size_t begin = blockIdx.x * chunk, end = begin + chunk < n ? begin + chunk : n;
  const unsigned t = threadIdx.x,
                 count = end - begin < reduce_threads ? (unsigned)(end - begin) : (unsigned)reduce_threads;
  if (t < count) {
    T value = f(begin + t);
    for (size_t i = begin + t + reduce_threads; i < end; i += reduce_threads) value = op(value, (T)f(i));
    new ((void *)(values + t)) T(value);
  }
  reduce_threads_values<reduce_threads>(values, count, op);
  if (t == 0) partial[blockIdx.x] = values[0];
}
template <unsigned THREADS, typename T, typename OP>
__global__ void reduce_partials_kernel(T *partial, unsigned blocks, T init, OP op) {
  alignas(T) __shared__ unsigned char storage[THREADS * sizeof(T)];
  T *values = (T *)storage;
  const unsigned t = threadIdx.x, count = blocks < THREADS ? blocks : THREADS;
  if (t < count) {
    T value = partial[t];
    for (unsigned i = t + THREADS; i < blocks; i += THREADS) value = op(value, partial[i]);
    new ((void *)(values + t)) T(value);
  }
  reduce_threads_values<THREADS>(values, count, op);
  if (t == 0) partial[0] = op(init, values[0]);
}

template <typename POLICY, typename T, typename F, typename OP>
T reduce_indices(const POLICY &policy, size_t n, F f, T init, OP op) {
  if (n == 0) return init;
  if constexpr (on_device<POLICY>) {
    size_t blocks = (n + 4 * reduce_threads - 1) / (4 * reduce_threads);
    if (blocks > reduce_blocks) blocks = reduce_blocks;
    const size_t chunk = (n + blocks - 1) / blocks;
    blocks = (n + chunk - 1) / chunk;
    temporary<T> partial(blocks);
    reduce_chunks_kernel<T><<<(unsigned)blocks, reduce_threads, 0, policy.stream>>>(f, n, chunk, partial.data(), op);
    const bool few = blocks <= 32;
    const auto partials = few ? reduce_partials_kernel<32, T, OP> : reduce_partials_kernel<reduce_threads, T, OP>;
    partials<<<1, few ? 32 : reduce_threads, 0, policy.stream>>>(partial.data(), (unsigned)blocks, init, op);
    check(cudaGetLastError(), "launching a reduction");
    check(cudaStreamSynchronize(policy.stream), "running a reduction");
    return partial.read(0);
  } else {
    for (size_t i = 0; i < n; ++i) init = op(init, (T)f(i));
    return init;
  }
}
template <typename T, typename F, typename OP>
__THRUST_HD T reduce_indices(const seq_policy &, size_t n, F f, T init, OP op) {
  for (size_t i = 0; i < n; ++i) init = op(init, (T)f(i));
  return init;
}

template <typename I>
struct element { I first; __host__ __device__ value_of<I> operator()(size_t i) const { return first[i]; } };
template <typename I, typename F>
struct transformed_element {
  I first;
  mutable F f;
  __host__ __device__ auto operator()(size_t i) const { return f(first[i]); }
};
template <typename I, typename J, typename F>
struct transformed_pair {
  I first;
  J second;
  mutable F f;
  __host__ __device__ auto operator()(size_t i) const { return f(first[i], second[i]); }
};
template <typename I, typename P>
struct counted_element {
  I first;
  mutable P p;
  __host__ __device__ ptrdiff_t operator()(size_t i) const { return p(first[i]) ? 1 : 0; }
};
struct index_itself { __host__ __device__ size_t operator()(size_t i) const { return i; } };
/** The first of the smallest (of the largest, with the comparison's arguments exchanged); n is "none yet". */
template <typename I, typename C, bool LARGEST>
struct better_index {
  I first; mutable C less; size_t none;
  __host__ __device__ size_t operator()(size_t a, size_t b) const {
    if (a == none) return b;
    if (b == none) return a;
    const bool after = LARGEST ? less((value_of<I>)first[a], (value_of<I>)first[b])
                               : less((value_of<I>)first[b], (value_of<I>)first[a]);
    const bool before = LARGEST ? less((value_of<I>)first[b], (value_of<I>)first[a])
                                : less((value_of<I>)first[a], (value_of<I>)first[b]);
    return after ? b : before ? a : a < b ? a : b;
  }
};
/** i where the predicate holds, n elsewhere: the minimum is the first place. */
template <typename I, typename P>
struct place_where {
  I first;
  mutable P p;
  size_t none;
  __host__ __device__ size_t operator()(size_t i) const { return p(first[i]) ? i : none; }
};
template <typename I, typename J, typename P>
struct place_of_mismatch {
  I first;
  J second;
  mutable P p;
  size_t none;
  __host__ __device__ size_t operator()(size_t i) const { return p(first[i], second[i]) ? none : i; }
};
template <typename I, typename C>
struct place_of_disorder {
  I first;
  mutable C less;
  size_t none;
  __host__ __device__ size_t operator()(size_t i) const {
    return less((value_of<I>)first[i + 1], (value_of<I>)first[i]) ? i + 1 : none;
  }
};
template <typename P>
struct negated {
  mutable P p;
  template <typename T>
  __host__ __device__ bool operator()(const T& v) const {
    return !p(v);
  }
};

}  // namespace detail

template <typename POLICY, typename I, typename T, typename OP, typename = detail::if_policy<POLICY>>
__host__ __device__ T reduce(const POLICY &policy, I first, I last, T init, OP op) {
  return detail::reduce_indices(policy, (size_t)(last - first),
                                detail::element<detail::raw_of<I>>{detail::unwrap(first)}, init, op);
}
template <typename POLICY, typename I, typename T, typename = detail::if_policy<POLICY>>
__host__ __device__ T reduce(const POLICY& policy, I first, I last, T init) {
  return thrust::reduce(policy, first, last, init, plus<T>());
}
template <typename POLICY, typename I, typename = detail::if_policy<POLICY>>
__host__ __device__ detail::value_of<I> reduce(const POLICY &policy, I first, I last) {
  return thrust::reduce(policy, first, last, detail::value_of<I>(), plus<detail::value_of<I>>());
}
template <typename POLICY, typename I, typename F, typename T, typename OP, typename = detail::if_policy<POLICY>>
__host__ __device__ T transform_reduce(const POLICY &policy, I first, I last, F f, T init, OP op) {
  return detail::reduce_indices(policy, (size_t)(last - first),
                                detail::transformed_element<detail::raw_of<I>, F>{detail::unwrap(first), f}, init, op);
}
template <typename POLICY, typename I, typename J, typename T, typename OP, typename F,
          typename = detail::if_policy<POLICY>>
__host__ __device__ T inner_product(const POLICY& policy, I first, I last, J second, T init, OP op, F f) {
  return detail::reduce_indices(policy, (size_t)(last - first),
                                detail::transformed_pair<detail::raw_of<I>, detail::raw_of<J>, F>{
                                    detail::unwrap(first), detail::unwrap(second), f},
                                init, op);
}
template <typename POLICY, typename I, typename J, typename T, typename = detail::if_policy<POLICY>>
__host__ __device__ T inner_product(const POLICY& policy, I first, I last, J second, T init) {
  return thrust::inner_product(policy, first, last, second, init, plus<T>(), multiplies<T>());
}
template <typename POLICY, typename I, typename P, typename = detail::if_policy<POLICY>>
__host__ __device__ ptrdiff_t count_if(const POLICY &policy, I first, I last, P p) {
  return detail::reduce_indices(policy, (size_t)(last - first),
                                detail::counted_element<detail::raw_of<I>, P>{detail::unwrap(first), p}, (ptrdiff_t)0,
                                plus<ptrdiff_t>());
}
template <typename POLICY, typename I, typename T, typename = detail::if_policy<POLICY>>
__host__ __device__ ptrdiff_t count(const POLICY &policy, I first, I last, const T &value) {
  return thrust::count_if(policy, first, last, detail::equals_value<T>{value});
}
template <typename POLICY, typename I, typename C, typename = detail::if_policy<POLICY>>
__host__ __device__ I min_element(const POLICY &policy, I first, I last, C less) {
  const size_t n = (size_t)(last - first);
  return first + (ptrdiff_t)detail::reduce_indices(
                     policy, n, detail::index_itself(), n,
                     detail::better_index<detail::raw_of<I>, C, false>{detail::unwrap(first), less, n});
}
template <typename POLICY, typename I, typename C, typename = detail::if_policy<POLICY>>
__host__ __device__ I max_element(const POLICY &policy, I first, I last, C less) {
  const size_t n = (size_t)(last - first);
  return first + (ptrdiff_t)detail::reduce_indices(
                     policy, n, detail::index_itself(), n,
                     detail::better_index<detail::raw_of<I>, C, true>{detail::unwrap(first), less, n});
}
template <typename POLICY, typename I, typename = detail::if_policy<POLICY>>
__host__ __device__ I min_element(const POLICY& policy, I first, I last) {
  return thrust::min_element(policy, first, last, less<>());
}
template <typename POLICY, typename I, typename = detail::if_policy<POLICY>>
__host__ __device__ I max_element(const POLICY& policy, I first, I last) {
  return thrust::max_element(policy, first, last, less<>());
}
template <typename POLICY, typename I, typename C, typename = detail::if_policy<POLICY>>
__host__ __device__ pair<I, I> minmax_element(const POLICY& policy, I first, I last, C less) {
  return pair<I, I>(thrust::min_element(policy, first, last, less), thrust::max_element(policy, first, last, less));
}
template <typename POLICY, typename I, typename = detail::if_policy<POLICY>>
__host__ __device__ pair<I, I> minmax_element(const POLICY& policy, I first, I last) {
  return thrust::minmax_element(policy, first, last, less<>());
}
template <typename POLICY, typename I, typename P, typename = detail::if_policy<POLICY>>
__host__ __device__ I find_if(const POLICY &policy, I first, I last, P p) {
  const size_t n = (size_t)(last - first);
  return first +
         (ptrdiff_t)detail::reduce_indices(
             policy, n, detail::place_where<detail::raw_of<I>, P>{detail::unwrap(first), p, n}, n, minimum<size_t>());
}
template <typename POLICY, typename I, typename P, typename = detail::if_policy<POLICY>>
__host__ __device__ I find_if_not(const POLICY& policy, I first, I last, P p) {
  return thrust::find_if(policy, first, last, detail::negated<P>{p});
}
template <typename POLICY, typename I, typename T, typename = detail::if_policy<POLICY>>
__host__ __device__ I find(const POLICY& policy, I first, I last, const T& value) {
  return thrust::find_if(policy, first, last, detail::equals_value<T>{value});
}
template <typename POLICY, typename I, typename P, typename = detail::if_policy<POLICY>>
__host__ __device__ bool any_of(const POLICY& policy, I first, I last, P p) {
  return thrust::find_if(policy, first, last, p) != last;
}
template <typename POLICY, typename I, typename P, typename = detail::if_policy<POLICY>>
__host__ __device__ bool none_of(const POLICY& policy, I first, I last, P p) {
  return !thrust::any_of(policy, first, last, p);
}
template <typename POLICY, typename I, typename P, typename = detail::if_policy<POLICY>>
__host__ __device__ bool all_of(const POLICY& policy, I first, I last, P p) {
  return !thrust::any_of(policy, first, last, detail::negated<P>{p});
}
template <typename POLICY, typename I, typename J, typename P, typename = detail::if_policy<POLICY>>
__host__ __device__ pair<I, J> mismatch(const POLICY &policy, I first, I last, J second, P p) {
  const size_t n = (size_t)(last - first);
  const ptrdiff_t at =
      (ptrdiff_t)detail::reduce_indices(policy, n,
                                        detail::place_of_mismatch<detail::raw_of<I>, detail::raw_of<J>, P>{
                                            detail::unwrap(first), detail::unwrap(second), p, n},
                                        n, minimum<size_t>());
  return pair<I, J>(first + at, second + at);
}
template <typename POLICY, typename I, typename J, typename = detail::if_policy<POLICY>>
__host__ __device__ pair<I, J> mismatch(const POLICY& policy, I first, I last, J second) {
  return thrust::mismatch(policy, first, last, second, equal_to<>());
}
template <typename POLICY, typename I, typename J, typename P, typename = detail::if_policy<POLICY>>
__host__ __device__ bool equal(const POLICY& policy, I first, I last, J second, P p) {
  return thrust::mismatch(policy, first, last, second, p).first == last;
}
template <typename POLICY, typename I, typename J, typename = detail::if_policy<POLICY>>
__host__ __device__ bool equal(const POLICY& policy, I first, I last, J second) {
  return thrust::equal(policy, first, last, second, equal_to<>());
}
template <typename POLICY, typename I, typename C, typename = detail::if_policy<POLICY>>
__host__ __device__ I is_sorted_until(const POLICY &policy, I first, I last, C less) {
  const size_t n = (size_t)(last - first);
  if (n < 2) return last;
  return first + (ptrdiff_t)detail::reduce_indices(
                     policy, n - 1, detail::place_of_disorder<detail::raw_of<I>, C>{detail::unwrap(first), less, n}, n,
                     minimum<size_t>());
}
template <typename POLICY, typename I, typename C, typename = detail::if_policy<POLICY>>
__host__ __device__ bool is_sorted(const POLICY& policy, I first, I last, C less) {
  return thrust::is_sorted_until(policy, first, last, less) == last;
}
template <typename POLICY, typename I, typename = detail::if_policy<POLICY>>
__host__ __device__ bool is_sorted(const POLICY& policy, I first, I last) {
  return thrust::is_sorted(policy, first, last, less<>());
}

/* Without a policy. */
template <typename I, typename = detail::if_iterator<I>>
detail::value_of<I> reduce(I first, I last) { return thrust::reduce(detail::policy_for<I>(), first, last); }
template <typename I, typename T, typename = detail::if_iterator<I>>
T reduce(I first, I last, T init) { return thrust::reduce(detail::policy_for<I>(), first, last, init); }
template <typename I, typename T, typename OP, typename = detail::if_iterator<I>>
T reduce(I first, I last, T init, OP op) { return thrust::reduce(detail::policy_for<I>(), first, last, init, op); }
template <typename I, typename F, typename T, typename OP, typename = detail::if_iterator<I>>
T transform_reduce(I first, I last, F f, T init, OP op) {
  return thrust::transform_reduce(detail::policy_for<I>(), first, last, f, init, op);
}
template <typename I, typename J, typename T, typename = detail::if_iterator<I>>
T inner_product(I first, I last, J second, T init) {
  return thrust::inner_product(detail::policy_for<I, J>(), first, last, second, init);
}
template <typename I, typename J, typename T, typename OP, typename F, typename = detail::if_iterator<I>>
T inner_product(I first, I last, J second, T init, OP op, F f) {
  return thrust::inner_product(detail::policy_for<I, J>(), first, last, second, init, op, f);
}
template <typename I, typename P, typename = detail::if_iterator<I>>
ptrdiff_t count_if(I first, I last, P p) { return thrust::count_if(detail::policy_for<I>(), first, last, p); }
template <typename I, typename T, typename = detail::if_iterator<I>>
ptrdiff_t count(I first, I last, const T &value) { return thrust::count(detail::policy_for<I>(), first, last, value); }
#define __THRUST_EXTREMUM(name, R)                                                                   \
  template <typename I, typename = detail::if_iterator<I>>                                           \
  R name(I first, I last) { return thrust::name(detail::policy_for<I>(), first, last); }             \
  template <typename I, typename C, typename = detail::if_iterator<I>>                               \
  R name(I first, I last, C less) { return thrust::name(detail::policy_for<I>(), first, last, less); }
#define __THRUST_PAIR_OF_ITERATORS pair<I, I>
__THRUST_EXTREMUM(min_element, I)
__THRUST_EXTREMUM(max_element, I)
__THRUST_EXTREMUM(minmax_element, __THRUST_PAIR_OF_ITERATORS)
__THRUST_EXTREMUM(is_sorted, bool)
#undef __THRUST_EXTREMUM
#undef __THRUST_PAIR_OF_ITERATORS
#define __THRUST_SEARCH(name, R)                        \
  template <typename I, typename P, typename = detail::if_iterator<I>> \
  R name(I first, I last, P p) { return thrust::name(detail::policy_for<I>(), first, last, p); }
__THRUST_SEARCH(find_if, I)
__THRUST_SEARCH(find_if_not, I)
__THRUST_SEARCH(any_of, bool)
__THRUST_SEARCH(none_of, bool)
__THRUST_SEARCH(all_of, bool)
#undef __THRUST_SEARCH
template <typename I, typename T, typename = detail::if_iterator<I>>
I find(I first, I last, const T &value) { return thrust::find(detail::policy_for<I>(), first, last, value); }
template <typename I, typename J, typename = detail::if_iterator<I>>
bool equal(I first, I last, J second) { return thrust::equal(detail::policy_for<I, J>(), first, last, second); }
template <typename I, typename J, typename P, typename = detail::if_iterator<I>>
bool equal(I first, I last, J second, P p) { return thrust::equal(detail::policy_for<I, J>(), first, last, second, p); }
template <typename I, typename J, typename = detail::if_iterator<I>>
pair<I, J> mismatch(I first, I last, J second) {
  return thrust::mismatch(detail::policy_for<I, J>(), first, last, second);
}

}  // namespace thrust
