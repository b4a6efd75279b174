/* Algorithms that treat elements one by one: for_each, transform, fill, copy, sequence, gather and their kin. */
#pragma once

#include "../functional.h"
#include "launch.h"

namespace thrust {
namespace detail {

/* Function objects over an index; a lambda would not do, as it could not be __device__ and __host__ at once everywhere.
 */
template <typename I, typename F>
struct call_on { I first; F f; __host__ __device__ void operator()(size_t i) { f(first[i]); } };
template <typename I, typename O, typename F>
struct map_one {
  I first;
  O out;
  F f;
  __host__ __device__ void operator()(size_t i) { out[i] = f(first[i]); }
  typedef void batches;
  template <int K>
  __host__ __device__ void batch(size_t i, size_t stride) {
    auto value = f(first[i]);
    if constexpr (K > 1) batch<K - 1>(i + stride, stride);
    out[i] = value;
  }
};
template <typename I, typename J, typename O, typename F>
struct map_two {
  I first;
  J second;
  O out;
  F f;
  __host__ __device__ void operator()(size_t i) { out[i] = f(first[i], second[i]); }
  typedef void batches;
  template <int K>
  __host__ __device__ void batch(size_t i, size_t stride) {
    auto value = f(first[i], second[i]);
    if constexpr (K > 1) batch<K - 1>(i + stride, stride);
    out[i] = value;
  }
};
template <typename I, typename S, typename O, typename F, typename P>
struct map_one_if {
  I first;
  S stencil;
  O out;
  F f;
  P p;
  __host__ __device__ void operator()(size_t i) {
    if (p(stencil[i])) out[i] = f(first[i]);
  }
};
template <typename I, typename J, typename S, typename O, typename F, typename P>
struct map_two_if {
  I first;
  J second;
  S stencil;
  O out;
  F f;
  P p;
  __host__ __device__ void operator()(size_t i) {
    if (p(stencil[i])) out[i] = f(first[i], second[i]);
  }
};
template <typename O, typename T>
struct assign_value { O out; T value; __host__ __device__ void operator()(size_t i) { out[i] = value; } };
template <typename O, typename T>
struct assign_steps {
  O out;
  T start, step;
  __host__ __device__ void operator()(size_t i) { out[i] = (T)(start + step * (T)i); }
};
template <typename O, typename F>
struct assign_generated { O out; F f; __host__ __device__ void operator()(size_t i) { out[i] = f(); } };
template <typename O, typename F>
struct assign_tabulated { O out; F f; __host__ __device__ void operator()(size_t i) { out[i] = f(i); } };
template <typename I, typename O>
struct assign_copy {
  I first;
  O out;
  __host__ __device__ void operator()(size_t i) { out[i] = first[i]; }
  typedef void batches;
  template <int K>
  __host__ __device__ void batch(size_t i, size_t stride) {
    auto value = (value_of<I>)first[i];
    if constexpr (K > 1) batch<K - 1>(i + stride, stride);
    out[i] = value;
  }
};
template <typename M, typename I, typename O>
struct gather_one {
  M map;
  I in;
  O out;
  __host__ __device__ void operator()(size_t i) { out[i] = in[map[i]]; }
  typedef void batches;
  template <int K>
  __host__ __device__ void batch(size_t i, size_t stride) {
    auto value = (value_of<I>)in[map[i]];
    if constexpr (K > 1) batch<K - 1>(i + stride, stride);
    out[i] = value;
  }
};
template <typename I, typename M, typename O>
struct scatter_one { I in; M map; O out; __host__ __device__ void operator()(size_t i) { out[map[i]] = in[i]; } };
template <typename I, typename M, typename S, typename O, typename P>
struct scatter_one_if {
  I in;
  M map;
  S stencil;
  O out;
  P p;
  __host__ __device__ void operator()(size_t i) {
    if (p(stencil[i])) out[map[i]] = in[i];
  }
};
template <typename M, typename S, typename I, typename O, typename P>
struct gather_one_if {
  M map;
  S stencil;
  I in;
  O out;
  P p;
  __host__ __device__ void operator()(size_t i) {
    if (p(stencil[i])) out[i] = in[map[i]];
  }
};
template <typename I, typename P, typename T>
struct replace_one {
  I first;
  P p;
  T value;
  __host__ __device__ void operator()(size_t i) {
    if (p(first[i])) first[i] = value;
  }
};
template <typename I, typename O, typename P, typename T>
struct replace_copy_one {
  I first;
  O out;
  P p;
  T value;
  __host__ __device__ void operator()(size_t i) {
    if (p(first[i])) out[i] = value;
    else out[i] = first[i];
  }
};
template <typename I, typename J>
struct swap_one {
  I a;
  J b;
  __host__ __device__ void operator()(size_t i) {
    value_of<I> t = a[i];
    a[i] = b[i];
    b[i] = t;
  }
};
template <typename I>
struct swap_ends {
  I first;
  size_t n;
  __host__ __device__ void operator()(size_t i) {
    value_of<I> t = first[i];
    first[i] = first[n - 1 - i];
    first[n - 1 - i] = t;
  }
};
template <typename I, typename O>
struct copy_backwards {
  I first;
  O out;
  size_t n;
  __host__ __device__ void operator()(size_t i) { out[i] = first[n - 1 - i]; }
};
template <typename I, typename O, typename F>
struct difference_one {
  I first;
  O out;
  F f;
  __host__ __device__ void operator()(size_t i) {
    if (i == 0) out[i] = first[i];
    else out[i] = f(first[i], first[i - 1]);
  }
};
template <typename T>
struct equals_value {
  T value;
  template <typename U>
  __host__ __device__ bool operator()(const U& other) const {
    return other == value;
  }
};

/** Function objects of the wrong kind would be copied by value; references to elements are what for_each needs. */
template <typename T>
constexpr bool is_plain_pointer = std::is_pointer<T>::value;

template <typename I, typename O>
O copy_between(I first, I last, O out) {
  typedef typename system_of<I>::type from;
  typedef typename system_of<O>::type to;
  typedef value_of<I> T;
  const size_t n = (size_t)(last - first);
  if (n == 0) return out;
  constexpr bool device_in = std::is_same<from, device_system_tag>::value,
                 device_out = std::is_same<to, device_system_tag>::value;
  auto raw_in = unwrap(first);
  auto raw_out = unwrap(out);
  if constexpr (!device_in && !device_out) {
    for (size_t i = 0; i < n; ++i, ++first, ++out) *out = *first;
    return out;
  } else if constexpr (device_in && device_out) {
    for_each_index(device_policy(), n, assign_copy<decltype(raw_in), decltype(raw_out)>{raw_in, raw_out});
    return out + n;
  } else if constexpr (device_in) {
    /* To the host: through a contiguous piece of device memory, where the source is not one. */
    T *buffer = (T *)malloc(n * sizeof(T));
    if constexpr (is_plain_pointer<decltype(raw_in)>)
      check(cudaMemcpy((void*)buffer, (const void*)raw_in, n * sizeof(T), cudaMemcpyDeviceToHost), "copy");
    else {
      temporary<T> piece(n);
      for_each_index(device_policy(), n, assign_copy<decltype(raw_in), T *>{raw_in, piece.data()});
      check(cudaMemcpy((void *)buffer, (const void *)piece.data(), n * sizeof(T), cudaMemcpyDeviceToHost), "copy");
    }
    for (size_t i = 0; i < n; ++i, ++out) *out = buffer[i];
    free(buffer);
    return out;
  } else {
    typedef value_of<O> U;
    if constexpr (std::is_same<from, any_system_tag>::value) {
      for_each_index(device_policy(), n, assign_copy<decltype(raw_in), decltype(raw_out)>{raw_in, raw_out});
    } else {
      U *buffer = (U *)malloc(n * sizeof(U));
      for (size_t i = 0; i < n; ++i, ++first) new ((void *)(buffer + i)) U(*first);
      if constexpr (is_plain_pointer<decltype(raw_out)>)
        check(cudaMemcpy((void*)raw_out, (const void*)buffer, n * sizeof(U), cudaMemcpyHostToDevice), "copy");
      else {
        temporary<U> piece(n);
        check(cudaMemcpy((void *)piece.data(), (const void *)buffer, n * sizeof(U), cudaMemcpyHostToDevice), "copy");
        for_each_index(device_policy(), n, assign_copy<U *, decltype(raw_out)>{piece.data(), raw_out});
      }
      free(buffer);
    }
    return out + n;
  }
}
}  // namespace detail

namespace detail {
template <typename... ARGS>
struct any_device : std::disjunction<std::is_same<typename system_of<ARGS>::type, device_system_tag>...> {};
/** Device where an iterator is the device's, and where none says anything (counting_iterator alone). */
template <typename... ARGS>
std::conditional_t<std::is_same<typename common_system<ARGS...>::type, host_system_tag>::value, host_policy,
                   device_policy>
policy_for() {
  return {};
}
}  // namespace detail

/* Every algorithm has a form with a policy and, at the end, one whose policy follows from the iterators. */

template <typename POLICY, typename I, typename F, typename = detail::if_policy<POLICY>>
__host__ __device__ I for_each(const POLICY &policy, I first, I last, F f) {
  detail::for_each_index(policy, (size_t)(last - first),
                         detail::call_on<detail::raw_of<I>, F>{detail::unwrap(first), f});
  return last;
}
template <typename POLICY, typename I, typename N, typename F, typename = detail::if_policy<POLICY>>
__host__ __device__ I for_each_n(const POLICY& policy, I first, N n, F f) {
  return thrust::for_each(policy, first, first + n, f);
}
template <typename POLICY, typename I, typename O, typename F, typename = detail::if_policy<POLICY>>
__host__ __device__ O transform(const POLICY &policy, I first, I last, O out, F f) {
  const size_t n = (size_t)(last - first);
  detail::for_each_index(
      policy, n,
      detail::map_one<detail::raw_of<I>, detail::raw_of<O>, F>{detail::unwrap(first), detail::unwrap(out), f});
  return out + n;
}
template <typename POLICY, typename I, typename J, typename O, typename F, typename = detail::if_policy<POLICY>>
__host__ __device__ O transform(const POLICY &policy, I first, I last, J second, O out, F f) {
  const size_t n = (size_t)(last - first);
  detail::for_each_index(policy, n,
                         detail::map_two<detail::raw_of<I>, detail::raw_of<J>, detail::raw_of<O>, F>{
                             detail::unwrap(first), detail::unwrap(second), detail::unwrap(out), f});
  return out + n;
}
template <typename POLICY, typename I, typename O, typename F, typename P, typename = detail::if_policy<POLICY>>
__host__ __device__ O transform_if(const POLICY &policy, I first, I last, O out, F f, P p) {
  const size_t n = (size_t)(last - first);
  detail::for_each_index(policy, n,
                         detail::map_one_if<detail::raw_of<I>, detail::raw_of<I>, detail::raw_of<O>, F, P>{
                             detail::unwrap(first), detail::unwrap(first), detail::unwrap(out), f, p});
  return out + n;
}
template <typename POLICY, typename I, typename S, typename O, typename F, typename P,
          typename = detail::if_policy<POLICY>>
__host__ __device__ O transform_if(const POLICY& policy, I first, I last, S stencil, O out, F f, P p) {
  const size_t n = (size_t)(last - first);
  detail::for_each_index(policy, n,
                         detail::map_one_if<detail::raw_of<I>, detail::raw_of<S>, detail::raw_of<O>, F, P>{
                             detail::unwrap(first), detail::unwrap(stencil), detail::unwrap(out), f, p});
  return out + n;
}
template <typename POLICY, typename I, typename T, typename = detail::if_policy<POLICY>>
__host__ __device__ void fill(const POLICY &policy, I first, I last, const T &value) {
  typedef detail::value_of<I> V;
  detail::for_each_index(policy, (size_t)(last - first),
                         detail::assign_value<detail::raw_of<I>, V>{detail::unwrap(first), (V)value});
}
template <typename POLICY, typename I, typename N, typename T, typename = detail::if_policy<POLICY>>
__host__ __device__ I fill_n(const POLICY &policy, I first, N n, const T &value) {
  thrust::fill(policy, first, first + n, value);
  return first + n;
}
template <typename POLICY, typename I, typename T, typename S, typename = detail::if_policy<POLICY>>
__host__ __device__ void sequence(const POLICY &policy, I first, I last, T start, S step) {
  typedef detail::value_of<I> V;
  detail::for_each_index(policy, (size_t)(last - first),
                         detail::assign_steps<detail::raw_of<I>, V>{detail::unwrap(first), (V)start, (V)step});
}
template <typename POLICY, typename I, typename T, typename = detail::if_policy<POLICY>>
__host__ __device__ void sequence(const POLICY& policy, I first, I last, T start) {
  thrust::sequence(policy, first, last, start, 1);
}
template <typename POLICY, typename I, typename = detail::if_policy<POLICY>>
__host__ __device__ void sequence(const POLICY& policy, I first, I last) {
  thrust::sequence(policy, first, last, 0, 1);
}
template <typename POLICY, typename I, typename F, typename = detail::if_policy<POLICY>>
void generate(const POLICY &policy, I first, I last, F f) {
  if constexpr (detail::on_device<POLICY>)
    detail::for_each_index(policy, (size_t)(last - first),
                           detail::assign_generated<detail::raw_of<I>, F>{detail::unwrap(first), f});
  else
    for (; first != last; ++first) *first = f();
}
template <typename POLICY, typename I, typename F, typename = detail::if_policy<POLICY>>
__host__ __device__ void tabulate(const POLICY &policy, I first, I last, F f) {
  detail::for_each_index(policy, (size_t)(last - first),
                         detail::assign_tabulated<detail::raw_of<I>, F>{detail::unwrap(first), f});
}
template <typename POLICY, typename M, typename I, typename O, typename = detail::if_policy<POLICY>>
__host__ __device__ O gather(const POLICY &policy, M first, M last, I in, O out) {
  const size_t n = (size_t)(last - first);
  detail::for_each_index(policy, n,
                         detail::gather_one<detail::raw_of<M>, detail::raw_of<I>, detail::raw_of<O>>{
                             detail::unwrap(first), detail::unwrap(in), detail::unwrap(out)});
  return out + n;
}
template <typename POLICY, typename I, typename M, typename O, typename = detail::if_policy<POLICY>>
__host__ __device__ void scatter(const POLICY &policy, I first, I last, M map, O out) {
  detail::for_each_index(policy, (size_t)(last - first),
                         detail::scatter_one<detail::raw_of<I>, detail::raw_of<M>, detail::raw_of<O>>{
                             detail::unwrap(first), detail::unwrap(map), detail::unwrap(out)});
}
template <typename POLICY, typename I, typename M, typename S, typename O, typename P,
          typename = detail::if_policy<POLICY>>
__host__ __device__ void scatter_if(const POLICY& policy, I first, I last, M map, S stencil, O out, P p) {
  detail::for_each_index(
      policy, (size_t)(last - first),
      detail::scatter_one_if<detail::raw_of<I>, detail::raw_of<M>, detail::raw_of<S>, detail::raw_of<O>, P>{
          detail::unwrap(first), detail::unwrap(map), detail::unwrap(stencil), detail::unwrap(out), p});
}
template <typename POLICY, typename I, typename M, typename S, typename O, typename = detail::if_policy<POLICY>>
__host__ __device__ void scatter_if(const POLICY& policy, I first, I last, M map, S stencil, O out) {
  thrust::scatter_if(policy, first, last, map, stencil, out, identity<>());
}
template <typename POLICY, typename M, typename S, typename I, typename O, typename P,
          typename = detail::if_policy<POLICY>>
__host__ __device__ O gather_if(const POLICY& policy, M first, M last, S stencil, I in, O out, P p) {
  const size_t n = (size_t)(last - first);
  detail::for_each_index(
      policy, n,
      detail::gather_one_if<detail::raw_of<M>, detail::raw_of<S>, detail::raw_of<I>, detail::raw_of<O>, P>{
          detail::unwrap(first), detail::unwrap(stencil), detail::unwrap(in), detail::unwrap(out), p});
  return out + n;
}
template <typename POLICY, typename M, typename S, typename I, typename O, typename = detail::if_policy<POLICY>>
__host__ __device__ O gather_if(const POLICY& policy, M first, M last, S stencil, I in, O out) {
  return thrust::gather_if(policy, first, last, stencil, in, out, identity<>());
}
template <typename POLICY, typename I, typename P, typename T, typename = detail::if_policy<POLICY>>
__host__ __device__ void replace_if(const POLICY &policy, I first, I last, P p, const T &value) {
  typedef detail::value_of<I> V;
  detail::for_each_index(policy, (size_t)(last - first),
                         detail::replace_one<detail::raw_of<I>, P, V>{detail::unwrap(first), p, (V)value});
}
template <typename POLICY, typename I, typename T, typename = detail::if_policy<POLICY>>
__host__ __device__ void replace(const POLICY &policy, I first, I last, const T &old, const T &value) {
  thrust::replace_if(policy, first, last, detail::equals_value<detail::value_of<I>>{(detail::value_of<I>)old}, value);
}
template <typename POLICY, typename I, typename O, typename P, typename T, typename = detail::if_policy<POLICY>>
__host__ __device__ O replace_copy_if(const POLICY &policy, I first, I last, O out, P p, const T &value) {
  typedef detail::value_of<O> V;
  const size_t n = (size_t)(last - first);
  detail::for_each_index(policy, n,
                         detail::replace_copy_one<detail::raw_of<I>, detail::raw_of<O>, P, V>{
                             detail::unwrap(first), detail::unwrap(out), p, (V)value});
  return out + n;
}
template <typename POLICY, typename I, typename J, typename = detail::if_policy<POLICY>>
__host__ __device__ J swap_ranges(const POLICY &policy, I first, I last, J other) {
  const size_t n = (size_t)(last - first);
  detail::for_each_index(
      policy, n, detail::swap_one<detail::raw_of<I>, detail::raw_of<J>>{detail::unwrap(first), detail::unwrap(other)});
  return other + n;
}
template <typename POLICY, typename I, typename = detail::if_policy<POLICY>>
__host__ __device__ void reverse(const POLICY &policy, I first, I last) {
  const size_t n = (size_t)(last - first);
  detail::for_each_index(policy, n / 2, detail::swap_ends<detail::raw_of<I>>{detail::unwrap(first), n});
}
template <typename POLICY, typename I, typename O, typename = detail::if_policy<POLICY>>
__host__ __device__ O reverse_copy(const POLICY &policy, I first, I last, O out) {
  const size_t n = (size_t)(last - first);
  detail::for_each_index(
      policy, n,
      detail::copy_backwards<detail::raw_of<I>, detail::raw_of<O>>{detail::unwrap(first), detail::unwrap(out), n});
  return out + n;
}
template <typename POLICY, typename I, typename O, typename F, typename = detail::if_policy<POLICY>>
O adjacent_difference(const POLICY &policy, I first, I last, O out, F f) {
  const size_t n = (size_t)(last - first);
  if constexpr (detail::on_device<POLICY>) {
    /* The input may be the output. */
    typedef detail::value_of<I> V;
    detail::temporary<V> copy(n);
    detail::for_each_index(policy, n, detail::assign_copy<detail::raw_of<I>, V *>{detail::unwrap(first), copy.data()});
    detail::for_each_index(policy, n,
                           detail::difference_one<V*, detail::raw_of<O>, F>{copy.data(), detail::unwrap(out), f});
  } else if (n > 0) {
    detail::value_of<I> before = *first;
    *out = before;
    for (size_t i = 1; i < n; ++i) {
      detail::value_of<I> value = first[i];
      out[i] = f(value, before);
      before = value;
    }
  }
  return out + n;
}
template <typename POLICY, typename I, typename O, typename = detail::if_policy<POLICY>>
O adjacent_difference(const POLICY& policy, I first, I last, O out) {
  return thrust::adjacent_difference(policy, first, last, out, minus<>());
}

/* copy goes between systems, whatever the policy says of where the work is done. */
template <typename I, typename O, typename = detail::if_iterator<I>>
O copy(I first, I last, O out) { return detail::copy_between(first, last, out); }
template <typename I, typename N, typename O, typename = detail::if_iterator<I>>
O copy_n(I first, N n, O out) { return detail::copy_between(first, first + n, out); }
template <typename POLICY, typename I, typename O, typename = detail::if_policy<POLICY>>
O copy(const POLICY &policy, I first, I last, O out) {
  const size_t n = (size_t)(last - first);
  if constexpr (detail::on_device<POLICY> && !detail::any_device<I, O>::value) {
    detail::for_each_index(
        policy, n,
        detail::assign_copy<detail::raw_of<I>, detail::raw_of<O>>{detail::unwrap(first), detail::unwrap(out)});
    return out + n;
  } else return detail::copy_between(first, last, out);
}
template <typename I, typename O>
__device__ O copy(const detail::seq_policy &, I first, I last, O out) {
  for (; first != last; ++first, ++out) *out = *first;
  return out;
}
template <typename POLICY, typename I, typename N, typename O, typename = detail::if_policy<POLICY>>
O copy_n(const POLICY &policy, I first, N n, O out) { return thrust::copy(policy, first, first + n, out); }

template <typename I, typename F, typename = detail::if_iterator<I>>
I for_each(I first, I last, F f) { return thrust::for_each(detail::policy_for<I>(), first, last, f); }
template <typename I, typename N, typename F, typename = detail::if_iterator<I>>
I for_each_n(I first, N n, F f) { return thrust::for_each(detail::policy_for<I>(), first, first + n, f); }
template <typename I, typename O, typename F, typename = detail::if_iterator<I>>
O transform(I first, I last, O out, F f) { return thrust::transform(detail::policy_for<I, O>(), first, last, out, f); }
template <typename I, typename J, typename O, typename F, typename = detail::if_iterator<I>>
O transform(I first, I last, J second, O out, F f) {
  return thrust::transform(detail::policy_for<I, J, O>(), first, last, second, out, f);
}
template <typename I, typename O, typename F, typename P, typename = detail::if_iterator<I>>
O transform_if(I first, I last, O out, F f, P p) {
  return thrust::transform_if(detail::policy_for<I, O>(), first, last, out, f, p);
}
template <typename I, typename S, typename O, typename F, typename P, typename = detail::if_iterator<I>>
O transform_if(I first, I last, S stencil, O out, F f, P p) {
  return thrust::transform_if(detail::policy_for<I, O>(), first, last, stencil, out, f, p);
}
template <typename I, typename T, typename = detail::if_iterator<I>>
void fill(I first, I last, const T &value) { thrust::fill(detail::policy_for<I>(), first, last, value); }
template <typename I, typename N, typename T, typename = detail::if_iterator<I>>
I fill_n(I first, N n, const T &value) { return thrust::fill_n(detail::policy_for<I>(), first, n, value); }
template <typename I, typename T>
void uninitialized_fill(I first, I last, const T &value) { thrust::fill(first, last, value); }
template <typename I, typename = detail::if_iterator<I>>
void sequence(I first, I last) { thrust::sequence(detail::policy_for<I>(), first, last); }
template <typename I, typename T, typename = detail::if_iterator<I>>
void sequence(I first, I last, T start) { thrust::sequence(detail::policy_for<I>(), first, last, start); }
template <typename I, typename T, typename S, typename = detail::if_iterator<I>>
void sequence(I first, I last, T start, S step) { thrust::sequence(detail::policy_for<I>(), first, last, start, step); }
template <typename I, typename F, typename = detail::if_iterator<I>>
void generate(I first, I last, F f) { thrust::generate(detail::policy_for<I>(), first, last, f); }
template <typename I, typename N, typename F, typename = detail::if_iterator<I>>
I generate_n(I first, N n, F f) { thrust::generate(detail::policy_for<I>(), first, first + n, f); return first + n; }
template <typename I, typename F, typename = detail::if_iterator<I>>
void tabulate(I first, I last, F f) { thrust::tabulate(detail::policy_for<I>(), first, last, f); }
template <typename M, typename I, typename O, typename = detail::if_iterator<M>>
O gather(M first, M last, I in, O out) { return thrust::gather(detail::policy_for<M, I, O>(), first, last, in, out); }
template <typename M, typename S, typename I, typename O, typename = detail::if_iterator<M>>
O gather_if(M first, M last, S stencil, I in, O out) {
  return thrust::gather_if(detail::policy_for<M, I, O>(), first, last, stencil, in, out);
}
template <typename I, typename M, typename O, typename = detail::if_iterator<I>>
void scatter(I first, I last, M map, O out) { thrust::scatter(detail::policy_for<I, M, O>(), first, last, map, out); }
template <typename I, typename M, typename S, typename O, typename = detail::if_iterator<I>>
void scatter_if(I first, I last, M map, S stencil, O out) {
  thrust::scatter_if(detail::policy_for<I, M, O>(), first, last, map, stencil, out);
}
template <typename I, typename M, typename S, typename O, typename P, typename = detail::if_iterator<I>>
void scatter_if(I first, I last, M map, S stencil, O out, P p) {
  thrust::scatter_if(detail::policy_for<I, M, O>(), first, last, map, stencil, out, p);
}
template <typename I, typename P, typename T, typename = detail::if_iterator<I>>
void replace_if(I first, I last, P p, const T& value) {
  thrust::replace_if(detail::policy_for<I>(), first, last, p, value);
}
template <typename I, typename T, typename = detail::if_iterator<I>>
void replace(I first, I last, const T& old, const T& value) {
  thrust::replace(detail::policy_for<I>(), first, last, old, value);
}
template <typename I, typename O, typename P, typename T, typename = detail::if_iterator<I>>
O replace_copy_if(I first, I last, O out, P p, const T& value) {
  return thrust::replace_copy_if(detail::policy_for<I, O>(), first, last, out, p, value);
}
template <typename I, typename J, typename = detail::if_iterator<I>>
J swap_ranges(I first, I last, J other) { return thrust::swap_ranges(detail::policy_for<I, J>(), first, last, other); }
template <typename I, typename = detail::if_iterator<I>>
void reverse(I first, I last) { thrust::reverse(detail::policy_for<I>(), first, last); }
template <typename I, typename O, typename = detail::if_iterator<I>>
O reverse_copy(I first, I last, O out) { return thrust::reverse_copy(detail::policy_for<I, O>(), first, last, out); }
template <typename I, typename O, typename = detail::if_iterator<I>>
O adjacent_difference(I first, I last, O out) {
  return thrust::adjacent_difference(detail::policy_for<I, O>(), first, last, out);
}
template <typename I, typename O, typename F, typename = detail::if_iterator<I>>
O adjacent_difference(I first, I last, O out, F f) {
  return thrust::adjacent_difference(detail::policy_for<I, O>(), first, last, out, f);
}

}  // namespace thrust
